//! How bulk is paced where a packet of it is on the line for long and the other side sends as well.
//!
//! There a window is some few packets, and acknowledgements wait for packets of the other side: what is in flight says little of the queue before
//! the line. But the other side tells how long reports have stood, and they go along with packets of bulk. So bulk leaves at the rate
//! at which it arrives, faster by a little where it stands for less than it should, and slower where it stands for longer.
//!
//! Pure. Times are in microseconds.

/// So long a packet of bulk is to wait for the line and be on it, and wait at least: less, and a thread that is woken late would leave it empty.
const STANDS: f64 = 25_000.0;
const LEAST_WAIT: f64 = 6_000.0;
/// Of a packet's time on the line: so much longer than alone a report takes that goes along with it. It is 0.93; with that the queue was longer
/// and swung more.
const RIDES: f64 = 0.8;
/// What is over that is worked off in so many of the times in which it is told, which are the base round trip and this; what is under it, in
/// less: an empty line is lost.
const WORKED_OFF_IN: f64 = 2.5;
const TOLD_IN: f64 = 150_000.0;
const FASTER: f64 = 4.0;
const LEAST_GAIN: f64 = 0.75;
const MOST_GAIN: f64 = 1.25;
/// What stands for less has not stood. Where that goes on for so long, the rate is not known, and soon it is looked for anew.
const NOTHING: f64 = 1_000.0;
const EMPTY_FOR: f64 = 400_000.0;
const UNKNOWN_AFTER: f64 = 1_000_000.0;
/// What stands for so long although less is sent is somebody else's, or the path is a longer one.
const FOREIGN_AFTER: f64 = 4_000_000.0;
/// By so many reports the queue is empty at times or is not.
const REPORTS: usize = 3;

#[derive(Default)]
pub struct Paced {
    /// How long the newest reports had stood, with what they went along with; the last is the newest.
    stood: [f64; REPORTS],
}

impl Paced {
    pub fn on_report(&mut self, stood: f64) {
        self.stood.rotate_left(1);
        self.stood[REPORTS - 1] = stood;
    }

    pub fn stood(&self) -> f64 {
        self.stood[REPORTS - 1]
    }

    /// How long a packet waits for the line, of those that are on it for `own`.
    pub fn queue(&self, own: f64) -> f64 {
        (self.stood() - RIDES * own).max(0.0)
    }

    /// It was empty at times.
    pub fn is_empty(&self, own: f64) -> bool {
        self.stood.iter().any(|stood| stood - RIDES * own < NOTHING)
    }

    /// So many times the rate at which bulk arrives. `base`: of the round trip. `share`: what losses leave of what may stand in the queue. `empty_for`
    /// and `long_for`: since when the queue has been empty, or far longer than it should be.
    pub fn gain(&self, own: f64, base: f64, share: f64, empty_for: f64, long_for: f64) -> f64 {
        if long_for > FOREIGN_AFTER {
            return 1.0;
        }
        if empty_for > EMPTY_FOR + base {
            return MOST_GAIN;
        }
        let over = self.queue(own) - share * (STANDS - RIDES * own).max(LEAST_WAIT);
        let counts = if over < 0.0 { FASTER * over } else { over };
        (1.0 - counts / (WORKED_OFF_IN * (base + TOLD_IN))).clamp(LEAST_GAIN, MOST_GAIN)
    }

    /// The rate is to be looked for as at the start.
    pub fn is_unknown(empty_for: f64, round_trip: f64) -> bool {
        empty_for > UNKNOWN_AFTER + 4.0 * round_trip
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: f64 = 23_000.0;
    const BASE: f64 = 50_000.0;

    fn stood(stood: f64) -> Paced {
        let mut paced = Paced::default();
        (0..REPORTS).for_each(|_| paced.on_report(stood));
        paced
    }

    #[test]
    fn is_faster_where_packets_wait_for_less_and_slower_where_for_more() {
        let gains: Vec<f64> = [0, 20, 22, 24, 26, 30, 60, 500]
            .map(|ms| stood(f64::from(ms) * 1_000.0).gain(OWN, BASE, 1.0, 0.0, 0.0))
            .to_vec();
        assert!(gains.is_sorted_by(|one, next| one >= next), "{gains:?}");
        assert!(gains[0] > 1.0 && gains[7] == LEAST_GAIN, "{gains:?}");
        assert_eq!(stood(STANDS).gain(OWN, BASE, 1.0, 0.0, 0.0), 1.0);
    }

    #[test]
    fn what_losses_leave_is_less() {
        let paced = stood(STANDS);
        assert!(paced.gain(OWN, BASE, 0.3, 0.0, 0.0) < 1.0);
    }

    #[test]
    fn looks_for_more_where_the_queue_stays_empty_and_no_less_where_it_stays_long() {
        assert_eq!(stood(0.0).gain(OWN, BASE, 1.0, 1e6, 0.0), MOST_GAIN);
        assert!(!Paced::is_unknown(1e6, BASE) && Paced::is_unknown(1.3e6, BASE));
        assert_eq!(stood(200_000.0).gain(OWN, BASE, 1.0, 0.0, 5e6), 1.0);
    }

    #[test]
    fn is_empty_where_one_report_of_the_last_ones_did_not_wait() {
        let mut paced = stood(50_000.0);
        assert!(!paced.is_empty(OWN));
        paced.on_report(0.0);
        paced.on_report(50_000.0);
        assert!(paced.is_empty(OWN));
        (0..REPORTS).for_each(|_| paced.on_report(50_000.0));
        assert!(!paced.is_empty(OWN));
    }
}
