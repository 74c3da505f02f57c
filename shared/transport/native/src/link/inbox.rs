//! Room for headers: what one connection's peer may have sent of them that nobody was told of yet.
//!
//! A header gets its room when its length is known, before its bytes are taken; without room the stream is not read, and stays with MsQuic's
//! flow control. So whoever has room can always end its header, and gives the room back when it is told.

use std::collections::BTreeMap;
use std::sync::{Arc, Mutex, Weak};

use super::call::Call;
use super::connection::Connection;
use crate::io_pool;
use crate::quic::{lock, quic};

/// Bytes of headers of one connection: a few of the longest.
const MOST: u64 = 4 * 1024 * 1024;
/// Short ones find room where the long ones have left none, up to so much more: what is urgent is short.
const SHORT: u64 = 16 * 1024;
const MOST_SHORT: u64 = 1024 * 1024;
/// What a call without a header costs here.
const LEAST: u64 = 256;

#[derive(Default)]
pub struct Inbox(Mutex<Inside>);

#[derive(Default)]
struct Inside {
    used: u64,
    /// Streams that are not read, with the bytes they want, by urgency and age.
    waiting: BTreeMap<(u8, u64), (Arc<Call>, u64)>,
}

/// Given back when dropped.
pub struct Room {
    of: Weak<Connection>,
    bytes: u64,
}

impl Inbox {
    /// `None`: the stream is to be left alone until it is enabled again.
    pub fn reserve(&self, call: &Arc<Call>, class: u8, length: u32) -> Option<Room> {
        let bytes = u64::from(length) + LEAST;
        let mut inside = lock(&self.0);
        if !fits(inside.used, bytes) {
            inside.waiting.insert((class, call.id), (call.clone(), bytes));
            return None;
        }
        inside.used += bytes;
        Some(Room { of: Arc::downgrade(&call.connection), bytes })
    }

    /// The connection is over.
    pub fn forget(&self) {
        let waiting = std::mem::take(&mut lock(&self.0).waiting);
        drop(waiting);
    }

    /// A call has ended: it waits no more, and others may have the room that it was to have. Hold no lock of a call.
    pub fn leave(&self, call: u64) {
        let next = {
            let mut inside = lock(&self.0);
            inside.waiting.retain(|(_, id), _| *id != call);
            inside.next()
        };
        go_on(next);
    }

    fn give_back(&self, bytes: u64) {
        let next = {
            let mut inside = lock(&self.0);
            inside.used -= bytes;
            inside.next()
        };
        go_on(next);
    }
}

/// Streams are read again.
fn go_on(next: Vec<Arc<Call>>) {
    if !next.is_empty() {
        // Locks may be held here; another thread takes those of the streams.
        io_pool::submit(move || {
            for stream in next.iter().filter_map(|call| call.stream()) {
                // SAFETY: `stream` keeps the handle open; the call only queues work.
                unsafe { quic!(StreamReceiveSetEnabled(stream.raw(), 1)) };
            }
        });
    }
}

/// One that is longer than all room has it alone.
fn fits(used: u64, bytes: u64) -> bool {
    let most = if bytes <= SHORT { MOST + MOST_SHORT } else { MOST };
    used == 0 || used + bytes <= most
}

impl Inside {
    /// Those that find room now. Each of them asks for it again when it is read, or ends.
    fn next(&mut self) -> Vec<Arc<Call>> {
        let mut next = Vec::new();
        let mut used = self.used;
        while let Some(first) = self.waiting.first_entry() {
            let wanted = first.get().1;
            if !fits(used, wanted) {
                break;
            }
            used += wanted;
            next.push(first.remove().0);
        }
        next
    }
}

impl Drop for Room {
    fn drop(&mut self) {
        if let Some(connection) = self.of.upgrade() {
            connection.inbox.give_back(self.bytes);
        }
    }
}
