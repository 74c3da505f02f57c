//! What the kernel asks. Everything about known names is answered from the table; what is not here is asked of Node, and the reply parked.

use std::ffi::OsStr;
use std::path::Path;
use std::sync::Arc;
use std::time::SystemTime;

use fuser::{
    BsdFileFlags, Errno, FileHandle, Filesystem, FopenFlags, INodeNo, InitFlags, KernelConfig, LockOwner, OpenFlags,
    RenameFlags, ReplyAttr, ReplyCreate, ReplyData, ReplyDirectory, ReplyDirectoryPlus, ReplyEmpty, ReplyEntry,
    ReplyLseek, ReplyOpen, ReplyStatfs, ReplyWrite, ReplyXattr, Request, TimeOrNow, WriteFlags,
};

use crate::attributes::{file_attr, file_type, missing, nothing};
use crate::calls_files::{Wanted, create, made_of, make, open, permissions, set_attributes, set_xattr};
use crate::changes::Made;
use crate::files::code;
use crate::mount::{Mount, now};
use crate::replies::{
    GENERATION, TTL, fail, owned, reply_attr, reply_data, reply_empty, reply_entry, text, when_listed,
};
use crate::spool::{allocate, number, seek};

pub struct Calls(pub Arc<Mount>);

impl Filesystem for Calls {
    fn init(&mut self, _req: &Request, config: &mut KernelConfig) -> std::io::Result<()> {
        for wanted in [
            InitFlags::FUSE_ATOMIC_O_TRUNC,
            InitFlags::FUSE_PARALLEL_DIROPS,
            InitFlags::FUSE_DO_READDIRPLUS | InitFlags::FUSE_READDIRPLUS_AUTO,
        ] {
            // A kernel that lacks one goes without.
            let _ = config.add_capabilities(wanted);
        }
        Ok(())
    }

    fn lookup(&self, req: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEntry) {
        let Ok(name) = owned(name) else { return reply.error(Errno::ENOENT) };
        let changes = self.0.with(|state| state.table.look_again(parent.0, Some(&name)));
        when_listed(
            &self.0,
            req.pid(),
            move |mount| mount.with(|state| state.table.lookup(parent.0, &name)),
            move |mount, found| match found {
                Ok(Some(ino)) => reply_entry(mount, reply, Ok(ino)),
                Ok(None) if changes => reply.error(Errno::ENOENT),
                Ok(None) => reply.entry(&TTL, &missing(), GENERATION),
                Err(code) => reply.error(fail(code)),
            },
        );
    }

    fn forget(&self, _req: &Request, ino: INodeNo, nlookup: u64) {
        self.0.with(|state| state.table.forget(ino.0, nlookup));
    }

    fn getattr(&self, _req: &Request, ino: INodeNo, _fh: Option<FileHandle>, reply: ReplyAttr) {
        reply_attr(&self.0, reply, ino.0);
    }

    fn setattr(
        &self,
        req: &Request,
        ino: INodeNo,
        mode: Option<u32>,
        uid: Option<u32>,
        gid: Option<u32>,
        size: Option<u64>,
        atime: Option<TimeOrNow>,
        mtime: Option<TimeOrNow>,
        _ctime: Option<SystemTime>,
        fh: Option<FileHandle>,
        _crtime: Option<SystemTime>,
        _chgtime: Option<SystemTime>,
        _bkuptime: Option<SystemTime>,
        _flags: Option<BsdFileFlags>,
        reply: ReplyAttr,
    ) {
        let wanted = Wanted { mode, uid, gid, size, atime, mtime, handle: fh };
        set_attributes(&self.0, req.pid(), ino.0, wanted, reply);
    }

    fn readlink(&self, _req: &Request, ino: INodeNo, reply: ReplyData) {
        let target = self.0.with(|state| state.table.node(ino.0).ok().and_then(|node| node.target.clone()));
        match target {
            Some(target) => reply.data(target.as_bytes()),
            None => reply.error(Errno::EINVAL),
        }
    }

