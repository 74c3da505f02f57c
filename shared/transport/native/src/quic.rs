//! MsQuic's function table, its one registration, and how the process leaves it.
//!
//! The raw interface of the `msquic` crate is used, not its safe wrapper: the wrapper lacks stream priorities
//! and resumption tickets, aborts on events it doesn't know, and calls MsQuicClose when the process ends, which
//! aborts it while a connection lives. Nothing here ever calls MsQuicClose or RegistrationClose; when the
//! process ends, `leave` shuts the registration down first.

use std::ffi::{c_char, c_int, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use std::time::{Duration, Instant};

pub use msquic::ffi::{
    HQUIC, QUIC_ADDR, QUIC_API_TABLE, QUIC_BUFFER, QUIC_CONNECTION_EVENT, QUIC_LISTENER_EVENT, QUIC_STREAM_EVENT,
};

pub type Status = u32;

pub const SUCCESS: Status = 0;
pub const PENDING: Status = -2i32 as u32;

/// Statuses of MsQuic are errno values on Unix; TLS alerts lie above `TLS_ALERT_BASE`.
pub const NOT_FOUND: Status = libc::ENOENT as u32;
pub const ABORTED: Status = libc::ECANCELED as u32;
pub const USER_CANCELED: Status = libc::EOWNERDEAD as u32;
pub const INTERNAL_ERROR: Status = libc::EIO as u32;
pub const ADDRESS_IN_USE: Status = libc::EADDRINUSE as u32;
pub const ALPN_IN_USE: Status = libc::EPROTOTYPE as u32;
pub const HANDSHAKE_FAILURE: Status = libc::ECONNABORTED as u32;
pub const CONNECTION_TIMEOUT: Status = libc::ETIMEDOUT as u32;
pub const CONNECTION_IDLE: Status = libc::ETIME as u32;
pub const CONNECTION_REFUSED: Status = libc::ECONNREFUSED as u32;
pub const UNREACHABLE: Status = libc::EHOSTUNREACH as u32;
pub const ALPN_NEG_FAILURE: Status = libc::ENOPROTOOPT as u32;
pub const VERSION_NEGOTIATION: Status = libc::EPROTONOSUPPORT as u32;
pub const TLS_ALERT_BASE: Status = 0x0BEB_C300;
pub const BAD_CERTIFICATE: Status = TLS_ALERT_BASE + 42;
pub const REQUIRED_CERTIFICATE: Status = TLS_ALERT_BASE + 116;

/// MsQuic reports failure with positive values; pending and continue are negative.
pub fn failed(status: Status) -> bool {
    (status as i32) > 0
}

/// The protocol name both ends must offer; it changes with the frame, not with the messages in it.
pub const ALPN: &[u8] = b"godwit/1";

/// Time for close frames to leave when the process ends.
const LEAVE_LIMIT: Duration = Duration::from_millis(300);

struct Library {
    table: *const QUIC_API_TABLE,
    registration: HQUIC,
}
// SAFETY: the table is constant once opened, and MsQuic's handles may be used from any thread.
unsafe impl Send for Library {}
unsafe impl Sync for Library {}

static LIBRARY: OnceLock<Result<Library, Status>> = OnceLock::new();
static LEAVING: AtomicBool = AtomicBool::new(false);
static LIVE_CONNECTIONS: AtomicUsize = AtomicUsize::new(0);
static STAYING: Mutex<()> = Mutex::new(());

unsafe extern "C" {
    fn MsQuicOpenVersion(version: u32, table: *mut *const c_void) -> Status;
}

#[repr(C)]
struct RegistrationConfig {
    name: *const c_char,
    profile: u32,
}

fn open() -> Result<Library, Status> {
    crate::openssl::stay();
    let mut table: *const c_void = std::ptr::null();
    // SAFETY: version 2 fills in a QUIC_API_TABLE that stays valid until MsQuicClose, which nobody calls.
    let status = crate::openssl::unnoticed(|| unsafe { MsQuicOpenVersion(2, &mut table) });
    if failed(status) {
        return Err(status);
    }
    let table = table.cast::<QUIC_API_TABLE>();
    let config = RegistrationConfig {
        name: c"godwit".as_ptr(),
        profile: msquic::ffi::QUIC_EXECUTION_PROFILE_QUIC_EXECUTION_PROFILE_LOW_LATENCY,
    };
    let mut registration: HQUIC = std::ptr::null_mut();
    // SAFETY: `config` has the layout of QUIC_REGISTRATION_CONFIG and outlives the call.
    let status = unsafe {
        (*table).RegistrationOpen.map_or(INTERNAL_ERROR, |open| open((&raw const config).cast(), &mut registration))
    };
    if failed(status) {
        return Err(status);
    }
    leave_at_exit();
    Ok(Library { table, registration })
}

fn library() -> Result<&'static Library, Status> {
    LIBRARY.get_or_init(open).as_ref().map_err(|status| *status)
}

