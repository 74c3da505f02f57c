//! Calls to the operating system that Node has no function for: the `Host` port (`shared/ports/host.ts`).
//!
//! Linux is what is built for and tested. Elsewhere the calls without a POSIX form answer ENOTSUP, which callers have
//! to expect anyway, because file systems do so too.

mod beneath;
pub mod copy;
pub mod error;
pub mod exports;
pub mod files;
#[cfg(target_os = "linux")]
pub mod inotify;
mod inode;
pub mod spare;
mod unsynced;
pub mod watch_exports;
mod xattr;
