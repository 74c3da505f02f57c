//! The table of everything that the mount knows: names, attributes, listings. It does no input or output and asks nobody.
//!
//! What is done here is applied at once and logged as a line (`changes.rs`). What Node says (`pushes.rs`) names the last operation that
//! it includes; where a later one has touched the same name or vnode, that stays.

use std::collections::HashMap;

use crate::node::{Ino, Kind, Node, Place, Status};
use crate::volumes::{Rights, Volume};

pub const ROOT: Ino = 1;
pub const MAX_NAME_BYTES: usize = 255;

/// Why a call is not done.
#[derive(Debug, Eq, PartialEq)]
pub enum Fault {
    /// A number of the system.
    Errno(i32),
    /// This directory has to be listed first.
    Unlisted(Ino),
}

pub type Done<T> = Result<T, Fault>;

/// What the kernel may remember and must not any more.
#[derive(Debug, Eq, PartialEq)]
pub enum Stale {
    Attributes(Ino),
    Contents(Ino),
    Entry(Ino, String),
}

pub struct Table {
    pub(crate) nodes: HashMap<Ino, Node>,
    pub(crate) keys: HashMap<String, Ino>,
    next: Ino,
    /// Of the newest operation.
    pub(crate) seq: u64,
    /// How many special files were made.
    pub(crate) specials: u64,
    /// Names that operations have touched which Node may not have taken up yet, each with the newest one.
    pub(crate) entry_ops: HashMap<Place, u64>,
    /// Log lines that nobody has taken.
    pub lines: Vec<String>,
    pub stale: Vec<Stale>,
    /// Those that are not named may be written.
    pub(crate) rights: HashMap<Volume, Rights>,
    /// Why the log does not have the newest operations, a number of the system: nothing is changed meanwhile.
    pub unlogged: Option<i32>,
}

pub fn errno<T>(code: i32) -> Done<T> {
    Err(Fault::Errno(code))
}

impl Table {
    /// `seq`: operations are numbered from the next one on.
    pub fn new(root: Status, seq: u64) -> Self {
        let key = root.key.clone();
        let mut node = Node::of(root);
        node.kind = Kind::Directory;
        node.lookups = 1;
        Table {
            nodes: HashMap::from([(ROOT, node)]),
            keys: HashMap::from([(key, ROOT)]),
            next: ROOT + 1,
            seq,
            specials: 0,
            entry_ops: HashMap::new(),
            lines: Vec::new(),
            stale: Vec::new(),
            rights: HashMap::new(),
            unlogged: None,
        }
    }

    pub fn node(&self, ino: Ino) -> Done<&Node> {
        self.nodes.get(&ino).ok_or(Fault::Errno(libc::ESTALE))
    }

    pub fn node_mut(&mut self, ino: Ino) -> Done<&mut Node> {
        self.nodes.get_mut(&ino).ok_or(Fault::Errno(libc::ESTALE))
    }

    /// By the fid, or by the key that it has until there is one.
    pub fn by_key(&self, key: &str) -> Option<Ino> {
        self.keys.get(key).copied()
    }

    /// The names in a directory.
    pub(crate) fn children(&self, dir: Ino) -> Done<&std::collections::BTreeMap<String, Ino>> {
        let node = self.node(dir)?;
        if !node.is_dir() {
            return errno(libc::ENOTDIR);
        }
        self.refuse_outdated(dir)?;
        node.children.as_ref().ok_or(Fault::Unlisted(dir))
    }

    /// None: there is no such name.
    pub fn lookup(&self, dir: Ino, name: &str) -> Done<Option<Ino>> {
        if name.len() > MAX_NAME_BYTES {
            return errno(libc::ENAMETOOLONG);
        }
        Ok(self.children(dir)?.get(name).copied())
    }

