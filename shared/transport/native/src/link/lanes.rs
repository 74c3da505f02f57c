//! Whose turn it is: what happened at an endpoint and was not told yet, in a lane for each connection.
//!
//! Each round every connection with something to tell has its turn, for as much as one turn is worth. Requests and answers cost by their bytes,
//! so one that asks for much, or says much, waits for the others; where nobody else has anything it goes on at once. What is told at one go is
//! bounded, so that whoever listens gets to its timers.
//!
//! Requests without content wait apart. They may be withdrawn until they are told, and are not told while their peer leaves answers lying or the
//! connection is being closed.

use std::collections::{BTreeMap, HashMap, VecDeque};

use super::events::Batch;
use super::inbox::Room;

/// What a turn is worth, bytes.
const TURN: i64 = 16 * 1024;
/// The least that a request costs, and anything else: two requests make a turn.
const LEAST_OF_REQUEST: i64 = TURN / 2;
const LEAST: i64 = TURN / 16;
/// Nobody waits for more turns than this for what it had before.
const MOST_DEBT: i64 = 16 * TURN;
/// Events told at one go: some milliseconds of work.
const AT_ONE_GO: usize = 64;
/// Answers of one connection that its peer has not acknowledged, bytes: more than a long line holds. Beyond it no request of it is told.
const UNHEARD_ANSWERS: u64 = 4 * 1024 * 1024;

pub struct Entry {
    pub told: Batch,
    /// Given back when it is told, or dropped.
    pub room: Option<Room>,
}

#[derive(Default)]
struct Lane {
    /// In the order in which they happened.
    events: VecDeque<Entry>,
    /// By call: their ids ascend.
    requests: BTreeMap<u64, Entry>,
    credit: i64,
    /// As of which rest of all lanes the credit counts.
    rest: u64,
    has_turn: bool,
    requests_next: bool,
    unheard: u64,
    closing: bool,
    /// Its end is among its events.
    over: bool,
}

#[derive(Default)]
pub struct Lanes {
    lanes: HashMap<u32, Lane>,
    turns: VecDeque<u32>,
    /// How often nobody had anything: debts end there.
    rests: u64,
    last: Option<Entry>,
}

