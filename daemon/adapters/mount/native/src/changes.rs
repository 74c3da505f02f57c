//! What programs do to names and attributes: applied at once, and logged.

use crate::node::{Ino, Kind, Node, Special, Status};
use crate::op::Line;
use crate::table::{Done, Fault, MAX_NAME_BYTES, ROOT, Table, errno};

/// Through such a name one of two goes that change places with each other (shared/model/names.ts).
const SWAP_PREFIX: &str = ".godwit-swap-";

/// What is to be made.
#[derive(Clone, Copy)]
pub enum Made<'a> {
    File(u16),
    Directory(u16),
    Symlink(&'a str),
    /// With its mode. It is not logged.
    Special(Special, u16),
}

/// What of the attributes is to be another; times in nanoseconds.
#[derive(Default)]
pub struct Attributes {
    pub mode: Option<u16>,
    pub mtime: Option<i64>,
    pub atime: Option<i64>,
    /// User and group. They are not logged.
    pub owner: Option<(u32, u32)>,
}

impl Table {
    fn next_seq(&mut self) -> u64 {
        self.seq += 1;
        self.seq
    }

    /// An operation has touched this name, and with it the directory.
    fn touched(&mut self, dir: Ino, name: &str, seq: u64, now: i64) {
        self.entry_ops.insert((dir, name.to_owned()), seq);
        if let Some(node) = self.nodes.get_mut(&dir) {
            node.mtime = now;
            node.ctime = now;
            node.last_op = seq;
        }
    }

    fn changed(&mut self, ino: Ino, seq: u64, now: i64) {
        if let Some(node) = self.nodes.get_mut(&ino) {
            node.ctime = now;
            node.last_op = seq;
        }
    }

    fn key(&self, ino: Ino) -> Done<String> {
        Ok(self.node(ino)?.key.clone())
    }

    /// That something new may have this name.
    fn refuse_taken(&self, dir: Ino, name: &str) -> Done<()> {
        self.refuse_change(dir)?;
        if name.len() > MAX_NAME_BYTES {
            return errno(libc::ENAMETOOLONG);
        }
        if name.is_empty() || name == "." || name == ".." || name.contains(['/', '\0']) {
            return errno(libc::EINVAL);
        }
        if self.children(dir)?.contains_key(name) {
            return errno(libc::EEXIST);
        }
        // It has been removed, and somebody is still in it.
        if self.node(dir)?.links == 0 { errno(libc::ENOENT) } else { Ok(()) }
    }

    pub fn make(&mut self, dir: Ino, name: &str, what: Made<'_>, now: i64) -> Done<Ino> {
        self.refuse_taken(dir, name)?;
        let parent = self.key(dir)?;
        if let Made::Special(special, mode) = what {
            return Ok(self.make_special(dir, name, (special, mode), now));
        }
        let seq = self.next_seq();
        let key = format!("L{seq}");
        let (op, kind, mode, target) = match what {
            Made::File(mode) => ("create", Kind::File, mode, None),
            Made::Directory(mode) => ("mkdir", Kind::Directory, mode, None),
            Made::Symlink(target) => ("symlink", Kind::Symlink, 0o777, Some(target.to_owned())),
            Made::Special(special, mode) => ("special", Kind::Special(special), mode, None),
        };
        let line = Line::op(seq, op).text("dir", &parent).text("name", name).text("key", &key);
        let line = line.number("mode", mode.into()).time("mtime", now).optional("target", target.as_deref());
        self.lines.push(line.end());
        let size = target.as_ref().map_or(0, |target| target.len() as u64);
        let (mtime, version, links, xattrs, mount) = (now, 0, 1, Default::default(), None);
        let mut node = Node::of(Status { key, kind, mode, mtime, size, version, target, xattrs, links, mount });
        node.origin = self.node(dir)?.origin;
        node.last_op = seq;
        node.children = (kind == Kind::Directory).then(Default::default);
        let ino = self.add(node);
        self.attach(dir, name, ino);
        self.touched(dir, name, seq, now);
        Ok(ino)
    }

