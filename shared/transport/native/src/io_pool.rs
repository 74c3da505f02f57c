//! A few threads for file I/O, shared by all endpoints. Callbacks of MsQuic hand jobs over and go on: they must
//! not wait for a disk.
//!
//! Jobs begin in the order they were submitted but run side by side. A caller that needs an order (a connection's
//! sends, a content's pieces) submits the next job only when the last is done.

use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::{Arc, Condvar, Mutex, OnceLock, PoisonError};

use crate::quic::lock;

type Job = Box<dyn FnOnce() + Send>;

/// Enough to keep a disk busy while one thread hashes; more would only compete with the network's threads.
const THREADS: usize = 4;

struct Pool {
    jobs: Mutex<VecDeque<Job>>,
    arrived: Condvar,
}

static POOL: OnceLock<&'static Pool> = OnceLock::new();

fn pool() -> &'static Pool {
    POOL.get_or_init(|| {
        let pool: &'static Pool =
            Box::leak(Box::new(Pool { jobs: Mutex::new(VecDeque::new()), arrived: Condvar::new() }));
        for index in 0..THREADS {
            let name = format!("godwit-io-{index}");
            // Without a single thread nothing could be sent or received: that is a failure worth stopping at.
            std::thread::Builder::new().name(name).spawn(|| work(pool)).expect("a thread for file I/O");
        }
        pool
    })
}

fn work(pool: &Pool) {
    loop {
        let job = {
            let mut jobs = lock(&pool.jobs);
            loop {
                match jobs.pop_front() {
                    Some(job) => break job,
                    None => jobs = pool.arrived.wait(jobs).unwrap_or_else(PoisonError::into_inner),
                }
            }
        };
        // A job that panics has dropped what it held; the thread lives on for the others.
        let _ = catch_unwind(AssertUnwindSafe(job));
    }
}

pub fn submit(job: impl FnOnce() + Send + 'static) {
    let pool = pool();
    lock(&pool.jobs).push_back(Box::new(job));
    pool.arrived.notify_one();
}

/// For what may block for seconds (a name look-up, closing a listener): a thread of its own. Where none can be
/// made, the pool has to do.
pub fn apart(job: impl FnOnce() + Send + 'static) {
    let slot: Arc<Mutex<Option<Job>>> = Arc::new(Mutex::new(Some(Box::new(job))));
    let theirs = slot.clone();
    if std::thread::Builder::new().name("godwit-slow".into()).spawn(move || run(&theirs)).is_err() {
        submit(move || run(&slot));
    }
}

fn run(slot: &Mutex<Option<Job>>) {
    let job = lock(slot).take();
    if let Some(job) = job {
        let _ = catch_unwind(AssertUnwindSafe(job));
    }
}
