//! The bulk window: how many bytes of a connection may be in flight in one direction while bulk is sent.
//!
//! What the network holds can't be overtaken by an urgent message, whatever its priority. So bulk keeps the queue of the bottleneck
//! short, and full enough that the link never rests: one window of r R0 + c Te + one packet, where R0 is the base round trip, r the rate
//! of delivery (the largest of the last moments), c the largest of the last ten seconds, and Te the time that bytes may stand
//! in the queue. It is the MFS paper's rate-based flow control (section 3.2: 50 ms of sends at a time) done with what QUIC tells at
//! each acknowledgement. MsQuic's own congestion control goes on beneath, and bounds it until the path is known.
//!
//! Where both sides send bulk, acknowledgements stand in the other side's queue, and leave it in bunches: neither round trips nor the times of
//! acknowledgements say much of the way there. So each side tells the other what came and how long it had stood (`Report`), the pace
//! alone keeps the queue short by that (`paced.rs`), and the window is no more than a bound.
//!
//! A router whose queue holds two or three packets drops the urgent message too that finds it full. So a loss is remembered: for tens of seconds less
//! may stand in the queue, and packets are smaller on a slow line. MsQuic's own window would take seconds to recover, and is not cut below
//! this one for it (`floor`): this one is what the path was seen to carry, and gives way to whatever stands in the queue.
//!
//! Pure: time comes with each sample. Times are in microseconds, amounts in bytes, rates in bytes a microsecond.

use super::base::Base;
use super::paced::{self, Paced, Pacing};
use super::phase::{self, Phase};
use super::piece;
use super::rates::{Rates, Told};
use super::reported::Reported;
use super::sample::{Report, Sample};

/// Bytes may stand in the queue of the bottleneck so long.
const TARGET: f64 = 25_000.0;
/// What losses leave of the target at least, and at each one.
const LEAST_TARGET: f64 = 0.3 * TARGET;
const AFTER_LOSS: f64 = 0.85;
/// The target grows back by so much of itself in each second without a loss.
const TARGET_BACK: f64 = 0.03;
/// The queue is empty, or long, where the round trip is so much of the target over the base.
const EMPTY: f64 = 0.2 * TARGET;
const LONG: f64 = 0.5 * TARGET;
/// And where the other side's queue may have grown since it was told.
const LONG_UNTOLD: f64 = 2.0 * TARGET;
const FAR_OVER: f64 = 1.5 * TARGET;
/// The rate fell where the last one is less than this of it, in a queue far over the target.
const FELL: f64 = 0.8;
/// And where bulk goes by the mean.
const FELL_A_LITTLE: f64 = 0.95;
/// Where both sides send, so many packets more are in flight: what the other side sends comes in whole ones, and an acknowledgement waits for
/// the next of them, half of one on average.
const MORE_BOTH_WAYS: f64 = 1.5;
/// Bulk is handed over this much faster than it is delivered at most; and where the queue stays empty.
const PACE: f64 = 1.2;
const PACE_OF_EMPTY: f64 = 2.0;
/// On a path that is faster than this nothing shows that a buffer of a host runs over but losses: MsQuic's own window goes by them.
const FAST: f64 = 20.0;
/// A line that is slower than this needs no pace: the window is two packets there.
const LEAST_PACE: f64 = 0.016;
/// Where a packet is on the line for longer than this, reports go along with one.
const SLOW: f64 = 5_000.0;
/// Where the pace keeps the queue short, so much is in flight beside what the path holds: what waits for the line, and packets whose acknowledgement
/// waits to go along with one.
const PACED_PACKETS: f64 = 5.0;
/// More than a tenth of what is in flight was lost before a rate is known: the window is so many times as large then.
const UNKNOWN_CUT: f64 = 0.7;
/// What is handed over fills a window to its nearest grain.
const NEARLY_ALL: f64 = 0.9;
/// While the base is measured anew, so much of what the path holds is in flight.
const DRAINED: f64 = 0.75;
/// Nothing in flight for so long: what was known of the rate is old.
const IDLE: f64 = 1_000_000.0;
const FIRST: f64 = 16.0 * 1_200.0;
const LEAST: f64 = 2.0;
const MOST: f64 = 64.0 * 1024.0 * 1024.0;

