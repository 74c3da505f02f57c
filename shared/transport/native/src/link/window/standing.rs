//! What stands before the line at this moment, where the other side tells what stood before it a while ago.
//!
//! What is told is older than a round trip: who goes by it alone sends too much for so long, and then too little. But what was sent since
//! then is known here, and so is the rate at which the line takes it. So each report, which tells how long one of this side's reports stood, is the
//! beginning from which that is reckoned up to now. Where that was more than is told of the same moment afterwards, the line takes more than it is
//! thought to, or less: what is reckoned is corrected by what it was wrong by of late.
//!
//! Pure. Times are in microseconds, amounts in bytes, rates in bytes a microsecond.

use std::collections::VecDeque;

use super::sample::Report;

/// Reports whose fate is not known yet: of some seconds.
const REPORTS_KEPT: usize = 64;
/// What was sent is known by moments of this length, so many of them.
const MOMENT: f64 = 2_000.0;
const MOMENTS_KEPT: usize = 2_048;

/// One report corrects by this part of what it finds, which is this at most.
const CORRECTS: f64 = 0.125;
const MOST_WRONG: f64 = 50_000.0;

/// A report of this side.
struct Left {
    at: f64,
    /// With a packet of bulk, whose time on the line is in what is told of it.
    rides: bool,
    /// When it was reckoned last by then, and how much stood.
    stood: Option<(f64, f64)>,
}

#[derive(Default)]
pub struct Standing {
    reports: VecDeque<Left>,
    /// When something was sent, and how much.
    sent: VecDeque<(f64, f64)>,
    /// When it was reckoned last, and how much stood then; nothing was told before.
    stood: Option<(f64, f64)>,
    /// When the newest report left that was told of.
    newest: Option<f64>,
    /// What was reckoned was so much longer than it was.
    wrong: f64,
}

impl Standing {
    /// So much was sent, before a line that takes `rate`.
    pub fn sent(&mut self, now: f64, bytes: f64, rate: f64) {
        match self.sent.back_mut() {
            Some((at, all)) if now - *at < MOMENT => *all += bytes,
            _ => self.sent.push_back((now, bytes)),
        }
        self.sent.drain(..self.sent.len().saturating_sub(MOMENTS_KEPT));
        if let Some(stood) = &mut self.stood {
            *stood = (now, after(*stood, now, rate) + bytes);
        }
    }

    /// A report leaves.
    pub fn report_leaves(&mut self, now: f64, rides: bool) {
        self.reports.push_back(Left { at: now, rides, stood: self.stood });
        self.reports.drain(..self.reports.len().saturating_sub(REPORTS_KEPT));
    }

    /// What a report of the other side says of one of this side's. `rode`: so much of it is the packet that it went along with, if it did. Nothing
    /// where that one is not known any more. Whether it went along with one, and is told of for the first time.
    pub fn told(&mut self, report: &Report, rode: f64, rate: f64) -> bool {
        let heard = |left: &Left| left.at as u64 as u32 == report.heard;
        let Some(place) = self.reports.iter().position(heard) else { return false };
        self.reports.drain(..place);
        let Left { at: left, rides, stood } = self.reports[0];
        let is_new = self.newest.replace(left) != Some(left);
        let waited = (report.queue - if rides { rode } else { 0.0 }).max(0.0);
        if let Some(stood) = stood.filter(|_| is_new && rate > 0.0) {
            let wrong = after(stood, left, rate) / rate - waited;
            self.wrong += CORRECTS * (wrong.clamp(-MOST_WRONG, MOST_WRONG) - self.wrong);
        }
        while self.sent.front().is_some_and(|(at, _)| *at < left) {
            self.sent.pop_front();
        }
        let begin = (left, waited * rate);
        self.stood = Some(self.sent.iter().fold(begin, |stood, (at, bytes)| (*at, after(stood, *at, rate) + bytes)));
        rides && is_new
    }

    /// When the newest report left that was told of.
    pub fn newest(&self) -> Option<f64> {
        self.newest
    }

