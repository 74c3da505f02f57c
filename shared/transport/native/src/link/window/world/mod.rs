//! A path at packet level, for the tests of the bulk window. Two sides, each of which may send bulk under a window and something like
//! cubic; a bottleneck with a queue in either direction; and small urgent messages that overtake bulk in their sender, and
//! nowhere else. Times are in microseconds, amounts in bytes, rates in bytes a microsecond.

use std::cmp::{Ordering, Reverse};
use std::collections::BinaryHeap;

use super::sample::{Report, Sample};
use side::{Flying, Side};

mod side;

/// Of a full packet.
const PACKET: f64 = 1_472.0;
const ACKNOWLEDGEMENT: f64 = 70.0;
const URGENT: f64 = 260.0;
/// What a side that sends bulk tells the other one.
const REPORT: f64 = 75.0;
const REPORT_EVERY: f64 = 100_000.0;
/// Where nothing comes in.
const REPORT_SELDOM: f64 = 1e6;
const COMES_IN: f64 = 16.0 * 1_200.0;
/// The sides' clocks have nothing to do with each other.
const APART: f64 = 7e9;
/// What an acknowledgement waits for a packet of bulk to go along with, beyond the time between two; none does where that is longer.
const ACKNOWLEDGED_AFTER: f64 = 1_000.0;
const LONGEST_SPACING: f64 = 8_000.0;
/// The other side takes so long to answer.
const ANSWERED_IN: f64 = 300.0;
const LOST_AFTER: u64 = 3;
/// What was lost is sent again after so many round trips, with so much of a queue in them.
const REPEATED_AFTER: f64 = 1.25;
const QUEUED: f64 = 25_000.0;

#[derive(Clone, Copy)]
pub struct Path {
    pub rate: fn(f64) -> f64,
    /// What would be in it for longer is dropped, its own time on the line counted.
    pub queue: f64,
    pub rtt: f64,
    /// Of packets.
    pub loss: f64,
    pub jitter: f64,
    pub both_ways: bool,
    /// The second side begins so late.
    pub late: f64,
    /// Bulk comes as contents of up to so many bytes, each up to so long after the one before has arrived; infinite: there is always some.
    pub contents: (f64, f64),
    pub seconds: f64,
    /// What comes before is not counted: until then the window may look for the rate.
    pub warm_up: f64,
}

/// How one side fared.
#[derive(Clone, Copy, Debug)]
pub struct Fared {
    /// Bulk in hundredths of what the path carries beside all else.
    pub share: f64,
    /// Of the round trip of an urgent message, milliseconds over that of an idle path.
    pub p50: f64,
    pub p95: f64,
    /// So many times of what the line takes for them the contents after the warm-up took until they had arrived.
    pub took: f64,
}

#[derive(Clone, Copy)]
enum What {
    Send,
    /// The next contents are there to be sent.
    Begin,
    /// Bulk was held back by its pace.
    Wake,
    /// A packet of bulk, by its number, of so many bytes.
    Bulk(u64, f64),
    Acknowledged(u64),
    /// No packet of bulk has taken the acknowledgement along.
    AcknowledgeAlone,
    Urgent(f64),
    Answered(f64),
    UrgentAgain(f64),
    AnsweredAgain(f64),
    Told(Report),
    SendUrgent,
}

/// At a time and to a side. The order in which they came to be decides between those at one time.
#[derive(Clone, Copy)]
struct Event {
    at: f64,
    order: u64,
    side: usize,
    what: What,
}