    pub fn link(&mut self, ino: Ino, dir: Ino, name: &str, now: i64) -> Done<()> {
        self.refuse_taken(dir, name)?;
        let node = self.node(ino)?;
        if node.is_dir() {
            return errno(libc::EPERM);
        }
        self.refuse_across(ino, dir)?;
        if node.links == 0 || node.is_detached {
            return errno(libc::ENOENT);
        }
        if node.is_special() {
            self.link_special(ino, dir, name, now);
            return Ok(());
        }
        let (key, parent) = (node.key.clone(), self.key(dir)?);
        let seq = self.next_seq();
        self.lines.push(
            Line::op(seq, "link").text("key", &key).text("dir", &parent).text("name", name).time("at", now).end(),
        );
        self.node_mut(ino)?.links += 1;
        self.attach(dir, name, ino);
        self.changed(ino, seq, now);
        self.touched(dir, name, seq, now);
        Ok(())
    }

    /// Gives what had the name.
    pub fn remove(&mut self, dir: Ino, name: &str, now: i64) -> Done<Ino> {
        self.refuse_change(dir)?;
        let ino = self.lookup(dir, name)?.ok_or(Fault::Errno(libc::ENOENT))?;
        let node = self.node(ino)?;
        if node.is_dir() {
            return errno(libc::EISDIR);
        }
        if node.is_special() {
            self.remove_special(dir, name, now);
            return Ok(ino);
        }
        let (version, is_own, is_last) = (node.version, node.is_own, node.links <= 1);
        let (key, parent) = (node.key.clone(), self.key(dir)?);
        let seq = self.next_seq();
        let line = Line::op(seq, "remove").text("dir", &parent).text("name", name).text("key", &key);
        let line = line.number("version", version).flag("own", is_own);
        self.lines.push(line.time("at", now).flag("last", is_last).end());
        self.end_name(dir, name, seq, now);
        self.touched(dir, name, seq, now);
        Ok(ino)
    }

    pub fn rmdir(&mut self, dir: Ino, name: &str, now: i64) -> Done<Ino> {
        self.refuse_change(dir)?;
        let ino = self.lookup(dir, name)?.ok_or(Fault::Errno(libc::ENOENT))?;
        self.refuse_mounted(ino)?;
        if !self.children(ino)?.is_empty() {
            return errno(libc::ENOTEMPTY);
        }
        let (key, parent) = (self.key(ino)?, self.key(dir)?);
        let seq = self.next_seq();
        self.lines.push(
            Line::op(seq, "rmdir").text("dir", &parent).text("name", name).text("key", &key).time("at", now).end(),
        );
        self.end_name(dir, name, seq, now);
        self.touched(dir, name, seq, now);
        Ok(ino)
    }

    fn end_name(&mut self, dir: Ino, name: &str, seq: u64, now: i64) {
        let Some(ino) = self.detach(dir, name) else { return };
        if let Some(node) = self.nodes.get_mut(&ino) {
            node.links = if node.is_dir() { 0 } else { node.links.saturating_sub(1) };
        }
        self.changed(ino, seq, now);
        self.drop_if_unused(ino);
    }

