//! Fair delivery of events: what happened at an endpoint and was not delivered yet, in a lane for each connection.
//!
//! Lanes take turns by the processor time of whoever listens. He says how long he had to do with what he was told last (`spent`), and that is charged
//! to its lane: one that has used up its turn waits until the others have had as much. What a turn will cost is reckoned beforehand, by what the
//! lane's events have cost so far, so a turn ends before it is long; one event is the least. A lane that had nothing to tell and owes
//! nothing goes before all that have been waiting: who asks for little waits for one turn of another, whatever that one has brought.
//!
//! Requests without content wait apart. They may be withdrawn until they are told, and are not told while their peer leaves answers lying or the
//! connection is being closed.

use std::collections::{BTreeMap, HashMap, VecDeque};

use super::events::Batch;
use super::inbox::Room;

/// What a turn is worth, microseconds of the listener: he gets to his timers after each.
const TURN: i64 = 500;
/// What is reckoned for a request, and for anything else, before the lane's own costs are known; and for so many bytes a microsecond.
const REQUEST: i64 = 150;
const EVENT: i64 = 15;
const BYTES: i64 = 64;
/// Nobody waits for more turns than this for what it had before.
const MOST_DEBT: i64 = 64 * TURN;
/// Events delivered at a time.
const AT_ONE_GO: usize = 64;
/// Of what is reckoned: a lane whose events cost more is known by it at once, and one whose events cost less after a few.
const MOST_PACE: f64 = 1000.0;
const LEAST_PACE: f64 = 0.05;
const FORGETS: f64 = 0.25;
/// Answers of one connection that its peer has not acknowledged, bytes: more than a long line holds. Beyond it no request of it is told.
const UNHEARD_ANSWERS: u64 = 4 * 1024 * 1024;

pub struct Entry {
    pub told: Batch,
    /// Returned when it is delivered, or dropped.
    pub room: Option<Room>,
}

struct Lane {
    /// In the order in which they happened.
    events: VecDeque<Entry>,
    /// By call: their ids ascend.
    requests: BTreeMap<u64, Entry>,
    credit: i64,
    /// What its events have cost, measured by what is reckoned.
    pace: f64,
    /// As of which rest of all lanes the credit counts.
    rest: u64,
    has_turn: bool,
    requests_next: bool,
    unheard: u64,
    /// That it leaves answers lying was told.
    is_slow: bool,
    closing: bool,
    /// Its end is among its events.
    over: bool,
}

impl Default for Lane {
    fn default() -> Lane {
        Lane {
            events: VecDeque::new(),
            requests: BTreeMap::new(),
            credit: 0,
            pace: 1.0,
            rest: 0,
            has_turn: false,
            requests_next: false,
            unheard: 0,
            is_slow: false,
            closing: false,
            over: false,
        }
    }
}

/// The turn that was taken last and is not paid for.
struct Taking {
    connection: u32,
    /// At a pace of 1, and what was charged.
    reckoned: i64,
    charged: i64,
}

#[derive(Default)]
pub struct Lanes {
    lanes: HashMap<u32, Lane>,
    /// Those that owe nothing and had nothing before: they go first.
    fresh: VecDeque<u32>,
    turns: VecDeque<u32>,
    taking: Option<Taking>,
    /// How often nobody had anything: debts end there.
    rests: u64,
    last: Option<Entry>,
}

/// What is told now: of one connection. Rooms go back when they are dropped: not under the lock of the lanes.
#[derive(Default)]
pub struct Taken {
    pub told: Batch,
    pub rooms: Vec<Room>,
    pub more: bool,
}

impl Lanes {
    pub fn event(&mut self, connection: u32, entry: Entry) {
        self.lanes.entry(connection).or_default().events.push_back(entry);
        self.give_turn(connection);
    }

    pub fn request(&mut self, connection: u32, call: u64, entry: Entry) {
        self.lanes.entry(connection).or_default().requests.insert(call, entry);
        self.give_turn(connection);
    }

