//! Opens that Node is not asked for: its contents of the version that is shown are known, and they are promised to be the present ones.
//!
//! Node says how long that holds, and when it ends before. Then it is asked for each file anew: what others have changed may not be shown yet.

use std::fs::File;
use std::time::{Duration, Instant};

use crate::lock::hold;
use crate::mount::{Mount, Parked, Question, State};
use crate::node::{Ino, Kept, Status};
use crate::op::Line;

/// Node hears so often at least that a file is being used: what is not used gives way to other contents.
const TOLD_EVERY: Duration = Duration::from_secs(10);

/// How long what Node has said of contents holds.
#[derive(Default)]
pub struct Promise {
    number: u64,
    until: Option<Instant>,
}

impl State {
    /// Node has these contents of that version, and for so long they are the present ones.
    pub fn keep(&mut self, status: &Status, path: &str, present: Duration) {
        let Some(node) = self.table.by_key(&status.key).and_then(|ino| self.table.node_mut(ino).ok()) else { return };
        let now = Instant::now();
        node.asked_at = Some(now);
        if present.is_zero() || node.is_dirty || node.local.is_some() || node.version != status.version {
            return;
        }
        let promise = self.promise.number;
        node.kept = Some(Kept { path: path.to_owned(), version: status.version, promise });
        self.promise.until = now.checked_add(present);
    }

    /// Where the present contents are; None: Node has to be asked.
    fn present(&self, ino: Ino, now: Instant) -> Option<String> {
        let node = self.table.node(ino).ok().filter(|node| !node.is_dirty && !node.is_detached)?;
        let kept = node.kept.as_ref().filter(|kept| kept.version == node.version)?;
        let is_promised = kept.promise == self.promise.number && self.promise.until.is_some_and(|until| now < until);
        is_promised.then(|| kept.path.clone())
    }

    /// Node is asked although nobody waits, now and then.
    fn tell_used(&mut self, ino: Ino, now: Instant) -> Option<String> {
        let question = Question::Open(ino);
        let node = self.table.node_mut(ino).ok()?;
        let is_told = node.asked_at.is_some_and(|at| now < at + TOLD_EVERY);
        if is_told || self.parked.values().any(|parked| parked.question == question) {
            return None;
        }
        node.asked_at = Some(now);
        let key = node.key.clone();
        self.next += 1;
        self.parked.insert(self.next, Parked { question, waiting: Vec::new() });
        Some(Line::ask(self.next, "open").text("key", &key).end())
    }
}

impl Mount {
    /// The present contents, where they are here for certain.
    pub fn present(&self, ino: Ino) -> Option<File> {
        let now = Instant::now();
        let path = hold(&self.state).present(ino, now)?;
        // Where Node has let them go meanwhile it fetches them again.
        let file = File::open(path).ok()?;
        let told = hold(&self.state).tell_used(ino, now);
        self.outbox.put(told);
        Some(file)
    }

    /// Nothing that Node has said of contents holds any more.
    pub fn broken(&self) {
        let mut state = hold(&self.state);
        state.promise.number += 1;
        state.promise.until = None;
    }
}
