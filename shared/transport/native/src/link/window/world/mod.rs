//! A path at packet level, for the tests of the bulk window. Two sides, each of which may send contents as the pump does (`Flight`'s state), over
//! something like MsQuic; a bottleneck with a queue in either direction; and small urgent messages that overtake contents in their
//! sender, and nowhere else. Acknowledgements go along with whatever leaves, or take a packet of their own. Times are in microseconds,
//! amounts in bytes, rates in bytes a microsecond.

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::flight::Room;
use super::report;
use super::sample::Report;
use crate::link::ack_delay;
use events::{Acknowledges, Event, Kind, Packet, What};
use side::{Flying, Side, Unanswered};

mod cubic;
mod events;
mod moves;
mod side;

pub use moves::{Move, Whose};

/// Of a full packet, as of UDP.
const PACKET: f64 = 1_472.0;
/// Of Ethernet, IP and UDP.
const BENEATH: f64 = 42.0;
/// Of QUIC, beside the stream.
const AROUND: f64 = 40.0;
const ACKNOWLEDGEMENT: f64 = 33.0;
const URGENT: f64 = 250.0;
const REPORT: f64 = 60.0;
/// And in a packet of contents.
const RIDER: f64 = 25.0;
/// So many of those that were to go along with one leave before it.
const ALONE: f64 = 0.1;
/// The sides' clocks have nothing to do with each other.
const APART: f64 = 7e9;
/// From a packet to what is made of it.
const ANSWERED_IN: f64 = 300.0;
/// A thread that waits for a time has it so much later at most.
const WOKEN_IN: f64 = 600.0;
const LOST_AFTER: u64 = 3;
const ACKNOWLEDGED_AT_ONCE: u32 = 16;
/// Until then the sides have nothing but urgent messages, as those that know each other.
const BEGINS: f64 = 1_500_000.0;
const ACK_DELAY_EVERY: f64 = 250_000.0;

#[derive(Clone, Copy)]
pub struct Path {
    pub rate: fn(f64) -> f64,
    /// What would be in it for longer is dropped, what is on the line counted whole.
    pub queue: f64,
    pub rtt: f64,
    /// Of packets.
    pub loss: f64,
    pub jitter: f64,
    pub both_ways: bool,
    /// With urgent messages of the first side beside it.
    pub urgent: bool,
    /// The second side begins so late.
    pub late: f64,
    /// Of each side: bulk comes as contents of up to so many bytes, each up to so long after the one before has arrived; infinite: there is
    /// always some.
    pub contents: [(f64, f64); 2],
    pub moves: Option<Move>,
    pub seconds: f64,
    /// What comes before is not counted: until then the window may look for the rate.
    pub warm_up: f64,
}

impl Path {
    fn rate_at(&self, now: f64) -> f64 {
        (self.rate)((now - BEGINS).max(0.0))
    }
}

/// How one side fared.
#[derive(Clone, Copy, Debug)]
pub struct Fared {
    /// Hundredths of the line, all that arrived counted with its headers.
    pub share: f64,
    /// Of contents alone.
    pub contents: f64,
    /// Of the round trip of an urgent message, milliseconds over that of an idle path.
    pub p50: f64,
    pub p95: f64,
    /// Packets for which the queue had no room, after the warm-up.
    pub lost: u64,
    /// The longest time without any of its contents arriving, milliseconds, after the warm-up.
    pub silent: f64,
    /// So many times of what the line takes for them the contents after the warm-up took until they had arrived.
    pub took: f64,
}

/// The way from a side to the other one.
#[derive(Default)]
struct Way {
    /// What is on the line or waits for it: when it has left, and its bytes.
    waiting: std::collections::VecDeque<(f64, f64)>,
    /// After the warm-up.
    carried: f64,
    lost: u64,
    silent: f64,
    last_arrival: f64,
}