    /// The endpoint's own end.
    pub fn last(&mut self, entry: Entry) {
        self.last = Some(entry);
    }

    /// The request was not delivered yet, and will not be.
    pub fn withdraw(&mut self, connection: u32, call: u64) -> Option<Entry> {
        self.lanes.get_mut(&connection)?.requests.remove(&call)
    }

    /// This side ends it: no request of it is delivered any more.
    pub fn close(&mut self, connection: u32) {
        if let Some(lane) = self.lanes.get_mut(&connection) {
            lane.closing = true;
        }
    }

    /// Its end is delivered last.
    pub fn closed(&mut self, connection: u32, entry: Entry) {
        self.event(connection, entry);
        if let Some(lane) = self.lanes.get_mut(&connection) {
            (lane.closing, lane.over) = (true, true);
        }
    }

    /// The last delivery has cost so many microseconds: its lane is charged.
    pub fn spent(&mut self, micros: i64) {
        let Some(Taking { connection, reckoned, charged }) = self.taking.take() else {
            return;
        };
        if let Some(lane) = self.lanes.get_mut(&connection) {
            lane.charge(micros - charged);
            let pace = micros as f64 / reckoned.max(1) as f64;
            lane.pace = if pace > lane.pace { pace } else { lane.pace + FORGETS * (pace - lane.pace) };
            lane.pace = lane.pace.clamp(LEAST_PACE, MOST_PACE);
        }
    }

    /// True, once for each connection: from now on it is asked nothing, until it has taken some.
    pub fn answered(&mut self, connection: u32, bytes: u64) -> bool {
        let Some(lane) = self.lanes.get_mut(&connection) else {
            return false;
        };
        lane.unheard += bytes;
        let is_new = lane.unheard > UNHEARD_ANSWERS && !lane.is_slow;
        lane.is_slow |= is_new;
        is_new
    }

    /// The peer has an answer, or will not have it.
    pub fn heard(&mut self, connection: u32, bytes: u64) {
        if let Some(lane) = self.lanes.get_mut(&connection) {
            lane.unheard -= bytes.min(lane.unheard);
            self.give_turn(connection);
        }
    }

    pub fn has_some(&self) -> bool {
        !self.fresh.is_empty() || !self.turns.is_empty() || self.last.is_some()
    }

    /// One turn: of a lane that has just begun, or else of the next that owes nothing.
    pub fn take(&mut self) -> Taken {
        let mut taken = Taken::default();
        while let Some(connection) = self.fresh.pop_front().or_else(|| self.turns.pop_front()) {
            if self.turn(connection, &mut taken) > 0 {
                break;
            }
        }
        if self.fresh.is_empty() && self.turns.is_empty() {
            self.rests += 1;
            if let Some(entry) = self.last.take() {
                taken.add(entry);
            }
        }
        taken.more = self.has_some();
        taken
    }

    /// Returns how many events it took.
    fn turn(&mut self, connection: u32, taken: &mut Taken) -> usize {
        let Some(lane) = self.lanes.get_mut(&connection) else {
            return 0;
        };
        lane.come_to(self.rests);
        lane.credit = (lane.credit + TURN).min(TURN);
        let (mut count, mut reckoned, before) = (0, 0, lane.credit);
        while lane.credit > 0 && count < AT_ONE_GO {
            let Some((entry, worth)) = lane.next() else {
                break;
            };
            reckoned += worth;
            lane.credit -= (worth as f64 * lane.pace) as i64 + 1;
            taken.add(entry);
            count += 1;
        }
        if count > 0 {
            self.taking = Some(Taking { connection, reckoned, charged: before - lane.credit });
        }
        if lane.has_some() {
            self.turns.push_back(connection);
        } else {
            lane.has_turn = false;
            if lane.over {
                self.lanes.remove(&connection);
            }
        }
        count
    }