    fn mknod(
        &self,
        req: &Request,
        parent: INodeNo,
        name: &OsStr,
        mode: u32,
        _umask: u32,
        rdev: u32,
        reply: ReplyEntry,
    ) {
        let Ok(name) = owned(name) else { return reply.error(Errno::EILSEQ) };
        let Some(what) = made_of(mode, rdev) else { return reply.error(Errno::EPERM) };
        let owner = (req.uid(), req.gid());
        when_listed(
            &self.0,
            req.pid(),
            move |mount| make(mount, parent.0, &name, what, owner),
            move |mount, made| {
                let is_file = matches!(what, Made::File(_));
                let stored = made.and_then(|ino| {
                    if is_file { mount.truncate(ino, Arc::new(nothing()?), 0).map(|()| ino) } else { Ok(ino) }
                });
                reply_entry(mount, reply, stored);
            },
        );
    }

    fn mkdir(&self, req: &Request, parent: INodeNo, name: &OsStr, mode: u32, _umask: u32, reply: ReplyEntry) {
        let Ok(name) = owned(name) else { return reply.error(Errno::EILSEQ) };
        let owner = (req.uid(), req.gid());
        when_listed(
            &self.0,
            req.pid(),
            move |mount| make(mount, parent.0, &name, Made::Directory(permissions(mode)), owner),
            move |mount, made| reply_entry(mount, reply, made),
        );
    }

    fn symlink(&self, req: &Request, parent: INodeNo, name: &OsStr, target: &Path, reply: ReplyEntry) {
        let (Ok(name), Ok(target)) = (owned(name), owned(target.as_os_str())) else {
            return reply.error(Errno::EILSEQ);
        };
        let owner = (req.uid(), req.gid());
        when_listed(
            &self.0,
            req.pid(),
            move |mount| make(mount, parent.0, &name, Made::Symlink(&target), owner),
            move |mount, made| reply_entry(mount, reply, made),
        );
    }

    fn link(&self, req: &Request, ino: INodeNo, newparent: INodeNo, newname: &OsStr, reply: ReplyEntry) {
        let Ok(name) = owned(newname) else { return reply.error(Errno::EILSEQ) };
        when_listed(
            &self.0,
            req.pid(),
            move |mount| mount.with(|state| state.table.link(ino.0, newparent.0, &name, now())).map(|()| ino.0),
            move |mount, made| reply_entry(mount, reply, made),
        );
    }

    fn unlink(&self, req: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        let Ok(name) = owned(name) else { return reply.error(Errno::ENOENT) };
        when_listed(
            &self.0,
            req.pid(),
            move |mount| mount.with(|state| state.table.remove(parent.0, &name, now())),
            move |_, done| reply_empty(reply, done.map(drop)),
        );
    }

    fn rmdir(&self, req: &Request, parent: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        let Ok(name) = owned(name) else { return reply.error(Errno::ENOENT) };
        when_listed(
            &self.0,
            req.pid(),
            move |mount| mount.with(|state| state.table.rmdir(parent.0, &name, now())),
            move |_, done| reply_empty(reply, done.map(drop)),
        );
    }

    fn rename(
        &self,
        req: &Request,
        parent: INodeNo,
        name: &OsStr,
        newparent: INodeNo,
        newname: &OsStr,
        flags: RenameFlags,
        reply: ReplyEmpty,
    ) {
        let (Ok(from), Ok(to)) = (owned(name), owned(newname)) else { return reply.error(Errno::EILSEQ) };
        if flags.contains(RenameFlags::RENAME_WHITEOUT) {
            return reply.error(Errno::EINVAL);
        }
        let work = move |mount: &Arc<Mount>| {
            let (from, to) = ((parent.0, from.as_str()), (newparent.0, to.as_str()));
            mount.with(|state| {
                if flags.contains(RenameFlags::RENAME_EXCHANGE) {
                    return state.table.exchange(from, to, now());
                }
                state.table.rename(from, to, flags.contains(RenameFlags::RENAME_NOREPLACE), now())
            })
        };
        when_listed(&self.0, req.pid(), work, move |_, done| reply_empty(reply, done));
    }

