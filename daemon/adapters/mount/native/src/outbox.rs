//! What Node is told: lines in order, and one call that wakes it.

use std::sync::Mutex;

use crate::lock::hold;

pub struct Outbox {
    lines: Mutex<Vec<String>>,
    wake: Box<dyn Fn() + Send + Sync>,
}

impl Outbox {
    pub fn new(wake: Box<dyn Fn() + Send + Sync>) -> Self {
        Outbox { lines: Mutex::new(Vec::new()), wake }
    }

    pub fn put(&self, more: impl IntoIterator<Item = String>) {
        let mut lines = hold(&self.lines);
        let was_empty = lines.is_empty();
        lines.extend(more);
        if was_empty && !lines.is_empty() {
            drop(lines);
            (self.wake)();
        }
    }

    pub fn take(&self) -> Vec<String> {
        std::mem::take(&mut *hold(&self.lines))
    }
}