pub struct BulkWindow {
    phase: Phase,
    window: f64,
    base: Base,
    rates: Rates,
    reported: Reported,
    target: f64,
    add: f64,
    lost: u64,
    /// The end of the round trip in which something was adjusted last.
    next_trim: f64,
    last_trim: f64,
    next_cut: f64,
    /// The window or the pace held contents back since then.
    is_limited: bool,
    last_seen: f64,
    /// The newest round trip, with whatever stood in either queue; and what is left of that without the base and the other side's.
    took: f64,
    untold: f64,
    /// Bytes of a packet, and what was delivered by the last sample.
    packet: f64,
    delivered: f64,
    /// The rate that was known before the last rest before which one was; 0: none was.
    before_rest: f64,
    /// What `floor` gives.
    floor: f64,
    /// What the path before lost has cut MsQuic's window; this one has lost nothing yet, and the window has grown since.
    is_cut: bool,
    /// No contents are under way.
    rests: bool,
    /// And some have begun since then.
    begins: bool,
    /// The shortest round trip of this one.
    shortest: f64,
    /// And of the one before.
    shortest_before: f64,
    /// What was drained is told by acknowledgements until then.
    drained_until: f64,
    far_over_since: Option<f64>,
    empty_since: Option<f64>,
}

impl Default for BulkWindow {
    fn default() -> BulkWindow {
        BulkWindow {
            phase: Phase::Ramp { signs: 0 },
            window: FIRST,
            base: Base::default(),
            rates: Rates::default(),
            reported: Reported::default(),
            target: TARGET,
            add: 0.0,
            lost: 0,
            next_trim: 0.0,
            last_trim: 0.0,
            next_cut: 0.0,
            is_limited: false,
            last_seen: 0.0,
            took: 0.0,
            untold: 0.0,
            packet: 0.0,
            delivered: 0.0,
            before_rest: 0.0,
            floor: 0.0,
            is_cut: false,
            rests: true,
            begins: true,
            shortest: f64::INFINITY,
            shortest_before: f64::INFINITY,
            drained_until: 0.0,
            far_over_since: None,
            empty_since: None,
        }
    }
}

impl BulkWindow {
    /// Bytes that may be in flight, all classes together.
    pub fn bytes(&self) -> f64 {
        match self.phase {
            Phase::Drain { to } => to.min(self.window),
            _ => self.window,
        }
    }

    /// So much in flight is what the path was seen to carry and a short queue, whatever was lost; 0: not known.
    pub fn floor(&self) -> f64 {
        self.floor
    }

    /// Bytes a microsecond that bulk was delivered at in the last moments at most; 0: not known yet.
    pub fn rate(&self) -> f64 {
        self.rates.short()
    }

    /// What may stand in the queue. `packet`: bytes of a full one on the wire.
    pub fn queued(&self, packet: f64) -> f64 {
        self.rates.short() * self.target + packet
    }

    /// So many bytes a microsecond may be handed over; infinite where nothing is known.
    pub fn pace(&self, now: f64) -> f64 {
        match self.phase {
            Phase::Ramp { .. } => {
                let is_told = self.reported.at(self.last_seen).is_some();
                phase::pace_of_ramp(self.window, self.took, self.before_rest, is_told).max(LEAST_PACE)
            }
            _ if self.rates.short() <= 0.0 => f64::INFINITY,
            _ if self.is_paced() => self.told_pace(now).max(LEAST_PACE),
            _ => {
                let gain = if self.empty_since.is_some() { PACE_OF_EMPTY } else { PACE };
                (gain * self.rates.short()).max(LEAST_PACE)
            }
        }
    }

    /// The other side sends as well, and the pace goes by what it tells.
    pub fn is_paced(&self) -> bool {
        self.phase == Phase::Steady
            && self.reported.at(self.last_seen).is_some()
            && self.rates.is_settled()
            && self.rates.short() < FAST
    }

    /// And a packet is on the line for long.
    pub fn is_slow(&self) -> bool {
        self.is_paced() && self.own() > SLOW
    }

    /// So many bytes leave.
    pub fn sent(&mut self, now: f64, bytes: f64) {
        self.reported.standing.sent(now, bytes, self.rates.mean());
    }

