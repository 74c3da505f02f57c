//! Paths of inodes: what stands at a name, never what a link there leads to; or (`/proc/self/fd/N`) what is open, whatever its names are.
//!
//! Such a path of something open is a link to the kernel, and has to be followed. A call that does not would act on that link, or be refused.

use std::ffi::CString;
use std::io;

use super::error::{c_path, check, of_errno};

/// Where this process finds what it has open.
const OPEN_INODES: &str = "/proc/self/fd/";

pub struct InodePath {
    pub text: CString,
    /// It is that of something open: the calls that follow links get to the inode, and no further.
    pub follows: bool,
}

impl InodePath {
    pub fn new(path: &str) -> io::Result<InodePath> {
        let number = path.strip_prefix(OPEN_INODES);
        let follows = number.is_some_and(|text| !text.is_empty() && text.bytes().all(|byte| byte.is_ascii_digit()));
        Ok(InodePath { text: c_path(path)?, follows })
    }

    /// For calls of the `*at` kind.
    pub fn at_flags(&self) -> libc::c_int {
        if self.follows { 0 } else { libc::AT_SYMLINK_NOFOLLOW }
    }
}

pub fn facts(path: &InodePath) -> io::Result<libc::stat> {
    // SAFETY: all bits zero is a valid value of this structure.
    let mut stat: libc::stat = unsafe { std::mem::zeroed() };
    // SAFETY: path and structure outlive the call.
    check(unsafe { libc::fstatat(libc::AT_FDCWD, path.text.as_ptr(), &mut stat, path.at_flags()) })?;
    Ok(stat)
}

/// ELOOP where it is a symlink: its mode is its system's own.
pub fn set_mode(path: &str, mode: u32) -> io::Result<()> {
    let path = InodePath::new(path)?;
    on_inode(&path, |inode| {
        if is_link(&facts(inode)?) {
            return Err(of_errno(libc::ELOOP));
        }
        // SAFETY: the path outlives the call.
        check(unsafe { libc::chmod(inode.text.as_ptr(), mode as libc::mode_t) })?;
        Ok(())
    })
}

pub fn is_link(stat: &libc::stat) -> bool {
    stat.st_mode & libc::S_IFMT == libc::S_IFLNK
}

/// Runs `act` with a path of the inode itself, so that nothing comes between what is looked at and what is done to it.
#[cfg(target_os = "linux")]
pub fn on_inode<T>(path: &InodePath, act: impl FnOnce(&InodePath) -> io::Result<T>) -> io::Result<T> {
    use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
    if path.follows {
        return act(path);
    }
    let flags = libc::O_PATH | libc::O_NOFOLLOW | libc::O_CLOEXEC;
    // SAFETY: the path outlives the call.
    let fd = check(unsafe { libc::open(path.text.as_ptr(), flags) })?;
    // SAFETY: the descriptor is new, and has no other owner.
    let open = unsafe { OwnedFd::from_raw_fd(fd) };
    act(&InodePath::new(&format!("{OPEN_INODES}{}", open.as_raw_fd()))?)
}

#[cfg(not(target_os = "linux"))]
pub fn on_inode<T>(path: &InodePath, act: impl FnOnce(&InodePath) -> io::Result<T>) -> io::Result<T> {
    act(path)
}
