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

#[cfg(test)]
mod tests {
    use std::ptr;

    use super::super::codes::AbortReason;
    use super::super::endpoint::{Endpoint, Options};
    use super::super::events::EventQueue;
    use super::super::receive::on_receive;
    use super::super::spool::Spool;
    use super::super::trust::Trust;
    use super::*;
    use crate::frame::encode;
    use crate::quic::QUIC_BUFFER;
    use crate::tls::Credentials;
    use msquic::ffi::QUIC_RECEIVE_FLAGS_QUIC_RECEIVE_FLAG_FIN as FIN;

    const LONG: usize = 1024 * 1024;
    const PREFIX: u64 = 16;

    fn connection() -> Arc<Connection> {
        let endpoint = Endpoint::open(Options {
            events: EventQueue::unheard(),
            spool: Spool::new("/nonexistent"),
            max_header: LONG as u32,
            partial_from: 1,
            // A stream's priority would be told to MsQuic, which knows none of these.
            uniform: true,
            strangers: None,
            credentials: Credentials { certificate_pem: String::new(), key_pem: String::new() },
            anonymous: false,
        });
        Connection::new(&endpoint, true, Trust::anyone())
    }

    fn call(connection: &Arc<Connection>) -> Arc<Call> {
        Call::new(connection, true, 0)
    }

    /// As MsQuic brings them. Returns how many were taken.
    fn receive(call: &Arc<Call>, bytes: &[u8], flags: u32) -> u64 {
        let buffer = QUIC_BUFFER { Length: bytes.len() as u32, Buffer: bytes.as_ptr().cast_mut() };
        let mut total = bytes.len() as u64;
        on_receive(call, ptr::null_mut(), &[buffer], &mut total, flags);
        total
    }

    fn used(connection: &Connection) -> u64 {
        lock(&connection.inbox.0).used
    }

    fn waiting(connection: &Connection) -> Vec<u64> {
        lock(&connection.inbox.0).waiting.keys().map(|(_, id)| *id).collect()
    }

    /// What was told is taken, until there is nothing left; how many bytes that was.
    fn take_all(connection: &Connection) -> usize {
        let mut bytes = 0;
        loop {
            let taken = connection.endpoint.events.take(0);
            bytes += taken.told.bytes.len();
            if !taken.more {
                return bytes;
            }
        }
    }

    /// Half headers that take all room, in the order in which they began.
    fn half_headers(connection: &Arc<Connection>) -> Vec<Arc<Call>> {
        let frame = encode(3, &vec![7; LONG], 0);
        let half = &frame[..LONG / 2];
        let mut calls = Vec::new();
        loop {
            let call = call(connection);
            let taken = receive(&call, half, 0);
            calls.push(call);
            if taken < half.len() as u64 {
                assert_eq!(taken, PREFIX);
                return calls;
            }
        }
    }

    #[test]
    fn a_header_has_its_room_before_its_bytes_are_taken() {
        let connection = connection();
        let one = call(&connection);
        let frame = encode(3, &[7; 1000], 0);
        assert_eq!(receive(&one, &frame[..PREFIX as usize - 1], 0), PREFIX - 1);
        assert_eq!(used(&connection), 0);
        receive(&one, &frame[PREFIX as usize - 1..PREFIX as usize], 0);
        assert_eq!(used(&connection), 1000 + LEAST);
        receive(&one, &frame[PREFIX as usize..], FIN);
        assert_eq!(used(&connection), 1000 + LEAST);
        assert_eq!(take_all(&connection), 1000);
        assert_eq!(used(&connection), 0);
    }

    #[test]
    fn half_headers_take_no_more_room_than_there_is() {
        let connection = connection();
        let calls = half_headers(&connection);
        assert!(used(&connection) <= MOST);
        assert_eq!(waiting(&connection), [calls.last().expect("one").id]);
        for _ in 0..1000 {
            assert_eq!(receive(&call(&connection), &encode(3, &vec![7; LONG], 0), FIN), PREFIX);
        }
        assert!(used(&connection) <= MOST);
        assert_eq!(take_all(&connection), 0);
    }

    #[test]
    fn short_ones_find_room_beside_half_headers_and_that_has_an_end_too() {
        let connection = connection();
        half_headers(&connection);
        let short = encode(0, &[7; 1000], 0);
        for _ in 0..4000 {
            receive(&call(&connection), &short, FIN);
        }
        assert!(used(&connection) <= MOST + MOST_SHORT);
        assert!(take_all(&connection) >= 500 * 1000);
    }

    #[test]
    fn what_is_urgent_and_then_what_is_old_has_the_room_that_comes_free() {
        let connection = connection();
        let calls = half_headers(&connection);
        let (first, late) = (&calls[0], calls.last().expect("one"));
        let urgent = call(&connection);
        receive(&urgent, &encode(0, &vec![7; LONG], 0), FIN);
        assert_eq!(waiting(&connection), [urgent.id, late.id]);
        let frame = encode(3, &vec![7; LONG], 0);
        receive(first, &frame[LONG / 2..], FIN);
        assert_eq!(waiting(&connection), [urgent.id, late.id]);
        assert_eq!(take_all(&connection), LONG);
        assert_eq!(waiting(&connection), [late.id]);
        // Its stream is read again: it goes on behind its prefix.
        assert_eq!(receive(&urgent, &encode(0, &vec![7; LONG], 0)[PREFIX as usize..], FIN), LONG as u64);
        assert_eq!(take_all(&connection), LONG);
        assert!(waiting(&connection).is_empty());
    }

    #[test]
    fn a_call_that_ends_gives_its_room_to_others_and_waits_no_more() {
        let connection = connection();
        let calls = half_headers(&connection);
        let late = calls.last().expect("one");
        calls[0].end(AbortReason::Peer, 0);
        assert!(waiting(&connection).is_empty());
        let rest = encode(3, &vec![7; LONG], 0);
        assert_eq!(receive(late, &rest[PREFIX as usize..], FIN), LONG as u64);
        let again = call(&connection);
        receive(&again, &rest, FIN);
        assert_eq!(waiting(&connection), [again.id]);
        again.end(AbortReason::Peer, 0);
        assert!(waiting(&connection).is_empty());
        for call in &calls {
            call.end(AbortReason::Peer, 0);
        }
        take_all(&connection);
        assert_eq!(used(&connection), 0);
    }

    #[test]
    fn half_a_header_with_an_end_is_no_frame_and_leaves_no_room_behind() {
        let connection = connection();
        let one = call(&connection);
        receive(&one, &encode(3, &[7; 1000], 0)[..500], FIN);
        assert!(one.has_ended());
        assert_eq!((used(&connection), take_all(&connection)), (0, 0));
    }
}
