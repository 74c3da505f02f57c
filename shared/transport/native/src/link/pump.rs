//! Sends contents: one pump for each connection, run on the I/O pool.
//!
//! Strict priority between classes and first-in first-out inside one are decided here, where the contents are still
//! files: MsQuic is handed little more than the path can take at once, and orders that little by stream
//! priority. This is also where a bulk window belongs: `limit` is the number of bytes of content that may be with
//! MsQuic at a time, in all streams of the connection together.
//!
//! Invariants
//! 1. One thread at a time runs a connection's pump (`running`); so contents are read in order.
//! 2. An item is in the queue or in the hands of the running pump, and its call is not ended; `cancel` takes it
//!    out, and the running pump looks before each chunk.
//! 3. Heads don't wait for contents: when the window is full, or a large content is under way, the heads of all
//!    items in the queue are sent, in order. A small content leaves together with its head.

use std::collections::BTreeMap;
use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use super::call::{Call, ContentSource};
use super::codes::{ABORT_SOURCE, AbortReason};
use super::connection::Connection;
use super::send::transmit;
use crate::frame;
use crate::io_pool::submit;
use crate::quic::lock;

/// Read and handed down at once.
const CHUNK: u64 = 128 * 1024;
/// Handed down beyond what the congestion window lets fly, so that MsQuic never runs dry.
const AHEAD: u64 = 256 * 1024;
const MIN_LIMIT: u64 = 512 * 1024;
/// Bounds the memory of one connection's sends.
const MAX_LIMIT: u64 = 32 * 1024 * 1024;
/// After so many bytes the pump goes to the end of the pool's queue, so that others get a turn.
const TURN: u64 = 4 * 1024 * 1024;

/// Class, then age: the order of the queue.
type Key = (u8, u64);

struct Item {
    call: Arc<Call>,
    head: Option<Vec<u8>>,
    source: ContentSource,
    file: Option<File>,
    done: u64,
    hasher: Box<blake3::Hasher>,
}

#[derive(Default)]
struct Queue {
    items: BTreeMap<Key, Item>,
    /// Items whose head has not been sent.
    heads: usize,
}

#[derive(Default)]
pub struct Pump {
    queue: Mutex<Queue>,
    running: AtomicBool,
    /// Bytes of content that are with MsQuic.
    outstanding: AtomicU64,
}

impl Queue {
    fn insert(&mut self, item: Item) {
        self.heads += usize::from(item.head.is_some());
        self.items.insert((item.call.class(), item.call.id), item);
    }

    fn remove(&mut self, key: Key) -> Option<Item> {
        let item = self.items.remove(&key)?;
        self.heads -= usize::from(item.head.is_some());
        Some(item)
    }

    fn pop(&mut self) -> Option<Item> {
        let key = *self.items.first_key_value()?.0;
        self.remove(key)
    }
}

impl Pump {
    pub fn enqueue(&self, call: &Arc<Call>, head: Vec<u8>, source: ContentSource) {
        let hasher = Box::default();
        let item = Item { call: call.clone(), head: Some(head), source, file: None, done: 0, hasher };
        lock(&self.queue).insert(item);
        self.kick(&call.connection);
    }

    /// Takes an ended call's content out of the queue.
    pub fn cancel(&self, call: &Call) {
        let item = lock(&self.queue).remove((call.class(), call.id));
        drop(item);
    }

    /// Stores the new class and moves the content in the queue.
    pub fn set_class(&self, call: &Call, class: u8) {
        let mut queue = lock(&self.queue);
        let old = call.class.swap(class, Ordering::AcqRel);
        if let Some(mut item) = queue.remove((old, call.id)) {
            if let Some(head) = &mut item.head {
                frame::set_class(head, class);
            }
            queue.insert(item);
        }
    }

    pub fn handed(&self, content: u64) {
        self.outstanding.fetch_add(content, Ordering::AcqRel);
    }

    /// MsQuic is done with so many bytes of content.
    pub fn returned(&self, connection: &Arc<Connection>, content: u64) {
        if content == 0 {
            return;
        }
        let left = self.outstanding.fetch_sub(content, Ordering::AcqRel) - content;
        if left + CHUNK <= self.limit(connection) && !lock(&self.queue).items.is_empty() {
            self.kick(connection);
        }
    }

    fn limit(&self, connection: &Connection) -> u64 {
        (connection.gauges.congestion_window() + AHEAD).clamp(MIN_LIMIT, MAX_LIMIT)
    }

    fn kick(&self, connection: &Arc<Connection>) {
        if !self.running.swap(true, Ordering::AcqRel) {
            run_later(connection);
        }
    }

    fn window_open(&self, connection: &Connection) -> bool {
        self.outstanding.load(Ordering::Acquire) < self.limit(connection)
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
        while pump.window_open(connection) {
            let Some(item) = lock(&pump.queue).pop() else {
                break;
            };
            handed += step(item);
            if handed >= TURN {
                run_later(connection);
                return;
            }
        }
        send_heads(connection);
        pump.running.store(false, Ordering::Release);
        // Whoever added work or room before the line above found the pump running and left it to us.
        let more = pump.window_open(connection) && !lock(&pump.queue).items.is_empty();
        if !more || pump.running.swap(true, Ordering::AcqRel) {
            return;
        }
    }
}

/// Hands down one chunk of the item and puts the rest back. Returns how many bytes that was.
fn step(mut item: Item) -> u64 {
    let call = item.call.clone();
    if call.has_ended() {
        return 0;
    }
    let mut bytes = item.head.take().unwrap_or_default();
    let length = match read_chunk(&mut item, &mut bytes) {
        Ok(length) => length,
        Err(_) => {
            call.fail(AbortReason::Source, 0, ABORT_SOURCE);
            return 0;
        }
    };
    let last = item.done == item.source.length;
    if last {
        let mut state = lock(&call.state);
        state.digest = Some(*item.hasher.finalize().as_bytes());
        state.handed = true;
    }
    transmit(&call, bytes, length, last);
    if !last {
        let mut queue = lock(&call.connection.pump.queue);
        // An ending that came since then found nothing to cancel.
        if !call.has_ended() {
            queue.insert(item);
        }
        drop(queue);
        send_heads(&call.connection);
    }
    length
}

/// Appends the next chunk to `bytes` and hashes it.
fn read_chunk(item: &mut Item, bytes: &mut Vec<u8>) -> io::Result<u64> {
    let length = CHUNK.min(item.source.length - item.done);
    if length == 0 {
        return Ok(0);
    }
    let file = match &item.file {
        Some(file) => file,
        None => item.file.insert(File::open(&item.source.path)?),
    };
    let start = bytes.len();
    bytes.resize(start + length as usize, 0);
    let chunk = &mut bytes[start..];
    file.read_exact_at(chunk, item.source.offset + item.done)?;
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
