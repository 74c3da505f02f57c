//! A mount: its table, its open files, and what waits for Node.
//!
//! Locks are taken in this order: a body, the state. Nothing is asked of Node and nothing told to the kernel's caches while one is held.

use std::collections::HashMap;
use std::fs::File;
use std::sync::mpsc::Sender;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::lock::hold;
use crate::log::OpLog;
use crate::node::{Ino, Kind, Status};
use crate::op::Line;
use crate::outbox::Outbox;
use crate::present::Promise;
use crate::signals::is_called_off;
use crate::spool::{Spool, number};
use crate::table::{Stale, Table};

/// The contents of a file while it is open.
pub struct Body {
    pub file: Arc<File>,
    /// It is a private one at this path, and may be written.
    pub writable: Option<String>,
}

pub type SharedBody = Arc<Mutex<Body>>;

pub struct Opened {
    pub body: SharedBody,
    /// Handles that may write.
    pub writers: u32,
}

#[derive(Clone)]
pub struct Handle {
    pub ino: Ino,
    pub body: SharedBody,
    pub writes: bool,
}

/// Names as a directory had them when a program began to read it.
pub type Listing = Arc<Vec<(String, Ino, Kind)>>;

/// What Node is asked.
#[derive(Clone, Copy, Debug, Eq, Hash, PartialEq)]
pub enum Question {
    List(Ino),
    Open(Ino),
}

/// Goes on with an answer: the contents that were asked for, or why there are none.
pub type Waiter = Box<dyn FnOnce(&Arc<Mount>, Result<Option<Arc<File>>, i32>) + Send>;

/// A call of a program that waits for an answer.
pub struct Waiting {
    /// The number of the thread that called; 0: it is not known.
    pub thread: u32,
    pub until: Instant,
    pub go: Waiter,
}

/// What Node is being asked, and who waits for that; nobody may any more.
pub struct Parked {
    pub question: Question,
    pub waiting: Vec<Waiting>,
}

pub struct State {
    pub table: Table,
    pub opened: HashMap<Ino, Opened>,
    pub handles: HashMap<u64, Handle>,
    pub listings: HashMap<u64, Option<Listing>>,
    pub parked: HashMap<u64, Parked>,
    pub next: u64,
    pub promise: Promise,
}

/// What a thread of its own does: nothing of it may hold up Node or a call of a program.
pub enum Work {
    /// Somebody waits.
    Watch,
    Answer(Vec<Waiter>, Result<Option<Arc<File>>, i32>, Option<Ino>),
    End,
}

pub struct Mount {
    pub state: Mutex<State>,
    pub spool: Spool,
    pub log: OpLog,
    pub outbox: Outbox,
    /// How long a call waits for Node.
    pub patience: Duration,
    pub uid: u32,
    pub gid: u32,
    pub stale: Mutex<Option<Sender<Stale>>>,
    pub answers: Mutex<Option<Sender<Work>>>,
}

/// Nanoseconds since 1970.
pub fn now() -> i64 {
    nanoseconds(SystemTime::now())
}

pub fn nanoseconds(time: SystemTime) -> i64 {
    match time.duration_since(UNIX_EPOCH) {
        Ok(after) => i64::try_from(after.as_nanos()).unwrap_or(i64::MAX),
        Err(before) => i64::try_from(before.duration().as_nanos()).map_or(i64::MIN, |nanoseconds| -nanoseconds),
    }
}

fn callers(parked: Parked) -> Vec<Waiter> {
    parked.waiting.into_iter().map(|each| each.go).collect()
}

impl Mount {
    /// Works on the table; what it logs is in the file, and what the kernel has to forget on its way, when this returns.
    pub fn with<R>(&self, work: impl FnOnce(&mut State) -> R) -> R {
        let mut state = hold(&self.state);
        if state.table.unlogged.is_some() {
            state.table.unlogged = self.log.catch_up().err().map(|error| number(&error));
        }
        let result = work(&mut state);
        let lines = std::mem::take(&mut state.table.lines);
        let stale = std::mem::take(&mut state.table.stale);
        if !lines.is_empty() {
            // On a full disk these go on without: Node has them at once. Until they are in the file, nothing else is changed.
            if let Err(error) = self.log.append(&lines) {
                state.table.unlogged = Some(number(&error));
            }
            self.outbox.put(lines);
        }
        drop(state);
        if !stale.is_empty()
            && let Some(to) = hold(&self.stale).as_ref()
        {
            for each in stale {
                let _ = to.send(each);
            }
        }
        result
    }

