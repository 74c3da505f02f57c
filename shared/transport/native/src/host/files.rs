//! Clocks, times, renames, reflinks, locks and directories.

use std::fs::{File, OpenOptions};
use std::io;
use std::mem::ManuallyDrop;
use std::os::fd::{AsRawFd, FromRawFd, IntoRawFd, RawFd};
use std::os::unix::fs::OpenOptionsExt;

use super::copy::open_file;
use super::error::{check, of_errno};
use super::inode::{InodePath, facts};

/// Milliseconds since boot, suspend included.
pub fn boot_time_ms() -> f64 {
    #[cfg(target_os = "linux")]
    const CLOCK: libc::clockid_t = libc::CLOCK_BOOTTIME;
    // On macOS CLOCK_MONOTONIC goes on while the machine sleeps.
    #[cfg(not(target_os = "linux"))]
    const CLOCK: libc::clockid_t = libc::CLOCK_MONOTONIC;
    let mut time = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: the clock exists and the structure is ours.
    unsafe { libc::clock_gettime(CLOCK, &mut time) };
    time.tv_sec as f64 * 1e3 + time.tv_nsec as f64 / 1e6
}

/// Sets the modification time, of a symlink itself where `path` is one, of what is open where it is the path of that. Times before 1970 are
/// negative. What a file system can't keep it cuts by itself.
pub fn set_mtime(path: &str, nanoseconds: i64) -> io::Result<()> {
    const SECOND: i64 = 1_000_000_000;
    let omitted = libc::timespec { tv_sec: 0, tv_nsec: libc::UTIME_OMIT };
    let mtime = libc::timespec { tv_sec: nanoseconds.div_euclid(SECOND), tv_nsec: nanoseconds.rem_euclid(SECOND) };
    let path = InodePath::new(path)?;
    set_times(&path, [omitted, mtime])?;
    // A file system of FUSE 2 takes both times or, without a word, none.
    let there = facts(&path)?;
    if (i128::from(there.st_mtime) - i128::from(mtime.tv_sec)).abs() <= COARSEST_SECONDS {
        return Ok(());
    }
    let atime = libc::timespec { tv_sec: there.st_atime, tv_nsec: there.st_atime_nsec };
    set_times(&path, [atime, mtime])
}

/// How far a time may be from what was set where file systems keep them coarsely: two seconds on FAT.
const COARSEST_SECONDS: i128 = 2;

fn set_times(path: &InodePath, times: [libc::timespec; 2]) -> io::Result<()> {
    // SAFETY: path and times outlive the call.
    check(unsafe { libc::utimensat(libc::AT_FDCWD, path.text.as_ptr(), times.as_ptr(), path.at_flags()) })?;
    Ok(())
}

#[derive(Clone, Copy)]
pub enum Rename {
    /// EEXIST where the new name exists.
    NoReplace,
    /// Both names must exist; they are swapped in one step.
    Exchange,
}

#[cfg(target_os = "linux")]
pub fn rename(from: &str, to: &str, how: Rename) -> io::Result<()> {
    let (from, to) = (InodePath::new(from)?, InodePath::new(to)?);
    let flags = match how {
        Rename::NoReplace => libc::RENAME_NOREPLACE,
        Rename::Exchange => libc::RENAME_EXCHANGE,
    };
    // SAFETY: both paths outlive the call.
    match check(unsafe { libc::renameat2(libc::AT_FDCWD, from.text.as_ptr(), libc::AT_FDCWD, to.text.as_ptr(), flags) }) {
        Err(error) if flags == libc::RENAME_NOREPLACE && lacks_call(&error) => rename_without_flag(&from, &to),
        result => result.map(|_| ()),
    }
}

#[cfg(not(target_os = "linux"))]
pub fn rename(from: &str, to: &str, how: Rename) -> io::Result<()> {
    match how {
        Rename::NoReplace => rename_without_flag(&InodePath::new(from)?, &InodePath::new(to)?),
        Rename::Exchange => Err(of_errno(libc::ENOTSUP)),
    }
}

