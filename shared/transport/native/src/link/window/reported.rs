//! What the other side has told of the way to it.
//!
//! Pure. Times are in microseconds.

use super::behind::Behind;
use super::paced::{self, Faster, Paced};
use super::sample::Report;
use super::standing::Standing;

/// A report counts for so long.
const GOOD_FOR: f64 = 1_000_000.0;

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

    /// What it says of one of this side's. `own`: a packet is on the line for so long, that takes `rate`. `over`: the newest round trip was so much
    /// longer than alone. True: the line seems to be a faster one by far.
    pub fn tells_faster(&mut self, report: &Report, own: f64, rate: f64, over: f64) -> bool {
        let rode = self.standing.told(report, paced::rode(own), rate);
        let took = self.paced.stood().max(over - self.behind.newest());
        self.behind.on_report();
        rode && self.faster.is_told(took, own)
    }
}
