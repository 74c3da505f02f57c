//! FIFOs, sockets and devices, and owners: a volume holds none, so nothing of them is logged. They live as long as the mount.

use crate::node::{Ino, Kind, Node, Special, Status};
use crate::table::{Done, Table};

impl Table {
    pub(crate) fn make_special(&mut self, dir: Ino, name: &str, (special, mode): (Special, u16), now: i64) -> Ino {
        self.specials += 1;
        let key = format!("S{}", self.specials);
        let (kind, size, version, target, links, mount) = (Kind::Special(special), 0, 0, None, 1, None);
        let (mtime, xattrs) = (now, Default::default());
        let mut node = Node::of(Status { key, kind, mode, mtime, size, version, target, xattrs, links, mount });
        node.origin = self.nodes.get(&dir).map(|parent| parent.origin).unwrap_or_default();
        let ino = self.add(node);
        self.attach(dir, name, ino);
        self.seen_to_change(dir, now);
        ino
    }

    /// A directory has other names, of which only this mount knows.
    fn seen_to_change(&mut self, dir: Ino, now: i64) {
        if let Some(node) = self.nodes.get_mut(&dir) {
            node.mtime = now;
            node.ctime = now;
        }
    }

    /// To who made it.
    pub fn give(&mut self, ino: Ino, owner: (u32, u32)) {
        if let Some(node) = self.nodes.get_mut(&ino) {
            node.owner = Some(owner);
        }
    }

    pub(crate) fn link_special(&mut self, ino: Ino, dir: Ino, name: &str, now: i64) {
        if let Some(node) = self.nodes.get_mut(&ino) {
            node.links += 1;
            node.ctime = now;
        }
        self.attach(dir, name, ino);
        self.seen_to_change(dir, now);
    }

    pub(crate) fn remove_special(&mut self, dir: Ino, name: &str, now: i64) {
        let Some(ino) = self.detach(dir, name) else { return };
        if let Some(node) = self.nodes.get_mut(&ino) {
            node.links = node.links.saturating_sub(1);
            node.ctime = now;
        }
        self.seen_to_change(dir, now);
        self.drop_if_unused(ino);
    }

    /// One of the two is special. What is replaced goes first, for the log knows one of them at most.
    pub(crate) fn rename_special(&mut self, from: (Ino, &str), to: (Ino, &str), is_over: bool, now: i64) -> Done<()> {
        if is_over {
            self.remove(to.0, to.1, now)?;
        }
        let moved = self.lookup(from.0, from.1)?;
        if !moved.is_some_and(|ino| self.nodes.get(&ino).is_some_and(Node::is_special)) {
            return self.rename(from, to, true, now);
        }
        if let Some(ino) = self.detach(from.0, from.1) {
            self.attach(to.0, to.1, ino);
            self.seen_to_change(from.0, now);
            self.seen_to_change(to.0, now);
            if let Some(node) = self.nodes.get_mut(&ino) {
                node.ctime = now;
            }
        }
        Ok(())
    }
}