    fn give_turn(&mut self, connection: u32) {
        let rests = self.rests;
        if let Some(lane) = self.lanes.get_mut(&connection)
            && !lane.has_turn
            && lane.has_some()
        {
            lane.has_turn = true;
            lane.come_to(rests);
            let line = if lane.credit >= 0 { &mut self.fresh } else { &mut self.turns };
            line.push_back(connection);
        }
    }
}

impl Lane {
    /// Debts from before the last rest are over.
    fn come_to(&mut self, rests: u64) {
        if self.rest != rests {
            self.rest = rests;
            self.credit = 0;
        }
    }

    fn charge(&mut self, micros: i64) {
        self.credit = (self.credit - micros).clamp(-MOST_DEBT, TURN);
    }

    fn may_ask(&self) -> bool {
        !self.closing && self.unheard <= UNHEARD_ANSWERS && !self.requests.is_empty()
    }

    fn has_some(&self) -> bool {
        !self.events.is_empty() || self.may_ask()
    }

    /// With what is reckoned for it. Requests and the rest take turns, so that neither waits for all of the other.
    fn next(&mut self) -> Option<(Entry, i64)> {
        let ask = self.may_ask() && (self.requests_next || self.events.is_empty());
        self.requests_next = !ask;
        let (entry, least) = if ask {
            (self.requests.pop_first()?.1, REQUEST)
        } else {
            (self.events.pop_front()?, EVENT)
        };
        let worth = least + entry.told.bytes.len() as i64 / BYTES;
        Some((entry, worth))
    }
}