/// The errors of a file system, or of an old kernel, for a call or a flag that it does not know.
fn lacks_call(error: &io::Error) -> bool {
    error
        .raw_os_error()
        .is_some_and(|code| [libc::EINVAL, libc::ENOSYS, libc::ENOTSUP, libc::EOPNOTSUPP].contains(&code))
}

/// As RENAME_NOREPLACE, where there is none. A second name never replaces one that is there, so a file gets that, and then loses the first. A
/// directory can not replace more than an empty one. Where there are no second names, a look comes right before the rename.
fn rename_without_flag(from: &InodePath, to: &InodePath) -> io::Result<()> {
    let there = facts(from)?;
    if there.st_mode & libc::S_IFMT != libc::S_IFDIR {
        // SAFETY: both paths outlive the call.
        let linked = check(unsafe { libc::linkat(libc::AT_FDCWD, from.text.as_ptr(), libc::AT_FDCWD, to.text.as_ptr(), 0) });
        match linked {
            // SAFETY: as above.
            Ok(_) => return check(unsafe { libc::unlink(from.text.as_ptr()) }).map(|_| ()),
            Err(error) if error.raw_os_error() == Some(libc::EEXIST) => return Err(error),
            // No hard links, or none of this one: the rename reports other errors.
            Err(_) => {}
        }
    }
    match facts(to) {
        Ok(_) => return Err(of_errno(libc::EEXIST)),
        Err(error) if error.raw_os_error() == Some(libc::ENOENT) => {}
        Err(error) => return Err(error),
    }
    // SAFETY: as above.
    check(unsafe { libc::rename(from.text.as_ptr(), to.text.as_ptr()) }).map(|_| ())
}

/// Makes a new file; fails if one exists.
pub fn create_new(path: &str) -> io::Result<File> {
    OpenOptions::new().write(true).create_new(true).mode(0o600).open(path)
}

/// Copies by sharing the blocks. On failure nothing is left at `to`.
pub fn reflink(from: &str, to: &str) -> io::Result<()> {
    let source = open_file(from)?;
    let copy = create_new(to)?;
    clone_blocks(&source, &copy).inspect_err(|_| {
        let _ = std::fs::remove_file(to);
    })
}

#[cfg(target_os = "linux")]
pub fn clone_blocks(from: &File, to: &File) -> io::Result<()> {
    // SAFETY: both descriptors are open for the length of the call.
    let result = check(unsafe { libc::ioctl(to.as_raw_fd(), libc::FICLONE as _, from.as_raw_fd()) });
    match result {
        // A file system that doesn't know the call at all says so with ENOTTY.
        Err(error) if error.raw_os_error() == Some(libc::ENOTTY) => Err(of_errno(libc::ENOTSUP)),
        Err(error) => Err(error),
        Ok(_) => Ok(()),
    }
}

#[cfg(not(target_os = "linux"))]
pub fn clone_blocks(_from: &File, _to: &File) -> io::Result<()> {
    Err(of_errno(libc::ENOTSUP))
}

/// The descriptor that holds the lock; `None` if another process has it.
pub fn lock_file(path: &str) -> io::Result<Option<RawFd>> {
    let mut options = OpenOptions::new();
    let file = options.read(true).write(true).create(true).truncate(false).mode(0o600).open(path)?;
    // SAFETY: the descriptor is open for the length of the call.
    match check(unsafe { libc::flock(file.as_raw_fd(), libc::LOCK_EX | libc::LOCK_NB) }) {
        Ok(_) => Ok(Some(file.into_raw_fd())),
        Err(error) if error.kind() == io::ErrorKind::WouldBlock => Ok(None),
        Err(error) => Err(error),
    }
}

/// Gives back a lock taken by `lock_file`.
pub fn unlock_file(fd: RawFd) -> io::Result<()> {
    // SAFETY: the caller hands over a descriptor that is its own.
    check(unsafe { libc::close(fd) })?;
    Ok(())
}

/// Which signal announces the break of a lease (`fcntl(2)`); the libc crate has no name for it.
#[cfg(target_os = "linux")]
const F_SETSIG: libc::c_int = 10;