    /// `no_replace`: EEXIST where something has the new name.
    pub fn rename(&mut self, from: (Ino, &str), to: (Ino, &str), no_replace: bool, now: i64) -> Done<()> {
        self.refuse_across(from.0, to.0)?;
        self.refuse_change(from.0)?;
        let moved = self.lookup(from.0, from.1)?.ok_or(Fault::Errno(libc::ENOENT))?;
        let over = match self.refuse_taken(to.0, to.1) {
            Ok(()) => None,
            Err(Fault::Errno(libc::EEXIST)) if !no_replace => self.lookup(to.0, to.1)?,
            Err(fault) => return Err(fault),
        };
        let is_dir = self.node(moved)?.is_dir();
        if is_dir && self.is_within(to.0, moved) {
            return errno(libc::EINVAL);
        }
        if let Some(over) = over {
            if over == moved {
                return Ok(());
            }
            self.refuse_mounted(over)?;
            self.refuse_over(is_dir, over)?;
        }
        if self.node(moved)?.origin.is_hidden {
            return errno(libc::EBUSY);
        }
        if self.node(moved)?.is_special()
            || over.is_some_and(|over| self.nodes.get(&over).is_some_and(Node::is_special))
        {
            return self.rename_special(from, to, over.is_some(), now);
        }
        let over_node = over
            .and_then(|ino| self.nodes.get(&ino))
            .map(|node| (node.key.clone(), node.version, node.is_own, node.links <= 1));
        let key = self.node(moved)?.named_as().to_owned();
        let (dir, to_dir) = (self.key(from.0)?, self.key(to.0)?);
        let seq = self.next_seq();
        let line = Line::op(seq, "rename").text("key", &key).text("dir", &dir).text("name", from.1);
        let line = line.text("toDir", &to_dir).text("toName", to.1).time("at", now);
        let line = match over_node {
            Some((over, version, is_own, is_last)) => {
                line.text("over", &over).number("version", version).flag("own", is_own).flag("last", is_last)
            }
            None => line,
        };
        self.lines.push(line.end());
        if over.is_some() {
            self.end_name(to.0, to.1, seq, now);
        }
        self.detach(from.0, from.1);
        self.attach(to.0, to.1, moved);
        self.changed(moved, seq, now);
        self.touched(from.0, from.1, seq, now);
        self.touched(to.0, to.1, seq, now);
        Ok(())
    }

    fn refuse_over(&self, is_dir: bool, over: Ino) -> Done<()> {
        match (is_dir, self.node(over)?.is_dir()) {
            (true, false) => errno(libc::ENOTDIR),
            (false, true) => errno(libc::EISDIR),
            (true, true) if !self.children(over)?.is_empty() => errno(libc::ENOTEMPTY),
            _ => Ok(()),
        }
    }

    /// Two change names. Others may see the moment in which one of them has a third one.
    pub fn exchange(&mut self, one: (Ino, &str), other: (Ino, &str), now: i64) -> Done<()> {
        self.refuse_across(one.0, other.0)?;
        let (a, b) = (self.lookup(one.0, one.1)?, self.lookup(other.0, other.1)?);
        let (Some(a), Some(b)) = (a, b) else { return errno(libc::ENOENT) };
        if [a, b].into_iter().any(|ino| self.nodes.get(&ino).is_some_and(|node| node.origin.is_hidden)) {
            return errno(libc::EBUSY);
        }
        if self.is_within(other.0, a) || self.is_within(one.0, b) {
            return errno(libc::EINVAL);
        }
        let swap = format!("{SWAP_PREFIX}{}", self.seq + 1);
        self.rename(one, (one.0, &swap), true, now)?;
        self.rename(other, one, true, now)?;
        self.rename((one.0, &swap), other, true, now)
    }

    pub fn set_attributes(&mut self, ino: Ino, change: &Attributes, now: i64) -> Done<()> {
        self.refuse_change(ino)?;
        let node = self.node(ino)?;
        let is_kept = node.links > 0 && !node.is_detached && !node.is_special();
        let is_logged = is_kept && (change.mode.is_some() || change.mtime.is_some());
        if is_logged {
            let key = node.key.clone();
            let seq = self.next_seq();
            let mut line = Line::op(seq, "setattr").text("key", &key);
            if let Some(mode) = change.mode {
                line = line.number("mode", mode.into());
            }
            if let Some(mtime) = change.mtime {
                line = line.time("mtime", mtime);
            }
            self.lines.push(line.end());
            self.changed(ino, seq, now);
        }
        let node = self.node_mut(ino)?;
        node.mode = change.mode.unwrap_or(node.mode);
        node.mtime = change.mtime.unwrap_or(node.mtime);
        node.atime = change.atime.unwrap_or(node.atime);
        node.owner = change.owner.or(node.owner);
        node.ctime = now;
        Ok(())
    }

