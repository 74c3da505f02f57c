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
/// Or by so many bytes: two packets that happen to be in it or not.
const ROSE_BY: f64 = 3_000.0;
const MEAN_KEPT: usize = 8;
/// From so many packets on a burst tells a rate.
const BURST_PACKETS: f64 = 4.0;
/// Of what was sent in a span more than this part was lost: a queue ran over.
const HEAVY: f64 = 0.1;
/// How long the largest rates of each tenth of it count.
const LONG: f64 = 10_000_000.0;
/// Rates are measured between reports that are so far apart at most, and where little came, so far at least.
const REPORTS_APART: f64 = 2_000_000.0;
const REPORTS_OF_LITTLE: f64 = 500_000.0;

/// How much the path was given in a span.
#[derive(Clone, Copy, PartialEq)]
enum Given {
    /// The line never rested.
    Enough,
    /// There always was something to send.
    Most,
    Little,
}

/// A report, when it was heard, and what was known then.
#[derive(Clone, Copy)]
pub struct Told {
    pub heard: f64,
    pub report: Report,
    /// What it tells of had waited for the line.
    pub waited: bool,
    /// Packets, all in all.
    pub lost: u64,
}

#[derive(Clone, Default)]
struct Known {
    /// Of the last spans, the newest last.
    spans: Vec<f64>,
    /// And of those in which the path was given enough.
    full: Vec<(f64, f64)>,
    /// The largest of each of the last seconds.
    seconds: Vec<(f64, f64)>,
    /// The last span in which the path was given most: what came and how long that took.
    last: Option<(f64, f64)>,
    /// The last one that counts was slower than the mean.
    slower: Option<(f64, f64)>,
}

#[derive(Default)]
pub struct Rates {
    known: Known,
    /// By reports, before acknowledgements told something.
    before: Option<Known>,
    /// When a span began; when what was acknowledged then had been sent; how much was delivered.
    start: Option<(f64, f64, f64)>,
    /// From where on the next rate between reports is measured, and when that one came.
    told: Option<Told>,
    /// The last span was measured between reports.
    by_reports: bool,
    /// All that is known was.
    of_reports: bool,
    /// There are contents to send, or on their way.
    sends: bool,
    /// The end of the last time in which there was nothing to send, where rates are those between reports.
    rested: f64,
    /// When nothing was in flight last and contents began, and how much had been delivered by then.
    burst: Option<(f64, f64)>,
    delivered: f64,
    /// A burst has told a rate.
    bursts: bool,
    /// A span was one in which the line never rested.
    sure: bool,
}

impl Rates {
    /// The largest of the last moments; 0: none is known.
    pub fn short(&self) -> f64 {
        self.known.spans.iter().copied().fold(0.0, f64::max)
    }

    /// Of all that was delivered in the last moments in which the path was given enough; 0: there were none.
    pub fn mean(&self) -> f64 {
        let (came, took) = self.known.full.iter().fold((0.0, 0.0), |sums, span| (sums.0 + span.0, sums.1 + span.1));
        if took > 0.0 { came / took } else { 0.0 }
    }

    /// That contents were delivered at, be they bursts alone; 0: what is known may be that of small messages.
    pub fn of_contents(&self) -> f64 {
        let mean = self.mean();
        if mean == 0.0 && self.bursts { self.short() } else { mean }
    }

    /// The mean is one of enough spans.
    pub fn is_settled(&self) -> bool {
        self.sure
    }

    /// The largest of a while.
    pub fn long(&self) -> f64 {
        self.known.seconds.iter().map(|(_, rate)| *rate).fold(self.short(), f64::max)
    }

    /// Whether there is something to send from now on.
    pub fn sends(&mut self, sends: bool) {
        self.sends = sends;
    }