struct World {
    path: Path,
    now: f64,
    order: u64,
    random: u64,
    events: BinaryHeap<Reverse<Event>>,
    ways: [Way; 2],
    sides: [Side; 2],
    has_moved: bool,
}

/// How both sides fare on a path; the second one's share says nothing where only the first one sends bulk.
pub fn fare(path: Path) -> [Fared; 2] {
    let Path { late, seconds, warm_up, .. } = path;
    let moves = path.moves.map(|moves| Move { at: BEGINS + moves.at, ..moves });
    let path = Path { late: BEGINS + late, seconds: BEGINS / 1e6 + seconds, warm_up: BEGINS + warm_up, moves, ..path };
    let mut world = World {
        path,
        now: 0.0,
        order: 0,
        random: 12_345,
        events: BinaryHeap::new(),
        ways: [Way::default(), Way::default()],
        sides: [Side::new(true, true), Side::new(false, path.both_ways)],
        has_moved: false,
    };
    for side in 0..2 {
        world.plan(if side == 0 { BEGINS } else { path.late }, side, What::Begin);
        world.plan(50_000.0, side, What::LookForLosses);
        world.plan(ACK_DELAY_EVERY, side, What::SetAckDelay);
    }
    if path.urgent {
        world.plan(1_000.0, 0, What::Ask);
    }
    if let Some(moves) = moves {
        world.plan(moves.at, 0, What::Move);
    }
    while let Some(Reverse(event)) = world.events.pop() {
        world.now = event.at;
        if world.now > 1e6 * path.seconds {
            break;
        }
        world.happens(event.side, event.what);
    }
    [world.fared(0), world.fared(1)]
}

fn by_its_clock(side: usize, bytes: &[u8]) -> Report {
    let told = report::decode(bytes).expect("what it makes is a report");
    let heard = told.heard.wrapping_sub((APART * (1 - side) as f64) as u64 as u32);
    Report { time: told.time + APART * side as f64, heard, ..told }
}

impl World {
    fn plan(&mut self, at: f64, side: usize, what: What) {
        self.order += 1;
        self.events.push(Reverse(Event { at, order: self.order, side, what }));
    }

    /// From 0 to 1.
    fn chance(&mut self) -> f64 {
        self.random = self.random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (self.random >> 33) as f64 / (1u64 << 31) as f64
    }

    fn happens(&mut self, side: usize, what: What) {
        match what {
            What::Begin => self.begin(side),
            What::Wake => {
                self.sides[side].wakes = false;
                self.send(side);
            }
            What::LookForLosses => self.look_for_losses(side),
            What::Arrives(packet) => self.arrives(side, packet),
            What::AcknowledgeAlone(timer) if timer == self.sides[side].timer => {
                if self.sides[side].unanswered.is_some() {
                    self.transmit(side, Kind::Acknowledgement, 0.0);
                }
            }
            What::AcknowledgeAlone(_) => {}
            What::SetAckDelay => self.set_ack_delay(side),
            What::Move => self.has_moved = true,
            What::Ask => {
                self.urge(side, Kind::Ask(self.now));
                let next = self.now + 100_000.0 + 60_000.0 * self.chance();
                self.plan(next, side, What::Ask);
            }
        }
    }

    fn begin(&mut self, at: usize) {
        let (most, _) = self.path.contents[at];
        let size = if most.is_finite() { most * (5.0 * (self.chance() - 1.0)).exp() } else { most };
        let (now, least) = (self.now, size / self.path.rate_at(self.now) + self.rtt() / 2.0);
        let side = &mut self.sides[at];
        side.contents_began(now, size, least);
        self.send(at);
    }

    /// All of some contents has arrived, and is known to have.
    fn look_for_end(&mut self, at: usize) {
        let (now, counts) = (self.now, self.now > self.path.warm_up);
        let side = &mut self.sides[at];
        if side.left > 0.0 || !side.has_begun || side.has_bulk() {
            return;
        }
        side.contents_ended(counts);
        let next = now + self.path.contents[at].1 * self.chance();
        self.plan(next, at, What::Begin);
    }