    fn open(&self, req: &Request, ino: INodeNo, flags: OpenFlags, reply: ReplyOpen) {
        open(&self.0, req.pid(), (ino.0, flags.0), reply);
    }

    fn read(
        &self,
        _req: &Request,
        _ino: INodeNo,
        fh: FileHandle,
        offset: u64,
        size: u32,
        _flags: OpenFlags,
        _owner: Option<LockOwner>,
        reply: ReplyData,
    ) {
        match self.0.read(fh.0, offset, size) {
            Ok(bytes) => reply.data(&bytes),
            Err(code) => reply.error(fail(code)),
        }
    }

    fn write(
        &self,
        _req: &Request,
        _ino: INodeNo,
        fh: FileHandle,
        offset: u64,
        data: &[u8],
        _write_flags: WriteFlags,
        _flags: OpenFlags,
        _owner: Option<LockOwner>,
        reply: ReplyWrite,
    ) {
        use std::os::unix::fs::FileExt;
        let written = self
            .0
            .handle(fh.0)
            .and_then(|handle| self.0.change(handle.ino, &handle.body, false, |file| file.write_all_at(data, offset)));
        match written {
            Ok(()) => reply.written(u32::try_from(data.len()).unwrap_or(u32::MAX)),
            Err(code) => reply.error(fail(code)),
        }
    }

    fn flush(&self, _req: &Request, _ino: INodeNo, fh: FileHandle, _owner: LockOwner, reply: ReplyEmpty) {
        let Ok(handle) = self.0.handle(fh.0) else { return reply.ok() };
        self.0.flushed(&handle);
        let unlogged = self.0.with(|state| state.table.unlogged).filter(|_| handle.writes);
        reply_empty(reply, unlogged.map_or(Ok(()), Err));
    }

    fn release(
        &self,
        _req: &Request,
        _ino: INodeNo,
        fh: FileHandle,
        _flags: OpenFlags,
        _owner: Option<LockOwner>,
        _flush: bool,
        reply: ReplyEmpty,
    ) {
        self.0.release(fh.0);
        reply.ok();
    }

    fn fsync(&self, _req: &Request, _ino: INodeNo, fh: FileHandle, _datasync: bool, reply: ReplyEmpty) {
        let done = self.0.handle(fh.0).and_then(|handle| {
            let file = crate::lock::hold(&handle.body).file.clone();
            file.sync_data().and_then(|()| self.0.log.sync()).map_err(|error| number(&error))
        });
        reply_empty(reply, done);
    }

    fn opendir(&self, req: &Request, ino: INodeNo, _flags: OpenFlags, reply: ReplyOpen) {
        self.0.with(|state| state.table.look_again(ino.0, None));
        when_listed(
            &self.0,
            req.pid(),
            move |mount| {
                mount.with(|state| {
                    state.table.children(ino.0)?;
                    state.next += 1;
                    state.listings.insert(state.next, None);
                    Ok(state.next)
                })
            },
            move |_, opened| match opened {
                Ok(handle) => reply.opened(FileHandle(handle), FopenFlags::empty()),
                Err(code) => reply.error(fail(code)),
            },
        );
    }

    fn readdir(&self, _req: &Request, ino: INodeNo, fh: FileHandle, offset: u64, mut reply: ReplyDirectory) {
        let Some(listing) = self.0.listing(ino.0, fh.0, offset) else { return reply.error(Errno::EBADF) };
        for (index, (name, at, kind)) in listing.iter().enumerate().skip(usize::try_from(offset).unwrap_or(usize::MAX))
        {
            if reply.add(INodeNo(*at), index as u64 + 1, file_type(*kind), name) {
                break;
            }
        }
        reply.ok();
    }

    fn readdirplus(&self, _req: &Request, ino: INodeNo, fh: FileHandle, offset: u64, mut reply: ReplyDirectoryPlus) {
        let Some(listing) = self.0.listing(ino.0, fh.0, offset) else { return reply.error(Errno::EBADF) };
        self.0.with(|state| {
            for (index, (name, at, _)) in listing.iter().enumerate().skip(usize::try_from(offset).unwrap_or(usize::MAX))
            {
                // It may have gone since the directory was read.
                let Ok(attr) = file_attr(&self.0, &state.table, *at) else { continue };
                if reply.add(INodeNo(*at), index as u64 + 1, name, &TTL, &attr, GENERATION) {
                    break;
                }
                if index >= 2 {
                    state.table.told(*at);
                }
            }
        });
        reply.ok();
    }

