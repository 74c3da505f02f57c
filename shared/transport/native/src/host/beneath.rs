//! Opens what is beneath a directory, never leaving it and never following a link, in one step (openat2).

use std::fs::OpenOptions;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, IntoRawFd, OwnedFd, RawFd};
use std::os::unix::fs::OpenOptionsExt;

use super::error::{c_path, check, of_errno};

#[derive(Clone, Copy, PartialEq)]
pub enum Kind {
    Directory,
    File,
}

/// A descriptor that stands for the directory or file (O_PATH): nothing was read, woken or blocked by opening it.
#[cfg(target_os = "linux")]
pub fn open_beneath(root: &str, path: &str, kind: Kind) -> io::Result<RawFd> {
    let root = OpenOptions::new().read(true).custom_flags(libc::O_PATH | libc::O_DIRECTORY).open(root)?;
    let path = c_path(if path.is_empty() { "." } else { path })?;
    let directory = if kind == Kind::Directory { libc::O_DIRECTORY } else { 0 };
    // SAFETY: all bits zero is a valid value of this structure.
    let mut how: libc::open_how = unsafe { std::mem::zeroed() };
    how.flags = (libc::O_PATH | libc::O_CLOEXEC | libc::O_NOFOLLOW | directory) as u64;
    how.resolve = libc::RESOLVE_BENEATH | libc::RESOLVE_NO_SYMLINKS;
    // SAFETY: path and structure outlive the call, and the size is the structure's.
    let result = unsafe {
        libc::syscall(libc::SYS_openat2, root.as_raw_fd(), path.as_ptr(), &raw const how, size_of::<libc::open_how>())
    };
    let fd = check(result as i32)?;
    // SAFETY: the descriptor is new, and has no other owner.
    let opened = unsafe { OwnedFd::from_raw_fd(fd) };
    if kind == Kind::File {
        require_file(fd)?;
    }
    Ok(opened.into_raw_fd())
}

#[cfg(not(target_os = "linux"))]
pub fn open_beneath(_root: &str, _path: &str, _kind: Kind) -> io::Result<RawFd> {
    Err(of_errno(libc::ENOSYS))
}

/// Names what else it is: a link, a directory, or something whose contents are no bytes to keep.
#[cfg(target_os = "linux")]
fn require_file(fd: RawFd) -> io::Result<()> {
    // SAFETY: all bits zero is a valid value of this structure.
    let mut stat: libc::stat = unsafe { std::mem::zeroed() };
    // SAFETY: the descriptor is open, and the structure is ours.
    check(unsafe { libc::fstat(fd, &mut stat) })?;
    match stat.st_mode & libc::S_IFMT {
        libc::S_IFREG => Ok(()),
        libc::S_IFLNK => Err(of_errno(libc::ELOOP)),
        libc::S_IFDIR => Err(of_errno(libc::EISDIR)),
        _ => Err(of_errno(libc::EINVAL)),
    }
}
