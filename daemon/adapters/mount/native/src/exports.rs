//! The mount as JavaScript sees it. `daemon/adapters/mount/native-mount.ts` has the types. Numbers of mounts that are not there are ignored.

use std::collections::{BTreeMap, HashMap};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, LazyLock, Mutex};
use std::time::Duration;

use napi::bindgen_prelude::{Function, Result, Uint8Array};
use napi::threadsafe_function::ThreadsafeFunctionCallMode;
use napi_derive::napi;

use crate::lock::hold;
use crate::log::OpLog;
use crate::mount::{Mount, State};
use crate::node::{Kind, Status};
use crate::outbox::Outbox;
use crate::present::Promise;
use crate::session::{Options, Running};
use crate::spool::Spool;
use crate::table::Table;
use crate::volumes::{Rights, origin};

static MOUNTS: LazyLock<Mutex<HashMap<u32, Arc<Running>>>> = LazyLock::new(Default::default);
static NEXT: AtomicU32 = AtomicU32::new(1);

#[napi(object)]
pub struct NativeXattr {
    pub name: String,
    pub value: Uint8Array,
}

#[napi(object)]
pub struct NativeStatus {
    pub key: String,
    pub kind: String,
    pub mode: u32,
    /// Nanoseconds since 1970, in decimal.
    pub mtime: String,
    pub size: f64,
    pub version: f64,
    pub links: u32,
    pub target: Option<String>,
    pub xattrs: Vec<NativeXattr>,
    /// It stands at this mount point; its own key: nothing is shown there.
    pub mount: Option<String>,
}

#[napi(object)]
pub struct NativeEntry {
    pub name: String,
    pub status: NativeStatus,
}

#[napi(object)]
pub struct NativeMountOptions {
    pub path: String,
    /// Where private files are made.
    pub spool: String,
    /// The log of operations.
    pub log: String,
    pub root: NativeStatus,
    /// Operations are numbered from the next one on.
    pub seq: f64,
    /// As private files are.
    pub first_file: f64,
    /// The volume of the root.
    pub read_only: bool,
    pub allow_other: bool,
    pub auto_unmount: bool,
    /// How long a call of a program waits, in milliseconds.
    pub patience_ms: u32,
}

pub fn status_of(given: NativeStatus) -> Status {
    let kind = match given.kind.as_str() {
        "directory" => Kind::Directory,
        "symlink" => Kind::Symlink,
        _ => Kind::File,
    };
    let xattrs: BTreeMap<String, Vec<u8>> =
        given.xattrs.into_iter().map(|each| (each.name, each.value.to_vec())).collect();
    Status {
        key: given.key,
        kind,
        mode: (given.mode & 0o7777) as u16,
        mtime: given.mtime.parse().unwrap_or(0),
        size: given.size as u64,
        version: given.version as u64,
        links: given.links,
        target: given.target,
        xattrs,
        mount: given.mount,
    }
}

fn find(mount: u32) -> Option<Arc<Running>> {
    hold(&MOUNTS).get(&mount).cloned()
}

fn failed(what: &str, error: &std::io::Error) -> napi::Error {
    napi::Error::from_reason(format!("{what}: {error}"))
}

/// A number for the other calls. `wake` is called when there is something to take. It doesn't keep the process alive.
#[napi]
pub fn mount_open(options: NativeMountOptions, wake: Function<'_, (), ()>) -> Result<u32> {
    let wake = wake.build_threadsafe_function::<()>().weak::<true>().build()?;
    let wake = move || {
        wake.call((), ThreadsafeFunctionCallMode::NonBlocking);
    };
    let seq = options.seq as u64;
    let volume = origin(&options.root.key).volume;
    let mut table = Table::new(status_of(options.root), seq);
    if options.read_only {
        table.set_rights(volume, Rights::Read);
    }
    let state = State {
        table,
        opened: HashMap::new(),
        handles: HashMap::new(),
        listings: HashMap::new(),
        parked: HashMap::new(),
        next: 0,
        promise: Promise::default(),
    };
    let log = OpLog::begin(&options.log, seq).map_err(|error| failed(&options.log, &error))?;
    // SAFETY: both calls read numbers of this process and can't fail.
    let (uid, gid) = unsafe { (libc::geteuid(), libc::getegid()) };
    let mount = Arc::new(Mount {
        state: Mutex::new(state),
        spool: Spool::new(&options.spool, options.first_file as u64),
        log,
        outbox: Outbox::new(Box::new(wake)),
        patience: Duration::from_millis(options.patience_ms.into()),
        uid,
        gid,
        stale: Mutex::new(None),
        answers: Mutex::new(None),
    });
    let (allow_other, auto_unmount) = (options.allow_other, options.auto_unmount);
    let about = Options { path: options.path, allow_other, auto_unmount };
    let running = Running::start(mount, &about).map_err(|error| failed(&about.path, &error))?;
    let number = NEXT.fetch_add(1, Ordering::Relaxed);
    hold(&MOUNTS).insert(number, Arc::new(running));
    Ok(number)
}