impl Taken {
    fn add(&mut self, Entry { told, room }: Entry) {
        self.told.numbers.extend_from_slice(&told.numbers);
        self.told.bytes.extend_from_slice(&told.bytes);
        self.rooms.extend(room);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(name: f64, bytes: usize) -> Entry {
        Entry { told: Batch { numbers: vec![name], bytes: vec![0; bytes] }, room: None }
    }

    /// Takes turns until there is nothing left, each event at its cost in microseconds; the names, in order.
    fn drain_at(lanes: &mut Lanes, cost: impl Fn(f64) -> i64) -> Vec<f64> {
        let mut names = Vec::new();
        loop {
            let taken = lanes.take();
            lanes.spent(taken.told.numbers.iter().map(|name| cost(*name)).sum());
            names.extend(taken.told.numbers);
            if !taken.more {
                return names;
            }
        }
    }

    fn drain(lanes: &mut Lanes) -> Vec<f64> {
        drain_at(lanes, |_| REQUEST)
    }

    fn flood(lanes: &mut Lanes, connection: u32, calls: std::ops::Range<u64>) {
        for call in calls {
            lanes.request(connection, call, entry(f64::from(connection), 100));
        }
    }

    #[test]
    fn one_that_begins_waits_for_one_turn_of_a_flood() {
        let mut lanes = Lanes::default();
        flood(&mut lanes, 1, 0..1000);
        lanes.take();
        lanes.request(2, 5000, entry(2.0, 100));
        assert_eq!(lanes.take().told.numbers, [2.0]);
    }

    #[test]
    fn a_turn_of_what_costs_much_is_one_request() {
        let mut lanes = Lanes::default();
        flood(&mut lanes, 1, 0..20);
        let first = lanes.take().told.numbers.len();
        assert!(first <= 4, "{first}");
        lanes.spent(3000 * first as i64);
        for _ in 0..5 {
            assert_eq!(lanes.take().told.numbers, [1.0]);
            lanes.spent(3000);
        }
    }

    #[test]
    fn a_turn_of_what_costs_little_is_many() {
        let mut lanes = Lanes::default();
        flood(&mut lanes, 1, 0..1000);
        for _ in 0..30 {
            let count = lanes.take().told.numbers.len();
            lanes.spent(10 * count as i64);
        }
        assert!(lanes.take().told.numbers.len() >= 30);
    }

    #[test]
    fn time_is_shared_and_not_messages() {
        let mut lanes = Lanes::default();
        flood(&mut lanes, 1, 0..100);
        flood(&mut lanes, 2, 100..1100);
        let names = drain_at(&mut lanes, |name| if name == 1.0 { 5000 } else { 50 });
        let dear = names[..510].iter().filter(|name| **name == 1.0).count();
        assert!((4..=12).contains(&dear), "{dear}");
        assert_eq!(names.len(), 1100);
    }

    #[test]
    fn who_owes_time_does_not_go_first_and_a_rest_ends_debts() {
        let mut lanes = Lanes::default();
        flood(&mut lanes, 2, 0..100);
        flood(&mut lanes, 1, 100..101);
        assert_eq!(drain_until(&mut lanes, 1.0, 20_000), 2);
        flood(&mut lanes, 1, 101..102);
        assert!(drain_until(&mut lanes, 1.0, 0) > 10);
        drain(&mut lanes);
        flood(&mut lanes, 2, 200..300);
        lanes.take();
        flood(&mut lanes, 1, 300..301);
        assert_eq!(lanes.take().told.numbers, [1.0]);
    }

    /// After how many turns it is told, which then costs so much.
    fn drain_until(lanes: &mut Lanes, name: f64, cost: i64) -> usize {
        for turns in 1.. {
            let told = lanes.take().told.numbers;
            if told.contains(&name) {
                lanes.spent(cost);
                return turns;
            }
            lanes.spent(TURN);
        }
        0
    }

    #[test]
    fn one_go_has_a_bound_and_is_of_one_connection() {
        let mut lanes = Lanes::default();
        for _ in 0..1000 {
            lanes.event(1, entry(1.0, 0));
            lanes.event(2, entry(2.0, 0));
        }
        for _ in 0..20 {
            lanes.take();
            lanes.spent(1);
        }
        let told = lanes.take().told.numbers;
        assert!(told.len() == AT_ONE_GO && told.iter().all(|name| *name == told[0]));
    }

    #[test]
    fn who_leaves_answers_lying_is_asked_nothing_more_but_hears_of_the_rest() {
        let mut lanes = Lanes::default();
        lanes.event(1, entry(0.0, 0));
        assert!(!lanes.answered(1, UNHEARD_ANSWERS));
        assert!(lanes.answered(1, 1));
        assert!(!lanes.answered(1, 1));
        lanes.request(1, 1, entry(1.0, 0));
        assert_eq!(drain(&mut lanes), [0.0]);
        lanes.event(1, entry(2.0, 0));
        assert_eq!(drain(&mut lanes), [2.0]);
        lanes.heard(1, 2);
        assert_eq!(drain(&mut lanes), [1.0]);
        assert!(!lanes.answered(1, 2));
    }

    #[test]
    fn what_is_withdrawn_or_closed_is_not_told() {
        let mut lanes = Lanes::default();
        lanes.request(1, 1, entry(1.0, 0));
        lanes.request(1, 2, entry(2.0, 0));
        assert!(lanes.withdraw(1, 1).is_some());
        assert!(lanes.withdraw(1, 1).is_none());
        lanes.close(1);
        assert!(lanes.withdraw(1, 2).is_some());
        lanes.closed(1, entry(3.0, 0));
        assert_eq!(drain(&mut lanes), [3.0]);
        assert!(lanes.lanes.is_empty());
    }

    #[test]
    fn events_of_a_connection_keep_their_order_and_the_end_of_all_is_last() {
        let mut lanes = Lanes::default();
        lanes.last(entry(9.0, 0));
        for name in 0..100 {
            lanes.event(1, entry(f64::from(name), 5000));
        }
        let names = drain(&mut lanes);
        assert_eq!(names.len(), 101);
        assert!(names[..100].is_sorted());
        assert_eq!(names[100], 9.0);
    }
}