    /// There was nothing to send until now. `empty`: and nothing is in flight. It is kept where acknowledgements
    /// tell the rates, too: the next report may be of a time before.
    pub fn rested(&mut self, now: f64, empty: bool) {
        self.rested = now;
        if self.by_reports {
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
            self.take(sample.now, (came, took), Given::Little, SPANS_KEPT);
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
        if std::mem::take(&mut self.of_reports) {
            self.before = Some(self.known.clone());
        }
        let given = if sample.limited { Given::Enough } else { Given::Little };
        self.take(sample.now, (came, took), given, SPANS_KEPT);
    }

    /// `packet`: bytes of a full one on the wire. `rtt`: of the newest round trip. True: it gave the first rate that is none of acknowledgements.
    pub fn on_report(&mut self, told: Told, packet: f64, rtt: f64) -> bool {
        let Some(before) = self.told.filter(|before| told.report.time - before.report.time < REPORTS_APART) else {
            self.told = Some(told);
            return false;
        };
        let span = (told.report.received - before.report.received, told.report.time - before.report.time);
        let (came, took) = span;
        if took <= 0.0 || (came < SPAN_PACKETS * packet && took < REPORTS_OF_LITTLE) {
            return false;
        }
        self.told = Some(told);
        self.by_reports = true;
        let is_little = !self.sends || self.rested >= before.heard - rtt;
        // Acknowledgements that stood in the other direction's queue came in bunches, and a bunch looks like a fast line.
        let is_first = !std::mem::replace(&mut self.of_reports, true);
        if is_first {
            self.known = self.before.take().filter(|_| is_little).unwrap_or_default();
        }
        // What crosses the line while there is nothing to send is no rate of it, unless it is a larger one.
        if is_little && (came / took < self.short() || self.short() <= 0.0) {
            return is_first;
        }
        let overflowed = told.lost.saturating_sub(before.lost) as f64 * packet > HEAVY * came;
        let given = if is_little {
            Given::Little
        } else if (told.waited && before.waited) || overflowed {
            self.sure = true;
            Given::Enough
        } else if self.known.full.is_empty() {
            Given::Enough
        } else {
            Given::Most
        };
        self.take(told.heard, span, given, REPORTS_KEPT);
        is_first
    }

    /// The rate fell: what was before the last span is no guide. Nothing where it did not.
    pub fn follow_fall(&mut self, share: f64) {
        let Some((came, took)) = self.known.last else { return };
        if came / took < share * self.short() {
            self.known.spans = vec![came / took];
            self.known.seconds.clear();
            self.known.full = vec![(came, took)];
        }
    }

    /// And by a little, where bulk goes by the mean.
    pub fn follow_mean(&mut self, share: f64) {
        if let Some((came, took)) = self.known.last.filter(|(came, took)| came / took < share * self.mean()) {
            self.known.full = vec![(came, took)];
        }
    }

    fn learn(&mut self, span: (f64, f64), given: Given) {
        let (rate, mean) = (span.0 / span.1, self.mean());
        let rose = ROSE.min(1.0 + ROSE_BY / span.0);
        let is_slower = rose * rate < mean;
        if rate > rose * mean && given != Given::Enough && mean > 0.0 {
            // However little the path was given.
            self.known.full = vec![span];
        } else if is_slower && given == Given::Enough && self.by_reports {
            // One alone may be by chance.
            match self.known.slower.take() {
                Some(before) => self.known.full = vec![before, span],
                None => self.known.slower = Some(span),
            }
        } else if given == Given::Enough || (given == Given::Most && rate > mean) {
            self.known.slower = None;
            self.known.full.push(span);
            self.known.full.drain(..self.known.full.len().saturating_sub(MEAN_KEPT));
            self.follow_rise();
        }
    }

    /// Two spans in a row were faster than the mean of all: what was before them is no guide.
    fn follow_rise(&mut self) {
        let mean = self.mean();
        let newest = self.known.full.len().saturating_sub(2);
        if self.known.full[newest..].iter().all(|(came, took)| came / took > ROSE * mean) {
            self.known.full.drain(..newest);
        }
    }

    /// Contents begin after a rest, of which no span may have a part.
    pub fn restart(&mut self) {
        self.start = None;
        self.told = None;
    }

    /// Of another path.
    pub fn anew(&self) -> Rates {
        Rates { sends: self.sends, ..Rates::default() }
    }

    /// What was known is old.
    pub fn forget(&mut self) {
        *self = Rates {
            told: self.told,
            sends: self.sends,
            rested: self.rested,
            burst: self.burst,
            delivered: self.delivered,
            ..Rates::default()
        };
    }

    fn take(&mut self, now: f64, (came, took): (f64, f64), given: Given, kept: usize) {
        let rate = came / took;
        if rate <= 0.0 {
            return;
        }
        // However little the path was given since: it is no slower one than that.
        let is_more = self.known.last.is_some_and(|(came, took)| rate > came / took);
        if given != Given::Little || !self.by_reports || is_more {
            self.known.last = Some((came, took));
        }
        self.learn((came, took), given);
        let limited = given == Given::Enough;
        // What the path was not given says nothing of it, where it is less.
        if !limited && rate < self.short() {
            return;
        }
        self.known.spans.push(rate);
        self.known.spans.drain(..self.known.spans.len().saturating_sub(kept));
        match self.known.seconds.last_mut() {
            Some((at, most)) if now - *at < LONG / 10.0 => *most = most.max(rate),
            _ => self.known.seconds.push((now, rate)),
        }
        self.known.seconds.retain(|(at, _)| now - at < LONG);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const PACKET: f64 = 1_000.0;

    /// So much came until `time`; the line never rested before.
    fn told(time: f64, received: f64) -> Told {
        let report = Report { time, received, queue: 20_000.0, heard: 0 };
        Told { heard: time, report, waited: true, lost: 0 }
    }

    fn acknowledged(now: f64, delivered: f64) -> Sample {
        Sample {
            now,
            rtt: 1_000.0,
            behind: 0.0,
            shortest_rtt: 1_000.0,
            in_flight: 0.0,
            delivered,
            lost_packets: 0,
            packet: PACKET,
            limited: false,
            waited: false,
        }
    }

    /// Reports of a rate of 1 up to a second, with something to send.
    fn known() -> Rates {
        let mut rates = Rates::default();
        rates.sends(true);
        (1..=10).for_each(|step| {
            rates.on_report(told(f64::from(step) * 1e5, f64::from(step) * 1e5), PACKET, 1_000.0);
        });
        rates
    }

    #[test]
    fn what_is_known_by_reports_is_so_again_after_a_rest_in_which_acknowledgements_told() {
        let mut rates = known();
        rates.sends(false);
        (0..10).for_each(|step| rates.on_ack(&acknowledged(2e6 + 3e4 * f64::from(step), 6e4 * f64::from(step))));
        assert_eq!(rates.short(), 2.0);
        // Something comes, and it is less than the line takes.
        rates.on_report(told(3e6, 2e5), PACKET, 1_000.0);
        rates.on_report(told(3.1e6, 2.2e5), PACKET, 1_000.0);
        assert_eq!((rates.short(), rates.mean()), (1.0, 1.0));
    }

    #[test]
    fn what_comes_while_there_is_nothing_to_send_is_no_rate_where_none_is_known() {
        let mut rates = Rates::default();
        (1..=10).for_each(|step| {
            rates.on_report(told(f64::from(step) * 1e5, f64::from(step) * 1e4), PACKET, 1_000.0);
        });
        assert_eq!(rates.short(), 0.0);
    }

    #[test]
    fn a_rate_that_is_less_than_what_came_since_is_no_fall() {
        let mut rates = known();
        rates.on_report(told(1.1e6, 1e6 + 1e4), PACKET, 1_000.0);
        rates.rested(1.15e6, true);
        rates.on_report(told(1.2e6, 1e6 + 1.1e5), PACKET, 1_000.0);
        rates.follow_fall(0.8);
        assert_eq!(rates.short(), 1.0);
    }
}