/// The function table.
///
/// # Panics
/// When MsQuic could not be opened; `registration` reports that before any handle exists.
pub fn api() -> &'static QUIC_API_TABLE {
    let library = library().expect("MsQuic is open wherever a handle is");
    // SAFETY: the table lives as long as the process.
    unsafe { &*library.table }
}

/// Opens MsQuic and its registration at the first call.
pub fn registration() -> Result<HQUIC, Status> {
    library().map(|library| library.registration)
}

/// True once the process is ending: nothing may be told to JavaScript any more.
pub fn leaving() -> bool {
    LEAVING.load(Ordering::Acquire)
}

/// Runs `body` unless the process is ending, and keeps it from ending meanwhile. MsQuic doesn't guard its listeners: the end of the
/// registration stops each, and aborts the process where another thread starts or closes one in that moment. `body`
/// must neither wait for JavaScript nor come here again.
pub fn while_staying<R>(body: impl FnOnce() -> R) -> Option<R> {
    let _staying = lock(&STAYING);
    (!leaving()).then(body)
}

pub fn connection_began() {
    LIVE_CONNECTIONS.fetch_add(1, Ordering::AcqRel);
}

pub fn connection_ended() {
    LIVE_CONNECTIONS.fetch_sub(1, Ordering::AcqRel);
}

/// What is registered runs before the destructors of this library's image, and before the end of OpenSSL, which Node registers at its start.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
fn leave_at_exit() {
    unsafe extern "C" {
        fn on_exit(handler: extern "C" fn(c_int, *mut c_void), unused: *mut c_void) -> c_int;
    }
    extern "C" fn at_exit(code: c_int, _unused: *mut c_void) {
        crate::openssl::ends(code);
        leave();
    }
    // SAFETY: `at_exit` is a plain function; what is handed to it is not used.
    unsafe { on_exit(at_exit, std::ptr::null_mut()) };
}

#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
fn leave_at_exit() {
    extern "C" fn at_exit() {
        leave();
    }
    // SAFETY: `at_exit` is a plain function.
    unsafe { libc::atexit(at_exit) };
}

/// Closes every connection and gives the close frames a moment to leave.
pub fn leave() {
    LEAVING.store(true, Ordering::Release);
    let Some(Ok(library)) = LIBRARY.get() else {
        return;
    };
    let staying = lock(&STAYING);
    // SAFETY: the registration is never closed.
    unsafe {
        if let Some(shutdown) = (*library.table).RegistrationShutdown {
            shutdown(library.registration, 0, 0);
        }
    }
    drop(staying);
    let limit = Instant::now() + LEAVE_LIMIT;
    while LIVE_CONNECTIONS.load(Ordering::Acquire) > 0 && Instant::now() < limit {
        std::thread::sleep(Duration::from_millis(1));
    }
}

/// Runs the body of a callback. A panic must not cross into MsQuic, where it would end the process: it becomes
/// `otherwise`.
pub fn guarded(otherwise: Status, body: impl FnOnce() -> Status) -> Status {
    catch_unwind(AssertUnwindSafe(body)).unwrap_or(otherwise)
}

/// Locks even where another thread panicked while it held the lock: the data here are plain and stay usable.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Calls a function of the table.
///
/// # Safety
/// The arguments must be valid for that function of MsQuic.
macro_rules! quic {
    ($name:ident($($argument:expr),* $(,)?)) => {
        ($crate::quic::api().$name.expect("MsQuic fills in its whole table"))($($argument),*)
    };
}
pub(crate) use quic;
