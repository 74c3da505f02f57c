//! Sends contents: one pump for each connection, run on the I/O pool.
//!
//! Strict priority between classes is decided here, and the order inside one: first-in first-out, but for contents that somebody waits for
//! (`sojourn.rs`). They are still files here: MsQuic is handed little more than the path can take at once, and orders that little by stream
//! priority. Where the endpoint is uniform, which is for experiments, there is no priority and contents take turns. How much
//! is handed over says the bulk window (`window/`), for all streams of the connection together; `most_outstanding` bounds the memory it takes.
//!
//! Invariants
//! 1. One thread at a time runs a connection's pump (`running`); so contents are read in order.
//! 2. An item is in the queue or in the hands of the running pump, and its call is not ended; `cancel` takes it
//!    out, and the running pump looks before each chunk.
//! 3. Heads don't wait for contents: when the window is full, or a large content is under way, the heads of all
//!    items in the queue are sent, in order. A small content leaves together with its head.
//! 4. While a limit is set (`limit.rs`), contents leave no faster than it says, in the same order. Heads don't wait for it.
//! 5. An item in the class of demand fetches is in the round of the sojourn order from its first place in the queue on until its last byte is
//!    handed down, or it leaves the class or the pump.

use std::collections::{BTreeMap, HashMap};
use std::io;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use super::buffers::{Buffers, CHUNK};
use super::call::{Call, ContentSource};
use super::codes::{ABORT_SOURCE, AbortReason};
use super::connection::Connection;
use super::limit::Limit;
use super::pacer;
use super::send::{transmit, transmit_with};
use super::sojourn::{Place, Round};
use super::window::{Acknowledged, Flight, REPORT_LENGTH, Room};
use crate::frame;
use crate::host::spare::Contents;
use crate::io_pool::submit;
use crate::quic::lock;

/// Handed down beyond what the congestion window lets fly, so that MsQuic never runs dry.
const AHEAD: u64 = 256 * 1024;
const MIN_LIMIT: u64 = 512 * 1024;
/// Bounds the memory of one connection's sends.
const MAX_LIMIT: u64 = 32 * 1024 * 1024;
/// After so many bytes the pump goes to the end of the pool's queue, so that others get a turn.
const TURN: u64 = 4 * 1024 * 1024;

/// The class of what somebody waits for.
const FETCH: u8 = 1;

/// Class, then the place inside of it where that has one, then age: the order of the queue.
type Key = (u8, u64, u64);

struct Item {
    call: Arc<Call>,
    head: Option<Vec<u8>>,
    source: ContentSource,
    contents: Option<Contents>,
    done: u64,
    place: Option<Place>,
    hasher: Box<blake3::Hasher>,
}

#[derive(Default)]
struct Queue {
    items: BTreeMap<Key, Item>,
    /// Where the item of a call is.
    keys: HashMap<u64, Key>,
    round: Round,
    /// One class for all, and each has its turn, a chunk at a time.
    uniform: bool,
    turns: u64,
    /// Items whose head has not been sent.
    heads: usize,
    /// There are contents here, with the running pump or with MsQuic; as the flight was told.
    sends: bool,
}

pub struct Pump {
    queue: Mutex<Queue>,
    running: AtomicBool,
    /// Bytes of content that are with MsQuic.
    outstanding: AtomicU64,
    buffers: Buffers,
    flight: Flight,
    /// Begun on the connection, by both sides.
    streams: AtomicU64,
    /// It is to be woken when its pace or its limit lets it go on.
    waits: AtomicBool,
    limit: Mutex<Limit>,
    epoch: Instant,
}

impl Queue {
    fn insert(&mut self, mut item: Item) {
        let (id, class) = (item.call.id, item.call.class());
        self.heads += usize::from(item.head.is_some());
        self.turns += 1;
        let key = if self.uniform {
            (0, self.turns, id)
        } else if class == FETCH {
            let left = item.source.length - item.done;
            (class, item.place.get_or_insert_with(|| self.round.join(left)).rank(), id)
        } else {
            self.leave_round(&mut item);
            (class, 0, id)
        };
        self.keys.insert(id, key);
        self.items.insert(key, item);
    }

