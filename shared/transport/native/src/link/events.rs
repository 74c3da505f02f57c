//! The one queue from MsQuic's threads to JavaScript.
//!
//! Each event is numbers and bytes, in the lane of its connection (`lanes.rs`). The first one wakes JavaScript, which takes some of one connection
//! in two typed arrays, and says with the next call how long it had to do with them. It comes back by itself as long as it is told that there is
//! more. The wake-up is weak: it doesn't keep the process alive. The layout of each event is read by `shared/transport/transport-events.ts`.

use std::sync::Mutex;

use napi::Status;
use napi::bindgen_prelude::Function;
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};

use super::codes::{AbortReason, CloseReason};
use super::inbox::Room;
use super::lanes::{Entry, Lanes, Taken};
use super::statistics::Statistics;
use crate::identity::Fingerprint;
use crate::quic::{leaving, lock};

type Wake = ThreadsafeFunction<(), (), (), Status, false, true>;

#[derive(Default)]
pub struct Batch {
    pub numbers: Vec<f64>,
    pub bytes: Vec<u8>,
}

pub struct EventQueue {
    inside: Mutex<Inside>,
    /// `None`: there is no listener, as in a test.
    wake: Option<Wake>,
}

#[derive(Default)]
struct Inside {
    lanes: Lanes,
    /// JavaScript was woken, or knows that there is more.
    is_awake: bool,
}

pub enum Event<'a> {
    Connected {
        connection: u32,
        peer: &'a Fingerprint,
        address: &'a str,
        inbound: bool,
    },
    Closed {
        connection: u32,
        reason: CloseReason,
        detail: &'a str,
    },
    Incoming {
        connection: u32,
        call: u64,
        class: u8,
        header: &'a [u8],
        content_length: u64,
    },
    Reply {
        call: u64,
        header: &'a [u8],
        content_length: u64,
    },
    Content {
        call: u64,
        length: u64,
        digest: &'a [u8; 32],
        path: &'a str,
    },
    Partial {
        call: u64,
        length: u64,
        path: &'a str,
    },
    Sent {
        call: u64,
        digest: Option<&'a [u8; 32]>,
    },
    Aborted {
        call: u64,
        reason: AbortReason,
        code: u32,
    },
    Progress {
        call: u64,
        sent: u64,
        received: u64,
    },
    Statistics {
        connection: u32,
        statistics: &'a Statistics,
    },
    /// The peer leaves answers lying: no request of it is told until it has taken some. Told once.
    Unread {
        connection: u32,
    },
    /// The endpoint is shut down: the last event there is.
    Ended,
}

impl EventQueue {
    /// `wake` is called on JavaScript's thread, without arguments, when there is something to take.
    pub fn new(wake: Function<'_, (), ()>) -> napi::Result<EventQueue> {
        let wake = wake.build_threadsafe_function::<()>().weak::<true>().build()?;
        Ok(EventQueue { inside: Mutex::default(), wake: Some(wake) })
    }

    #[cfg(test)]
    pub fn unheard() -> EventQueue {
        EventQueue { inside: Mutex::default(), wake: None }
    }

    /// Something happened on a connection.
    pub fn push(&self, connection: u32, event: Event<'_>) {
        self.push_with(connection, event, None);
    }

    /// The same, for a header that has room.
    pub fn push_with(&self, connection: u32, event: Event<'_>, room: Option<Room>) {
        if leaving() {
            return;
        }
        let entry = Entry { told: Batch::of(&event), room };
        self.change(|lanes| match event {
            Event::Incoming { call, content_length: 0, .. } => lanes.request(connection, call, entry),
            Event::Closed { .. } => lanes.closed(connection, entry),
            Event::Ended => lanes.last(entry),
            _ => lanes.event(connection, entry),
        });
    }

    /// The request was not delivered, and will not be. False: it was.
    pub fn withdraw(&self, connection: u32, call: u64) -> bool {
        let entry = lock(&self.inside).lanes.withdraw(connection, call);
        entry.is_some()
    }

