//! Keeps a moved client from moving back, through the linker's `--wrap=QuicConnGetPathForPacket`.
//!
//! When a client changes its local address, packets already received on the old socket are still in the connection's
//! queue; MsQuic 2.5 leaves them there, as its `connection.c` says itself. The first of them makes it think that the
//! *server* has moved: it opens a second path with the old socket's queue and makes it the active one. That socket is
//! gone; the connection never sends again, and the queue's memory is freed. One rebind in five on a busy loopback ended
//! so.
//!
//! A client has one socket. What was received elsewhere is dropped here, as if lost on the way; the server sends it
//! again. The layouts below are those of the pinned version of the crate; the suite of the Link port rebinds busy
//! connections and would notice if they changed.

use std::ffi::c_void;

use crate::quic::{self, HQUIC, quic};
use msquic::Addr;
use msquic::ffi::QUIC_PARAM_CONN_LOCAL_ADDRESS;

/// `QUIC_HANDLE_TYPE_CONNECTION_CLIENT`, the first word of a client's handle.
const CLIENT: u32 = 3;

/// The beginning of `CXPLAT_ROUTE`.
#[repr(C)]
struct Route {
    queue: *const c_void,
    remote: Addr,
    local: Addr,
}

/// The beginning of `QUIC_RX_PACKET`.
#[repr(C)]
struct Packet {
    next: *const c_void,
    route: *const Route,
}

unsafe extern "C" {
    fn __real_QuicConnGetPathForPacket(connection: HQUIC, packet: *const c_void) -> *mut c_void;
}

/// # Safety
/// Called by MsQuic in place of `QuicConnGetPathForPacket`, under the same contract: on the connection's worker. Null
/// makes it drop the packet.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __wrap_QuicConnGetPathForPacket(connection: HQUIC, packet: *const c_void) -> *mut c_void {
    // SAFETY: both pointers are valid, as the caller promises, and begin as declared above.
    unsafe {
        if connection.cast::<u32>().read() == CLIENT && came_elsewhere(connection, packet.cast()) {
            return std::ptr::null_mut();
        }
        __real_QuicConnGetPathForPacket(connection, packet)
    }
}

/// True for a packet that was not received on the connection's present port.
///
/// # Safety
/// On the connection's worker, with a valid packet.
unsafe fn came_elsewhere(connection: HQUIC, packet: *const Packet) -> bool {
    // SAFETY: as promised by the caller; the buffer is as long as `length` says. On the worker this doesn't wait.
    unsafe {
        let mut present: Addr = std::mem::zeroed();
        let mut length = size_of::<Addr>() as u32;
        let status = quic!(GetParam(connection, QUIC_PARAM_CONN_LOCAL_ADDRESS, &mut length, (&raw mut present).cast()));
        !quic::failed(status) && (*(*packet).route).local.port() != present.port()
    }
}