/// What is told now. Rooms go back when they are dropped: not under the lock of the lanes.
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

    /// The request was not told yet, and will not be.
    pub fn withdraw(&mut self, connection: u32, call: u64) -> Option<Entry> {
        self.lanes.get_mut(&connection)?.requests.remove(&call)
    }

    /// This side ends it: no request of it is told any more.
    pub fn close(&mut self, connection: u32) {
        if let Some(lane) = self.lanes.get_mut(&connection) {
            lane.closing = true;
        }
    }

    /// Its end is told last.
    pub fn closed(&mut self, connection: u32, entry: Entry) {
        self.event(connection, entry);
        if let Some(lane) = self.lanes.get_mut(&connection) {
            (lane.closing, lane.over) = (true, true);
        }
    }

    pub fn answered(&mut self, connection: u32, bytes: u64) {
        if let Some(lane) = self.lanes.get_mut(&connection) {
            lane.unheard += bytes;
            lane.come_to(self.rests);
            lane.credit = (lane.credit - bytes as i64).max(-MOST_DEBT);
        }
    }

    /// The peer has an answer, or will not have it.
    pub fn heard(&mut self, connection: u32, bytes: u64) {
        if let Some(lane) = self.lanes.get_mut(&connection) {
            lane.unheard -= bytes.min(lane.unheard);
            self.give_turn(connection);
        }
    }

    pub fn has_some(&self) -> bool {
        !self.turns.is_empty() || self.last.is_some()
    }

    pub fn take(&mut self) -> Taken {
        let mut taken = Taken::default();
        let mut count = 0;
        while count == 0 && !self.turns.is_empty() {
            for _ in 0..self.turns.len() {
                count += self.turn(&mut taken, AT_ONE_GO - count);
                if count >= AT_ONE_GO {
                    break;
                }
            }
        }
        if self.turns.is_empty() {
            self.rests += 1;
            if let Some(entry) = self.last.take() {
                taken.add(entry);
            }
        }
        taken.more = self.has_some();
        taken
    }

    /// The turn of whoever is next. Returns how many events it took.
    fn turn(&mut self, taken: &mut Taken, most: usize) -> usize {
        let Some(connection) = self.turns.pop_front() else {
            return 0;
        };
        let Some(lane) = self.lanes.get_mut(&connection) else {
            return 0;
        };
        lane.come_to(self.rests);
        lane.credit = (lane.credit + TURN).min(TURN);
        let mut count = 0;
        while lane.credit > 0 && count < most {
            let Some((entry, least)) = lane.next() else {
                break;
            };
            lane.credit -= least.max(entry.told.bytes.len() as i64);
            taken.add(entry);
            count += 1;
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
        if let Some(lane) = self.lanes.get_mut(&connection)
            && !lane.has_turn
            && lane.has_some()
        {
            lane.has_turn = true;
            self.turns.push_back(connection);
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

    fn may_ask(&self) -> bool {
        !self.closing && self.unheard <= UNHEARD_ANSWERS && !self.requests.is_empty()
    }

    fn has_some(&self) -> bool {
        !self.events.is_empty() || self.may_ask()
    }

    /// Requests and the rest take turns, so that neither waits for all of the other.
    fn next(&mut self) -> Option<(Entry, i64)> {
        let ask = self.may_ask() && (self.requests_next || self.events.is_empty());
        self.requests_next = !ask;
        if ask {
            return self.requests.pop_first().map(|(_, entry)| (entry, LEAST_OF_REQUEST));
        }
        self.events.pop_front().map(|entry| (entry, LEAST))
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

    /// Takes rounds until there is nothing left; the names, in order.
    fn drain(lanes: &mut Lanes) -> Vec<f64> {
        let mut names = Vec::new();
        loop {
            let taken = lanes.take();
            names.extend(taken.told.numbers);
            if !taken.more {
                return names;
            }
        }
    }

    #[test]
    fn one_of_many_requests_waits_for_two_of_a_flood() {
        let mut lanes = Lanes::default();
        for call in 0..1000 {
            lanes.request(1, call, entry(1.0, 100));
        }
        lanes.take();
        lanes.request(2, 5000, entry(2.0, 100));
        let names = drain(&mut lanes);
        assert!(names.iter().position(|name| *name == 2.0).expect("told") <= 2);
        assert_eq!(names.len(), 999);
    }

    #[test]
    fn long_ones_cost_the_turns_that_they_are_worth() {
        let mut lanes = Lanes::default();
        for call in 0..4 {
            lanes.request(1, call, entry(1.0, 64 * 1024));
        }
        for call in 4..20 {
            lanes.request(2, call, entry(2.0, 10));
        }
        let names = drain(&mut lanes);
        let second = names.iter().enumerate().filter(|(_, name)| **name == 1.0).nth(1).expect("told").0;
        assert!(second >= 7, "{names:?}");
    }

    #[test]
    fn long_answers_cost_as_much_and_a_rest_ends_debts() {
        let mut lanes = Lanes::default();
        lanes.request(1, 1, entry(1.0, 10));
        lanes.request(2, 2, entry(2.0, 10));
        lanes.take();
        lanes.answered(1, 8 * TURN as u64);
        lanes.heard(1, 8 * TURN as u64);
        for call in 10..30 {
            lanes.request(2, call, entry(2.0, 10));
        }
        lanes.request(1, 31, entry(1.0, 10));
        let late = drain(&mut lanes);
        lanes.request(1, 40, entry(1.0, 10));
        assert_eq!(drain(&mut lanes), [1.0]);
        assert!(late.iter().position(|name| *name == 1.0).expect("told") >= 14, "{late:?}");
        assert_eq!(late.len(), 21);
    }

    #[test]
    fn one_go_has_a_bound() {
        let mut lanes = Lanes::default();
        for connection in 0..1000 {
            lanes.event(connection, entry(1.0, 0));
        }
        let taken = lanes.take();
        assert_eq!((taken.told.numbers.len(), taken.more), (AT_ONE_GO, true));
        assert_eq!(drain(&mut lanes).len(), 1000 - AT_ONE_GO);
    }

    #[test]
    fn who_leaves_answers_lying_is_asked_nothing_more_but_hears_of_the_rest() {
        let mut lanes = Lanes::default();
        lanes.event(1, entry(0.0, 0));
        lanes.answered(1, UNHEARD_ANSWERS + 1);
        lanes.request(1, 1, entry(1.0, 0));
        assert_eq!(drain(&mut lanes), [0.0]);
        lanes.event(1, entry(2.0, 0));
        assert_eq!(drain(&mut lanes), [2.0]);
        lanes.heard(1, 1);
        assert_eq!(drain(&mut lanes), [1.0]);
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
