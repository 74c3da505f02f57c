//! What a bulk window does at a time.

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Phase {
    /// Growing until the queue shows. So many signs of a queue were seen.
    Ramp {
        signs: u32,
    },
    Steady,
    /// The flight drains until this much is left, to see the path without a queue; then it goes on. Never less than two packets: where
    /// nothing is in flight, nothing is acknowledged, and it would never end.
    Drain {
        to: f64,
    },
}
