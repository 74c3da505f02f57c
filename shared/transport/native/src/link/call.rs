//! A call: one RPC, one stream, one id. This file has its state and its endings.
//!
//! Invariants
//! 1. `state.ended` goes from false to true once; the ending is pushed under the same lock. Nothing is pushed for a
//!    call that has ended. There is one exception: where a job on the I/O pool has what came of a content that is worth keeping,
//!    that job pushes `Partial` and the ending, in this order.
//! 2. A caller's call ends with the whole reply or with `Aborted`; a callee's with `Sent` or `Aborted`. What the
//!    callee has no event of (no `Incoming` yet) ends without one.
//! 3. For a caller `Sent` comes before `Reply`: the reply to a request that left whole is its acknowledgement, and
//!    after an early reply no `Sent` comes at all.
//! 4. No `Content` of a request comes after its callee has replied.
//! 5. The call leaves the endpoint's table when it has ended and its stream is gone.
//!
//! Lock order: `stream` or `intake`, then `state`, then what the connection owes, then the event queue.

use std::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use super::codes::AbortReason;
use super::connection::Connection;
use super::events::Event;
use super::handles::StreamHandle;
use super::inbox::Room;
use super::intake;
use super::receive::{Intake, Parting, Stage};
use super::spool::SpoolFile;
use crate::frame::{self, Head};
use crate::quic::{lock, quic};
use msquic::ffi::QUIC_STREAM_SHUTDOWN_FLAGS_QUIC_STREAM_SHUTDOWN_FLAG_ABORT as ABORT;

/// A file range to send.
pub struct ContentSource {
    pub path: String,
    pub offset: u64,
    pub length: u64,
}

/// What has not been handed to the pump or to MsQuic yet.
pub struct Outgoing {
    pub head: Vec<u8>,
    pub content: Option<ContentSource>,
}

#[derive(Default)]
pub struct CallState {
    pub ended: bool,
    /// Callee: `Incoming` was pushed.
    pub announced: bool,
    /// Callee: `reply` was called.
    pub replied: bool,
    /// Everything we send, FIN included, is with MsQuic.
    pub handed: bool,
    pub told_sent: bool,
    /// Callee: bytes of the answer that the peer has not acknowledged.
    pub unheard: u64,
    pub digest: Option<[u8; 32]>,
}

pub struct Call {
    pub id: u64,
    pub connection: Arc<Connection>,
    pub inbound: bool,
    pub class: AtomicU8,
    pub outgoing: Mutex<Option<Outgoing>>,
    pub stream: Mutex<Option<Arc<StreamHandle>>>,
    /// MsQuic knows the stream's id; from here on it reports the stream's shutdown.
    pub started: AtomicBool,
    pub intake: Mutex<Intake>,
    pub state: Mutex<CallState>,
    pub sent: AtomicU64,
    pub received: AtomicU64,
    pub progress_told: AtomicU64,
}

impl Call {
    /// Makes a call and enters it in the endpoint's table.
    pub fn new(connection: &Arc<Connection>, inbound: bool, class: u8) -> Arc<Call> {
        let endpoint = &connection.endpoint;
        let call = Arc::new(Call {
            id: endpoint.new_call_id(),
            connection: connection.clone(),
            inbound,
            class: AtomicU8::new(class),
            outgoing: Mutex::default(),
            stream: Mutex::default(),
            started: AtomicBool::new(inbound),
            intake: Mutex::new(Intake::new(endpoint.max_header)),
            state: Mutex::default(),
            sent: AtomicU64::new(0),
            received: AtomicU64::new(0),
            progress_told: AtomicU64::new(0),
        });
        lock(&endpoint.calls).insert(call.id, call.clone());
        connection.pump.begun();
        call
    }

    pub fn class(&self) -> u8 {
        self.class.load(Ordering::Acquire)
    }

    /// Takes effect on what has not left. The stream's own priority is set by the caller, which may wait for a worker.
    pub fn set_class(&self, class: u8) {
        if let Some(outgoing) = &mut *lock(&self.outgoing) {
            frame::set_class(&mut outgoing.head, class);
        }
        self.connection.pump.set_class(self, class);
    }

    pub fn has_ended(&self) -> bool {
        lock(&self.state).ended
    }

    pub fn stream(&self) -> Option<Arc<StreamHandle>> {
        lock(&self.stream).clone()
    }

    /// Ends the call here without a word to the peer. True if it had not ended before. What has come of a content is
    /// handed over where it is enough; its file is complete as it lies there, unless a job is at it.
    pub fn end(self: &Arc<Call>, reason: AbortReason, code: u32) -> bool {
        let leftover = {
            let mut intake = lock(&self.intake);
            let mut state = lock(&self.state);
            if state.ended {
                return false;
            }
            state.ended = true;
            let stage = std::mem::replace(&mut intake.stage, Stage::Done);
            let told = !self.inbound || state.announced;
            let parting = Parting { reason, code };
            match (told && !state.replied && reason.leaves_a_part(), stage) {
                (true, _) if intake.busy => {
                    intake.parting = Some(parting);
                    self.connection.owe_ending();
                    None
                }
                (true, Stage::Memory { bytes, budget }) if self.is_enough(bytes.len() as u64) => {
                    intake.busy = true;
                    intake.parting = Some(parting);
                    self.connection.owe_ending();
                    intake::store(self, bytes, budget);
                    None
                }
                (true, Stage::Spool(Some(file))) => self.part(Some(file), parting),
                (_, stage) => {
                    if told {
                        self.tell_aborted(parting);
                    }
                    stage.into_file()
                }
            }
        };
        self.connection.pump.cancel(self);
        intake::discard(self, leftover);
        self.answer_is_over();
        self.connection.inbox.leave(self.id);
        self.retire();
        true
    }

