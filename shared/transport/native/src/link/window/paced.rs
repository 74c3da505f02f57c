//! How bulk is paced where the other side sends as well, and tells how long reports have stood.
//!
//! Acknowledgements stand in the other direction's queue then, so that what is in flight says little of the queue before the line; and on a slow
//! line a window is some few packets. So bulk leaves at the rate at which the line takes it, faster by a little where it stands
//! for less than it should, and slower where it stands for longer. How long it stands is reckoned up to now (`standing.rs`), so that nothing
//! is done twice about what is told late.
//!
//! Pure. Times are in microseconds.

/// So long a packet of bulk is to wait for the line and be on it, and wait at least: less, and a thread that is woken late would leave it empty.
const STANDS: f64 = 25_000.0;
const LEAST_WAIT: f64 = 12_000.0;
/// A report that stood for less may have been behind a packet or two that happened to be before it.
const FEW: f64 = 6_000.0;
/// Of a packet's time on the line: so much longer than alone a report takes that goes along with it. It is 0.93; with that the queue was longer
/// and swung more.
const RIDES: f64 = 0.8;
/// What is over that is worked off in this time, and what is under it is made up for.
const WORKED_OFF_IN: f64 = 100_000.0;
const LEAST_GAIN: f64 = 0.75;
const MOST_GAIN: f64 = 1.25;
/// And where the line rests.
const EMPTY_GAIN: f64 = 1.5;
/// What stands for less has not stood. Where that goes on for so long, the rate is not known, and soon it is looked for anew.
const NOTHING: f64 = 1_000.0;
const EMPTY_FOR: f64 = 400_000.0;
const UNKNOWN_AFTER: f64 = 1_000_000.0;
/// What stands for so long although less is sent is somebody else's, or the path is a longer one.
const FOREIGN_AFTER: f64 = 4_000_000.0;
/// By so many reports the queue is empty or is not.
const REPORTS: usize = 3;

/// Where a packet is on the line for less than this part of what it was, by so many reports in a row, the line has become a faster one.
const FASTER: f64 = 0.3;
const FASTER_SIGNS: u32 = 3;

#[derive(Default)]
pub struct Paced {
    /// How long the newest reports had stood, with what they went along with; the last is the newest.
    stood: [f64; REPORTS],
}

/// What a packet of bulk, which is on the line for `own`, adds to how long a report stands that goes along with it.
pub fn rode(own: f64) -> f64 {
    RIDES * own
}

/// A report that stood for so long was behind something else. By one or two packets that happened to be before it no line is full.
pub fn waited(stood: f64, own: f64) -> bool {
    stood > (rode(own) + NOTHING).max(FEW)
}

impl Paced {
    pub fn on_report(&mut self, stood: f64) {
        self.stood.rotate_left(1);
        self.stood[REPORTS - 1] = stood;
    }

    pub fn stood(&self) -> f64 {
        self.stood[REPORTS - 1]
    }

    /// How long a packet waited for the line, of those that are on it for `own`, when it was told last.
    pub fn queue(&self, own: f64) -> f64 {
        (self.stood() - rode(own)).max(0.0)
    }

    /// None of the last reports waited.
    pub fn is_empty(&self, own: f64) -> bool {
        !self.stood.iter().any(|stood| waited(*stood, own))
    }

    /// The rate is to be looked for as at the start.
    pub fn is_unknown(empty_for: f64, round_trip: f64) -> bool {
        empty_for > UNKNOWN_AFTER + 4.0 * round_trip
    }
}

/// Whether a slow line has become faster by far. That its queue is empty does not tell: it is so too where a thread was woken late.
#[derive(Default)]
pub struct Faster {
    signs: u32,
}

impl Faster {
    /// A report went along with a packet, and that or an acknowledgement took so long over what it takes alone. `own`: a packet was on the line for
    /// so long. Both are asked, for a report may have left before its packet, and an acknowledgement by itself.
    pub fn is_told(&mut self, took: f64, own: f64) -> bool {
        self.signs = if took < FASTER * own { self.signs + 1 } else { 0 };
        if self.signs >= FASTER_SIGNS {
            self.signs = 0;
            return true;
        }
        false
    }
}

/// What the pace goes by.
pub struct Pacing {
    /// How long what leaves now waits for the line, and is on it.
    pub waits: f64,
    pub own: f64,
    /// Of the round trip.
    pub base: f64,
    /// What losses leave of what may stand in the queue.
    pub share: f64,
    /// Since when the queue has been empty, or far longer than it should be.
    pub empty_for: f64,
    pub long_for: f64,
}

impl Pacing {
    /// So many times the rate at which the line takes bulk.
    pub fn gain(&self) -> f64 {
        if self.long_for > FOREIGN_AFTER {
            return 1.0;
        }
        if self.empty_for > EMPTY_FOR + self.base {
            return EMPTY_GAIN;
        }
        let over = self.waits - self.share * (STANDS - rode(self.own)).max(LEAST_WAIT);
        (1.0 - over / WORKED_OFF_IN).clamp(LEAST_GAIN, MOST_GAIN)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const OWN: f64 = 23_000.0;
    const PACING: Pacing = Pacing { waits: 0.0, own: OWN, base: 50_000.0, share: 1.0, empty_for: 0.0, long_for: 0.0 };

    fn stood(stood: f64) -> Paced {
        let mut paced = Paced::default();
        (0..REPORTS).for_each(|_| paced.on_report(stood));
        paced
    }

    #[test]
    fn is_faster_where_packets_wait_for_less_and_slower_where_for_more() {
        let gains: Vec<f64> =
            [0, 2, 4, 6, 10, 30, 60, 500].map(|ms| Pacing { waits: f64::from(ms) * 1_000.0, ..PACING }.gain()).to_vec();
        assert!(gains.is_sorted_by(|one, next| one >= next), "{gains:?}");
        assert!(gains[0] > 1.0 && gains[7] == LEAST_GAIN, "{gains:?}");
        assert_eq!(Pacing { waits: LEAST_WAIT, ..PACING }.gain(), 1.0);
    }

    #[test]
    fn what_losses_leave_is_less() {
        assert!(Pacing { waits: LEAST_WAIT, share: 0.3, ..PACING }.gain() < 1.0);
    }

    #[test]
    fn looks_for_more_where_the_queue_stays_empty_and_no_less_where_it_stays_long() {
        assert_eq!(Pacing { waits: 50_000.0, empty_for: 1e6, ..PACING }.gain(), EMPTY_GAIN);
        assert!(!Paced::is_unknown(1e6, 50_000.0) && Paced::is_unknown(1.3e6, 50_000.0));
        assert_eq!(Pacing { waits: 200_000.0, long_for: 5e6, ..PACING }.gain(), 1.0);
    }

    #[test]
    fn is_empty_where_none_of_the_last_reports_waited() {
        let mut paced = stood(50_000.0);
        paced.on_report(0.0);
        paced.on_report(0.0);
        assert!(!paced.is_empty(OWN));
        paced.on_report(rode(OWN));
        assert!(paced.is_empty(OWN));
        paced.on_report(50_000.0);
        assert!(!paced.is_empty(OWN));
    }
    #[test]
    fn a_line_is_faster_where_packets_take_far_less_again_and_again() {
        let mut faster = Faster::default();
        let told = [0.1, 0.1, 0.9, 0.1, 0.1, 0.1, 0.1, 0.5].map(|part| faster.is_told(part * OWN, OWN));
        assert_eq!(told, [false, false, false, false, false, true, false, false]);
    }
}
