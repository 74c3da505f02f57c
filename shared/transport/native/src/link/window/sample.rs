//! What the bulk window goes by. Times are in microseconds, amounts in bytes as on the wire.

/// 31 years, or a petabyte.
const MOST: f64 = 1e15;

/// What one acknowledgement tells. Totals are those of the connection.
#[derive(Clone, Copy, Debug)]
pub struct Sample {
    pub now: f64,
    pub rtt: f64,
    /// How long acknowledgements stand in the queue of the other direction, of late.
    pub behind: f64,
    /// The shortest there ever was on this path.
    pub shortest_rtt: f64,
    pub in_flight: f64,
    pub delivered: f64,
    pub lost_packets: u64,
    /// Bytes of a full packet on the wire.
    pub packet: f64,
    /// There was bulk that the window held back since the last sample.
    pub limited: bool,
    /// Or its pace.
    pub waited: bool,
}

/// What the other side tells of the way to it.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Report {
    /// By its own clock.
    pub time: f64,
    /// Bytes on the wire, the total of the connection.
    pub received: f64,
    /// How long what came last had stood in the queue.
    pub queue: f64,
    /// What that was: the low 32 bits of the time in the report of whom is told.
    pub heard: u32,
}

impl Sample {
    /// None of its numbers is out of reason.
    pub fn is_sound(&self) -> bool {
        let numbers = [self.now, self.rtt, self.behind, self.shortest_rtt, self.in_flight, self.delivered, self.packet];
        numbers.iter().all(is_in_reason) && self.rtt > 0.0 && self.packet > 0.0
    }
}

impl Report {
    pub fn is_sound(&self) -> bool {
        [self.time, self.received, self.queue].iter().all(is_in_reason)
    }
}

/// What is not a number is not.
fn is_in_reason(number: &f64) -> bool {
    number.abs() <= MOST
}
