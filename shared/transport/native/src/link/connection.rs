//! A connection's state, and the one way it ends.
//!
//! Invariants
//! 1. Requests made before the handshake is complete wait in `Phase::Waiting`; none of them leaves before the peer
//!    is known to be the right one.
//! 2. `finish` runs once: it ends every call and leaves the table. `Closed` (where JavaScript knows of the connection) is
//!    raised when the end of every call has been: at once, or by the last of the jobs on the I/O pool that still had something
//!    to hand over. No event comes after that.
//! 3. The first reason for the end is the reported one.

use std::net::SocketAddr;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicU64, Ordering};
use std::sync::{Arc, Mutex};

use super::ack_delay::AckDelay;
use super::call::Call;
use super::codes::{AbortReason, CLOSE_NORMAL, CloseReason};
use super::endpoint::{Endpoint, Pass};
use super::events::Event;
use super::handles::ConnectionHandle;
use super::inbox::Inbox;
use super::loss_floor::LossFloor;
use super::pump::Pump;
use super::send;
use super::statistics::Gauges;
use super::trust::Trust;
use crate::io_pool;
use crate::quic::{HQUIC, lock, quic};
use crate::settings;
use msquic::ffi::{
    QUIC_CONNECTION_SHUTDOWN_FLAGS, QUIC_CONNECTION_SHUTDOWN_FLAGS_QUIC_CONNECTION_SHUTDOWN_FLAG_SILENT as SILENT,
    QUIC_HANDLE,
};

/// Memory for small contents of one connection that have not come whole; over it, they go through files.
const MEMORY: u64 = 16 * 1024 * 1024;

pub enum Phase {
    Waiting(Vec<Arc<Call>>),
    Open,
    Closed,
}

pub struct Connection {
    pub id: u32,
    pub endpoint: Arc<Endpoint>,
    pub inbound: bool,
    pub trust: Mutex<Trust>,
    pub pump: Pump,
    pub gauges: Gauges,
    pub ack_delay: AckDelay,
    pub loss_floor: LossFloor,
    pub inbox: Inbox,
    /// Client: addresses not tried yet.
    pub addresses: Mutex<Vec<SocketAddr>>,
    handle: Mutex<Option<Arc<ConnectionHandle>>>,
    raw: AtomicPtr<QUIC_HANDLE>,
    phase: Mutex<Phase>,
    is_open: AtomicBool,
    /// Inbound: nobody has said yet that the peer is known.
    is_stranger: AtomicBool,
    /// JavaScript knows it: it began it, or got `Connected`.
    announced: AtomicBool,
    ending: Mutex<Option<(CloseReason, String)>>,
    owed: Mutex<Owed>,
    memory: Arc<AtomicU64>,
    pass: Mutex<Option<Pass>>,
}

/// What JavaScript has no event of yet.
#[derive(Default)]
struct Owed {
    /// Calls that have ended and whose `Aborted` waits for a job.
    endings: usize,
    /// The connection's own end, which waits for those.
    closed: Option<(CloseReason, String)>,
}

impl Connection {
    /// Makes a connection and enters it in the endpoint's table.
    pub fn new(endpoint: &Arc<Endpoint>, inbound: bool, trust: Trust) -> Arc<Connection> {
        let connection = Arc::new(Connection {
            id: endpoint.new_connection_id(),
            endpoint: endpoint.clone(),
            inbound,
            trust: Mutex::new(trust),
            pump: Pump::new(endpoint.uniform),
            gauges: Gauges::new(),
            ack_delay: AckDelay::new(),
            loss_floor: LossFloor::new(),
            inbox: Inbox::default(),
            addresses: Mutex::default(),
            handle: Mutex::default(),
            raw: AtomicPtr::default(),
            phase: Mutex::new(Phase::Waiting(Vec::new())),
            is_open: AtomicBool::new(false),
            is_stranger: AtomicBool::new(inbound && endpoint.strangers.is_some()),
            announced: AtomicBool::new(!inbound),
            ending: Mutex::default(),
            owed: Mutex::default(),
            memory: Arc::default(),
            pass: Mutex::new(Some(endpoint.gate.enter())),
        });
        lock(&endpoint.connections).insert(connection.id, connection.clone());
        connection
    }

    /// Gives the connection its handle. One it had before (an address that did not answer) is closed.
    pub fn adopt(&self, handle: ConnectionHandle) -> Arc<ConnectionHandle> {
        self.raw.store(handle.raw(), Ordering::Release);
        let handle = Arc::new(handle);
        let before = lock(&self.handle).replace(handle.clone());
        drop(before);
        handle
    }

    pub fn handle(&self) -> Option<Arc<ConnectionHandle>> {
        lock(&self.handle).clone()
    }

    /// The bare handle: inside callbacks of the connection or its streams only, where it can't be closed.
    pub fn raw(&self) -> HQUIC {
        self.raw.load(Ordering::Acquire)
    }

    pub fn is_open(&self) -> bool {
        self.is_open.load(Ordering::Acquire)
    }

    pub fn is_stranger(&self) -> bool {
        self.is_stranger.load(Ordering::Acquire)
    }

    /// Bytes of a header that the peer may send.
    pub fn max_header(&self) -> u32 {
        match &self.endpoint.strangers {
            Some(strangers) if self.is_stranger() => strangers.limits.max_header,
            _ => self.endpoint.max_header,
        }
    }

    /// The peer is known: what holds for strangers ends.
    pub fn admit(self: &Arc<Connection>) {
        if !self.is_stranger.swap(false, Ordering::AcqRel) {
            return;
        }
        if let Some(strangers) = &self.endpoint.strangers {
            strangers.admitted(self.id);
        }
        // Setting a parameter waits for the worker, so another thread does it.
        let (connection, pass) = (self.clone(), self.endpoint.gate.enter());
        io_pool::submit(move || {
            if let Some(handle) = connection.handle() {
                settings::allow_streams(handle.raw());
            }
            drop(pass);
        });
    }

