//! Calls about files that do more than ask the table.

use std::fs::File;
use std::sync::Arc;

use fuser::{FileHandle, FopenFlags, ReplyAttr, ReplyCreate, ReplyOpen, Request, TimeOrNow};

use crate::attributes::{file_attr, nothing};
use crate::changes::{Attributes, Made};
use crate::files::code;
use crate::mount::{Mount, nanoseconds, now};
use crate::node::{Ino, Place, Special};
use crate::replies::{GENERATION, TTL, fail, reply_attr, when_listed, with_contents};
use crate::table::Done;

const USER: &str = "user.";
const XATTR_CREATE: i32 = 1;
const XATTR_REPLACE: i32 = 2;

/// What a program wants to be another.
pub struct Wanted {
    pub mode: Option<u32>,
    pub uid: Option<u32>,
    pub gid: Option<u32>,
    pub size: Option<u64>,
    pub atime: Option<TimeOrNow>,
    pub mtime: Option<TimeOrNow>,
    pub handle: Option<FileHandle>,
}

/// User and group.
pub type Owner = (u32, u32);

/// Makes something that belongs to who asks, or in a directory with that bit to the directory's group.
pub fn make(mount: &Mount, dir: Ino, name: &str, what: Made<'_>, (uid, gid): Owner) -> Done<Ino> {
    mount.with(|state| {
        let parent = state.table.node(dir)?;
        let group = if u32::from(parent.mode) & libc::S_ISGID == 0 {
            gid
        } else {
            parent.owner.map_or(mount.gid, |(_, gid)| gid)
        };
        let ino = state.table.make(dir, name, what, now())?;
        state.table.give(ino, (uid, group));
        Ok(ino)
    })
}

/// What `mknod` is to make. None: there is no such kind.
pub fn made_of(mode: u32, rdev: u32) -> Option<Made<'static>> {
    let special = match mode & libc::S_IFMT {
        0 | libc::S_IFREG => return Some(Made::File(permissions(mode))),
        libc::S_IFIFO => Special::Fifo,
        libc::S_IFSOCK => Special::Socket,
        libc::S_IFBLK => Special::Block(rdev),
        libc::S_IFCHR => Special::Character(rdev),
        _ => return None,
    };
    Some(Made::Special(special, permissions(mode)))
}

/// A volume knows no owners: they live as long as the mount.
pub fn set_attributes(mount: &Arc<Mount>, thread: u32, ino: Ino, wanted: Wanted, reply: ReplyAttr) {
    let Wanted { uid, gid, .. } = wanted;
    let before =
        mount.with(|state| state.table.node(ino).ok().and_then(|node| node.owner)).unwrap_or((mount.uid, mount.gid));
    let owner = (uid.is_some() || gid.is_some()).then(|| (uid.unwrap_or(before.0), gid.unwrap_or(before.1)));
    let mode = wanted.mode.map(permissions);
    let change = Attributes { mode, mtime: of_time(wanted.mtime), atime: of_time(wanted.atime), owner };
    let is_sized_only = mode.is_none() && change.mtime.is_none() && change.atime.is_none() && owner.is_none();
    let rest = move |mount: &Arc<Mount>, sized: Result<(), i32>| {
        let done = match sized {
            Ok(()) if !is_sized_only => {
                mount.with(|state| state.table.set_attributes(ino, &change, now())).map_err(code)
            }
            sized => sized,
        };
        match done {
            Ok(()) => reply_attr(mount, reply, ino),
            Err(code) => reply.error(fail(code)),
        }
    };
    match wanted.size {
        Some(size) => truncate(mount, thread, (ino, size), wanted.handle, rest),
        None => rest(mount, Ok(())),
    }
}