/// Whether a process has a file open to write, or maps it so; `None`: unknown.
///
/// The kernel grants a read lease only if none has, and it is given back at once. A process that opens the file to write in between waits; the
/// signal of the break is one that does nothing.
#[cfg(target_os = "linux")]
pub fn is_being_written(path: &str) -> io::Result<Option<bool>> {
    let flags = libc::O_NONBLOCK | libc::O_CLOEXEC;
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    Ok(is_open_to_write(&file))
}

/// The same of a file that is open here to read.
#[cfg(target_os = "linux")]
pub fn is_open_to_write(file: &File) -> Option<bool> {
    let fd = file.as_raw_fd();
    // SAFETY: the descriptor is open for the length of these calls.
    let lease = unsafe {
        check(libc::fcntl(fd, F_SETSIG, libc::SIGURG))
            .and_then(|_| check(libc::fcntl(fd, libc::F_SETLEASE, libc::F_RDLCK)))
    };
    match lease {
        Ok(_) => {
            // SAFETY: as above. Closing the file ends the lease in any case.
            unsafe { libc::fcntl(fd, libc::F_SETLEASE, libc::F_UNLCK) };
            Some(false)
        }
        Err(error) if error.raw_os_error() == Some(libc::EAGAIN) => Some(true),
        // Another owner's, or a file system without leases.
        Err(_) => None,
    }
}

#[cfg(not(target_os = "linux"))]
pub fn is_being_written(path: &str) -> io::Result<Option<bool>> {
    File::open(path).map(|_| None)
}

#[cfg(not(target_os = "linux"))]
pub fn is_open_to_write(_file: &File) -> Option<bool> {
    None
}

/// A file system that can not sync a directory keeps its names some other way, or not at all: nothing is left to do.
pub fn sync_directory(path: &str) -> io::Result<()> {
    match OpenOptions::new().read(true).custom_flags(libc::O_DIRECTORY).open(path)?.sync_all() {
        Err(error) if lacks_call(&error) => Ok(()),
        result => result,
    }
}

/// Makes a file (its length too) or a directory durable. Gives the length.
pub fn sync_path(path: &str) -> io::Result<u64> {
    let file = open_to_sync(path)?;
    file.sync_all()?;
    Ok(file.metadata()?.len())
}

/// A FIFO in its place must not be waited for, and a device must not be woken.
fn open_to_sync(path: &str) -> io::Result<File> {
    let flags = libc::O_NONBLOCK | libc::O_NOCTTY;
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    let kind = file.metadata()?.file_type();
    if kind.is_file() || kind.is_dir() { Ok(file) } else { Err(of_errno(libc::EINVAL)) }
}

/// The bytes of an open file, and the length, are on the disk (fdatasync; all the way, where the system has more than one word for it).
pub fn sync_data(fd: RawFd) -> io::Result<()> {
    // SAFETY: the caller keeps the descriptor open for the length of the call, and this does not close it.
    let file = ManuallyDrop::new(unsafe { File::from_raw_fd(fd) });
    file.sync_data()
}

/// The same of many, in their order. The disk has begun with all of them before the first is waited for, so that they share what a
/// sync costs.
pub fn sync_paths(paths: &[String]) -> Vec<io::Result<u64>> {
    let files: Vec<io::Result<File>> = paths.iter().map(|path| open_to_sync(path)).collect();
    if files.len() > 1 {
        files.iter().flatten().for_each(|file| begin_writeback(file, 0, 0));
    }
    let sync = |file: File| {
        file.sync_all()?;
        Ok(file.metadata()?.len())
    };
    files.into_iter().map(|file| file.and_then(sync)).collect()
}

/// Bytes of a file that is being written go to the disk in steps of this, so that the sync at its end finds little to do: the disk
/// works while the next bytes are read, hashed and copied.
const WRITE_BEHIND: u64 = 8 * 1024 * 1024;

/// So much of a file stays in memory as it is written. What is further behind is given back when it is on the disk: a long file would drive out
/// what others use, and memory that the machine has not used of late is slow to write to, so the same few pages serve all of it.
const KEPT_BEHIND: u64 = 32 * 1024 * 1024;

