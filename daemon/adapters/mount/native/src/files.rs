//! Contents of open files: private ones are made at the first write, and given to Node when the last writer has closed.

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::{Arc, Mutex};

use crate::lock::hold;
use crate::mount::{Body, Handle, Mount, Opened, SharedBody, now};
use crate::node::Ino;
use crate::spool::number;
use crate::table::Fault;

type Outcome<T> = Result<T, i32>;

/// The number of a fault; a directory that is not listed has none of its own.
pub fn code(fault: Fault) -> i32 {
    match fault {
        Fault::Errno(code) => code,
        Fault::Unlisted(_) => libc::EAGAIN,
    }
}

impl Mount {
    /// What is open already, or was written here and is not with Node yet. None: Node has to be asked.
    pub fn body_here(&self, ino: Ino) -> Outcome<Option<Arc<File>>> {
        let (opened, local) = self.with(|state| {
            let local = state.table.node(ino).ok().and_then(|node| node.local.clone());
            (state.opened.get(&ino).map(|opened| opened.body.clone()), local)
        });
        if let Some(body) = opened {
            return Ok(Some(hold(&body).file.clone()));
        }
        match local {
            Some((path, _)) => match File::open(path) {
                Ok(file) => Ok(Some(Arc::new(file))),
                // Node has taken it meanwhile.
                Err(_) => Ok(None),
            },
            None => Ok(self.present(ino).map(Arc::new)),
        }
    }

    /// A handle on a file with these contents, or those that others who have it open see.
    pub fn open_with(&self, ino: Ino, file: Arc<File>, writes: bool) -> Outcome<u64> {
        self.with(|state| {
            let Ok(node) = state.table.node_mut(ino) else { return Err(libc::ESTALE) };
            node.opens += 1;
            let fresh = || Opened { body: Arc::new(Mutex::new(Body { file, writable: None })), writers: 0 };
            let opened = state.opened.entry(ino).or_insert_with(fresh);
            opened.writers += u32::from(writes);
            let body = opened.body.clone();
            state.next += 1;
            state.handles.insert(state.next, Handle { ino, body, writes });
            Ok(state.next)
        })
    }

    pub fn handle(&self, handle: u64) -> Outcome<Handle> {
        hold(&self.state).handles.get(&handle).cloned().ok_or(libc::EBADF)
    }

    pub fn read(&self, handle: u64, offset: u64, size: u32) -> Outcome<Vec<u8>> {
        let file = hold(&self.handle(handle)?.body).file.clone();
        let mut bytes = vec![0; size as usize];
        let mut count = 0;
        while count < bytes.len() {
            match file.read_at(&mut bytes[count..], offset + count as u64) {
                Ok(0) => break,
                Ok(more) => count += more,
                Err(error) => return Err(number(&error)),
            }
        }
        bytes.truncate(count);
        Ok(bytes)
    }

    /// Does something to the private file of an open one, which is made if there is none. `empty`: what it holds is not wanted.
    pub fn change<R>(
        &self,
        ino: Ino,
        body: &SharedBody,
        empty: bool,
        work: impl FnOnce(&File) -> std::io::Result<R>,
    ) -> Outcome<R> {
        let mut body = hold(body);
        if body.writable.is_none() {
            let made = if empty { self.spool.create() } else { self.spool.copy(&body.file) };
            let (file, path) = made.map_err(|error| number(&error))?;
            if let Err(fault) = self.with(|state| state.table.begin_write(ino, &path)) {
                let _ = std::fs::remove_file(&path);
                return Err(code(fault));
            }
            *body = Body { file: Arc::new(file), writable: Some(path) };
        }
        let done = work(&body.file).map_err(|error| number(&error));
        let size = body.file.metadata().map_err(|error| number(&error))?.len();
        self.with(|state| state.table.written(ino, size, now()));
        done
    }

    /// What was written goes to Node. The file is not written any more: whoever writes on gets another one.
    pub fn store(&self, ino: Ino, body: &SharedBody) {
        let mut body = hold(body);
        if let Some(path) = body.writable.take() {
            let is_kept = self.with(|state| state.table.store(ino, &path)).unwrap_or(false);
            if !is_kept {
                let _ = std::fs::remove_file(path);
            }
        }
    }

    /// A program has closed a handle that it could write to.
    pub fn flushed(&self, handle: &Handle) {
        if handle.writes {
            self.with(|state| {
                if let Ok(node) = state.table.node_mut(handle.ino) {
                    node.is_flushed = node.is_dirty;
                }
            });
        }
    }

    /// Nobody uses this handle any more.
    pub fn release(&self, number: u64) {
        let Some(handle) = self.with(|state| state.handles.remove(&number)) else { return };
        let is_last_writer = handle.writes
            && self.with(|state| {
                let Some(opened) = state.opened.get_mut(&handle.ino) else { return false };
                opened.writers = opened.writers.saturating_sub(1);
                opened.writers == 0
            });
        if is_last_writer {
            self.store(handle.ino, &handle.body);
        }
        self.with(|state| {
            let Ok(node) = state.table.node_mut(handle.ino) else { return };
            node.opens = node.opens.saturating_sub(1);
            if node.opens == 0 {
                state.opened.remove(&handle.ino);
                state.table.drop_if_unused(handle.ino);
            }
        });
    }

    /// Stores what programs have written and closed, though somebody has it open still. Gives how much that was.
    pub fn settle(&self) -> u32 {
        let all = self.with(|state| {
            let closed = state.table.closed_dirty();
            closed.into_iter().filter_map(|ino| Some((ino, state.opened.get(&ino)?.body.clone()))).collect::<Vec<_>>()
        });
        for (ino, body) in &all {
            self.store(*ino, body);
        }
        u32::try_from(all.len()).unwrap_or(u32::MAX)
    }

    /// Sets the length. `file`: contents, if it is not open.
    pub fn truncate(&self, ino: Ino, file: Arc<File>, size: u64) -> Outcome<()> {
        // A handle of our own keeps the body for the moment; at its release it is stored, if nobody else writes.
        let handle = self.open_with(ino, file, true)?;
        let body = self.handle(handle)?.body;
        let done = self.change(ino, &body, size == 0, |file| file.set_len(size));
        self.release(handle);
        done
    }
}