    /// This side ends the connection: no request of it is delivered any more.
    pub fn close(&self, connection: u32) {
        lock(&self.inside).lanes.close(connection);
    }

    /// So many bytes of an answer are on their way.
    pub fn answered(&self, connection: u32, bytes: u64) {
        self.change(|lanes| {
            if lanes.answered(connection, bytes) {
                let told = Batch::of(&Event::Unread { connection });
                lanes.event(connection, Entry { told, room: None });
            }
        });
    }

    /// They are there, or are not wanted any more.
    pub fn heard(&self, connection: u32, bytes: u64) {
        if bytes > 0 {
            self.change(|lanes| lanes.heard(connection, bytes));
        }
    }

    fn change(&self, change: impl FnOnce(&mut Lanes)) {
        let wakes = {
            let mut inside = lock(&self.inside);
            change(&mut inside.lanes);
            let wakes = !inside.is_awake && inside.lanes.has_some();
            inside.is_awake |= wakes;
            wakes
        };
        if wakes && let Some(wake) = &self.wake {
            wake.call((), ThreadsafeFunctionCallMode::NonBlocking);
        }
    }

    /// `micros`: what was taken last has cost so much.
    pub fn take(&self, micros: i64) -> Taken {
        let mut inside = lock(&self.inside);
        inside.lanes.spent(micros);
        let taken = inside.lanes.take();
        inside.is_awake = taken.more;
        taken
    }
}

impl Batch {
    fn of(event: &Event<'_>) -> Batch {
        let mut batch = Batch::default();
        batch.append(event);
        batch
    }

    fn append(&mut self, event: &Event<'_>) {
        match *event {
            Event::Connected { connection, peer, address, inbound } => {
                let length = address.len() as f64;
                self.put(&[1.0, connection.into(), flag(inbound), length]);
                self.bytes.extend_from_slice(peer);
                self.bytes.extend_from_slice(address.as_bytes());
            }
            Event::Closed { connection, reason, detail } => {
                self.put(&[2.0, connection.into(), f64::from(reason as u8), detail.len() as f64]);
                self.bytes.extend_from_slice(detail.as_bytes());
            }
            Event::Incoming { connection, call, class, header, content_length } => {
                let lengths = [header.len() as f64, content_length as f64];
                self.put(&[3.0, connection.into(), call as f64, class.into()]);
                self.put(&lengths);
                self.bytes.extend_from_slice(header);
            }
            Event::Reply { call, header, content_length } => {
                self.put(&[4.0, call as f64, header.len() as f64, content_length as f64]);
                self.bytes.extend_from_slice(header);
            }
            Event::Content { call, length, digest, path } => {
                self.put(&[5.0, call as f64, length as f64, path.len() as f64]);
                self.bytes.extend_from_slice(digest);
                self.bytes.extend_from_slice(path.as_bytes());
            }
            Event::Sent { call, digest } => {
                self.put(&[6.0, call as f64, flag(digest.is_some())]);
                self.bytes.extend_from_slice(digest.map_or(&[], |digest| digest.as_slice()));
            }
            Event::Aborted { call, reason, code } => {
                self.put(&[7.0, call as f64, f64::from(reason as u8), code.into()]);
            }
            Event::Progress { call, sent, received } => {
                self.put(&[8.0, call as f64, sent as f64, received as f64]);
            }
            Event::Statistics { connection, statistics } => {
                self.put(&[9.0, connection.into()]);
                self.put(&statistics.numbers());
            }
            Event::Ended => self.put(&[10.0]),
            Event::Unread { connection } => self.put(&[12.0, connection.into()]),
            Event::Partial { call, length, path } => {
                self.put(&[11.0, call as f64, length as f64, path.len() as f64]);
                self.bytes.extend_from_slice(path.as_bytes());
            }
        }
    }

    fn put(&mut self, numbers: &[f64]) {
        self.numbers.extend_from_slice(numbers);
    }
}

fn flag(value: bool) -> f64 {
    if value { 1.0 } else { 0.0 }
}