    /// Asks Node, unless the same is being asked, and goes on with the answer. `thread`: which one of a program waits.
    pub fn ask(&self, question: Question, thread: u32, go: Waiter) {
        let waiting = Waiting { thread, until: Instant::now() + self.patience, go };
        let mut state = hold(&self.state);
        if let Some(parked) = state.parked.values_mut().find(|parked| parked.question == question) {
            parked.waiting.push(waiting);
            drop(state);
            return self.watch();
        }
        let (ino, what) = match question {
            Question::List(ino) => (ino, "list"),
            Question::Open(ino) => (ino, "open"),
        };
        let Ok(key) = state.table.node(ino).map(|node| node.key.clone()) else {
            drop(state);
            return self.answer(vec![waiting.go], Err(libc::ESTALE), None);
        };
        state.next += 1;
        let ask = state.next;
        state.parked.insert(ask, Parked { question, waiting: vec![waiting] });
        drop(state);
        self.watch();
        self.outbox.put([Line::ask(ask, what).text("key", &key).end()]);
    }

    /// Deadlines and signals of who waits are looked at from now on.
    fn watch(&self) {
        if let Some(to) = hold(&self.answers).as_ref() {
            let _ = to.send(Work::Watch);
        }
    }

    /// `attributes_of`: the kernel forgets its attributes first.
    pub fn answer(&self, waiters: Vec<Waiter>, result: Result<Option<Arc<File>>, i32>, attributes_of: Option<Ino>) {
        if let Some(to) = hold(&self.answers).as_ref() {
            let _ = to.send(Work::Answer(waiters, result, attributes_of));
        }
    }

    /// A directory has been listed, or could not be (`error`, a number of the system).
    pub fn answer_list(&self, ask: u64, error: i32, entries: Vec<(String, Status)>, seq: u64) {
        let parked = self.with(|state| {
            let parked = state.parked.remove(&ask)?;
            if let (Question::List(ino), 0) = (parked.question, error) {
                let key = state.table.node(ino).map(|node| node.key.clone()).unwrap_or_default();
                state.table.listed(&key, entries, seq);
            }
            Some(parked)
        });
        let result = if error == 0 { Ok(None) } else { Err(error) };
        if let Some(parked) = parked {
            self.answer(callers(parked), result, None);
        }
    }

    /// The contents of a file are at `path`, or could not be had. For so long (`present`) they need not be asked for again.
    pub fn answer_open(
        &self,
        ask: u64,
        error: i32,
        path: Option<&str>,
        status: Option<&Status>,
        (seq, present): (u64, Duration),
    ) {
        let result = match (error, path) {
            (0, Some(path)) => File::open(path).map(|file| Some(Arc::new(file))).map_err(|error| number(&error)),
            (0, None) => Err(libc::EIO),
            (error, _) => Err(error),
        };
        let parked = self.with(|state| {
            if let Some(status) = status {
                state.table.attributes(status, seq, false);
                if let (Some(path), true) = (path, result.is_ok()) {
                    state.keep(status, path, present);
                }
            }
            state.parked.remove(&ask)
        });
        if let Some(parked) = parked {
            let Question::Open(ino) = parked.question else { return };
            self.answer(callers(parked), result, Some(ino));
        }
    }

    /// Whether anybody waits for Node.
    pub fn is_awaited(&self) -> bool {
        hold(&self.state).parked.values().any(|parked| !parked.waiting.is_empty())
    }

    /// Ends what has waited too long, as if nothing were there yet, and what a signal has called off.
    pub fn give_up_waiting(&self) {
        let now = Instant::now();
        let mut ended = Vec::new();
        for parked in hold(&self.state).parked.values_mut() {
            let late = parked.waiting.extract_if(.., |each| each.until <= now);
            ended.extend(late.map(|each| (each.go, libc::EAGAIN)));
            let called_off = parked.waiting.extract_if(.., |each| is_called_off(each.thread));
            ended.extend(called_off.map(|each| (each.go, libc::EINTR)));
        }
        for (waiter, code) in ended {
            self.answer(vec![waiter], Err(code), None);
        }
    }

    /// Nobody is answered by Node any more.
    pub fn give_up_all(&self) {
        let all: Vec<Parked> = hold(&self.state).parked.drain().map(|(_, parked)| parked).collect();
        for parked in all {
            self.answer(callers(parked), Err(libc::ENOTCONN), None);
        }
        hold(&self.stale).take();
        if let Some(to) = hold(&self.answers).take() {
            let _ = to.send(Work::End);
        }
    }
}