    /// A report leaves, with a packet of bulk or alone.
    pub fn report_leaves(&mut self, now: f64, rides: bool) {
        self.reported.standing.report_leaves(now, rides);
    }

    /// How long the last report had stood in the queue.
    pub fn stands(&self) -> f64 {
        self.reported.paced.stood().min(4.0 * TARGET)
    }

    fn told_pace(&self, now: f64) -> f64 {
        let (own, rate) = (self.own(), self.rates.mean());
        let since = |time: Option<f64>| time.map_or(0.0, |time| self.last_seen - time);
        let pacing = Pacing {
            waits: self.reported.standing.waits(now, rate).unwrap_or(self.reported.paced.queue(own)),
            own,
            base: self.base.known(),
            share: self.target / TARGET,
            empty_for: since(self.empty_since),
            long_for: since(self.far_over_since),
        };
        pacing.gain() * rate
    }

    /// How long a packet of bulk is on the line; 0: not known.
    fn own(&self) -> f64 {
        let rate = self.rates.mean();
        if rate > 0.0 { self.packet / rate } else { 0.0 }
    }

    /// Bytes on the wire of a packet of bulk, where the path takes `most`.
    pub fn piece(&self, most: f64) -> f64 {
        let rate = if self.rates.mean() > 0.0 { self.rates.mean() } else { self.rates.long() };
        piece::piece(rate, (self.target - LEAST_TARGET) / (TARGET - LEAST_TARGET), self.base.known(), most)
    }

    /// The path is another one: nothing is known of it.
    pub fn forget(&mut self) {
        // Until the next sample nothing was delivered.
        let delivered = f64::INFINITY;
        let rates = self.rates.anew();
        *self = BulkWindow { lost: self.lost, delivered, is_cut: true, rates, ..BulkWindow::default() };
    }

    /// Whether there are contents to send from now on.
    pub fn sends(&mut self, sends: bool) {
        self.rates.sends(sends);
    }

    /// Until now there was nothing to send, and the path had room for it. `empty`: and nothing is in flight.
    pub fn rested(&mut self, now: f64, empty: bool) {
        self.begins = true;
        self.rates.rested(now, empty);
    }

    /// `packet`: bytes of a full one on the wire. A report that is not sound is none.
    pub fn on_report(&mut self, now: f64, report: &Report, packet: f64) {
        if !now.is_finite() || !report.is_sound() {
            return;
        }
        let report = Report { queue: report.queue.max(0.0), ..*report };
        self.reported.takes(now, &report);
        let own = self.own();
        let waited = paced::waited(report.queue, own);
        let told = Told { heard: now, report, waited, lost: self.lost };
        let is_first = self.rates.on_report(told, packet, self.took);
        if self.reported.tells_faster(&report, own, self.rates.mean(), self.took - self.base.rtt()) && self.is_slow() {
            self.phase = Phase::Ramp { signs: 0 };
        }
        // Until now the other direction's queue was taken for this one's.
        let is_unknown = self.rates.short() <= 0.0 || report.queue.max(self.untold) < LONG;
        if is_first && is_unknown && self.phase == Phase::Steady {
            self.phase = Phase::Ramp { signs: 0 };
        }
    }

