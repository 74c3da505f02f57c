//! Attributes as the kernel wants them.

use std::fs::File;
use std::sync::Arc;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use fuser::{FileAttr, FileType, INodeNo};

use crate::mount::{Listing, Mount};
use crate::node::{Ino, Kind, Special};
use crate::spool::number;
use crate::table::{Done, Table};

const BLOCK: u64 = 512;

pub fn file_type(kind: Kind) -> FileType {
    match kind {
        Kind::File => FileType::RegularFile,
        Kind::Directory => FileType::Directory,
        Kind::Symlink => FileType::Symlink,
        Kind::Special(Special::Fifo) => FileType::NamedPipe,
        Kind::Special(Special::Socket) => FileType::Socket,
        Kind::Special(Special::Block(_)) => FileType::BlockDevice,
        Kind::Special(Special::Character(_)) => FileType::CharDevice,
    }
}

fn time(nanoseconds: i64) -> SystemTime {
    let distance = Duration::from_nanos(nanoseconds.unsigned_abs());
    if nanoseconds < 0 { UNIX_EPOCH - distance } else { UNIX_EPOCH + distance }
}

pub fn file_attr(mount: &Mount, table: &Table, ino: Ino) -> Done<FileAttr> {
    let node = table.node(ino)?;
    let (uid, gid) = node.owner.unwrap_or((mount.uid, mount.gid));
    let rdev = match node.kind {
        Kind::Special(Special::Block(number) | Special::Character(number)) => number,
        _ => 0,
    };
    Ok(FileAttr {
        ino: INodeNo(ino),
        size: node.size,
        blocks: node.size.div_ceil(BLOCK),
        atime: time(node.atime),
        mtime: time(node.mtime),
        ctime: time(node.ctime),
        crtime: UNIX_EPOCH,
        kind: file_type(node.kind),
        perm: node.mode,
        nlink: table.links(node),
        uid,
        gid,
        rdev,
        blksize: 4096,
        flags: 0,
    })
}

/// Number 0: that there is no such name, for the kernel to remember.
pub fn missing() -> FileAttr {
    FileAttr {
        ino: INodeNo(0),
        size: 0,
        blocks: 0,
        atime: UNIX_EPOCH,
        mtime: UNIX_EPOCH,
        ctime: UNIX_EPOCH,
        crtime: UNIX_EPOCH,
        kind: FileType::RegularFile,
        perm: 0,
        nlink: 0,
        uid: 0,
        gid: 0,
        rdev: 0,
        blksize: 4096,
        flags: 0,
    }
}

/// Contents of no bytes.
pub fn nothing() -> Result<File, i32> {
    File::open("/dev/null").map_err(|error| number(&error))
}

impl Mount {
    /// The names of an open directory, as they were when a program began to read it. None: it is not open.
    pub fn listing(&self, dir: Ino, handle: u64, offset: u64) -> Option<Listing> {
        self.with(|state| {
            let kept = state.listings.get(&handle)?;
            if let (Some(listing), true) = (kept, offset > 0) {
                return Some(listing.clone());
            }
            let fresh = Arc::new(state.table.entries(dir).ok()?);
            state.listings.insert(handle, Some(fresh.clone()));
            Some(fresh)
        })
    }
}
