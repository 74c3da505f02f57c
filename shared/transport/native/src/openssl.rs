//! What MsQuic and Node's OpenSSL, on which it runs (tls/node_tls.c), do not see to by themselves.
//!
//! OpenSSL stays while the process ends (`stay`). Node has it free all that it has in an exit handler, while threads of MsQuic may be in the
//! middle of a handshake: a process that ended soon after it had begun to connect could be killed by a segmentation fault instead of
//! giving its exit code. What it holds goes with the process.
//!
//! Errors of MsQuic's calls on a thread of Node are taken off the thread's queue (`unnoticed`): Node's `crypto` would report them as its own.

use std::ffi::c_int;
use std::sync::OnceLock;

/// Of the process, once it is ending.
static EXIT_CODE: OnceLock<c_int> = OnceLock::new();

// Of tls/node_tls.c.
unsafe extern "C" {
    fn godwit_tls_at_end(handler: extern "C" fn()) -> c_int;
    fn godwit_tls_mark_errors();
    fn godwit_tls_drop_errors();
}

/// Comes before MsQuic is opened. Works where `ends` is told the exit code.
pub fn stay() {
    // SAFETY: the handler is a plain function of this library, which OpenSSL keeps loaded. Where it can't be kept, all is as without it.
    unsafe { godwit_tls_at_end(leave_out_the_end) };
}

/// The process is ending with that code.
pub fn ends(code: c_int) {
    let _ = EXIT_CODE.set(code);
}

/// OpenSSL calls it before it frees anything. The exit goes on with the handlers behind OpenSSL's, and does not come back (exit(3) of glibc).
extern "C" fn leave_out_the_end() {
    if let Some(code) = EXIT_CODE.get() {
        // SAFETY: with glibc, which alone tells `ends` the code, an exit handler may call it.
        unsafe { libc::exit(*code) };
    }
}

/// Runs what may leave errors on this thread's queue of OpenSSL, and takes them off.
pub fn unnoticed<R>(body: impl FnOnce() -> R) -> R {
    // SAFETY: both only touch the queue of this thread.
    unsafe { godwit_tls_mark_errors() };
    let given = body();
    // SAFETY: as above.
    unsafe { godwit_tls_drop_errors() };
    given
}
