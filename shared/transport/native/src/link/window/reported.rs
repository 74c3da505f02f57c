//! What the other side has told of the way to it.
//!
//! Pure. Times are in microseconds.

use super::behind::Behind;
use super::paced::{self, Faster, Paced};
use super::sample::Report;
use super::standing::Standing;

/// A report counts for so long.
const GOOD_FOR: f64 = 1_000_000.0;
/// What was sent since stands for longer than it should.
const LONG: f64 = 50_000.0;
/// And it is new where what it tells of left a round trip and this ago at most. A side that rests tells again and again of what it heard last.
const NEW_FOR: f64 = 300_000.0;

#[derive(Default)]
pub struct Reported {
    /// The newest, and when it came.
    newest: Option<(f64, Report)>,
    /// It came since the last acknowledgement.
    pub is_fresh: bool,
    pub paced: Paced,
    pub standing: Standing,
    pub behind: Behind,
    pub faster: Faster,
}

impl Reported {
    pub fn takes(&mut self, now: f64, report: &Report) {
        self.paced.on_report(report.queue);
        self.newest = Some((now, *report));
        self.is_fresh = true;
    }

    /// None: nothing of late.
    pub fn at(&self, now: f64) -> Option<Report> {
        self.newest.filter(|(at, _)| now - at < GOOD_FOR).map(|(_, report)| report)
    }

    /// Whether a queue shows, and how many signs of one that is: what is told is as good as two. `rtt`: of a round trip with what stands in the other
    /// direction. `is_long`: the queue by what was told, or by round trips where nothing was. `is_untold`: what round trips tell is long in
    /// any case, but it may be what the other direction's queue has grown by: it counts where more stands than should by what was sent
    /// since, too. `rate`: that the line takes.
    pub fn signs(&mut self, now: f64, rtt: f64, is_long: bool, is_untold: bool, rate: f64) -> (bool, u32) {
        let is_fresh = std::mem::take(&mut self.is_fresh);
        let is_new = self.standing.newest().is_some_and(|left| now - left < rtt + NEW_FOR);
        let is_told = is_new && self.at(now).is_some();
        let waits = self.standing.waits(now, rate).is_none_or(|waits| waits > LONG);
        if is_untold && (waits || !is_told) {
            return (true, 1);
        }
        (is_long, if is_told { 2 * u32::from(is_fresh) } else { 1 })
    }

    /// What it says of one of this side's. `own`: a packet is on the line for so long, that takes `rate`. `over`: the newest round trip was so much
    /// longer than alone. True: the line seems to be a faster one by far.
    pub fn tells_faster(&mut self, report: &Report, own: f64, rate: f64, over: f64) -> bool {
        let rode = self.standing.told(report, paced::rode(own), rate);
        let took = self.paced.stood().max(over - self.behind.newest());
        self.behind.on_report();
        rode && self.faster.is_told(took, own)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: f64 = 1.0;
    const RTT: f64 = 50_000.0;

    /// One of this side's left at 0, and nothing stood before it; a packet each millisecond went after it, faster than the line takes them.
    fn told_at(now: f64) -> Reported {
        let mut reported = Reported::default();
        reported.standing.report_leaves(0.0, false);
        (0..(now / 1_000.0) as u32).for_each(|step| reported.standing.sent(f64::from(step) * 1_000.0, 1_400.0, RATE));
        let report = Report { time: 0.0, received: 0.0, queue: 0.0, heard: 0 };
        reported.takes(now, &report);
        reported.tells_faster(&report, 0.0, RATE, 0.0);
        reported
    }

    #[test]
    fn what_is_told_is_a_sign_once_and_as_good_as_two() {
        let mut reported = told_at(100_000.0);
        assert_eq!(reported.signs(100_000.0, RTT, true, false, RATE), (true, 2));
        assert_eq!(reported.signs(100_000.0, RTT, true, false, RATE), (true, 0));
    }

    #[test]
    fn of_what_left_long_ago_round_trips_tell_more() {
        // It is told again and again, and nothing else.
        for (now, shows) in [(100_000.0, false), (400_000.0, true)] {
            let mut reported = told_at(100_000.0);
            assert_eq!(reported.signs(now, RTT, false, true, RATE), (shows, if shows { 1 } else { 2 }), "{now}");
        }
    }

    #[test]
    fn a_long_round_trip_counts_where_more_was_sent_than_the_line_takes() {
        // 40 ms stand after 100, and 80 after 200.
        for (now, shows) in [(100_000.0, false), (200_000.0, true)] {
            assert_eq!(told_at(now).signs(now, RTT, false, true, RATE).0, shows, "{now}");
        }
    }
}
