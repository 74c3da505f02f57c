//! What Node says of names and vnodes. `seq` is the last operation that it includes: where a later one has touched the same, that stays.

use crate::node::{Ino, Kind, Node, Status};
use crate::table::{Stale, Table};

/// Names that Node has taken up are forgotten so often: each time looks at all of them.
const TIDY_EVERY: u64 = 1024;

impl Table {
    /// The whole of a directory.
    pub fn listed(&mut self, dir: &str, entries: Vec<(String, Status)>, seq: u64) {
        let Some(dir) = self.by_key(dir) else { return };
        if !self.nodes.get(&dir).is_some_and(Node::is_dir) {
            return;
        }
        if let Some(node) = self.nodes.get_mut(&dir) {
            node.children.get_or_insert_default();
            node.is_outdated = false;
        }
        let known: Vec<String> = self.children(dir).map(|all| all.keys().cloned().collect()).unwrap_or_default();
        let named: std::collections::HashSet<&String> = entries.iter().map(|(name, _)| name).collect();
        for name in known.iter().filter(|name| !named.contains(name)) {
            self.put(dir, name, None, seq);
        }
        for (name, status) in &entries {
            self.put(dir, name, Some(status), seq);
        }
    }

    /// What a name stands for; None: nothing.
    pub fn named(&mut self, dir: &str, name: &str, status: Option<&Status>, seq: u64) {
        let Some(dir) = self.by_key(dir) else { return };
        if self.children(dir).is_ok() {
            self.put(dir, name, status, seq);
        }
    }

    fn put(&mut self, dir: Ino, name: &str, status: Option<&Status>, seq: u64) {
        if self.entry_ops.get(&(dir, name.to_owned())).is_some_and(|touched| *touched > seq) {
            return;
        }
        let before = self.children(dir).ok().and_then(|all| all.get(name).copied());
        // No volume has it, and what has its name now wins.
        let is_special = before.is_some_and(|ino| self.nodes.get(&ino).is_some_and(Node::is_special));
        if is_special && status.is_none() {
            return;
        }
        let Some(status) = status else {
            // What is being written here is stored under its name, whatever others have done to that.
            if let Some(ino) = before.filter(|ino| self.nodes.get(ino).is_some_and(|node| !node.is_dirty)) {
                self.detach(dir, name);
                self.stale.push(Stale::Entry(dir, name.to_owned()));
                self.drop_if_unused(ino);
            }
            return;
        };
        let ino = match self.by_key(&status.key) {
            Some(known) => {
                self.attributes(status, seq, false);
                // Where somebody has it open, another node may stand for it now.
                self.by_key(&status.key).unwrap_or(known)
            }
            None => {
                let mut node = Node::of(status.clone());
                if node.origin.volume == 0 {
                    node.origin = self.nodes.get(&dir).map(|parent| parent.origin).unwrap_or_default();
                }
                self.add(node)
            }
        };
        if let Some(node) = self.nodes.get_mut(&ino) {
            node.mount.clone_from(&status.mount);
        }
        let now = self.children(dir).ok().and_then(|all| all.get(name).copied());
        if now == Some(ino) {
            return;
        }
        if let Some(old) = now {
            self.detach(dir, name);
            self.drop_if_unused(old);
        }
        self.only_place(ino, seq);
        self.attach(dir, name, ino);
        self.stale.push(Stale::Entry(dir, name.to_owned()));
    }

    /// A directory has one name: it has left the one that it had, unless that is an operation that Node has not heard of.
    fn only_place(&mut self, ino: Ino, seq: u64) {
        let Some(node) = self.nodes.get(&ino).filter(|node| node.is_dir()) else { return };
        for (dir, name) in node.names.clone() {
            if self.entry_ops.get(&(dir, name.clone())).is_none_or(|touched| *touched <= seq) {
                self.detach(dir, &name);
                self.stale.push(Stale::Entry(dir, name));
            }
        }
    }

    /// What a vnode is like. `own`: its new version is what was stored from here.
    pub fn attributes(&mut self, status: &Status, seq: u64, own: bool) {
        let Some(ino) = self.by_key(&status.key) else { return };
        let Some(node) = self.nodes.get_mut(&ino) else { return };
        if node.kind != status.kind || node.is_dirty || node.last_op > seq {
            return;
        }
        let is_other = node.kind == Kind::File && node.version != status.version;
        if is_other && !own && node.opens > 0 {
            return self.replaced(ino, status);
        }
        let has_local = node.local.is_some();
        if node.take(status) || is_other {
            self.stale.push(Stale::Attributes(ino));
        }
        if is_other && !own && !has_local {
            self.stale.push(Stale::Contents(ino));
        }
    }

    /// Who has it open goes on with what they opened: what is under its names is another node from now on.
    fn replaced(&mut self, old: Ino, status: &Status) {
        let names = self.nodes.get(&old).map(|node| node.names.clone()).unwrap_or_default();
        let owner = self.nodes.get(&old).and_then(|node| node.owner);
        let new = self.add(Node { owner, ..Node::of(status.clone()) });
        for (dir, name) in names {
            self.detach(dir, &name);
            self.attach(dir, &name, new);
            self.stale.push(Stale::Entry(dir, name));
        }
        if let Some(node) = self.nodes.get_mut(&old) {
            node.is_detached = true;
        }
        self.drop_if_unused(old);
    }

    /// What was made here has a fid now.
    pub fn identified(&mut self, key: &str, fid: &str) {
        let Some(ino) = self.keys.remove(key) else { return };
        self.keys.insert(fid.to_owned(), ino);
        if let Some(node) = self.nodes.get_mut(&ino) {
            node.key = fid.to_owned();
        }
    }

    /// Every push that is still to come includes the operations to this one.
    pub fn imported(&mut self, seq: u64) {
        if seq >= self.seq {
            self.entry_ops.clear();
        } else if seq.is_multiple_of(TIDY_EVERY) {
            self.entry_ops.retain(|_, touched| *touched > seq);
        }
    }

    /// Node has these contents. Gives the file that is not wanted any more.
    pub fn stored(&mut self, key: &str, seq: u64) -> Option<String> {
        let ino = self.by_key(key)?;
        let node = self.nodes.get_mut(&ino)?;
        if node.local.as_ref().is_none_or(|(_, stored)| *stored != seq) {
            return None;
        }
        node.local.take().map(|(path, _)| path)
    }
}
