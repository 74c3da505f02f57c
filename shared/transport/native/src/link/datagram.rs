//! Datagrams of a connection: what is of no use late, and is not repeated where it is lost.

use std::ffi::c_void;

use crate::quic::{self, HQUIC, QUIC_BUFFER, quic};
use msquic::ffi::{
    QUIC_CONNECTION_EVENT__bindgen_ty_1__bindgen_ty_13 as SendState, QUIC_DATAGRAM_SEND_STATE,
    QUIC_DATAGRAM_SEND_STATE_QUIC_DATAGRAM_SEND_LOST_DISCARDED as FIRST_LAST_STATE,
};

/// Lives until MsQuic's last event about it.
struct Sent {
    buffer: QUIC_BUFFER,
    _bytes: Box<[u8]>,
}

/// Where the peer takes none, nothing happens. Call it from callbacks of the connection, or where its handle is held.
pub fn send(connection: HQUIC, bytes: &[u8]) {
    let mut owned: Box<[u8]> = bytes.into();
    let buffer = QUIC_BUFFER { Length: owned.len() as u32, Buffer: owned.as_mut_ptr() };
    let sent = Box::into_raw(Box::new(Sent { buffer, _bytes: owned }));
    // SAFETY: the buffer and its bytes live in the box, which `on_state` frees when MsQuic is done with it.
    let status = unsafe { quic!(DatagramSend(connection, &raw const (*sent).buffer, 1, 0, sent.cast::<c_void>())) };
    if quic::failed(status) {
        // SAFETY: refused, so it stayed ours.
        drop(unsafe { Box::from_raw(sent) });
    }
}

pub fn on_state(event: &SendState) {
    if !is_last(event.State) || event.ClientContext.is_null() {
        return;
    }
    // SAFETY: made by `send`; after a last state MsQuic doesn't speak of it again.
    drop(unsafe { Box::from_raw(event.ClientContext.cast::<Sent>()) });
}

fn is_last(state: QUIC_DATAGRAM_SEND_STATE) -> bool {
    state >= FIRST_LAST_STATE
}