    fn releasedir(&self, _req: &Request, _ino: INodeNo, fh: FileHandle, _flags: OpenFlags, reply: ReplyEmpty) {
        self.0.with(|state| state.listings.remove(&fh.0));
        reply.ok();
    }

    fn fsyncdir(&self, _req: &Request, _ino: INodeNo, _fh: FileHandle, _datasync: bool, reply: ReplyEmpty) {
        reply_empty(reply, self.0.log.sync().map_err(|error| number(&error)));
    }

    fn statfs(&self, _req: &Request, _ino: INodeNo, reply: ReplyStatfs) {
        match self.0.spool.statvfs() {
            Ok(at) => {
                let size = u32::try_from(at.f_bsize).unwrap_or(4096);
                let fragment = u32::try_from(at.f_frsize).unwrap_or(4096);
                reply.statfs(at.f_blocks, at.f_bfree, at.f_bavail, at.f_files, at.f_ffree, size, 255, fragment);
            }
            Err(error) => reply.error(fail(number(&error))),
        }
    }

    fn setxattr(
        &self,
        _req: &Request,
        ino: INodeNo,
        name: &OsStr,
        value: &[u8],
        flags: i32,
        _position: u32,
        reply: ReplyEmpty,
    ) {
        let done = text(name).and_then(|name| set_xattr(&self.0, ino.0, name, value, flags));
        reply_empty(reply, done);
    }

    fn getxattr(&self, _req: &Request, ino: INodeNo, name: &OsStr, size: u32, reply: ReplyXattr) {
        let found = text(name).and_then(|name| {
            self.0.with(|state| {
                let node = state.table.node(ino.0).map_err(code)?;
                node.xattrs.get(name).cloned().ok_or(libc::ENODATA)
            })
        });
        reply_data(reply, size, found);
    }

    fn listxattr(&self, _req: &Request, ino: INodeNo, size: u32, reply: ReplyXattr) {
        let found = self.0.with(|state| {
            let node = state.table.node(ino.0).map_err(code)?;
            Ok(node.xattrs.keys().flat_map(|name| name.bytes().chain([0])).collect())
        });
        reply_data(reply, size, found);
    }

    fn removexattr(&self, _req: &Request, ino: INodeNo, name: &OsStr, reply: ReplyEmpty) {
        let done = text(name)
            .and_then(|name| self.0.with(|state| state.table.set_xattr(ino.0, name, None, now()).map_err(code)));
        reply_empty(reply, done);
    }

    fn create(
        &self,
        req: &Request,
        parent: INodeNo,
        name: &OsStr,
        mode: u32,
        _umask: u32,
        flags: i32,
        reply: ReplyCreate,
    ) {
        let Ok(name) = owned(name) else { return reply.error(Errno::EILSEQ) };
        create(&self.0, req, (parent.0, name), (mode, flags), reply);
    }

    fn fallocate(
        &self,
        _req: &Request,
        _ino: INodeNo,
        fh: FileHandle,
        offset: u64,
        length: u64,
        mode: i32,
        reply: ReplyEmpty,
    ) {
        let done = self.0.handle(fh.0).and_then(|handle| {
            self.0.change(handle.ino, &handle.body, false, |file| allocate(file, mode, offset, length))
        });
        reply_empty(reply, done);
    }

    fn lseek(&self, _req: &Request, _ino: INodeNo, fh: FileHandle, offset: i64, whence: i32, reply: ReplyLseek) {
        let found = self.0.handle(fh.0).and_then(|handle| {
            let body = crate::lock::hold(&handle.body);
            seek(&body.file, offset, whence).map_err(|error| number(&error))
        });
        match found {
            Ok(offset) => reply.offset(offset),
            Err(code) => reply.error(fail(code)),
        }
    }
}