    /// `value` None: the attribute goes.
    pub fn set_xattr(&mut self, ino: Ino, name: &str, value: Option<&[u8]>, now: i64) -> Done<()> {
        self.refuse_change(ino)?;
        let node = self.node_mut(ino)?;
        match value {
            Some(value) => drop(node.xattrs.insert(name.to_owned(), value.to_vec())),
            None if node.xattrs.remove(name).is_none() => return errno(libc::ENODATA),
            None => {}
        }
        node.ctime = now;
        if node.links == 0 || node.is_detached {
            return Ok(());
        }
        let line_of =
            |seq: u64, node: &Node| Line::op(seq, "setattr").text("key", &node.key).xattrs(node.xattrs.iter()).end();
        let seq = self.next_seq();
        let line = line_of(seq, self.node(ino)?);
        self.lines.push(line);
        self.changed(ino, seq, now);
        Ok(())
    }

    /// The file at `path` is about to be written: after a crash it counts as the contents.
    pub fn begin_write(&mut self, ino: Ino, path: &str) -> Done<()> {
        self.refuse_change(ino)?;
        let node = self.node_mut(ino)?;
        node.is_dirty = true;
        node.kept = None;
        if node.links == 0 {
            return Ok(());
        }
        let line = self.contents("writing", ino, path)?;
        self.lines.push(line);
        Ok(())
    }

    pub fn written(&mut self, ino: Ino, size: u64, now: i64) {
        if let Some(node) = self.nodes.get_mut(&ino) {
            node.is_dirty = true;
            node.is_flushed = false;
            node.size = size;
            node.mtime = now;
            node.ctime = now;
        }
    }

    /// What was written to the file at `path` is the contents now, and that file is not written any more. Gives whether anybody gets them.
    pub fn store(&mut self, ino: Ino, path: &str) -> Done<bool> {
        let node = self.node_mut(ino)?;
        node.is_dirty = false;
        node.is_flushed = false;
        if node.links == 0 {
            return Ok(false);
        }
        let line = self.contents("store", ino, path)?;
        let seq = self.seq;
        self.lines.push(line);
        let node = self.node_mut(ino)?;
        node.last_op = seq;
        node.version += 1;
        node.is_own = true;
        if !node.is_detached {
            node.local = Some((path.to_owned(), seq));
        }
        Ok(true)
    }

    fn contents(&mut self, op: &str, ino: Ino, path: &str) -> Done<String> {
        let seq = self.next_seq();
        let node = self.node(ino)?;
        let line = Line::op(seq, op).text("key", &node.key).text("path", path).number("base", node.version);
        let line = line.flag("own", node.is_own).number("size", node.size).time("mtime", node.mtime);
        let place = node.names.first().map(|(dir, name)| (*dir, name.clone()));
        let line = match place {
            Some((dir, name)) => line.text("dir", &self.key(dir)?).text("name", &name),
            None => line,
        };
        Ok(line.end())
    }

    /// Written files that programs have closed, and that somebody has open still.
    pub fn closed_dirty(&self) -> Vec<Ino> {
        self.nodes.iter().filter(|(_, node)| node.is_dirty && node.is_flushed).map(|(ino, _)| *ino).collect()
    }

    /// Each path with what is there, for who compares it with a model.
    pub fn dump(&self) -> Vec<String> {
        let mut all = Vec::new();
        let mut open = vec![(ROOT, String::new())];
        while let Some((dir, above)) = open.pop() {
            let Some(children) = self.nodes.get(&dir).and_then(|node| node.children.as_ref()) else { continue };
            for (name, ino) in children {
                let Some(node) = self.nodes.get(ino) else { continue };
                let path = format!("{above}/{name}");
                let target = node.target.as_deref().unwrap_or("");
                all.push(format!("{path} {:?} {:o} {} {} {target}", node.kind, node.mode, self.links(node), node.key));
                open.push((*ino, path));
            }
        }
        all.sort();
        all
    }
}
