//! An endpoint: what one Link owns, and the table by which JavaScript names it.
//!
//! Shutting down: refuse what is new, close the listeners, shut each connection, wait until nothing is left that
//! could raise an event (the gate), then say `Ended`, the last event.

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, LazyLock, Mutex, OnceLock, PoisonError};
use std::time::Duration;

use super::call::Call;
use super::codes::CloseReason;
use super::connection::Connection;
use super::events::{Event, EventQueue};
use super::listener::Listener;
use super::spool::Spool;
use super::strangers::Strangers;
use crate::io_pool;
use crate::quic::lock;
use crate::tls::{Configuration, Credentials, Role, open_configuration};

/// A shutdown that waits longer than this gives up on whatever it waits for, so that a program can end.
const SHUTDOWN_LIMIT: Duration = Duration::from_secs(20);

pub struct Endpoint {
    pub id: u32,
    pub events: EventQueue,
    pub spool: Spool,
    pub max_header: u32,
    /// The shortest part of a content that is handed over.
    pub partial_from: u64,
    /// One class for all, and turns within it.
    pub uniform: bool,
    pub connections: Mutex<HashMap<u32, Arc<Connection>>>,
    pub calls: Mutex<HashMap<u64, Arc<Call>>>,
    pub listeners: Mutex<Vec<Listener>>,
    /// Left out: whoever connects is as welcome as those that are admitted.
    pub strangers: Option<Strangers>,
    pub gate: Arc<Gate>,
    credentials: Credentials,
    /// Test only: connect without a certificate.
    anonymous: bool,
    server: OnceLock<Result<Configuration, String>>,
    client: OnceLock<Result<Configuration, String>>,
    next_connection: AtomicU32,
    next_call: AtomicU64,
    closing: AtomicBool,
}

static ENDPOINTS: LazyLock<Mutex<HashMap<u32, Arc<Endpoint>>>> = LazyLock::new(Mutex::default);
static NEXT_ENDPOINT: AtomicU32 = AtomicU32::new(1);

pub fn find(id: u32) -> Option<Arc<Endpoint>> {
    lock(&ENDPOINTS).get(&id).cloned()
}

pub struct Options {
    pub events: EventQueue,
    pub spool: Spool,
    pub max_header: u32,
    pub partial_from: u64,
    pub uniform: bool,
    pub strangers: Option<Strangers>,
    pub credentials: Credentials,
    pub anonymous: bool,
}

impl Endpoint {
    pub fn open(options: Options) -> Arc<Endpoint> {
        let endpoint = Arc::new(Endpoint {
            id: NEXT_ENDPOINT.fetch_add(1, Ordering::Relaxed),
            events: options.events,
            spool: options.spool,
            max_header: options.max_header,
            partial_from: options.partial_from,
            uniform: options.uniform,
            connections: Mutex::default(),
            calls: Mutex::default(),
            listeners: Mutex::default(),
            strangers: options.strangers,
            gate: Arc::new(Gate::default()),
            credentials: options.credentials,
            anonymous: options.anonymous,
            server: OnceLock::new(),
            client: OnceLock::new(),
            next_connection: AtomicU32::new(1),
            next_call: AtomicU64::new(1),
            closing: AtomicBool::new(false),
        });
        lock(&ENDPOINTS).insert(endpoint.id, endpoint.clone());
        endpoint
    }

    /// The configuration for connections others begin. The error says why the identity can't be used.
    pub fn server_configuration(&self) -> Result<&Configuration, String> {
        let calls = self.strangers.as_ref().map(|strangers| strangers.limits.max_calls);
        let open = || open_configuration(&self.credentials, Role::Server, calls);
        self.server.get_or_init(open).as_ref().map_err(Clone::clone)
    }

    pub fn client_configuration(&self) -> Result<&Configuration, String> {
        let role = if self.anonymous { Role::AnonymousClient } else { Role::Client };
        let open = || open_configuration(&self.credentials, role, None);
        self.client.get_or_init(open).as_ref().map_err(Clone::clone)
    }

    pub fn new_connection_id(&self) -> u32 {
        self.next_connection.fetch_add(1, Ordering::Relaxed)
    }

    pub fn new_call_id(&self) -> u64 {
        self.next_call.fetch_add(1, Ordering::Relaxed)
    }

    pub fn connection(&self, id: u32) -> Option<Arc<Connection>> {
        lock(&self.connections).get(&id).cloned()
    }

    pub fn call(&self, id: u64) -> Option<Arc<Call>> {
        lock(&self.calls).get(&id).cloned()
    }

    /// The calls of one connection, oldest first.
    pub fn calls_of(&self, connection: u32) -> Vec<Arc<Call>> {
        let mut calls: Vec<Arc<Call>> = {
            let all = lock(&self.calls);
            all.values().filter(|call| call.connection.id == connection).cloned().collect()
        };
        calls.sort_by_key(|call| call.id);
        calls
    }

    pub fn is_closing(&self) -> bool {
        self.closing.load(Ordering::Acquire)
    }

    /// Begins to shut down; `Ended` follows. Only the first call does something.
    pub fn shut_down(self: &Arc<Endpoint>) {
        if self.closing.swap(true, Ordering::AcqRel) {
            return;
        }
        let endpoint = self.clone();
        io_pool::apart(move || {
            let listeners = std::mem::take(&mut *lock(&endpoint.listeners));
            // Closing a listener waits for its callbacks.
            drop(listeners);
            let connections: Vec<_> = lock(&endpoint.connections).values().cloned().collect();
            for connection in connections {
                connection.close(CloseReason::Local, "");
            }
            endpoint.gate.wait_until_empty(SHUTDOWN_LIMIT);
            endpoint.events.push(0, Event::Ended);
        });
    }

    /// Forgets the endpoint; its memory goes when the last connection lets go of it.
    pub fn forget(id: u32) {
        let endpoint = lock(&ENDPOINTS).remove(&id);
        drop(endpoint);
    }

    /// Its JavaScript environment is going away: close everything, tell nobody.
    pub fn abandon(id: u32) {
        if let Some(endpoint) = find(id) {
            endpoint.shut_down();
            Endpoint::forget(id);
        }
    }
}

/// Counts what may still raise an event: connections and jobs on the I/O pool.
#[derive(Default)]
pub struct Gate {
    inside: Mutex<usize>,
    left: Condvar,
}

impl Gate {
    pub fn enter(self: &Arc<Gate>) -> Pass {
        *lock(&self.inside) += 1;
        Pass(self.clone())
    }

    fn wait_until_empty(&self, limit: Duration) {
        let inside = lock(&self.inside);
        let _ =
            self.left.wait_timeout_while(inside, limit, |inside| *inside > 0).unwrap_or_else(PoisonError::into_inner);
    }
}

/// Held by whoever is inside the gate.
pub struct Pass(Arc<Gate>);

impl Drop for Pass {
    fn drop(&mut self) {
        let mut inside = lock(&self.0.inside);
        *inside -= 1;
        if *inside == 0 {
            self.0.left.notify_all();
        }
    }
}