    fn set_ack_delay(&mut self, side: usize) {
        let now = self.now;
        let me = &mut self.sides[side];
        let rate = std::mem::take(&mut me.came) * 1e6 / ACK_DELAY_EVERY;
        let spacing = if me.has_bulk() { me.state.spacing() } else { 0.0 };
        me.acknowledge_within = ack_delay::wanted(rate, spacing, me.acknowledge_within);
        self.plan(now + ACK_DELAY_EVERY, side, What::SetAckDelay);
    }

    /// What gets no answer is lost.
    fn look_for_losses(&mut self, at: usize) {
        let now = self.now;
        let side = &mut self.sides[at];
        let patience = 2.0 * side.smoothed.max(50_000.0) + 100_000.0;
        let lost = side.lose(|flying| flying.is_dropped && now - flying.sent_at > patience);
        self.repeat(at, lost);
        self.plan(self.now + 50_000.0, at, What::LookForLosses);
        self.send(at);
    }

    /// An urgent message leaves, before all contents.
    fn urge(&mut self, at: usize, kind: Kind) {
        self.sides[at].held.push_back(kind);
        self.flush(at);
    }

    /// One packet leaves, with what is to be acknowledged.
    fn transmit(&mut self, from: usize, kind: Kind, stream: f64) {
        let now = self.now;
        let side = &mut self.sides[from];
        let bytes = match kind {
            Kind::Bulk => stream + side.around() + if side.rider.is_some() { RIDER } else { 0.0 },
            Kind::Ask(_) | Kind::Answer(_) => URGENT,
            Kind::Told(_) => REPORT,
            Kind::Acknowledgement => ACKNOWLEDGEMENT,
        };
        side.next += 1;
        let number = side.next;
        let taken = side.unanswered.take();
        let acknowledges = taken.map(|taken| Acknowledges { number: taken.number, waited: now - taken.arrived_at });
        side.sent += bytes;
        side.stream_sent += stream;
        if !matches!(kind, Kind::Acknowledgement) {
            side.in_flight += bytes;
            side.control.on_sent(side.in_flight);
            side.flying.push_back(Flying {
                number,
                sent_at: now,
                bytes,
                stream,
                kind,
                has_arrived: false,
                is_dropped: false,
            });
        }
        let told = if matches!(kind, Kind::Bulk) { side.rider.take() } else { None };
        let is_anew = self.goes_anew(from);
        self.pass(from, Packet { number, stream, bytes, kind, acknowledges, told, is_anew });
    }

    /// Over the bottleneck. Lost where the queue has no room for it; an empty one has room for any.
    fn pass(&mut self, from: usize, packet: Packet) {
        let (now, path) = (self.now, self.path);
        let (rate, bytes) = (path.rate_at(now), packet.bytes + BENEATH);
        let (is_lost, late) = (self.chance() < path.loss, self.chance() * path.jitter);
        let (rtt, is_gone) = (self.rtt(), self.is_gone(from));
        let way = &mut self.ways[from];
        while way.waiting.front().is_some_and(|(left, _)| *left <= now) {
            way.waiting.pop_front();
        }
        let waiting: f64 = way.waiting.iter().map(|(_, bytes)| bytes).sum();
        let is_full = !way.waiting.is_empty() && waiting + bytes > path.queue * rate;
        if !is_full && !is_gone {
            let left = way.waiting.back().map_or(now, |(left, _)| *left) + bytes / rate;
            way.waiting.push_back((left, bytes));
            way.last_arrival = way.last_arrival.max(left + rtt / 2.0 + late);
        }
        let counts = now > path.warm_up;
        if is_lost || is_full || is_gone {
            way.lost += u64::from(counts && !is_gone);
            self.sides[from].drop(packet.number);
            return;
        }
        if counts {
            way.carried += bytes;
        }
        let at = way.last_arrival + ANSWERED_IN / 2.0;
        self.plan(at, 1 - from, What::Arrives(packet));
    }