/// Lines of JSON: operations, in their order, and questions.
#[napi]
pub fn mount_take(mount: u32) -> Vec<String> {
    find(mount).map_or_else(Vec::new, |running| running.mount.outbox.take())
}

/// `error`: a number of the system, 0 where there is none. `seq`: the last operation that the answer includes.
#[napi]
pub fn mount_answer_list(mount: u32, ask: f64, error: i32, entries: Vec<NativeEntry>, seq: f64) {
    let entries = entries.into_iter().map(|entry| (entry.name, status_of(entry.status))).collect();
    if let Some(running) = find(mount) {
        running.mount.answer_list(ask as u64, error, entries, seq as u64);
    }
}

#[napi]
pub fn mount_answer_open(
    mount: u32,
    ask: f64,
    error: i32,
    path: Option<String>,
    status: Option<NativeStatus>,
    seq: f64,
    present_ms: u32,
) {
    if let Some(running) = find(mount) {
        let present = Duration::from_millis(present_ms.into());
        let status = status.map(status_of);
        running.mount.answer_open(ask as u64, error, path.as_deref(), status.as_ref(), (seq as u64, present));
    }
}

/// Contents that were named are not known to be the present ones any more.
#[napi]
pub fn mount_broken(mount: u32) {
    if let Some(running) = find(mount) {
        running.mount.broken();
    }
}

/// `rights`: `write`, `read`, or anything else where the volume may not be seen. Of one that is not named here everything may be changed.
#[napi]
pub fn mount_rights(mount: u32, volume: u32, rights: String) {
    if let Some(running) = find(mount) {
        running.mount.with(|state| state.table.set_rights(volume, rights_of(&rights)));
    }
}

pub fn rights_of(text: &str) -> Rights {
    match text {
        "write" => Rights::Write,
        "read" => Rights::Read,
        _ => Rights::Nothing,
    }
}

/// What a name stands for now; without a status, nothing.
#[napi]
pub fn mount_name(mount: u32, dir: String, name: String, status: Option<NativeStatus>, seq: f64) {
    if let Some(running) = find(mount) {
        let status = status.map(status_of);
        running.mount.with(|state| state.table.named(&dir, &name, status.as_ref(), seq as u64));
    }
}

/// All names of a directory that is shown, as they are now.
#[napi]
pub fn mount_listing(mount: u32, dir: String, entries: Vec<NativeEntry>, seq: f64) {
    let entries = entries.into_iter().map(|entry| (entry.name, status_of(entry.status))).collect();
    if let Some(running) = find(mount) {
        running.mount.with(|state| state.table.listed(&dir, entries, seq as u64));
    }
}

/// What a vnode is like now. `own`: by what was stored from here.
#[napi]
pub fn mount_status(mount: u32, status: NativeStatus, seq: f64, own: bool) {
    if let Some(running) = find(mount) {
        let status = status_of(status);
        running.mount.with(|state| state.table.attributes(&status, seq as u64, own));
    }
}

#[napi]
pub fn mount_identified(mount: u32, key: String, fid: String) {
    if let Some(running) = find(mount) {
        running.mount.with(|state| state.table.identified(&key, &fid));
    }
}

#[napi]
pub fn mount_imported(mount: u32, seq: f64) {
    if let Some(running) = find(mount) {
        running.mount.with(|state| state.table.imported(seq as u64));
    }
}

/// Node has the contents that this operation stored: our own copy goes.
#[napi]
pub fn mount_stored(mount: u32, key: String, seq: f64) {
    if let Some(running) = find(mount) {
        running.mount.with(|state| state.table.stored(&key, seq as u64));
    }
}

/// Whether this vnode is shown, and for `listed` whether all names in it are.
#[napi]
pub fn mount_knows(mount: u32, fid: String, listed: bool) -> bool {
    find(mount).is_some_and(|running| {
        running.mount.with(|state| {
            let found = state.table.by_key(&fid);
            found.is_some_and(|ino| !listed || state.table.children(ino).is_ok())
        })
    })
}

/// Logs what programs have written and closed. Gives the number of the last operation.
#[napi]
pub fn mount_settle(mount: u32) -> f64 {
    find(mount).map_or(0.0, |running| {
        running.mount.settle();
        running.mount.with(|state| state.table.seq) as f64
    })
}

/// Begins the log anew, if nothing was logged after this operation and no file is being written. Gives whether it did.
#[napi]
pub fn mount_rotate(mount: u32, seq: f64) -> bool {
    find(mount).is_some_and(|running| {
        running.mount.with(|state| {
            // What is dirty is open. After a crash the log says which files those were.
            let is_written = state.opened.keys().any(|ino| state.table.node(*ino).is_ok_and(|node| node.is_dirty));
            !is_written && state.table.seq == seq as u64 && running.mount.log.rotate(seq as u64).is_ok()
        })
    })
}

/// Its path is unmounted already.
#[napi]
pub fn mount_close(mount: u32) {
    let running = hold(&MOUNTS).remove(&mount);
    if let Some(running) = running {
        running.close();
    }
}