    /// A sample that is not sound changes nothing.
    pub fn on_ack(&mut self, sample: &Sample) {
        if !sample.is_sound() {
            return;
        }
        let now = sample.now;
        self.took = sample.rtt;
        let told = self.reported.at(now);
        let sample = &match told {
            Some(report) => Sample {
                rtt: sample.shortest_rtt.max(0.0) + report.queue + self.base.own(),
                behind: sample.behind.max(0.0),
                ..*sample
            },
            None => Sample { behind: 0.0, ..*sample },
        };
        let base = self.base.known();
        if now - self.last_seen > IDLE.max(2.0 * base) && self.last_seen > 0.0 {
            self.after_rest();
        }
        self.last_seen = now;
        let rests = !sample.waited && sample.in_flight < LEAST * sample.packet;
        if std::mem::replace(&mut self.rests, rests) && sample.waited && std::mem::take(&mut self.begins) {
            self.rates.restart();
        }
        let losses = sample.lost_packets.saturating_sub(self.lost);
        self.lost = sample.lost_packets;
        // By the base of before: by one that this acknowledgement gives, what it tells of a burst would have taken no time.
        self.rates.on_burst(sample, self.base.rtt());
        self.base.on_ack(sample);
        self.shortest = self.shortest.min(sample.rtt);
        // A path that is so fast is told by acknowledgements, too: on it they stand nowhere for long.
        if told.is_none() || self.carries(sample) > FAST {
            // What goes slowly so that the queue drains says nothing of the path.
            let limited = sample.limited && !self.drains(now);
            self.rates.on_ack(&Sample { limited, ..*sample });
        }
        if losses > 0 {
            self.on_loss(sample);
        }
        let queue = self.base.queue(sample.rtt);
        self.packet = sample.packet;
        self.reported.behind.on_ack(sample.behind);
        self.untold = self.base.queue(self.took - sample.behind);
        match self.phase {
            Phase::Ramp { signs } => self.ramp(sample, queue, signs, losses),
            Phase::Steady => self.steady(sample, queue),
            Phase::Drain { to } => self.drain(sample, to),
        }
        self.delivered = sample.delivered;
        let least = LEAST * sample.packet;
        self.window = if self.window.is_finite() { self.window.clamp(least, MOST) } else { least };
        self.is_cut &= losses == 0 && self.phase != Phase::Steady;
        let ramps = matches!(self.phase, Phase::Ramp { .. });
        if self.phase == Phase::Steady || (ramps && self.rates.mean() > 0.0) || self.is_cut {
            self.floor = if self.rates.short() < FAST { self.window } else { 0.0 };
        }
    }

    /// The rate by what is in flight and how long it takes.
    fn carries(&self, sample: &Sample) -> f64 {
        sample.in_flight / self.took
    }

    fn drains(&self, now: f64) -> bool {
        matches!(self.phase, Phase::Drain { .. }) || now < self.drained_until
    }

    fn on_loss(&mut self, sample: &Sample) {
        if sample.now < self.next_cut {
            return;
        }
        self.next_cut = sample.now + sample.rtt;
        self.target = (self.target * AFTER_LOSS).max(LEAST_TARGET);
        self.add -= sample.packet;
    }

    /// By as much as is delivered, which is twice as much in each round trip, until the queue shows twice.
    fn ramp(&mut self, sample: &Sample, queue: f64, signs: u32, losses: u64) {
        let delivered = (sample.delivered - self.delivered).max(0.0);
        // Of contents: what small messages had before tells nothing of the line.
        let rate = self.rates.of_contents();
        let rtt = self.base.rtt() + sample.behind;
        let (is_long, counts) =
            self.reported.signs(sample.now, rtt, queue > LONG, self.untold > LONG_UNTOLD, self.rates.mean());
        let signs = if is_long && rate > 0.0 { signs + counts } else { signs };
        let heavy = losses as f64 * sample.packet > 0.1 * sample.in_flight.max(sample.packet);
        let heavy = heavy && losses > 0;
        // Once in a round trip: it may be by the first packets of all, and what small messages had is no rate to go on with.
        if heavy && rate <= 0.0 && self.next_cut == sample.now + sample.rtt {
            self.window *= UNKNOWN_CUT;
        }
        if signs >= 2 || (heavy && rate > 0.0) {
            self.phase = Phase::Steady;
            self.settle(sample);
            return;
        }
        self.phase = Phase::Ramp { signs };
        let seen = Some(self.carries(sample)).filter(|rate| *rate > FAST);
        // Not where MsQuic's own window is what holds bulk back. On a fast path one acknowledgement takes half of what was in flight.
        let was_full = seen.is_some() && sample.in_flight + delivered >= NEARLY_ALL * self.window;
        let is_used = 2.0 * sample.in_flight >= self.window || was_full;
        if sample.limited && is_used && !is_long {
            let most = rate.max(seen.unwrap_or_default());
            let bound = if rate > 0.0 { 3.0 * most * self.took.max(TARGET) } else { MOST };
            self.window = (self.window + delivered).min(bound.max(self.window));
        }
    }