    /// The item is in the caller's hands, and in the round as before.
    fn take(&mut self, call: u64) -> Option<Item> {
        let item = self.items.remove(&self.keys.remove(&call)?)?;
        self.heads -= usize::from(item.head.is_some());
        Some(item)
    }

    fn pop(&mut self) -> Option<Item> {
        let id = self.items.first_key_value()?.1.call.id;
        self.take(id)
    }

    fn leave_round(&mut self, item: &mut Item) {
        if let Some(place) = item.place.take() {
            self.round.leave(place);
        }
    }

    /// So many bytes of it were handed down.
    fn served(&mut self, item: &mut Item, bytes: u64) {
        if item.place.is_none() {
            return;
        }
        self.round.served(bytes);
        if item.done == item.source.length {
            item.place = None;
            self.round.done();
        }
    }
}

impl Pump {
    /// `uniform`: no priority between the classes, and contents take turns.
    pub fn new(uniform: bool) -> Pump {
        Pump {
            queue: Mutex::new(Queue { uniform, ..Queue::default() }),
            running: AtomicBool::new(false),
            outstanding: AtomicU64::new(0),
            buffers: Buffers::default(),
            flight: Flight::new(),
            streams: AtomicU64::new(0),
            waits: AtomicBool::new(false),
            limit: Mutex::default(),
            epoch: Instant::now(),
        }
    }

    /// Bounds what leaves from now on, bytes of contents a second; 0: nothing does.
    pub fn set_limit(&self, connection: &Arc<Connection>, bytes_per_second: f64) {
        lock(&self.limit).set(self.now(), bytes_per_second);
        if self.may_go_on(connection) {
            self.kick(connection);
        }
    }

    fn now(&self) -> f64 {
        self.epoch.elapsed().as_secs_f64() * 1e6
    }

    /// A stream begins.
    pub fn begun(&self) {
        self.streams.fetch_add(1, Ordering::Relaxed);
    }

    pub fn streams(&self) -> u64 {
        self.streams.load(Ordering::Relaxed)
    }

    pub fn enqueue(&self, call: &Arc<Call>, head: Vec<u8>, source: ContentSource) {
        let hasher = Box::default();
        let item = Item { call: call.clone(), head: Some(head), source, contents: None, done: 0, place: None, hasher };
        let mut queue = lock(&self.queue);
        // What the running pump has in its hands is not in the queue.
        let has_none = queue.items.is_empty() && !self.running.load(Ordering::Acquire);
        if !std::mem::replace(&mut queue.sends, true) || has_none {
            self.flight.begins();
        }
        queue.insert(item);
        drop(queue);
        self.kick(&call.connection);
    }

    /// Takes an ended call's content out of the queue.
    pub fn cancel(&self, call: &Call) {
        let mut queue = lock(&self.queue);
        let mut item = queue.take(call.id);
        if let Some(item) = &mut item {
            queue.leave_round(item);
        }
        drop(queue);
        drop(item);
        self.look_for_end();
    }

    /// Tells the flight where all contents have arrived. A running pump may have some in its hands, and looks when it has not.
    fn look_for_end(&self) {
        let mut queue = lock(&self.queue);
        let is_under_way = self.running.load(Ordering::Acquire) || self.outstanding.load(Ordering::Acquire) > 0;
        if queue.items.is_empty() && !is_under_way && std::mem::replace(&mut queue.sends, false) {
            self.flight.ends();
        }
    }

    /// Stores the new class and moves the content in the queue.
    pub fn set_class(&self, call: &Call, class: u8) {
        let mut queue = lock(&self.queue);
        call.class.store(class, Ordering::Release);
        if let Some(mut item) = queue.take(call.id) {
            if let Some(head) = &mut item.head {
                frame::set_class(head, class);
            }
            queue.insert(item);
        }
    }