/// Opens it, with its contents or without any (`O_TRUNC`).
pub fn open(mount: &Arc<Mount>, thread: u32, (ino, flags): (Ino, i32), reply: ReplyOpen) {
    let writes = flags & libc::O_ACCMODE != libc::O_RDONLY;
    let empties = flags & libc::O_TRUNC != 0;
    if writes || empties {
        let refused = mount.with(|state| state.table.refuse_change(ino)).map_err(code);
        if let Err(code) = refused {
            return reply.error(fail(code));
        }
    }
    let opened = move |mount: &Arc<Mount>, file: Result<Arc<File>, i32>| {
        let handle = file.and_then(|file| {
            let handle = mount.open_with(ino, file, writes || empties)?;
            if empties {
                let body = mount.handle(handle)?.body;
                mount.change(ino, &body, true, |file| file.set_len(0)).inspect_err(|_| mount.release(handle))?;
            }
            Ok(handle)
        });
        match handle {
            Ok(handle) => reply.opened(FileHandle(handle), FopenFlags::empty()),
            Err(code) => reply.error(fail(code)),
        }
    };
    // What it holds is not wanted then, so nothing is fetched.
    if empties { opened(mount, nothing().map(Arc::new)) } else { with_contents(mount, thread, ino, opened) }
}

/// Makes a file and opens it.
pub fn create(mount: &Arc<Mount>, req: &Request, place: Place, (mode, flags): (u32, i32), reply: ReplyCreate) {
    let (dir, name) = place;
    let owner = (req.uid(), req.gid());
    let work = move |mount: &Arc<Mount>| make(mount, dir, &name, Made::File(permissions(mode)), owner);
    when_listed(mount, req.pid(), work, move |mount, made| {
        let opened = made
            .map_err(|code| if code == libc::EEXIST && flags & libc::O_EXCL == 0 { libc::ESTALE } else { code })
            .and_then(|ino| {
                let handle = mount.open_with(ino, Arc::new(nothing()?), true)?;
                let open = mount.handle(handle)?;
                mount.change(ino, &open.body, true, |_| Ok(())).inspect_err(|_| mount.release(handle))?;
                let attr = mount.with(|state| {
                    state.table.told(ino);
                    file_attr(mount, &state.table, ino).map_err(code)
                })?;
                Ok((attr, handle))
            });
        match opened {
            Ok((attr, handle)) => reply.created(&TTL, &attr, GENERATION, FileHandle(handle), FopenFlags::empty()),
            Err(code) => reply.error(fail(code)),
        }
    });
}

pub fn set_xattr(mount: &Mount, ino: Ino, name: &str, value: &[u8], flags: i32) -> Result<(), i32> {
    if !name.starts_with(USER) {
        return Err(libc::EOPNOTSUPP);
    }
    mount.with(|state| {
        let has = state.table.node(ino).map_err(code)?.xattrs.contains_key(name);
        match (flags, has) {
            (XATTR_CREATE, true) => Err(libc::EEXIST),
            (XATTR_REPLACE, false) => Err(libc::ENODATA),
            _ => state.table.set_xattr(ino, name, Some(value), now()).map_err(code),
        }
    })
}

fn of_time(time: Option<TimeOrNow>) -> Option<i64> {
    time.map(|time| match time {
        TimeOrNow::SpecificTime(at) => nanoseconds(at),
        TimeOrNow::Now => now(),
    })
}

pub fn permissions(mode: u32) -> u16 {
    (mode & 0o7777) as u16
}

fn truncate(
    mount: &Arc<Mount>,
    thread: u32,
    (ino, size): (Ino, u64),
    fh: Option<FileHandle>,
    go: impl FnOnce(&Arc<Mount>, Result<(), i32>) + Send + 'static,
) {
    if let Some(handle) = fh.and_then(|fh| mount.handle(fh.0).ok()) {
        return go(mount, mount.change(handle.ino, &handle.body, size == 0, |file| file.set_len(size)));
    }
    if size == 0 {
        return go(mount, nothing().and_then(|file| mount.truncate(ino, Arc::new(file), 0)));
    }
    with_contents(mount, thread, ino, move |mount, file| {
        go(mount, file.and_then(|file| mount.truncate(ino, file, size)))
    });
}