    /// Everything in a directory, with `.` and `..`.
    pub fn entries(&self, dir: Ino) -> Done<Vec<(String, Ino, Kind)>> {
        let up = self.node(dir)?.names.first().map_or(dir, |(parent, _)| *parent);
        let mut all = vec![(".".into(), dir, Kind::Directory), ("..".into(), up, Kind::Directory)];
        for (name, ino) in self.children(dir)? {
            let Some(node) = self.nodes.get(ino).filter(|node| !node.origin.is_hidden) else { continue };
            all.push((name.clone(), *ino, node.kind));
        }
        Ok(all)
    }

    /// The number of names, or for a directory what POSIX wants there.
    pub fn links(&self, node: &Node) -> u32 {
        if !node.is_dir() {
            return node.links;
        }
        if node.links == 0 { 0 } else { node.subdirs + 2 }
    }

    /// The kernel has been told of it once more.
    pub fn told(&mut self, ino: Ino) {
        if let Some(node) = self.nodes.get_mut(&ino) {
            node.lookups = node.lookups.saturating_add(1);
        }
    }

    pub fn forget(&mut self, ino: Ino, count: u64) {
        if let Some(node) = self.nodes.get_mut(&ino) {
            node.lookups = node.lookups.saturating_sub(count);
        }
        self.drop_if_unused(ino);
    }

    /// What has no name and no user ends, and so does what only that has given a name.
    pub(crate) fn drop_if_unused(&mut self, ino: Ino) {
        let mut all = vec![ino];
        while let Some(ino) = all.pop() {
            let Some(node) = self.nodes.get(&ino) else { continue };
            if ino == ROOT || node.lookups > 0 || node.opens > 0 || !node.names.is_empty() {
                continue;
            }
            if self.keys.get(&node.key) == Some(&ino) {
                self.keys.remove(&node.key);
            }
            let children = self.nodes.remove(&ino).and_then(|node| node.children).unwrap_or_default();
            for (name, child) in children {
                if let Some(node) = self.nodes.get_mut(&child) {
                    node.names.remove(&(ino, name));
                    all.push(child);
                }
            }
        }
    }

    pub(crate) fn add(&mut self, node: Node) -> Ino {
        let ino = self.next;
        self.next += 1;
        self.keys.insert(node.key.clone(), ino);
        self.nodes.insert(ino, node);
        ino
    }

    /// Gives it this name, which nothing else has.
    pub(crate) fn attach(&mut self, dir: Ino, name: &str, ino: Ino) {
        let is_dir = self.nodes.get(&ino).is_some_and(Node::is_counted);
        let Some(parent) = self.nodes.get_mut(&dir) else { return };
        if let Some(children) = parent.children.as_mut() {
            children.insert(name.to_owned(), ino);
            parent.subdirs += u32::from(is_dir);
        }
        if let Some(node) = self.nodes.get_mut(&ino) {
            node.names.insert((dir, name.to_owned()));
        }
    }

    /// Takes this name from what has it. Gives that.
    pub(crate) fn detach(&mut self, dir: Ino, name: &str) -> Option<Ino> {
        let parent = self.nodes.get_mut(&dir)?;
        let ino = parent.children.as_mut()?.remove(name)?;
        let node = self.nodes.get_mut(&ino)?;
        node.names.remove(&(dir, name.to_owned()));
        let is_dir = node.is_counted();
        if let Some(parent) = self.nodes.get_mut(&dir) {
            parent.subdirs = parent.subdirs.saturating_sub(u32::from(is_dir));
        }
        Some(ino)
    }

    /// Whether `dir` is `above`, or lies in it.
    pub(crate) fn is_within(&self, dir: Ino, above: Ino) -> bool {
        let mut at = dir;
        for _ in 0..=self.nodes.len() {
            if at == above {
                return true;
            }
            match self.nodes.get(&at).and_then(|node| node.names.first()) {
                Some((parent, _)) => at = *parent,
                None => return false,
            }
        }
        false
    }
}
