//! Replies to the kernel, and calls that may have to wait for Node before there is one.

use std::ffi::OsStr;
use std::fs::File;
use std::sync::Arc;
use std::time::Duration;

use fuser::{Errno, Generation, ReplyAttr, ReplyEmpty, ReplyEntry, ReplyXattr};

use crate::attributes::file_attr;
use crate::files::code;
use crate::mount::{Mount, Question};
use crate::node::Ino;
use crate::table::{Done, Fault};

/// The kernel is told what changes; this only bounds the harm of a notice that got lost.
pub const TTL: Duration = Duration::from_secs(60);
pub const GENERATION: Generation = Generation(0);

pub fn text(name: &OsStr) -> Result<&str, i32> {
    name.to_str().ok_or(libc::EILSEQ)
}

pub fn owned(name: &OsStr) -> Result<String, i32> {
    text(name).map(str::to_owned)
}

pub fn fail(code: i32) -> Errno {
    Errno::from_i32(code)
}

/// A rename knows two directories that may have to be listed.
const MOST_LISTED: u32 = 2;

/// Does something to the table, or once the directory is listed that it needs; then tells what came of it. `thread`: which one waits.
pub fn when_listed<R: 'static>(
    mount: &Arc<Mount>,
    thread: u32,
    work: impl FnOnce(&Arc<Mount>) -> Done<R> + Clone + Send + 'static,
    tell: impl FnOnce(&Arc<Mount>, Result<R, i32>) + Send + 'static,
) {
    attempt(mount, thread, work, tell, MOST_LISTED);
}

/// `left`: so many directories may be listed first.
fn attempt<R: 'static>(
    mount: &Arc<Mount>,
    thread: u32,
    work: impl FnOnce(&Arc<Mount>) -> Done<R> + Clone + Send + 'static,
    tell: impl FnOnce(&Arc<Mount>, Result<R, i32>) + Send + 'static,
    left: u32,
) {
    match work.clone()(mount) {
        Ok(done) => tell(mount, Ok(done)),
        Err(Fault::Errno(code)) => tell(mount, Err(code)),
        Err(Fault::Unlisted(_)) if left == 0 => tell(mount, Err(libc::EAGAIN)),
        Err(Fault::Unlisted(dir)) => mount.ask(
            Question::List(dir),
            thread,
            Box::new(move |mount, listed| match listed {
                Ok(_) => attempt(mount, thread, work, tell, left - 1),
                Err(code) => tell(mount, Err(code)),
            }),
        ),
    }
}

/// Goes on with the contents of a file, which are here or are asked for.
pub fn with_contents(
    mount: &Arc<Mount>,
    thread: u32,
    ino: Ino,
    go: impl FnOnce(&Arc<Mount>, Result<Arc<File>, i32>) + Send + 'static,
) {
    match mount.body_here(ino) {
        Ok(Some(file)) => go(mount, Ok(file)),
        Ok(None) => mount.ask(
            Question::Open(ino),
            thread,
            Box::new(move |mount, answer| go(mount, answer.and_then(|file| file.ok_or(libc::EIO)))),
        ),
        Err(code) => go(mount, Err(code)),
    }
}

pub fn reply_entry(mount: &Arc<Mount>, reply: ReplyEntry, made: Result<Ino, i32>) {
    let attr = made.and_then(|ino| {
        mount.with(|state| {
            let attr = file_attr(mount, &state.table, ino).map_err(code)?;
            state.table.told(ino);
            Ok(attr)
        })
    });
    match attr {
        Ok(attr) => reply.entry(&TTL, &attr, GENERATION),
        Err(code) => reply.error(fail(code)),
    }
}

pub fn reply_attr(mount: &Mount, reply: ReplyAttr, ino: Ino) {
    match mount.with(|state| file_attr(mount, &state.table, ino)) {
        Ok(attr) => reply.attr(&TTL, &attr),
        Err(fault) => reply.error(fail(code(fault))),
    }
}

pub fn reply_empty(reply: ReplyEmpty, done: Result<(), i32>) {
    match done {
        Ok(()) => reply.ok(),
        Err(code) => reply.error(fail(code)),
    }
}

pub fn reply_data(reply: ReplyXattr, size: u32, found: Result<Vec<u8>, i32>) {
    match found {
        Err(code) => reply.error(fail(code)),
        Ok(bytes) if size == 0 => reply.size(u32::try_from(bytes.len()).unwrap_or(u32::MAX)),
        Ok(bytes) if bytes.len() > size as usize => reply.error(Errno::ERANGE),
        Ok(bytes) => reply.data(&bytes),
    }
}