/// Which pages of a file that is being written stay in memory.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Keep {
    /// All: it is read next.
    All,
    /// The last; and the writer waits for the disk, so that there are no more.
    Few,
    /// The last, and those that the disk has not written yet: no waiting.
    Unwritten,
}

/// Called after each write: sends a file that is written from its beginning to the disk as it grows.
pub struct WriteBehind {
    keep: Keep,
    begun: u64,
    given_back: u64,
}

impl WriteBehind {
    pub fn new(keep: Keep) -> WriteBehind {
        WriteBehind { keep, begun: 0, given_back: 0 }
    }

    /// The file has this many bytes by now. A hint, and what it can't do is left to the sync; but who waits for the disk is told here, and nobody
    /// else after that, what could not be written.
    pub fn written(&mut self, file: &File, length: u64) -> io::Result<()> {
        if length - self.begun < WRITE_BEHIND {
            return Ok(());
        }
        begin_writeback(file, self.begun, length - self.begun);
        self.begun = length;
        let behind = length.saturating_sub(KEPT_BEHIND);
        if self.keep == Keep::All || behind == 0 {
            return Ok(());
        }
        // What was not on the disk the last time may be by now.
        let from = if self.keep == Keep::Few { self.given_back } else { behind.saturating_sub(KEPT_BEHIND) };
        self.given_back = behind;
        if self.keep == Keep::Few {
            wait_for_writeback(file, from, behind - from)?;
        }
        give_back(file, from, behind - from);
        Ok(())
    }
}

#[cfg(target_os = "linux")]
fn begin_writeback(file: &File, from: u64, length: u64) {
    // SAFETY: the descriptor is open for the length of the call.
    unsafe {
        libc::sync_file_range(file.as_raw_fd(), from.cast_signed(), length.cast_signed(), libc::SYNC_FILE_RANGE_WRITE)
    };
}

#[cfg(not(target_os = "linux"))]
fn begin_writeback(_file: &File, _from: u64, _length: u64) {}

/// The kernel reports an error of the disk once for each open file: it must not be lost here.
#[cfg(target_os = "linux")]
fn wait_for_writeback(file: &File, from: u64, length: u64) -> io::Result<()> {
    const WAIT: libc::c_uint =
        libc::SYNC_FILE_RANGE_WAIT_BEFORE | libc::SYNC_FILE_RANGE_WRITE | libc::SYNC_FILE_RANGE_WAIT_AFTER;
    // SAFETY: the descriptor is open for the length of the call.
    let result =
        check(unsafe { libc::sync_file_range(file.as_raw_fd(), from.cast_signed(), length.cast_signed(), WAIT) });
    match result {
        Err(error) if matches!(error.raw_os_error(), Some(libc::EIO | libc::ENOSPC | libc::EDQUOT)) => Err(error),
        // A file system that has no such call.
        _ => Ok(()),
    }
}

#[cfg(not(target_os = "linux"))]
fn wait_for_writeback(_file: &File, _from: u64, _length: u64) -> io::Result<()> {
    Ok(())
}

/// Lets the pages go that are on the disk: `length` bytes, or (0) all that follow.
#[cfg(target_os = "linux")]
pub fn give_back(file: &File, from: u64, length: u64) {
    // SAFETY: the descriptor is open for the length of the call.
    unsafe {
        libc::posix_fadvise(file.as_raw_fd(), from.cast_signed(), length.cast_signed(), libc::POSIX_FADV_DONTNEED)
    };
}

#[cfg(not(target_os = "linux"))]
pub fn give_back(_file: &File, _from: u64, _length: u64) {}

pub struct Credentials {
    pub pid: i32,
    pub uid: u32,
    pub gid: u32,
}

#[cfg(target_os = "linux")]
pub fn peer_credentials(fd: RawFd) -> io::Result<Credentials> {
    let mut credentials = libc::ucred { pid: 0, uid: 0, gid: 0 };
    let mut length = size_of::<libc::ucred>() as libc::socklen_t;
    // SAFETY: the buffer has `length` bytes.
    check(unsafe {
        libc::getsockopt(fd, libc::SOL_SOCKET, libc::SO_PEERCRED, (&raw mut credentials).cast(), &mut length)
    })?;
    Ok(Credentials { pid: credentials.pid, uid: credentials.uid, gid: credentials.gid })
}

