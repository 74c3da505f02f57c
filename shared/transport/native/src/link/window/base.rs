//! What a packet takes on the path without a queue: the base round trip, and its own time on the line.
//!
//! A full packet is on a slow line for as long as a queue may last, and that is no queue. It is told by the times between
//! acknowledgements, of which the shortest of the last few is taken. Times are in microseconds.

use super::sample::Sample;

/// No line takes longer for a packet, as far as we go by it.
const LONGEST_OWN: f64 = 25_000.0;
/// Acknowledgements by which the time of a packet on the line is known.
const SPACINGS: usize = 16;
/// A round trip this near to the base confirms it.
const NEAR: f64 = 2_000.0;
/// It is measured anew where nothing has confirmed it for so long.
const GOOD_FOR: f64 = 10_000_000.0;

pub struct Base {
    rtt: f64,
    confirmed: f64,
    spacings: [f64; SPACINGS],
    spaced: usize,
    /// When the last of them came, and how much was delivered by then.
    start: Option<(f64, f64)>,
}

impl Default for Base {
    fn default() -> Base {
        Base { rtt: f64::INFINITY, confirmed: 0.0, spacings: [f64::INFINITY; SPACINGS], spaced: 0, start: None }
    }
}

impl Base {
    pub fn on_ack(&mut self, sample: &Sample) {
        self.measure_spacing(sample);
        let alone = (sample.rtt - self.own()).max(sample.shortest_rtt);
        if alone <= self.rtt + NEAR {
            self.confirmed = sample.now;
        }
        self.rtt = self.rtt.min(alone);
    }

    /// Infinite where none is known.
    pub fn rtt(&self) -> f64 {
        self.rtt
    }

    /// 0 where none is known.
    pub fn known(&self) -> f64 {
        if self.rtt.is_finite() { self.rtt } else { 0.0 }
    }

    /// How long a full packet is on the line by itself; 0 where that is not known.
    pub fn own(&self) -> f64 {
        let least = self.spacings.iter().copied().fold(f64::INFINITY, f64::min);
        if least.is_finite() { least.min(LONGEST_OWN) } else { 0.0 }
    }

    /// How long a packet with this round trip stood in the queue.
    pub fn queue(&self, rtt: f64) -> f64 {
        (rtt - self.rtt - self.own()).max(0.0)
    }

    pub fn is_old(&self, now: f64) -> bool {
        now - self.confirmed > GOOD_FOR
    }

    /// It is measured anew; the next acknowledgement is the base until there is a shorter one.
    pub fn begin_anew(&mut self) {
        self.rtt = f64::INFINITY;
    }

    pub fn confirm(&mut self, now: f64) {
        self.confirmed = now;
    }

    /// What was known of the line is old; the path is the same.
    pub fn forget_line(&mut self) {
        self.spacings = [f64::INFINITY; SPACINGS];
        self.start = None;
    }

    fn measure_spacing(&mut self, sample: &Sample) {
        let Some((start, delivered)) = self.start else {
            self.start = Some((sample.now, sample.delivered));
            return;
        };
        let came = sample.delivered - delivered;
        if came < 0.8 * sample.packet {
            return;
        }
        self.start = Some((sample.now, sample.delivered));
        self.spacings[self.spaced % SPACINGS] = (sample.now - start).max(0.0) * sample.packet / came;
        self.spaced = (self.spaced + 1) % SPACINGS;
    }
}