    /// Bytes go to MsQuic, so many of them of contents.
    pub fn handed(&self, bytes: u64, content: u64) {
        self.outstanding.fetch_add(content, Ordering::AcqRel);
        self.flight.handed(bytes);
    }

    /// The peer has acknowledged something.
    pub fn acknowledged(&self, connection: &Arc<Connection>, told: &Acknowledged) {
        self.flight.on_ack(told);
        if self.may_go_on(connection) {
            self.kick(connection);
        }
    }

    /// What the peer is to be told of the way to here. `received`: bytes of streams.
    pub fn report(&self, received: u64) -> Option<[u8; REPORT_LENGTH]> {
        let bulk = self.outstanding.load(Ordering::Acquire) > 0 || !lock(&self.queue).items.is_empty();
        self.flight.report(received, bulk)
    }

    /// A datagram came.
    pub fn heard(&self, bytes: &[u8]) {
        self.flight.heard(bytes);
    }

    /// Bytes a second that contents are delivered at; 0: not known yet.
    pub fn bulk_rate(&self) -> f64 {
        self.flight.rate()
    }

    /// So much in flight is what the path was seen to carry; 0: not known.
    pub fn floor(&self) -> f64 {
        if self.outstanding.load(Ordering::Acquire) > 0 { self.flight.floor() } else { 0.0 }
    }

    /// Milliseconds from one packet of contents to the next; 0: there are none, or the rate is not known yet.
    pub fn spacing(&self) -> f64 {
        if self.outstanding.load(Ordering::Acquire) > 0 { self.flight.spacing() } else { 0.0 }
    }

    /// The wait for the pace is over.
    pub fn woken(&self, connection: &Arc<Connection>) {
        self.waits.store(false, Ordering::Release);
        if self.may_go_on(connection) {
            self.kick(connection);
        }
    }

    /// The connection goes on over another path.
    pub fn path_changed(&self) {
        self.flight.forget();
    }

    /// MsQuic is done with these bytes, so many of them of content.
    pub fn returned(&self, connection: &Arc<Connection>, bytes: Vec<u8>, content: u64) {
        if content == 0 {
            return;
        }
        self.buffers.give_back(bytes);
        let left = self.outstanding.fetch_sub(content, Ordering::AcqRel) - content;
        if left == 0 {
            self.buffers.clear();
            self.flight.empty();
            self.look_for_end();
        }
        if self.may_go_on(connection) {
            self.kick(connection);
        }
    }

    fn most_outstanding(&self, connection: &Connection) -> u64 {
        (connection.gauges.congestion_window() + AHEAD).clamp(MIN_LIMIT, MAX_LIMIT)
    }

    fn kick(&self, connection: &Arc<Connection>) {
        if !self.running.swap(true, Ordering::AcqRel) {
            run_later(connection);
        }
    }

    /// So many bytes of content may be handed down now.
    fn room(&self, connection: &Arc<Connection>) -> u64 {
        let first = lock(&self.queue).items.first_key_value().map(|(_, item)| item.done);
        let waiting = first.is_some();
        // What waits for its limit does not wait for the line, and the window is to learn nothing of it.
        let allowed = match lock(&self.limit).room(self.now()) {
            Room::Now(allowed) => allowed,
            Room::After(wait) => return self.wait(connection, waiting, wait),
            Room::Full => 0,
        };
        match self.flight.room(waiting, first.unwrap_or_default()) {
            Room::Now(room) if self.outstanding.load(Ordering::Acquire) < self.most_outstanding(connection) => {
                room.min(allowed)
            }
            Room::After(wait) => self.wait(connection, waiting, wait),
            _ => 0,
        }
    }

    /// There is no room before that: where something waits for it, the pump is woken then.
    fn wait(&self, connection: &Arc<Connection>, waiting: bool, wait: Duration) -> u64 {
        if waiting && !self.waits.swap(true, Ordering::AcqRel) {
            pacer::wake(connection, wait);
        }
        0
    }

