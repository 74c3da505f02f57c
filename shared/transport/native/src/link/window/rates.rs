//! How fast bulk is delivered: the largest rate of the last moments, and of a while.
//!
//! By acknowledgements it is BBR's delivery rate (draft-cardwell-iccrg-bbr, section 4.1): what is acknowledged in a bunch was not
//! sent in one, so a span counts as long as its sending took where that was longer. Where the other side reports what came to it,
//! that is taken instead: no queue of the way back is in it. Where there are pauses between contents, what comes in a span is no rate of the
//! path, unless it is a larger one; but what was delivered since a path was empty, in the time since then, is a rate that the
//! path has at least. Times are in microseconds, rates in bytes a microsecond.

use super::sample::{Report, Sample};

/// A rate is measured over so long at least, and over so many packets.
const SPAN: f64 = 25_000.0;
const SPAN_PACKETS: f64 = 8.0;
/// How many of the last rates count, by acknowledgements and by reports.
const SPANS_KEPT: usize = 6;
const REPORTS_KEPT: usize = 3;
/// And for the mean, where the rate does not rise.
const ROSE: f64 = 1.1;
const MEAN_KEPT: usize = 8;
const SETTLED: usize = 6;
/// From so many packets on a burst tells a rate.
const BURST_PACKETS: f64 = 4.0;
/// How long the largest rates of each tenth of it count.
const LONG: f64 = 10_000_000.0;
/// Rates are measured between reports that are so far apart at most, and where little came, so far at least.
const REPORTS_APART: f64 = 2_000_000.0;
const REPORTS_OF_LITTLE: f64 = 500_000.0;

#[derive(Default)]
pub struct Rates {
    /// Of the last spans, the newest last.
    spans: Vec<f64>,
    /// And of those in which the path was given enough.
    full: Vec<(f64, f64)>,
    /// The largest of each of the last seconds.
    seconds: Vec<(f64, f64)>,
    /// When a span began; when what was acknowledged then had been sent; how much was delivered.
    start: Option<(f64, f64, f64)>,
    /// From where on the next rate between reports is measured, and when that one came.
    rated: Option<(f64, Report)>,
    last: f64,
    /// The last rate was measured between reports.
    by_reports: bool,
    /// There are contents to send, or on their way.
    sends: bool,
    /// The end of the last time in which there was nothing to send, where rates are those between reports.
    rested: f64,
    /// When nothing was in flight last and contents began, and how much had been delivered by then.
    burst: Option<(f64, f64)>,
    delivered: f64,
    /// A burst has told a rate.
    bursts: bool,
}

impl Rates {
    /// The largest of the last moments; 0: none is known.
    pub fn short(&self) -> f64 {
        self.spans.iter().copied().fold(0.0, f64::max)
    }

    /// Of all that was delivered in the last moments in which the path was given enough; 0: there were none.
    pub fn mean(&self) -> f64 {
        let (came, took) = self.full.iter().fold((0.0, 0.0), |sums, span| (sums.0 + span.0, sums.1 + span.1));
        if took > 0.0 { came / took } else { 0.0 }
    }

    /// That contents were delivered at, be they bursts alone; 0: what is known may be that of small messages.
    pub fn of_contents(&self) -> f64 {
        let mean = self.mean();
        if mean == 0.0 && self.bursts { self.short() } else { mean }
    }

    /// The mean is one of enough spans.
    pub fn is_settled(&self) -> bool {
        self.full.len() >= SETTLED
    }

    /// The largest of a while.
    pub fn long(&self) -> f64 {
        self.seconds.iter().map(|(_, rate)| *rate).fold(self.short(), f64::max)
    }

    /// Whether there is something to send from now on.
    pub fn sends(&mut self, sends: bool) {
        self.sends = sends;
    }

    /// There was nothing to send until now. `empty`: and nothing is in flight. Acknowledgements are told what was limited, and need not know.
    pub fn rested(&mut self, now: f64, empty: bool) {
        if self.by_reports {
            self.rested = now;
            self.burst = empty.then_some((now, self.delivered));
        }
    }

