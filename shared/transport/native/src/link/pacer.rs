//! Wakes pumps whose contents wait for their pace (`window/`) or their limit (`limit.rs`): one thread for the process, made when it is first needed.
//!
//! What waits here holds a pass of its endpoint, which is closed when nothing waits any more: a wait is some milliseconds.

use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};
use std::time::{Duration, Instant};

use super::connection::Connection;
use super::endpoint::Pass;
use crate::quic::lock;

struct Wake {
    at: Instant,
    connection: Arc<Connection>,
    pass: Pass,
}

impl PartialEq for Wake {
    fn eq(&self, other: &Wake) -> bool {
        self.at == other.at
    }
}
impl Eq for Wake {}
impl PartialOrd for Wake {
    fn partial_cmp(&self, other: &Wake) -> Option<std::cmp::Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Wake {
    fn cmp(&self, other: &Wake) -> std::cmp::Ordering {
        self.at.cmp(&other.at)
    }
}

#[derive(Default)]
struct Pacer {
    wakes: Mutex<BinaryHeap<Reverse<Wake>>>,
    sooner: Condvar,
}

static PACER: OnceLock<Option<&'static Pacer>> = OnceLock::new();

fn pacer() -> Option<&'static Pacer> {
    *PACER.get_or_init(|| {
        let pacer: &'static Pacer = Box::leak(Box::default());
        std::thread::Builder::new().name("godwit-pacer".into()).spawn(|| work(pacer)).ok().map(|_| pacer)
    })
}

fn work(pacer: &Pacer) {
    let mut wakes = lock(&pacer.wakes);
    loop {
        let now = Instant::now();
        match wakes.peek() {
            None => wakes = pacer.sooner.wait(wakes).unwrap_or_else(PoisonError::into_inner),
            Some(Reverse(next)) if next.at > now => {
                let left = next.at - now;
                wakes = pacer.sooner.wait_timeout(wakes, left).unwrap_or_else(PoisonError::into_inner).0;
            }
            Some(_) => {
                let due = wakes.pop();
                drop(wakes);
                if let Some(Reverse(Wake { connection, pass, .. })) = due {
                    let _ = catch_unwind(AssertUnwindSafe(|| connection.pump.woken(&connection)));
                    drop((connection, pass));
                }
                wakes = lock(&pacer.wakes);
            }
        }
    }
}

/// Wakes the connection's pump after a while; at once where there can be no thread for it.
pub fn wake(connection: &Arc<Connection>, after: Duration) {
    let Some(pacer) = pacer() else {
        return connection.pump.woken(connection);
    };
    let wake =
        Wake { at: Instant::now() + after, connection: connection.clone(), pass: connection.endpoint.gate.enter() };
    lock(&pacer.wakes).push(Reverse(wake));
    pacer.sooner.notify_one();
}