    /// There is something to hand down, and room for it.
    fn may_go_on(&self, connection: &Arc<Connection>) -> bool {
        !lock(&self.queue).items.is_empty() && self.room(connection) > 0
    }
}

fn run_later(connection: &Arc<Connection>) {
    let connection = connection.clone();
    let pass = connection.endpoint.gate.enter();
    submit(move || {
        run(&connection);
        drop(pass);
    });
}

fn run(connection: &Arc<Connection>) {
    let pump = &connection.pump;
    let mut handed = 0;
    loop {
        loop {
            let room = pump.room(connection);
            if room == 0 {
                break;
            }
            let Some(item) = lock(&pump.queue).pop() else {
                break;
            };
            handed += step(item, room);
            if handed >= TURN {
                run_later(connection);
                return;
            }
        }
        send_heads(connection);
        pump.running.store(false, Ordering::Release);
        pump.look_for_end();
        // Whoever added work or room before the line above found the pump running and left it to us.
        if !pump.may_go_on(connection) || pump.running.swap(true, Ordering::AcqRel) {
            return;
        }
    }
}

/// Hands down one chunk of the item, as long as there is room, and puts the rest back. Returns how many bytes that was.
fn step(mut item: Item, room: u64) -> u64 {
    let call = item.call.clone();
    let queue = &call.connection.pump.queue;
    if call.has_ended() {
        lock(queue).leave_round(&mut item);
        return 0;
    }
    let head = item.head.take();
    let start = head.as_ref().map_or(0, Vec::len);
    let mut bytes = head.unwrap_or_else(|| call.connection.pump.buffers.take());
    let length = match read_chunk(&mut item, &mut bytes, start, room) {
        Ok(length) => length,
        Err(_) => {
            lock(queue).leave_round(&mut item);
            call.fail(AbortReason::Source, 0, ABORT_SOURCE);
            return 0;
        }
    };
    lock(&call.connection.pump.limit).spent(length);
    let last = item.done == item.source.length;
    if last {
        let mut state = lock(&call.state);
        state.digest = Some(*item.hasher.finalize().as_bytes());
        state.handed = true;
    }
    match call.connection.pump.flight.rider() {
        Some(rider) => transmit_with(&call, bytes, length, last, &rider),
        None => transmit(&call, bytes, length, last),
    }
    let mut queue = lock(queue);
    queue.served(&mut item, length);
    if !last {
        // An ending that came since then found nothing to cancel.
        if call.has_ended() {
            queue.leave_round(&mut item);
        } else {
            queue.insert(item);
        }
        drop(queue);
        send_heads(&call.connection);
    }
    length
}

/// Puts the next chunk behind the first `start` bytes and hashes it. Nothing is behind it.
fn read_chunk(item: &mut Item, bytes: &mut Vec<u8>, start: usize, room: u64) -> io::Result<u64> {
    let length = room.min(CHUNK).min(item.source.length - item.done);
    bytes.resize(start + length as usize, 0);
    if length == 0 {
        return Ok(0);
    }
    let contents = match &mut item.contents {
        Some(contents) => contents,
        None => item.contents.insert(Contents::open(&item.source.path)?),
    };
    let chunk = &mut bytes[start..];
    contents.read_exact_at(chunk, item.source.offset + item.done)?;
    item.hasher.update(chunk);
    item.done += length;
    Ok(length)
}

/// Sends the heads that have not left, in the order of the queue (invariant 3).
fn send_heads(connection: &Arc<Connection>) {
    let heads: Vec<(Arc<Call>, Vec<u8>)> = {
        let mut queue = lock(&connection.pump.queue);
        if queue.heads == 0 {
            return;
        }
        queue.heads = 0;
        queue.items.values_mut().filter_map(|item| Some((item.call.clone(), item.head.take()?))).collect()
    };
    for (call, head) in heads {
        transmit(&call, head, 0, false);
    }
}