    /// `base`: of a round trip without queues. However long the acknowledgements stood, or the sending took, the path has this rate at least.
    pub fn on_burst(&mut self, sample: &Sample, base: f64) {
        self.delivered = sample.delivered;
        let Some((began, delivered)) = self.burst else { return };
        let (came, took) = (sample.delivered - delivered, sample.now - began - base);
        let is_enough = came >= BURST_PACKETS * sample.packet;
        if took > 0.0 && is_enough {
            self.bursts = true;
            self.take(sample.now, (came, took), false, SPANS_KEPT);
        }
        let is_over = if is_enough { took > SPAN } else { !self.sends };
        if is_over {
            self.burst = None;
        }
    }

    pub fn on_ack(&mut self, sample: &Sample) {
        let sent_at = sample.now - sample.rtt;
        let Some((start, sent_from, delivered)) = self.start else {
            self.start = Some((sample.now, sent_at, sample.delivered));
            return;
        };
        let took = (sample.now - start).max(sent_at - sent_from);
        let came = sample.delivered - delivered;
        let is_short = took < SPAN || came < SPAN_PACKETS * sample.packet;
        if is_short && took < 4.0 * SPAN.max(sample.rtt) {
            return;
        }
        self.start = Some((sample.now, sent_at, sample.delivered));
        self.by_reports = false;
        self.take(sample.now, (came, took), sample.limited, SPANS_KEPT);
    }

    /// `packet`: bytes of a full one on the wire. `rtt`: of the newest round trip. True: it gave the first rate that is none of acknowledgements.
    pub fn on_report(&mut self, now: f64, report: &Report, packet: f64, rtt: f64) -> bool {
        let Some((heard, before)) = self.rated.filter(|(_, before)| report.time - before.time < REPORTS_APART) else {
            self.rated = Some((now, *report));
            return false;
        };
        let (took, came) = (report.time - before.time, report.received - before.received);
        if took <= 0.0 || (came < SPAN_PACKETS * packet && took < REPORTS_OF_LITTLE) {
            return false;
        }
        self.rated = Some((now, *report));
        // Acknowledgements that stood in the other direction's queue came in bunches, and a bunch looks like a fast line.
        let is_first = !std::mem::replace(&mut self.by_reports, true);
        if is_first {
            self.seconds.clear();
        }
        // What crosses the line while there is nothing to send is no rate of it, unless it is a larger one.
        if self.sends || came / took >= self.short() {
            // MsQuic's own window may be what held bulk back, and so a smaller one counts as well.
            self.take(now, (came, took), self.sends && self.rested < heard - rtt, REPORTS_KEPT);
        }
        is_first
    }

    /// The rate fell: what was before the last span is no guide. Nothing where it did not.
    pub fn follow_fall(&mut self, share: f64) {
        if self.last > 0.0 && self.last < share * self.short() {
            self.spans.clear();
            self.spans.push(self.last);
            self.seconds.clear();
            let last = self.full.pop();
            self.full.clear();
            self.full.extend(last);
        }
    }

    /// Two spans in a row were faster than the mean of all: what was before them is no guide.
    fn follow_rise(&mut self) {
        let mean = self.mean();
        let newest = self.full.len().saturating_sub(2);
        if self.full[newest..].iter().all(|(came, took)| came / took > ROSE * mean) {
            self.full.drain(..newest);
        }
    }

    /// Contents begin after a rest, of which no span may have a part.
    pub fn restart(&mut self) {
        self.start = None;
        self.rated = None;
    }

    /// Of another path.
    pub fn anew(&self) -> Rates {
        Rates { sends: self.sends, ..Rates::default() }
    }

    /// What was known is old.
    pub fn forget(&mut self) {
        *self = Rates {
            rated: self.rated,
            sends: self.sends,
            rested: self.rested,
            burst: self.burst,
            delivered: self.delivered,
            ..Rates::default()
        };
    }

    fn take(&mut self, now: f64, (came, took): (f64, f64), limited: bool, kept: usize) {
        let rate = came / took;
        if rate <= 0.0 {
            return;
        }
        self.last = rate;
        // What the path was not given says nothing of it, where it is less.
        if !limited && rate < self.short() {
            return;
        }
        self.spans.push(rate);
        self.spans.drain(..self.spans.len().saturating_sub(kept));
        if limited {
            self.full.push((came, took));
            self.full.drain(..self.full.len().saturating_sub(MEAN_KEPT));
            self.follow_rise();
        }
        match self.seconds.last_mut() {
            Some((at, most)) if now - *at < LONG / 10.0 => *most = most.max(rate),
            _ => self.seconds.push((now, rate)),
        }
        self.seconds.retain(|(at, _)| now - at < LONG);
    }
}