#[cfg(not(target_os = "linux"))]
pub fn peer_credentials(_fd: RawFd) -> io::Result<Credentials> {
    Err(of_errno(libc::ENOTSUP))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs;
    use std::path::PathBuf;

    struct Folder(PathBuf);

    impl Folder {
        fn new(name: &str) -> Folder {
            let path = std::env::temp_dir().join(format!("godwit-files-{}-{name}", std::process::id()));
            let _ = fs::remove_dir_all(&path);
            fs::create_dir_all(&path).unwrap();
            Folder(path)
        }

        fn at(&self, name: &str) -> PathBuf {
            self.0.join(name)
        }

        /// As on a file system that knows no flag.
        fn rename(&self, from: &str, to: &str) -> Option<i32> {
            let [from, to] = [from, to].map(|name| InodePath::new(self.at(name).to_str().unwrap()).unwrap());
            rename_without_flag(&from, &to).err().and_then(|error| error.raw_os_error())
        }

        fn names(&self) -> Vec<String> {
            let names = fs::read_dir(&self.0).unwrap().map(|entry| entry.unwrap().file_name().into_string().unwrap());
            let mut names: Vec<String> = names.collect();
            names.sort();
            names
        }
    }

    impl Drop for Folder {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn without_the_flag_everything_is_renamed() {
        let folder = Folder::new("renamed");
        fs::write(folder.at("file"), "text").unwrap();
        fs::create_dir(folder.at("dir")).unwrap();
        std::os::unix::fs::symlink("nowhere", folder.at("link")).unwrap();
        for name in ["file", "dir", "link"] {
            assert_eq!(folder.rename(name, &format!("new {name}")), None);
        }
        assert_eq!(folder.names(), ["new dir", "new file", "new link"]);
        assert_eq!(fs::read_to_string(folder.at("new file")).unwrap(), "text");
        assert_eq!(fs::read_link(folder.at("new link")).unwrap().to_str(), Some("nowhere"));
    }

    #[test]
    fn without_the_flag_nothing_is_replaced() {
        let folder = Folder::new("replaced");
        for there in ["file", "dir", "dangling"] {
            fs::write(folder.at("new"), "new").unwrap();
            fs::create_dir(folder.at("new dir")).unwrap();
            match there {
                "file" => fs::write(folder.at(there), "old").unwrap(),
                "dir" => fs::create_dir(folder.at(there)).unwrap(),
                _ => std::os::unix::fs::symlink("nowhere", folder.at(there)).unwrap(),
            }
            assert_eq!(folder.rename("new", there), Some(libc::EEXIST));
            assert_eq!(folder.rename("new dir", there), Some(libc::EEXIST));
            fs::remove_dir(folder.at("new dir")).unwrap();
        }
        assert_eq!(fs::read_to_string(folder.at("file")).unwrap(), "old");
        assert_eq!(folder.rename("none", "other"), Some(libc::ENOENT));
        assert_eq!(folder.rename("new", "none/other"), Some(libc::ENOENT));
        assert_eq!(folder.names(), ["dangling", "dir", "file", "new"]);
    }

    #[test]
    fn a_time_is_set_and_the_other_stays() {
        let folder = Folder::new("times");
        fs::write(folder.at("file"), "text").unwrap();
        let path = folder.at("file");
        let before = facts(&InodePath::new(path.to_str().unwrap()).unwrap()).unwrap();
        set_mtime(path.to_str().unwrap(), -1_500_000_000).unwrap();
        let after = facts(&InodePath::new(path.to_str().unwrap()).unwrap()).unwrap();
        assert_eq!((after.st_mtime, after.st_mtime_nsec), (-2, 500_000_000));
        assert_eq!((after.st_atime, after.st_atime_nsec), (before.st_atime, before.st_atime_nsec));
    }
}