    fn arrives(&mut self, side: usize, packet: Packet) {
        let now = self.now;
        if self.is_astray(side, &packet) {
            return self.sides[1 - side].drop(packet.number);
        }
        let sender = &mut self.sides[1 - side];
        if let Ok(place) = sender.flying.binary_search_by_key(&packet.number, |flying| flying.number) {
            sender.flying[place].has_arrived = true;
        }
        if matches!(packet.kind, Kind::Bulk) {
            let since = sender.arrived.max(self.path.warm_up);
            self.ways[1 - side].silent = self.ways[1 - side].silent.max(now - since);
            sender.arrived = now;
        }
        if let Some(acknowledges) = packet.acknowledges {
            self.acknowledged(side, acknowledges);
        }
        self.follow(side, &packet);
        let me = &mut self.sides[side];
        me.came += packet.bytes;
        let gap = packet.number > me.newest_arrived + 1;
        me.newest_arrived = packet.number;
        match packet.kind {
            Kind::Acknowledgement => return,
            Kind::Bulk => {
                if let Some(report) = packet.told {
                    me.state.heard(now, &report);
                }
                me.received += packet.stream;
                if now > self.path.warm_up {
                    me.contents += packet.stream;
                }
            }
            Kind::Told(report) => me.state.heard(now, &report),
            Kind::Ask(_) | Kind::Answer(_) => me.received += URGENT - AROUND,
        }
        self.answers(side, packet, gap);
        match packet.kind {
            Kind::Ask(sent_at) => self.urge(side, Kind::Answer(sent_at)),
            Kind::Answer(sent_at) if sent_at > self.path.warm_up => {
                let carried = 2.0 * (URGENT + BENEATH) / self.path.rate_at(now);
                let over = now - sent_at - self.rtt() - carried;
                self.sides[side].urgent.push(over / 1_000.0);
            }
            _ => {}
        }
    }

    /// It is to be acknowledged: at once where one before it is missing, or with what leaves in time.
    fn answers(&mut self, side: usize, packet: Packet, gap: bool) {
        let now = self.now;
        let me = &mut self.sides[side];
        let packets = me.unanswered.map_or(0, |before| before.packets) + 1;
        if packets == 1 {
            me.timer += 1;
            let (timer, within) = (me.timer, 1_000.0 * f64::from(me.acknowledge_within));
            self.plan(now + within, side, What::AcknowledgeAlone(timer));
        }
        let me = &mut self.sides[side];
        me.unanswered = Some(Unanswered { number: packet.number, arrived_at: now, packets });
        if (gap || packets >= ACKNOWLEDGED_AT_ONCE) && !matches!(packet.kind, Kind::Ask(_)) {
            self.transmit(side, Kind::Acknowledgement, 0.0);
        }
    }

    /// What came after all that `at` had been told of so far.
    fn acknowledged(&mut self, at: usize, Acknowledges { number, waited }: Acknowledges) {
        let now = self.now;
        let side = &mut self.sides[at];
        let Ok(place) = side.flying.binary_search_by_key(&number, |flying| flying.number) else { return };
        let rtt = side.measure(number, now - side.flying[place].sent_at - waited);
        let before = side.in_flight;
        side.flying.retain(|flying| flying.number > number || !flying.has_arrived);
        side.in_flight = side.flying.iter().map(|flying| flying.bytes).sum();
        let floor = side.state.floor();
        side.control.on_ack(now, number, side.smoothed, before - side.in_flight, floor);
        let patience = 1.125 * side.smoothed.max(rtt);
        let lost = side.lose(|flying| {
            flying.number < number && (flying.number + LOST_AFTER < number || now - flying.sent_at > patience)
        });
        self.repeat(at, lost);
        let side = &mut self.sides[at];
        let told = side.told(self.path.rtt + ANSWERED_IN);
        side.state.on_ack(now, &told);
        self.look_for_end(at);
        self.tell(at);
        self.send(at);
    }

