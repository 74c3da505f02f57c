//! How long what comes in has stood in the queue of the other direction.
//!
//! A round trip can't tell whose queue it was. So each side that sends bulk tells the other one its time, now and then: how much later
//! than at best that arrives is what has stood before it. Clocks need not agree; how far they are apart is in the best as well.
//!
//! Pure: times are in microseconds, each side's own.

/// The best is the smallest of so many spans, so that clocks which drift apart are followed.
const SPANS: usize = 6;
const SPAN: f64 = 10_000_000.0;
/// What was told longer ago says nothing of now.
const GOOD_FOR: f64 = 2_500_000.0;

#[derive(Default)]
pub struct Incoming {
    /// Start of each span, and the shortest way in it; the newest last.
    spans: Vec<(f64, f64)>,
    /// When something was heard last, how long it had stood, and what that was.
    newest: Option<(f64, f64, u32)>,
}

impl Incoming {
    /// The other side said at `told`, by its clock, what has arrived at `now`.
    pub fn heard(&mut self, now: f64, told: f64) {
        let way = now - told;
        if !way.is_finite() {
            return;
        }
        match self.spans.last_mut() {
            Some((start, shortest)) if now - *start < SPAN => *shortest = shortest.min(way),
            _ => self.spans.push((now, way)),
        }
        self.spans.drain(..self.spans.len().saturating_sub(SPANS));
        let best = self.spans.iter().map(|(_, shortest)| *shortest).fold(f64::INFINITY, f64::min);
        let stood = way - best;
        self.newest = Some((now, stood, told as u64 as u32));
    }

    /// Of what came last; 0 where nothing was heard of late: then the other side sends no bulk. Not smoothed: where both sides follow the other
    /// one's queue, and late, both queues swing.
    pub fn queue(&self, now: f64) -> f64 {
        if self.is_silent(now) { 0.0 } else { self.newest.map_or(0.0, |(_, stood, _)| stood) }
    }

    /// What came last: the low bits of the time that it told.
    pub fn newest(&self) -> u32 {
        self.newest.map_or(0, |(_, _, told)| told)
    }

    /// The path is another one.
    pub fn forget(&mut self) {
        *self = Incoming::default();
    }

    fn is_silent(&self, now: f64) -> bool {
        self.newest.is_none_or(|(at, _, _)| now - at >= GOOD_FOR)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const FAR: f64 = 7e12;

    #[test]
    fn tells_how_much_later_than_at_best_something_came() {
        let mut incoming = Incoming::default();
        for (sent, stood) in [(0.0, 0.0), (1e5, 40_000.0), (2e5, 10_000.0)] {
            incoming.heard(FAR + sent + 25_000.0 + stood, sent);
            assert_eq!(incoming.queue(FAR + sent + 100_000.0), stood);
        }
    }

    #[test]
    fn forgets_whom_it_has_not_heard_of_late() {
        let mut incoming = Incoming::default();
        incoming.heard(0.0, 0.0);
        incoming.heard(150_000.0, 100_000.0);
        assert_eq!(incoming.queue(150_000.0 + GOOD_FOR), 0.0);
    }

    #[test]
    fn follows_clocks_that_drift_apart() {
        let mut incoming = Incoming::default();
        for second in 0..600 {
            let sent = f64::from(second) * 1e6;
            incoming.heard(sent * 1.0001 + 25_000.0, sent);
        }
        assert!(incoming.queue(600e6) <= 100.0 * SPANS as f64 * SPAN / 1e6);
    }

    #[test]
    fn takes_no_numbers_that_are_none() {
        let mut incoming = Incoming::default();
        incoming.heard(0.0, f64::NAN);
        incoming.heard(f64::INFINITY, 0.0);
        assert_eq!(incoming.queue(1.0), 0.0);
    }
}