impl PartialEq for Event {
    fn eq(&self, other: &Event) -> bool {
        self.order == other.order
    }
}
impl Eq for Event {}
impl PartialOrd for Event {
    fn partial_cmp(&self, other: &Event) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Event {
    fn cmp(&self, other: &Event) -> Ordering {
        self.at.total_cmp(&other.at).then(self.order.cmp(&other.order))
    }
}

/// The way from a side to the other one.
#[derive(Default)]
struct Way {
    /// Of all but bulk, after the warm-up.
    other_bytes: f64,
    free_at: f64,
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
}

/// How both sides fare on a path; the second one's share says nothing where only the first one sends bulk.
pub fn fare(path: Path) -> [Fared; 2] {
    let mut world = World {
        path,
        now: 0.0,
        order: 0,
        random: 12_345,
        events: BinaryHeap::new(),
        ways: [Way::default(), Way::default()],
        sides: [Side::new(true), Side::new(path.both_ways)],
    };
    for side in 0..2 {
        // When they got to know each other.
        world.tell(side);
        world.plan(1_000.0, side, What::Send);
        world.plan(500.0, side, What::Begin);
        world.plan(1e6, side, What::SendUrgent);
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

    /// Of `from`, over the bottleneck: when it arrives. Lost where the queue has no room for it.
    fn pass(&mut self, from: usize, bytes: f64, what: What) -> Option<f64> {
        let (rate, lost) = ((self.path.rate)(self.now), self.chance() < self.path.loss);
        let late = self.chance() * self.path.jitter;
        let (now, path) = (self.now, self.path);
        let way = &mut self.ways[from];
        let (waits, takes) = ((way.free_at - now).max(0.0), bytes / rate);
        if lost || (waits > 0.0 && waits + takes > path.queue) {
            self.repeat(from, what);
            return None;
        }
        if now > path.warm_up && !matches!(what, What::Bulk(..)) {
            way.other_bytes += bytes;
        }
        way.free_at = now + waits + takes;
        way.last_arrival = way.last_arrival.max(way.free_at + path.rtt / 2.0 + late);
        let at = way.last_arrival;
        self.plan(at, 1 - from, what);
        Some(at)
    }

    /// An urgent message that was lost is sent again when QUIC tells by what came after it.
    fn repeat(&mut self, from: usize, what: What) {
        let again = match what {
            What::Urgent(sent_at) => What::UrgentAgain(sent_at),
            What::Answered(sent_at) => What::AnsweredAgain(sent_at),
            _ => return,
        };
        self.plan(self.now + REPEATED_AFTER * (self.path.rtt + QUEUED), from, again);
    }

    fn happens(&mut self, side: usize, what: What) {
        match what {
            What::Send => {
                self.send(side);
                // What gets no answer is lost.
                let patience = 3.0 * self.sides[side].smoothed.max(50_000.0) + 200_000.0;
                if self.sides[side].flying.front().is_some_and(|oldest| self.now - oldest.sent_at > patience) {
                    self.sides[side].lose_oldest(self.now);
                }
                self.plan(self.now + 50_000.0, side, What::Send);
            }
            What::Wake => {
                self.sides[side].wakes = false;
                self.send(side);
            }
            What::Begin => {
                let most = self.path.contents.0;
                let size = if most.is_finite() { most * (5.0 * (self.chance() - 1.0)).exp() } else { most };
                let me = &mut self.sides[side];
                me.left = size;
                me.began = self.now;
                me.least += size / (self.path.rate)(self.now) + self.path.rtt / 2.0;
                me.window.rested(self.now, true);
                me.unpaced = me.window.queued(PACKET);
                self.send(side);
            }
            What::Bulk(number, bytes) => {
                self.sides[side].received += bytes;
                let sender = &mut self.sides[1 - side];
                sender.arrived = self.now;
                if self.now > self.path.warm_up {
                    sender.delivered += bytes;
                }
                if let Ok(place) = sender.flying.binary_search_by_key(&number, |flying| flying.number) {
                    sender.flying[place].has_arrived = true;
                }
                let me = &mut self.sides[side];
                let spacing = me.window.piece(PACKET) / me.window.rate();
                if spacing > LONGEST_SPACING || !self.sends_bulk(side) {
                    self.pass(side, ACKNOWLEDGEMENT, What::Acknowledged(number));
                } else if self.sides[side].acknowledges.replace(number).is_none() {
                    self.plan(self.now + spacing + ACKNOWLEDGED_AFTER, side, What::AcknowledgeAlone);
                }
            }
            What::AcknowledgeAlone => {
                if let Some(number) = self.sides[side].acknowledges.take() {
                    self.pass(side, ACKNOWLEDGEMENT, What::Acknowledged(number));
                }
            }
            What::Acknowledged(number) => self.acknowledged(side, number),
            What::SendUrgent => {
                self.pass(side, URGENT, What::Urgent(self.now));
                let next = self.now + 150_000.0 + 50_000.0 * self.chance();
                self.plan(next, side, What::SendUrgent);
            }
            What::Urgent(sent_at) | What::AnsweredAgain(sent_at) => {
                self.sides[side].received += URGENT;
                self.pass(side, URGENT, What::Answered(sent_at));
            }
            What::UrgentAgain(sent_at) => {
                self.pass(side, URGENT, What::Urgent(sent_at));
            }
            What::Answered(sent_at) => {
                self.sides[side].received += URGENT;
                let carried = 2.0 * URGENT / (self.path.rate)(self.now);
                if sent_at > self.path.warm_up {
                    let over = self.now - sent_at - self.path.rtt - carried;
                    self.sides[side].urgent.push(over / 1_000.0);
                }
            }
            What::Told(report) => {
                let me = &mut self.sides[side];
                me.incoming.heard(self.now, report.time);
                if me.sends_bulk && report.received > 0.0 {
                    let packet = me.window.piece(PACKET);
                    me.window.on_report(self.now, &report, packet);
                }
            }
        }
    }

    fn sends_bulk(&self, side: usize) -> bool {
        self.sides[side].sends_bulk && (side == 0 || self.now >= self.path.late)
    }

    fn tell(&mut self, side: usize) {
        let (now, me) = (self.now, &mut self.sides[side]);
        let (time, received, queue) = (now - APART * side as f64, me.received, me.incoming.queue(now));
        let every = if received > COMES_IN { REPORT_EVERY } else { REPORT_SELDOM };
        if now - me.told_at >= every {
            me.told_at = now;
            self.pass(side, REPORT, What::Told(Report { time, received, queue }));
        }
    }

    fn acknowledged(&mut self, at: usize, number: u64) {
        let now = self.now + ANSWERED_IN;
        let side = &mut self.sides[at];
        let Ok(place) = side.flying.binary_search_by_key(&number, |flying| flying.number) else { return };
        let rtt = now - side.flying[place].sent_at;
        let before = side.in_flight;
        // It tells of all that came before it.
        side.flying.retain(|flying| flying.number > number || !flying.has_arrived);
        side.in_flight = side.flying.iter().map(|flying| flying.bytes).sum();
        side.smoothed = if side.smoothed == 0.0 { rtt } else { 0.875 * side.smoothed + 0.125 * rtt };
        side.control.on_ack(self.now, before, before - side.in_flight);
        while side.flying.front().is_some_and(|oldest| oldest.number + LOST_AFTER <= number) {
            side.lose_oldest(self.now);
        }
        side.window.on_ack(&Sample {
            now: self.now,
            rtt,
            behind: side.incoming.queue(self.now),
            shortest_rtt: self.path.rtt + ANSWERED_IN,
            in_flight: side.in_flight,
            delivered: side.sent - side.in_flight - side.lost_bytes,
            lost_packets: side.lost,
            packet: side.window.piece(PACKET),
            limited: std::mem::take(&mut side.limited),
        });
        if side.left <= 0.0 && side.in_flight <= 0.0 && before > 0.0 {
            side.took += side.arrived - side.began;
            if self.now <= self.path.warm_up {
                (side.took, side.least) = (0.0, 0.0);
            }
            let next = self.now + self.path.contents.1 * self.chance();
            self.plan(next, at, What::Begin);
        }
        self.tell(at);
        self.send(at);
    }

    fn send(&mut self, at: usize) {
        if !self.sends_bulk(at) {
            return;
        }
        let limit = self.sides[at].window.bytes();
        loop {
            let side = &mut self.sides[at];
            let piece = side.window.piece(PACKET).min(side.left);
            if piece <= 0.0 {
                return;
            }
            let after = side.in_flight + piece;
            // As much as fits, to the nearest packet.
            let fits = after - piece / 2.0 <= limit;
            side.limited |= !fits;
            if !fits || after > side.control.window {
                return;
            }
            if self.now < side.paced_until - 1.0 {
                let at_time = side.paced_until;
                if !std::mem::replace(&mut side.wakes, true) {
                    self.plan(at_time, at, What::Wake);
                }
                return;
            }
            let pace = side.window.pace();
            let takes = piece / pace;
            side.paced_until = side.paced_until.max(self.now - side.unpaced.max(piece) / pace) + takes;
            side.unpaced -= piece;
            side.next += 1;
            side.in_flight = after;
            side.sent += piece;
            side.left -= piece;
            let number = side.next;
            side.flying.push_back(Flying { number, sent_at: self.now, bytes: piece, has_arrived: false });
            let arrives = self.pass(at, piece, What::Bulk(number, piece));
            if let (Some(number), Some(arrives)) = (self.sides[at].acknowledges.take(), arrives) {
                self.plan(arrives, 1 - at, What::Acknowledged(number));
            }
        }
    }

    fn fared(&self, at: usize) -> Fared {
        let (side, path) = (&self.sides[at], &self.path);
        let steps = ((path.seconds * 1e6 - path.warm_up) / 10_000.0) as u64;
        let carried: f64 = (0..steps).map(|step| 10_000.0 * (path.rate)(path.warm_up + 10_000.0 * step as f64)).sum();
        let mut urgent = side.urgent.clone();
        urgent.sort_by(f64::total_cmp);
        let part = |share: f64| urgent.get((urgent.len() as f64 * share) as usize).copied().unwrap_or(f64::NAN);
        let share = 100.0 * side.delivered / (carried - self.ways[at].other_bytes);
        Fared { share, p50: part(0.5), p95: part(0.95), took: side.took / side.least }
    }
}
