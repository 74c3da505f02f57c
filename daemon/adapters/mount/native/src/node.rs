//! One vnode as the mount shows it.

use std::collections::{BTreeMap, BTreeSet};
use std::time::Instant;

use crate::volumes::{Origin, origin};

pub type Ino = u64;

/// A name in a directory.
pub type Place = (Ino, String);

#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Kind {
    File,
    Directory,
    Symlink,
    Special(Special),
}

/// What no volume holds: it is of this mount alone, and gone with it.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Special {
    Fifo,
    Socket,
    /// With its number.
    Block(u32),
    Character(u32),
}

/// What Node knows of a vnode. Times are nanoseconds since 1970.
#[derive(Clone, Debug)]
pub struct Status {
    pub key: String,
    pub kind: Kind,
    pub mode: u16,
    pub mtime: i64,
    pub size: u64,
    pub version: u64,
    pub target: Option<String>,
    pub xattrs: BTreeMap<String, Vec<u8>>,
    /// How many names it has anywhere in the volume.
    pub links: u32,
    /// It stands at this mount point; its own key: nothing is shown there.
    pub mount: Option<String>,
}

/// A file with the contents of one version.
#[derive(Clone, Debug)]
pub struct Kept {
    pub path: String,
    pub version: u64,
    /// Of the promise under which Node named it.
    pub promise: u64,
}

#[derive(Debug)]
pub struct Node {
    /// The fid, or `L` with the number of the operation that made it, until Node has a fid for it.
    pub key: String,
    pub origin: Origin,
    /// As in a status.
    pub mount: Option<String>,
    pub kind: Kind,
    pub mode: u16,
    pub mtime: i64,
    pub atime: i64,
    pub ctime: i64,
    pub size: u64,
    /// User and group, as long as the mount lives. None: those of who runs it.
    pub owner: Option<(u32, u32)>,
    pub version: u64,
    pub links: u32,
    pub target: Option<String>,
    pub xattrs: BTreeMap<String, Vec<u8>>,
    /// Of a directory that has been listed, or was made here: all of its names.
    pub children: Option<BTreeMap<String, Ino>>,
    /// Directories among them.
    pub subdirs: u32,
    /// Other names may have come since it was listed.
    pub is_outdated: bool,
    /// The names under which it is known here.
    pub names: BTreeSet<Place>,
    /// How often the kernel has been told of it and has not forgotten it.
    pub lookups: u64,
    /// Open files.
    pub opens: u32,
    /// The newest operation on it that Node may not have taken up yet.
    pub last_op: u64,
    /// Written here, and not stored yet.
    pub is_dirty: bool,
    /// Its version counts what was stored from here, and Node has not said yet which one that is.
    pub is_own: bool,
    /// A program has closed it since it was written.
    pub is_flushed: bool,
    /// Contents that were written here and that Node does not have yet: the file, and the operation that stores it.
    pub local: Option<(String, u64)>,
    /// Contents that Node has of it: nobody writes to them, and they may go at any time.
    pub kept: Option<Kept>,
    /// When Node was asked for them last.
    pub asked_at: Option<Instant>,
    /// Its file has another version by now, or is gone: it lives until it is closed.
    pub is_detached: bool,
}

impl Node {
    pub fn of(status: Status) -> Self {
        let is_shut = status.mount.as_ref() == Some(&status.key);
        Node {
            origin: origin(&status.key),
            key: status.key,
            mount: status.mount,
            kind: status.kind,
            mode: status.mode,
            mtime: status.mtime,
            atime: status.mtime,
            ctime: status.mtime,
            size: status.size,
            owner: None,
            version: status.version,
            links: status.links,
            target: status.target,
            xattrs: status.xattrs,
            children: is_shut.then(BTreeMap::new),
            subdirs: 0,
            is_outdated: false,
            names: BTreeSet::new(),
            lookups: 0,
            opens: 0,
            last_op: 0,
            is_dirty: false,
            is_own: false,
            is_flushed: false,
            local: None,
            kept: None,
            asked_at: None,
            is_detached: false,
        }
    }

    pub fn is_dir(&self) -> bool {
        self.kind == Kind::Directory
    }

    /// The directory around it has a link more by it.
    pub fn is_counted(&self) -> bool {
        self.is_dir() && !self.origin.is_hidden
    }

    /// No volume holds it.
    pub fn is_special(&self) -> bool {
        matches!(self.kind, Kind::Special(_))
    }

    /// Takes what Node says. Gives whether anything is different.
    pub fn take(&mut self, status: &Status) -> bool {
        let is_same = self.mode == status.mode
            && self.mtime == status.mtime
            && self.size == status.size
            && self.links == status.links
            && self.target == status.target
            && self.xattrs == status.xattrs;
        self.version = status.version;
        self.is_own = false;
        if self.kept.as_ref().is_some_and(|kept| !is_same || kept.version != status.version) {
            self.kept = None;
        }
        if is_same {
            return false;
        }
        self.mode = status.mode;
        self.ctime = self.ctime.max(status.mtime);
        self.mtime = status.mtime;
        self.size = status.size;
        self.links = status.links;
        self.target.clone_from(&status.target);
        self.xattrs.clone_from(&status.xattrs);
        true
    }
}