    fn repeat(&mut self, at: usize, lost: Vec<Flying>) {
        let side = &mut self.sides[at];
        let (newest, floor) = (side.next, side.state.floor());
        for flying in lost {
            side.control.on_loss(flying.number, newest, floor);
            match flying.kind {
                Kind::Bulk => side.buffered += flying.stream,
                Kind::Ask(_) | Kind::Answer(_) => side.held.push_back(flying.kind),
                _ => {}
            }
        }
    }

    /// Where it is time to.
    fn tell(&mut self, side: usize) {
        let now = self.now;
        let me = &mut self.sides[side];
        let bulk = me.has_bulk() || me.left > 0.0;
        if let Some(bytes) = me.state.report(now, me.received, bulk) {
            self.transmit(side, Kind::Told(by_its_clock(side, &bytes)), 0.0);
        }
    }

    /// What MsQuic has leaves, as far as its window lets it.
    fn flush(&mut self, at: usize) {
        while self.sides[at].may_send() {
            let side = &mut self.sides[at];
            if let Some(kind) = side.held.pop_front() {
                self.transmit(at, kind, 0.0);
            } else if side.buffered > 0.0 {
                let stream = side.buffered.min(side.most_of_stream());
                side.buffered -= stream;
                self.transmit(at, Kind::Bulk, stream);
            } else {
                return;
            }
        }
    }

    /// The pump hands over what there is room for.
    fn send(&mut self, at: usize) {
        self.flush(at);
        if !self.sides[at].sends_bulk {
            return;
        }
        loop {
            let side = &mut self.sides[at];
            if side.left <= 0.0 {
                return;
            }
            match side.state.room_of(self.now, true, 0) {
                Room::Full => return,
                Room::Now(bytes) => {
                    let rider = side.state.rider(self.now).map(|bytes| by_its_clock(at, &bytes));
                    self.ride(at, rider);
                    let side = &mut self.sides[at];
                    let bytes = (bytes as f64).min(side.left);
                    side.state.hand(self.now, bytes);
                    side.buffered += bytes;
                    side.left -= bytes;
                    self.flush(at);
                }
                Room::After(wait) => {
                    if !std::mem::replace(&mut side.wakes, true) {
                        let at_time = self.now + wait.as_secs_f64() * 1e6 + WOKEN_IN * self.chance();
                        self.plan(at_time, at, What::Wake);
                    }
                    return;
                }
            }
        }
    }

    /// Mostly in the packet of the contents that are handed over with it.
    fn ride(&mut self, at: usize, rider: Option<Report>) {
        let Some(report) = rider else { return };
        if self.chance() < ALONE {
            self.transmit(at, Kind::Told(report), 0.0);
        } else {
            self.sides[at].rider = Some(report);
        }
    }

    fn fared(&self, at: usize) -> Fared {
        let path = &self.path;
        let steps = ((path.seconds * 1e6 - path.warm_up) / 10_000.0) as u64;
        let most: f64 = (0..steps).map(|step| 10_000.0 * path.rate_at(path.warm_up + 10_000.0 * step as f64)).sum();
        let mut urgent = self.sides[at].urgent.clone();
        urgent.sort_by(f64::total_cmp);
        let part = |share: f64| urgent.get((urgent.len() as f64 * share) as usize).copied().unwrap_or(f64::NAN);
        let contents = 100.0 * self.sides[1 - at].contents / most;
        let share = 100.0 * self.ways[at].carried / most;
        let took = self.sides[at].took / self.sides[at].least;
        let silent = self.ways[at].silent / 1e3;
        Fared { share, contents, p50: part(0.5), p95: part(0.95), lost: self.ways[at].lost, silent, took }
    }
}