    fn is_enough(&self, length: u64) -> bool {
        length >= self.connection.endpoint.partial_from
    }

    fn tell_aborted(&self, Parting { reason, code }: Parting) {
        let events = &self.connection.endpoint.events;
        // A request that was not delivered gets no end event.
        if !self.inbound || !events.withdraw(self.connection.id, self.id) {
            events.push(self.connection.id, Event::Aborted { call: self.id, reason, code });
        }
    }

    /// Hands over the received part of the content if it is long enough, and emits the end. Returns a part that is not.
    fn part(&self, file: Option<SpoolFile>, parting: Parting) -> Option<SpoolFile> {
        let unwanted = match file {
            Some(mut file) if self.is_enough(file.length) => {
                file.keep();
                let (length, path) = (file.length, file.path.as_str());
                self.connection
                    .endpoint
                    .events
                    .push(self.connection.id, Event::Partial { call: self.id, length, path });
                None
            }
            other => other,
        };
        self.tell_aborted(parting);
        unwanted
    }

    /// The same, from the job that had the content when the call ended. `file`: what it has, if it could be written.
    pub fn part_late(&self, file: Option<SpoolFile>, parting: Parting) {
        let unwanted = self.part(file, parting);
        self.connection.pay_ending();
        drop(unwanted);
    }

    /// Ends a call without an event. False: it had ended before, with one.
    pub fn stillborn(&self) -> bool {
        let fresh = !std::mem::replace(&mut lock(&self.state).ended, true);
        self.retire();
        fresh
    }

    /// Ends the call here and tells the peer `wire_code`.
    pub fn fail(self: &Arc<Call>, reason: AbortReason, code: u32, wire_code: u64) {
        if !self.end(reason, code) {
            return;
        }
        if let Some(stream) = self.stream() {
            // SAFETY: the handle is open as long as `stream` lives; the call only queues work.
            unsafe { quic!(StreamShutdown(stream.raw(), ABORT, wire_code)) };
        }
    }

    /// Our side of the stream has been acknowledged in full.
    pub fn acknowledged(self: &Arc<Call>) {
        {
            let mut state = lock(&self.state);
            if state.ended || state.told_sent {
                return;
            }
            self.tell_sent(&mut state);
            state.ended = self.inbound;
        }
        self.answer_is_over();
        self.retire();
    }

    /// The peer has the answer, or will not have it.
    fn answer_is_over(&self) {
        let bytes = std::mem::take(&mut lock(&self.state).unheard);
        self.connection.endpoint.events.heard(self.connection.id, bytes);
    }

    fn tell_sent(&self, state: &mut CallState) {
        state.told_sent = true;
        let digest = state.digest.as_ref();
        self.connection.endpoint.events.push(self.connection.id, Event::Sent { call: self.id, digest });
    }

    /// The peer's head is here: raises `Incoming` or `Reply`. `content_length` 0 means that the frame is whole.
    /// False: the call had ended.
    pub fn announce(self: &Arc<Call>, head: &Head, room: Option<Room>) -> bool {
        let Head { class, header, content_length } = head;
        let (class, content_length) = (*class, *content_length);
        let events = &self.connection.endpoint.events;
        {
            let mut state = lock(&self.state);
            if state.ended {
                return false;
            }
            if self.inbound {
                state.announced = true;
                let connection = self.connection.id;
                let event = Event::Incoming { connection, call: self.id, class, header, content_length };
                events.push_with(connection, event, room);
                return true;
            }
            if state.handed && !state.told_sent {
                self.tell_sent(&mut state);
            }
            let event = Event::Reply { call: self.id, header, content_length };
            events.push_with(self.connection.id, event, room);
            state.ended = content_length == 0;
        }
        self.retire();
        true
    }

    /// The peer's content is here, whole. Returned to the caller if the call does not need it.
    pub fn deliver(&self, mut file: SpoolFile) -> Option<SpoolFile> {
        let mut state = lock(&self.state);
        if state.ended || state.replied {
            return Some(file);
        }
        file.keep();
        self.connection.endpoint.events.push(
            self.connection.id,
            Event::Content { call: self.id, length: file.length, digest: &file.digest(), path: &file.path },
        );
        state.ended = !self.inbound;
        None
    }

    /// Leaves the table when nothing can happen any more (invariant 5).
    pub fn retire(&self) {
        let gone = lock(&self.stream).is_none() && lock(&self.state).ended;
        if gone {
            let entry = lock(&self.connection.endpoint.calls).remove(&self.id);
            drop(entry);
        }
    }

    /// Lets go of the stream: MsQuic has reported its shutdown, or never started it.
    pub fn release_stream(&self) {
        let stream = lock(&self.stream).take();
        drop(stream);
        self.retire();
    }
}