    /// Begins the call, or lets it wait for the handshake. False: the connection has ended, and the call was never
    /// alive. Everything happens under the phase's lock, so that `finish` either finds the call or comes first.
    pub fn take_on(&self, call: &Arc<Call>) -> bool {
        let mut phase = lock(&self.phase);
        match &mut *phase {
            Phase::Open => send::begin(call),
            Phase::Waiting(calls) => calls.push(call.clone()),
            Phase::Closed => return !call.stillborn(),
        }
        true
    }

    /// The peer is known and right. Returns the calls that waited, in the order they were made.
    pub fn open(&self) -> Vec<Arc<Call>> {
        let mut phase = lock(&self.phase);
        match std::mem::replace(&mut *phase, Phase::Open) {
            Phase::Waiting(calls) => calls,
            other => {
                *phase = other;
                Vec::new()
            }
        }
    }

    pub fn announce(&self, peer: &[u8; 32], address: &str) {
        self.announced.store(true, Ordering::Release);
        self.is_open.store(true, Ordering::Release);
        let (connection, inbound) = (self.id, self.inbound);
        self.endpoint.events.push(connection, Event::Connected { connection, peer, address, inbound });
    }

    /// Notes why the connection ends; the first reason stays.
    pub fn note_ending(&self, reason: CloseReason, detail: &str) {
        lock(&self.ending).get_or_insert_with(|| (reason, detail.to_owned()));
    }

    /// Before the handshake: forgets that one address did not answer. False: the connection ends for another reason.
    pub fn forgive_unreachable(&self) -> bool {
        let mut ending = lock(&self.ending);
        let forgiven = matches!(&*ending, Some((CloseReason::Unreachable, _)));
        if forgiven {
            *ending = None;
        }
        forgiven
    }

    pub fn is_ending(&self) -> bool {
        lock(&self.ending).is_some()
    }

    /// Shuts the connection, in good order for the peer. `finish` follows from MsQuic's callback, or from the
    /// dialling thread where there is no handle yet.
    ///
    /// An attempt that nobody has answered ends in silence: MsQuic would tell the peer thousands of times a second, for seconds, and a line
    /// that comes back then carries all of that first.
    pub fn close(&self, reason: CloseReason, detail: &str) {
        self.endpoint.events.close(self.id);
        let nobody_heard = !self.inbound && !self.is_open();
        self.shut_with(reason, detail, if nobody_heard { SILENT } else { 0 }, CLOSE_NORMAL);
    }

    pub fn shut(&self, reason: CloseReason, detail: &str, wire_code: u64) {
        self.shut_with(reason, detail, 0, wire_code);
    }

    fn shut_with(&self, reason: CloseReason, detail: &str, flags: QUIC_CONNECTION_SHUTDOWN_FLAGS, wire_code: u64) {
        self.note_ending(reason, detail);
        if let Some(handle) = self.handle() {
            // SAFETY: `handle` keeps it open; the call only queues work.
            unsafe { quic!(ConnectionShutdown(handle.raw(), flags, wire_code)) };
        }
    }

    /// The end (invariant 2). The handle goes with it.
    pub fn finish(&self) {
        let before = std::mem::replace(&mut *lock(&self.phase), Phase::Closed);
        if matches!(before, Phase::Closed) {
            return;
        }
        drop(before);
        self.is_open.store(false, Ordering::Release);
        self.inbox.forget();
        for call in self.endpoint.calls_of(self.id) {
            call.end(AbortReason::Closed, 0);
            call.release_stream();
        }
        let unknown = || (CloseReason::Failed, "the connection ended without a reason".to_owned());
        let (reason, detail) = lock(&self.ending).take().unwrap_or_else(unknown);
        if self.announced.load(Ordering::Acquire) {
            let mut owed = lock(&self.owed);
            if owed.endings == 0 {
                self.tell_closed(reason, &detail);
            } else {
                owed.closed = Some((reason, detail));
            }
        }
        if let Some(strangers) = &self.endpoint.strangers {
            strangers.ended(self.id);
        }
        let entry = lock(&self.endpoint.connections).remove(&self.id);
        let handle = lock(&self.handle).take();
        let pass = lock(&self.pass).take();
        drop((handle, pass, entry));
    }

    fn tell_closed(&self, reason: CloseReason, detail: &str) {
        self.endpoint.events.push(self.id, Event::Closed { connection: self.id, reason, detail });
    }

    /// A job will emit the end of a call.
    pub fn owe_ending(&self) {
        lock(&self.owed).endings += 1;
    }

    /// It has been emitted.
    pub fn pay_ending(&self) {
        let mut owed = lock(&self.owed);
        owed.endings -= 1;
        if owed.endings == 0
            && let Some((reason, detail)) = owed.closed.take()
        {
            self.tell_closed(reason, &detail);
        }
    }

    /// Room for a small content in memory; `None` where it isn't small or there is no room.
    pub fn reserve_memory(&self, length: u64, small: u64) -> Option<Memory> {
        if length > small {
            return None;
        }
        let held = Memory { used: self.memory.clone(), length };
        (self.memory.fetch_add(length, Ordering::AcqRel) + length <= MEMORY).then_some(held)
    }
}

/// Part of a connection's memory for small contents, given back when dropped.
pub struct Memory {
    used: Arc<AtomicU64>,
    length: u64,
}

impl Drop for Memory {
    fn drop(&mut self) {
        self.used.fetch_sub(self.length, Ordering::AcqRel);
    }
}
