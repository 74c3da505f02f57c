//! What a bulk window does at a time, and how fast bulk leaves while its rate is looked for.
//!
//! Pure. Times are in microseconds, amounts in bytes, rates in bytes a microsecond.

/// Where the other side tells of the queue, a window takes half a round trip: a queue of a moment, before a bunch
/// of packets, would be taken for that of a full line.
const PACE: f64 = 2.0;
/// And where a window in a round trip is no more than this, and the path had no more before, it takes nearly a whole one: the line may be a slow
/// one, whose queue has room for two of the packets that leave at once.
const MAY_BE_SLOW: f64 = 0.128;
const PACE_WHERE_SLOW: f64 = 1.2;

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

/// Of a ramp. Infinite: as fast as it goes. `took`: by the newest round trip; 0: none is known. `before`: that the path was seen to have before it
/// rested; 0: nothing is known. `is_told`: the other side tells of the queue.
pub fn pace_of_ramp(window: f64, took: f64, before: f64, is_told: bool) -> f64 {
    let fills = if took > 0.0 { window / took } else { f64::INFINITY };
    if fills < MAY_BE_SLOW && before < MAY_BE_SLOW {
        return PACE_WHERE_SLOW * fills;
    }
    if is_told { PACE * fills } else { f64::INFINITY }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_window_of_a_path_that_may_be_slow_takes_nearly_a_round_trip() {
        let pace = |took: f64, before: f64, is_told: bool| pace_of_ramp(20_000.0, took, before, is_told);
        assert_eq!(pace(200_000.0, 0.0, false), 0.12);
        assert_eq!(pace(200_000.0, 0.064, true), 0.12);
        // A faster one was known, or the path is near.
        assert_eq!((pace(200_000.0, 1.0, true), pace(50_000.0, 0.0, true)), (0.2, 0.8));
        let at_once = [pace(200_000.0, 1.0, false), pace(50_000.0, 0.0, false), pace(0.0, 0.0, false)];
        assert!(at_once.iter().all(|pace| pace.is_infinite()), "{at_once:?}");
    }
}
