//! Calls to the operating system that Node has no function for: the `Host` port (`shared/ports/host.ts`).
//!
//! Linux is what is built for and tested. Elsewhere the calls without a POSIX form answer ENOTSUP, which callers have
//! to expect anyway, because file systems do so too.

mod beneath;
mod copy;
mod error;
mod exports;
mod files;
mod xattr;
