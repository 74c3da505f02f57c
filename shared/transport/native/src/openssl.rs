//! What MsQuic's OpenSSL is not told by MsQuic.
//!
//! It stays while the process ends (`stay`). By itself it frees all it has among the first exit handlers, while threads of MsQuic and
//! ours may be in the middle of a handshake: a process that ended soon after it had begun to connect was killed by a
//! segmentation fault instead of giving its exit code. What it holds goes with the process.
//!
//! Each TLS context gets a session id context, through the linker's `--wrap=SSL_CTX_new`. OpenSSL ends the handshake with an
//! internal error when a ticket is presented to a server that verifies its clients and has no session id context
//! (`ssl_sess.c`, "session id context uninitialized"); MsQuic sets none and offers no call for it. A laptop of before
//! may present one; with a context it gets a full handshake instead, for no session is resumed (`settings.rs`).

use std::ffi::{c_int, c_void};

const INIT_NO_ATEXIT: u64 = 0x0008_0000;

unsafe extern "C" {
    fn OPENSSL_init_crypto(options: u64, settings: *const c_void) -> c_int;
}

/// Only the first call into OpenSSL decides it, so it comes before MsQuic is opened.
pub fn stay() {
    // SAFETY: it may be called at any time, without settings. Where it fails, so does MsQuic's own call.
    unsafe { OPENSSL_init_crypto(INIT_NO_ATEXIT, std::ptr::null()) };
}

#[cfg(target_os = "linux")]
mod session_id {
    use std::ffi::{c_int, c_uint, c_void};

    const CONTEXT: &[u8] = b"godwit/1";

    unsafe extern "C" {
        fn __real_SSL_CTX_new(method: *const c_void) -> *mut c_void;
        fn SSL_CTX_set_session_id_context(context: *mut c_void, id: *const u8, length: c_uint) -> c_int;
    }

    /// # Safety
    /// Called by MsQuic in place of `SSL_CTX_new`, under the same contract.
    #[unsafe(no_mangle)]
    pub unsafe extern "C" fn __wrap_SSL_CTX_new(method: *const c_void) -> *mut c_void {
        // SAFETY: the arguments are those of the caller; the context is checked before it is used.
        unsafe {
            let context = __real_SSL_CTX_new(method);
            if !context.is_null() {
                SSL_CTX_set_session_id_context(context, CONTEXT.as_ptr(), CONTEXT.len() as c_uint);
            }
            context
        }
    }
}
