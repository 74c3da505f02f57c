//! The callback of every connection, on a worker of MsQuic.

use std::ffi::c_void;
use std::sync::Arc;

use super::call::Call;
use super::codes::{CLOSE_NORMAL, CLOSE_REFUSED, CloseReason};
use super::connection::Connection;
use super::datagram;
use super::dial;
use super::handles::StreamHandle;
use super::send;
use super::statistics;
use super::stream_events::stream_callback;
use super::trust::Refusal;
use crate::address::QuicAddress;
use crate::identity::fingerprint;
use crate::quic::{
    self, BAD_CERTIFICATE, HQUIC, INTERNAL_ERROR, QUIC_BUFFER, QUIC_CONNECTION_EVENT, REQUIRED_CERTIFICATE, SUCCESS,
    Status, guarded, lock, quic,
};
use msquic::ffi::{
    QUIC_CONNECTION_EVENT_TYPE_QUIC_CONNECTION_EVENT_CONNECTED as CONNECTED,
    QUIC_CONNECTION_EVENT_TYPE_QUIC_CONNECTION_EVENT_DATAGRAM_RECEIVED as DATAGRAM_RECEIVED,
    QUIC_CONNECTION_EVENT_TYPE_QUIC_CONNECTION_EVENT_DATAGRAM_SEND_STATE_CHANGED as DATAGRAM_SEND_STATE_CHANGED,
    QUIC_CONNECTION_EVENT_TYPE_QUIC_CONNECTION_EVENT_NETWORK_STATISTICS as NETWORK_STATISTICS,
    QUIC_CONNECTION_EVENT_TYPE_QUIC_CONNECTION_EVENT_PEER_ADDRESS_CHANGED as PEER_ADDRESS_CHANGED,
    QUIC_CONNECTION_EVENT_TYPE_QUIC_CONNECTION_EVENT_PEER_CERTIFICATE_RECEIVED as PEER_CERTIFICATE_RECEIVED,
    QUIC_CONNECTION_EVENT_TYPE_QUIC_CONNECTION_EVENT_PEER_STREAM_STARTED as PEER_STREAM_STARTED,
    QUIC_CONNECTION_EVENT_TYPE_QUIC_CONNECTION_EVENT_SHUTDOWN_COMPLETE as SHUTDOWN_COMPLETE,
    QUIC_CONNECTION_EVENT_TYPE_QUIC_CONNECTION_EVENT_SHUTDOWN_INITIATED_BY_PEER as SHUTDOWN_INITIATED_BY_PEER,
    QUIC_CONNECTION_EVENT_TYPE_QUIC_CONNECTION_EVENT_SHUTDOWN_INITIATED_BY_TRANSPORT as SHUTDOWN_INITIATED_BY_TRANSPORT,
    QUIC_PARAM_CONN_REMOTE_ADDRESS, QUIC_PARAM_CONN_STREAM_SCHEDULING_SCHEME,
    QUIC_STREAM_SCHEDULING_SCHEME_QUIC_STREAM_SCHEDULING_SCHEME_ROUND_ROBIN as ROUND_ROBIN,
};

/// # Safety
/// Called by MsQuic only, with a context made by `Arc::into_raw` of a `Connection`.
pub unsafe extern "C" fn connection_callback(
    handle: HQUIC,
    context: *mut c_void,
    event: *mut QUIC_CONNECTION_EVENT,
) -> Status {
    guarded(INTERNAL_ERROR, || {
        // SAFETY: ConnectionHandle holds the reference behind `context` until the connection is closed; taking
        // another keeps it alive even when this very callback lets go of the handle.
        let (connection, event) = unsafe {
            let connection = context.cast_const().cast::<Connection>();
            Arc::increment_strong_count(connection);
            (Arc::from_raw(connection), &mut *event)
        };
        on_event(&connection, handle, event)
    })
}

fn on_event(connection: &Arc<Connection>, handle: HQUIC, event: &mut QUIC_CONNECTION_EVENT) -> Status {
    let of = &event.__bindgen_anon_1;
    // SAFETY: `Type` says which member of the union is filled in; pointers in it are valid during the callback.
    unsafe {
        match event.Type {
            PEER_CERTIFICATE_RECEIVED => {
                return on_certificate(connection, of.PEER_CERTIFICATE_RECEIVED.Certificate.cast());
            }
            CONNECTED => on_connected(connection, handle),
            PEER_STREAM_STARTED => return on_stream(connection, of.PEER_STREAM_STARTED.Stream),
            NETWORK_STATISTICS => {
                let network = &of.NETWORK_STATISTICS;
                connection.gauges.note(network.BytesInFlight, network.CongestionWindow);
                statistics::report(connection, handle);
                statistics::feed_window(connection, handle, network.PostedBytes);
            }
            PEER_ADDRESS_CHANGED => connection.pump.path_changed(),
            DATAGRAM_RECEIVED if connection.is_open() => {
                if let Some(buffer) = of.DATAGRAM_RECEIVED.Buffer.as_ref() {
                    connection.pump.heard(bytes(buffer.Buffer, buffer.Length as usize));
                }
            }
            DATAGRAM_SEND_STATE_CHANGED => datagram::on_state(&of.DATAGRAM_SEND_STATE_CHANGED),
            SHUTDOWN_INITIATED_BY_TRANSPORT => {
                let status = of.SHUTDOWN_INITIATED_BY_TRANSPORT.Status;
                let (reason, detail) = judge_status(status, connection.is_open());
                connection.note_ending(reason, &detail);
            }
            SHUTDOWN_INITIATED_BY_PEER => match of.SHUTDOWN_INITIATED_BY_PEER.ErrorCode {
                CLOSE_NORMAL => connection.note_ending(CloseReason::Peer, ""),
                CLOSE_REFUSED => connection.note_ending(CloseReason::Refused, "the peer doesn't know us"),
                code => connection.note_ending(CloseReason::Failed, &format!("the peer gave code {code}")),
            },
            SHUTDOWN_COMPLETE if of.SHUTDOWN_COMPLETE.AppCloseInProgress() != 0 => {}
            SHUTDOWN_COMPLETE => on_shutdown_complete(connection),
            _ => {}
        }
    }
    SUCCESS
}