    /// How long what is sent now waits for the line; none where that is not known.
    pub fn waits(&self, now: f64, rate: f64) -> Option<f64> {
        self.stood.filter(|_| rate > 0.0).map(|stood| (after(stood, now, rate) / rate - self.wrong).max(0.0))
    }
}

/// What is left at `now` of what stood.
fn after((at, bytes): (f64, f64), now: f64, rate: f64) -> f64 {
    (bytes - (now - at).max(0.0) * rate).max(0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    const RATE: f64 = 0.1;

    /// A packet of 1,000 bytes each 10 ms, which is the rate, and a report at the start, before which 20 ms stood.
    fn steady(until: u32) -> Standing {
        let mut standing = Standing::default();
        standing.report_leaves(1e10, false);
        (0..until).for_each(|step| standing.sent(1e10 + 10_000.0 * f64::from(step), 1_000.0, RATE));
        standing
    }

    fn report(left: f64, queue: f64) -> Report {
        Report { time: 0.0, received: 0.0, queue, heard: left as u64 as u32 }
    }

    #[test]
    fn what_was_told_of_a_moment_is_reckoned_up_to_now() {
        let mut standing = steady(30);
        assert_eq!(standing.waits(1e10 + 300_000.0, RATE), None);
        standing.told(&report(1e10, 20_000.0), 0.0, RATE);
        let waits = |standing: &Standing, now: f64| standing.waits(1e10 + now, RATE).unwrap();
        assert!((waits(&standing, 300_000.0) - 20_000.0).abs() < 1.0);
        // Two more at once, and then none.
        standing.sent(1e10 + 300_000.0, 2_000.0, RATE);
        assert!((waits(&standing, 300_000.0) - 40_000.0).abs() < 1.0);
        assert_eq!(waits(&standing, 400_000.0), 0.0);
    }

    #[test]
    fn a_line_that_was_empty_between_took_no_more_than_there_was() {
        let mut standing = Standing::default();
        standing.report_leaves(0.0, false);
        standing.sent(500_000.0, 3_000.0, RATE);
        standing.told(&report(0.0, 0.0), 0.0, RATE);
        assert!((standing.waits(500_000.0, RATE).unwrap() - 30_000.0).abs() < 1.0);
    }

    #[test]
    fn the_packet_that_a_report_goes_along_with_did_not_stand_before_it() {
        let mut standing = Standing::default();
        standing.report_leaves(5_000.0, true);
        standing.told(&report(5_000.0, 30_000.0), 20_000.0, RATE);
        assert_eq!(standing.waits(5_000.0, RATE), Some(10_000.0));
    }

    #[test]
    fn what_was_reckoned_wrong_again_and_again_is_corrected() {
        // The line takes a tenth more than it is thought to, and nothing stands.
        let mut standing = Standing::default();
        for step in 0..200 {
            let now = f64::from(step) * 10_000.0;
            if step % 10 == 0 {
                standing.report_leaves(now, false);
            }
            standing.sent(now, 1_100.0, RATE);
            if step % 10 == 9 && step > 30 {
                standing.told(&report(now - 390_000.0, 0.0), 0.0, RATE);
            }
        }
        assert!(standing.waits(2e6, RATE).unwrap() < 20_000.0, "{:?}", standing.waits(2e6, RATE));
    }

    #[test]
    fn of_a_report_that_never_left_nothing_is_told() {
        let mut standing = steady(3);
        standing.told(&report(7.0, 1e6), 0.0, RATE);
        assert_eq!(standing.waits(1e10, RATE), None);
    }

    #[test]
    fn keeps_no_more_than_some_seconds_of_what_nobody_tells_of() {
        let mut standing = Standing::default();
        for step in 0..100_000 {
            let now = f64::from(step) * 3_000.0;
            standing.sent(now, 1_000.0, RATE);
            standing.report_leaves(now, false);
        }
        assert!(standing.sent.len() <= MOMENTS_KEPT && standing.reports.len() <= REPORTS_KEPT);
    }
}
