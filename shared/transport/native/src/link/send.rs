//! Sending: streams are opened here and bytes handed to MsQuic.
//!
//! MsQuic keeps no copy of what it is handed (send buffering is off): each send owns its bytes until MsQuic says that
//! they are acknowledged, or that the stream is over.

use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::call::{Call, Outgoing};
use super::connection::Connection;
use super::datagram;
use super::events::Event;
use super::handles::StreamHandle;
use super::stream_events::stream_callback;
use crate::io_pool;
use crate::quic::{self, HQUIC, QUIC_BUFFER, lock, quic};
use msquic::ffi;

/// One StreamSend: its context comes back with SEND_COMPLETE.
pub struct Send {
    buffer: QUIC_BUFFER,
    bytes: Vec<u8>,
    content: u64,
}

/// Begins to send what `call.outgoing` holds. Nothing happens for a call that has ended.
pub fn begin(call: &Arc<Call>) {
    let Some(Outgoing { head, content }) = lock(&call.outgoing).take() else {
        return;
    };
    match content {
        None => {
            lock(&call.state).handed = true;
            transmit(call, head, 0, true);
        }
        Some(source) => call.connection.pump.enqueue(call, head, source),
    }
}

/// Hands bytes to MsQuic, `content` of which are content. Opens and starts the stream where there is none yet.
/// What can't be handed over any more is dropped: the call ends with its connection or stream.
pub fn transmit(call: &Arc<Call>, bytes: Vec<u8>, content: u64, fin: bool) {
    hand_over(call, bytes, content, fin, ffi::QUIC_SEND_FLAGS_QUIC_SEND_FLAG_NONE);
}

/// As `transmit`, in one packet with a datagram.
pub fn transmit_with(call: &Arc<Call>, bytes: Vec<u8>, content: u64, fin: bool, rider: &[u8]) {
    // The stream waits until something else is sent, and that is the datagram. Where it is refused, the connection is about to close.
    hand_over(call, bytes, content, fin, ffi::QUIC_SEND_FLAGS_QUIC_SEND_FLAG_DELAY_SEND);
    if let Some(connection) = call.connection.handle() {
        datagram::send(connection.raw(), rider);
    }
}

fn hand_over(call: &Arc<Call>, bytes: Vec<u8>, content: u64, fin: bool, mut flags: ffi::QUIC_SEND_FLAGS) {
    let Some((stream, fresh)) = open_stream(call) else {
        return;
    };
    let mut send = Box::new(Send {
        buffer: QUIC_BUFFER { Length: bytes.len() as u32, Buffer: bytes.as_ptr().cast_mut() },
        bytes,
        content,
    });
    if fresh {
        flags |= ffi::QUIC_SEND_FLAGS_QUIC_SEND_FLAG_START;
    }
    if fin {
        flags |= ffi::QUIC_SEND_FLAGS_QUIC_SEND_FLAG_FIN;
    }
    call.connection.pump.handed(send.buffer.Length.into(), content);
    let buffer: *const QUIC_BUFFER = &raw mut send.buffer;
    let context = Box::into_raw(send);
    // SAFETY: buffer and bytes live in the box, which SEND_COMPLETE gives back; `stream` keeps the handle open.
    let status = unsafe { quic!(StreamSend(stream.raw(), buffer, 1, flags, context.cast())) };
    if quic::failed(status) {
        // SAFETY: MsQuic did not take the context.
        let send = unsafe { Box::from_raw(context) };
        call.connection.pump.returned(&call.connection, send.bytes, content);
        if fresh {
            // Closing a stream may wait for the worker, and this thread may hold a lock.
            let call = call.clone();
            io_pool::submit(move || {
                drop(stream);
                call.release_stream();
            });
        }
    }
}

/// The call's stream, and whether it was opened just now. `None`: the call or its connection has ended.
fn open_stream(call: &Arc<Call>) -> Option<(Arc<StreamHandle>, bool)> {
    let mut slot = lock(&call.stream);
    if let Some(stream) = &*slot {
        return Some((stream.clone(), false));
    }
    if call.inbound || call.has_ended() {
        return None;
    }
    let connection = call.connection.handle()?;
    let context = Arc::into_raw(call.clone());
    let mut raw: HQUIC = std::ptr::null_mut();
    // SAFETY: the connection's handle is open; the context is a counted reference, given back by StreamHandle.
    let status = unsafe {
        quic!(StreamOpen(
            connection.raw(),
            ffi::QUIC_STREAM_OPEN_FLAGS_QUIC_STREAM_OPEN_FLAG_NONE,
            Some(stream_callback),
            context.cast_mut().cast(),
            &mut raw,
        ))
    };
    if quic::failed(status) {
        // SAFETY: MsQuic did not take the context.
        drop(unsafe { Arc::from_raw(context) });
        return None;
    }
    let stream = Arc::new(StreamHandle::new(raw, context, connection));
    *slot = Some(stream.clone());
    Some((stream, true))
}

/// SEND_COMPLETE: acknowledged, or given up.
///
/// # Safety
/// `context` must be what `transmit` passed, and must come back once only.
pub unsafe fn on_send_complete(call: &Arc<Call>, context: *mut std::ffi::c_void, cancelled: bool) {
    // SAFETY: as promised by the caller.
    let send = unsafe { Box::from_raw(context.cast::<Send>()) };
    let Send { bytes, content, .. } = *send;
    call.connection.pump.returned(&call.connection, bytes, content);
    if cancelled {
        if !call.started.load(Ordering::Acquire) {
            // The stream was aborted before it had begun: MsQuic won't report its shutdown.
            let call = call.clone();
            io_pool::submit(move || call.release_stream());
        }
    } else if content > 0 {
        call.sent.fetch_add(content, Ordering::Relaxed);
        tell_progress(call);
    }
}

/// Emits the progress of a call's contents, at most so often.
pub fn tell_progress(call: &Call) {
    if !call.connection.gauges.due(&call.progress_told) {
        return;
    }
    let state = lock(&call.state);
    if !state.ended && (!call.inbound || state.announced) {
        let (sent, received) = (call.sent.load(Ordering::Relaxed), call.received.load(Ordering::Relaxed));
        call.connection.endpoint.events.push(call.connection.id, Event::Progress { call: call.id, sent, received });
    }
}

/// Begins everything that was asked for before the handshake had ended.
pub fn begin_waiting(connection: &Arc<Connection>) {
    for call in connection.open() {
        begin(&call);
    }
}