fn on_shutdown_complete(connection: &Arc<Connection>) {
    if !dial::try_next(connection) {
        connection.finish();
    }
}

/// # Safety
/// `start` must point to `length` bytes, or `length` must be 0.
unsafe fn bytes<'a>(start: *const u8, length: usize) -> &'a [u8] {
    if start.is_null() || length == 0 {
        return &[];
    }
    // SAFETY: as promised by the caller.
    unsafe { std::slice::from_raw_parts(start, length) }
}

/// # Safety
/// `certificate` must be null or point to a buffer that holds a certificate in DER form.
unsafe fn on_certificate(connection: &Arc<Connection>, certificate: *const QUIC_BUFFER) -> Status {
    // SAFETY: as promised by the caller.
    let der = unsafe { certificate.as_ref().map_or(&[][..], |buffer| bytes(buffer.Buffer, buffer.Length as usize)) };
    let print = (!der.is_empty()).then(|| fingerprint(der));
    let verdict = lock(&connection.trust).judge_certificate(print);
    match verdict {
        Ok(()) => SUCCESS,
        Err(Refusal::PinMismatch) => {
            connection.note_ending(CloseReason::PinMismatch, "the peer is not the one that was asked for");
            BAD_CERTIFICATE
        }
        Err(Refusal::NoCertificate) => {
            connection.note_ending(CloseReason::Refused, "the peer presented no certificate");
            REQUIRED_CERTIFICATE
        }
    }
}

fn on_connected(connection: &Arc<Connection>, handle: HQUIC) {
    let verdict = lock(&connection.trust).settle();
    let peer = match verdict {
        Ok(peer) => peer,
        Err(refusal) => {
            let reason = match refusal {
                Refusal::PinMismatch => CloseReason::PinMismatch,
                Refusal::NoCertificate => CloseReason::Refused,
            };
            return connection.shut(reason, "the peer can't be told", CLOSE_REFUSED);
        }
    };
    connection.announce(&peer, &remote_address(handle));
    if connection.endpoint.uniform {
        let scheme = ROUND_ROBIN;
        let length = size_of_val(&scheme) as u32;
        // SAFETY: the value is what the parameter wants; inside the callback it is set on the spot.
        unsafe {
            quic!(SetParam(handle, QUIC_PARAM_CONN_STREAM_SCHEDULING_SCHEME, length, (&raw const scheme).cast()))
        };
    }
    send::begin_waiting(connection);
}

/// The peer begins a call. Nobody may before we know who it is.
fn on_stream(connection: &Arc<Connection>, stream: HQUIC) -> Status {
    let Some(handle) = connection.handle().filter(|_| connection.is_open()) else {
        return INTERNAL_ERROR;
    };
    let call = Call::new(connection, true, 0);
    let context = Arc::into_raw(call.clone());
    let callback = stream_callback as unsafe extern "C" fn(_, _, _) -> _ as *mut c_void;
    // SAFETY: the stream is ours from here on; the context is a counted reference, given back by StreamHandle.
    unsafe { quic!(SetCallbackHandler(stream, callback, context.cast_mut().cast())) };
    *lock(&call.stream) = Some(Arc::new(StreamHandle::new(stream, context, handle)));
    SUCCESS
}

fn remote_address(handle: HQUIC) -> String {
    let mut address = QuicAddress::zeroed();
    let mut length = QuicAddress::SIZE;
    // SAFETY: the buffer is as long as `length` says; inside the callback the question doesn't wait.
    let status = unsafe { quic!(GetParam(handle, QUIC_PARAM_CONN_REMOTE_ADDRESS, &mut length, address.as_mut_ptr())) };
    if quic::failed(status) {
        return String::new();
    }
    address.to_socket().map_or_else(String::new, |socket| socket.to_string())
}

/// What MsQuic's status means to a user. Where the handshake is under way, the peer's closing looks like a transport
/// error without a cause.
fn judge_status(status: Status, was_open: bool) -> (CloseReason, String) {
    let alerts = quic::TLS_ALERT_BASE..quic::TLS_ALERT_BASE + 0x100;
    let (reason, words) = match status {
        quic::CONNECTION_IDLE | quic::CONNECTION_TIMEOUT if was_open => (CloseReason::Idle, "nothing heard"),
        quic::CONNECTION_IDLE | quic::CONNECTION_TIMEOUT => (CloseReason::Unreachable, "no answer"),
        quic::UNREACHABLE | quic::NOT_FOUND => (CloseReason::Unreachable, "nobody there"),
        quic::SUCCESS | quic::ABORTED | quic::USER_CANCELED if was_open => (CloseReason::Peer, "cut off"),
        quic::SUCCESS | quic::ABORTED | quic::USER_CANCELED => (CloseReason::Refused, "turned away"),
        quic::CONNECTION_REFUSED => (CloseReason::Refused, "turned away"),
        quic::ALPN_NEG_FAILURE | quic::VERSION_NEGOTIATION => (CloseReason::Refused, "another protocol"),
        quic::HANDSHAKE_FAILURE => (CloseReason::Refused, "the handshake failed"),
        alert if alerts.contains(&alert) => (CloseReason::Refused, "TLS refused it"),
        _ => (CloseReason::Failed, "a transport error"),
    };
    (reason, format!("{words} (status {status:#x})"))
}