    fn steady(&mut self, sample: &Sample, queue: f64) {
        let now = sample.now;
        // Not by a packet alone that came late.
        let standing = if self.is_paced() {
            self.reported.paced.queue(self.own())
        } else {
            self.base.queue(self.shortest.min(self.shortest_before))
        };
        if standing > FAR_OVER {
            let since = *self.far_over_since.get_or_insert(now);
            self.rates.follow_fall(FELL);
            if self.is_paced() {
                self.rates.follow_mean(FELL_A_LITTLE);
            }
            if self.reported.at(now).is_none() && now - since > 4.0 * sample.rtt + 500_000.0 {
                return self.begin_drain(sample);
            }
        } else {
            self.far_over_since = None;
        }
        // Where the other side tells of the queue, the shortest round trip there ever was is the base.
        if self.reported.at(now).is_none() && self.base.is_old(now) {
            return self.begin_drain(sample);
        }
        self.is_limited |= sample.limited;
        if self.is_paced() {
            // The round trip may have been a far longer one.
            self.next_trim = self.next_trim.min(now + sample.rtt);
        }
        if now >= self.next_trim {
            self.trim(sample, queue);
        }
        self.settle(sample);
    }

    /// Once in each round trip.
    fn trim(&mut self, sample: &Sample, queue: f64) {
        let now = sample.now;
        self.next_trim = now + sample.rtt;
        let was_limited = std::mem::take(&mut self.is_limited);
        let shortest_queue = self.base.queue(self.shortest);
        self.shortest_before = std::mem::replace(&mut self.shortest, f64::INFINITY);
        let is_paced = self.is_paced();
        let is_empty = if is_paced { self.reported.paced.is_empty(self.own()) } else { queue < EMPTY };
        if is_empty && (sample.limited || (is_paced && was_limited)) {
            self.add += sample.packet / 2.0;
            let since = *self.empty_since.get_or_insert(now);
            if is_paced && Paced::is_unknown(now - since, sample.rtt) {
                self.phase = Phase::Ramp { signs: 0 };
                self.empty_since = None;
            } else if now - since > 4.0 * sample.rtt + 100_000.0 {
                self.add += 0.1 * self.window;
            }
        } else {
            self.empty_since = None;
        }
        if shortest_queue > LONG {
            self.add -= sample.packet / 2.0;
        }
        let seconds = ((now - self.last_trim) / 1e6).clamp(0.0, 1.0);
        self.last_trim = now;
        if now >= self.next_cut {
            self.target = (self.target * (1.0 + TARGET_BACK * seconds)).min(TARGET);
        }
    }

    fn settle(&mut self, sample: &Sample) {
        let (rate, long_rate) = (self.rates.short(), self.rates.long());
        let most = long_rate * TARGET + 4.0 * sample.packet;
        if self.is_paced() {
            self.add = 0.0;
            let stays = self.base.rtt() + self.reported.behind.lasting() + TARGET;
            self.window = self.rates.mean() * stays + PACED_PACKETS * sample.packet;
            return;
        }
        let more = if self.reported.at(sample.now).is_some() { MORE_BOTH_WAYS * sample.packet } else { 0.0 };
        let queued = long_rate * self.target + more;
        // Less than the path holds without a queue would slow it, and the next window with it.
        self.add = self.add.clamp(-queued.min(2.0 * sample.packet), most);
        self.window = rate * (self.base.rtt() + sample.behind) + queued + sample.packet + self.add;
    }

    fn begin_drain(&mut self, sample: &Sample) {
        let to = DRAINED * self.rates.short() * (self.base.rtt() + sample.behind);
        self.phase = Phase::Drain { to: to.max(LEAST * sample.packet) };
        self.far_over_since = None;
        self.base.begin_anew();
    }

    fn drain(&mut self, sample: &Sample, to: f64) {
        if sample.in_flight > to {
            return;
        }
        self.base.confirm(sample.now);
        self.phase = Phase::Steady;
        self.drained_until = sample.now + 2.0 * sample.rtt;
        self.settle(sample);
    }

    fn after_rest(&mut self) {
        self.before_rest = Some(self.rates.of_contents()).filter(|rate| *rate > 0.0).unwrap_or(self.before_rest);
        self.rates.forget();
        self.base.forget_line();
        self.add = 0.0;
        self.target = TARGET;
        self.phase = Phase::Ramp { signs: 0 };
        self.window = self.window.min(FIRST);
        self.floor = 0.0;
    }
}
