//! Several volumes in one tree: of which one a vnode is, what may be changed there, and mount points. Nothing goes from one volume to another.
//!
//! A mount point is known here as the root that it shows, so that a walk needs no step across it. One that shows nothing is an empty directory.

use crate::node::{Ino, Node};
use crate::table::{Done, Fault, Table, errno};

pub type Volume = u32;

/// Vnodes of `.snapshots` and of what is in it: no server gives such numbers.
const SNAPSHOTS_VNODE: &str = "2";
const PAST_VNODE: &str = "3";

/// What this device may do in a volume.
#[derive(Clone, Copy, Debug, Eq, PartialEq)]
pub enum Rights {
    Write,
    Read,
    /// It may not be seen any more.
    Nothing,
}

/// What a key says of its vnode.
#[derive(Clone, Copy, Debug, Default, Eq, PartialEq)]
pub struct Origin {
    /// 0: that of the directory that it was made in.
    pub volume: Volume,
    /// It is `.snapshots`, which no listing shows.
    pub is_hidden: bool,
    /// It is that, or in it.
    pub is_past: bool,
}

/// Of a fid; of a key that is none it is unknown.
pub fn origin(key: &str) -> Origin {
    let mut parts = key.split('.');
    let volume = parts.next().and_then(|part| part.parse().ok()).unwrap_or(0);
    let vnode = parts.next().unwrap_or("");
    let is_hidden = volume > 0 && vnode == SNAPSHOTS_VNODE;
    Origin { volume, is_hidden, is_past: is_hidden || (volume > 0 && vnode == PAST_VNODE) }
}

impl Node {
    /// It stands at a mount point, which shows nothing now.
    pub fn is_shut(&self) -> bool {
        self.mount.as_ref() == Some(&self.key)
    }

    /// What the directory around it names: of a mount point that one, and not the root that it shows.
    pub fn named_as(&self) -> &str {
        self.mount.as_ref().unwrap_or(&self.key)
    }
}

impl Table {
    pub fn set_rights(&mut self, volume: Volume, rights: Rights) {
        self.rights.insert(volume, rights);
    }

    /// That this vnode, or what is in this directory, may be changed.
    pub fn refuse_change(&self, ino: Ino) -> Done<()> {
        if let Some(code) = self.unlogged {
            return errno(code);
        }
        let node = self.node(ino)?;
        if node.origin.is_past {
            return errno(libc::EROFS);
        }
        if node.is_shut() {
            return errno(libc::EACCES);
        }
        match self.rights.get(&node.origin.volume) {
            Some(Rights::Read) => errno(libc::EROFS),
            Some(Rights::Nothing) => errno(libc::EACCES),
            Some(Rights::Write) | None => Ok(()),
        }
    }

    /// That both are of one volume.
    pub(crate) fn refuse_across(&self, one: Ino, other: Ino) -> Done<()> {
        let is_same = self.node(one)?.origin.volume == self.node(other)?.origin.volume;
        if is_same { Ok(()) } else { errno(libc::EXDEV) }
    }

    /// That it is no mount point: those go by a command that says so, and nothing takes their names.
    pub(crate) fn refuse_mounted(&self, ino: Ino) -> Done<()> {
        let node = self.node(ino)?;
        if node.mount.is_some() || node.origin.is_hidden { errno(libc::EBUSY) } else { Ok(()) }
    }

    /// Snapshots come and go without notice: `.snapshots` is listed anew for who reads it, or looks for a name that it did not have.
    pub fn look_again(&mut self, dir: Ino, name: Option<&str>) -> bool {
        let Some(node) = self.nodes.get_mut(&dir).filter(|node| node.origin.is_hidden) else { return false };
        let is_known = |name| node.children.as_ref().is_some_and(|all| all.contains_key(name));
        node.is_outdated = !name.is_some_and(is_known);
        true
    }

    /// The directory has been listed, or nothing is known of it.
    pub(crate) fn refuse_outdated(&self, dir: Ino) -> Done<()> {
        if self.node(dir)?.is_outdated { Err(Fault::Unlisted(dir)) } else { Ok(()) }
    }
}
