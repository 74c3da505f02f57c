//! The callback of every stream, on a worker of MsQuic.

use std::ffi::c_void;
use std::sync::Arc;
use std::sync::atomic::Ordering;

use super::call::Call;
use super::codes::{ABORT_UNWANTED, AbortReason, from_peer};
use super::{intake, receive, send, statistics};
use crate::quic::{HQUIC, INTERNAL_ERROR, QUIC_BUFFER, QUIC_STREAM_EVENT, SUCCESS, Status, guarded, lock, quic};
use msquic::ffi::{
    QUIC_STREAM_EVENT_TYPE_QUIC_STREAM_EVENT_PEER_RECEIVE_ABORTED as PEER_RECEIVE_ABORTED,
    QUIC_STREAM_EVENT_TYPE_QUIC_STREAM_EVENT_PEER_SEND_ABORTED as PEER_SEND_ABORTED,
    QUIC_STREAM_EVENT_TYPE_QUIC_STREAM_EVENT_PEER_SEND_SHUTDOWN as PEER_SEND_SHUTDOWN,
    QUIC_STREAM_EVENT_TYPE_QUIC_STREAM_EVENT_RECEIVE as RECEIVE,
    QUIC_STREAM_EVENT_TYPE_QUIC_STREAM_EVENT_SEND_COMPLETE as SEND_COMPLETE,
    QUIC_STREAM_EVENT_TYPE_QUIC_STREAM_EVENT_SEND_SHUTDOWN_COMPLETE as SEND_SHUTDOWN_COMPLETE,
    QUIC_STREAM_EVENT_TYPE_QUIC_STREAM_EVENT_SHUTDOWN_COMPLETE as SHUTDOWN_COMPLETE,
    QUIC_STREAM_EVENT_TYPE_QUIC_STREAM_EVENT_START_COMPLETE as START_COMPLETE,
    QUIC_STREAM_SHUTDOWN_FLAGS_QUIC_STREAM_SHUTDOWN_FLAG_ABORT_RECEIVE as ABORT_RECEIVE,
};

/// # Safety
/// Called by MsQuic only, with a context made by `Arc::into_raw` of a `Call`.
pub unsafe extern "C" fn stream_callback(stream: HQUIC, context: *mut c_void, event: *mut QUIC_STREAM_EVENT) -> Status {
    guarded(INTERNAL_ERROR, || {
        // SAFETY: StreamHandle holds the reference behind `context` until the stream is closed; taking another
        // keeps the call alive even when this very callback lets go of the handle.
        let (call, event) = unsafe {
            let call = context.cast_const().cast::<Call>();
            Arc::increment_strong_count(call);
            (Arc::from_raw(call), &mut *event)
        };
        on_event(&call, stream, event)
    })
}

fn on_event(call: &Arc<Call>, stream: HQUIC, event: &mut QUIC_STREAM_EVENT) -> Status {
    let of = &mut event.__bindgen_anon_1;
    // SAFETY: `Type` says which member of the union is filled in.
    unsafe {
        match event.Type {
            START_COMPLETE if of.START_COMPLETE.Status == SUCCESS => {
                call.started.store(true, Ordering::Release);
                receive::prioritise(call, stream, call.class());
            }
            RECEIVE => {
                statistics::report(&call.connection, call.connection.raw());
                let receive = &mut of.RECEIVE;
                let buffers: &[QUIC_BUFFER] = if receive.BufferCount == 0 {
                    &[]
                } else {
                    std::slice::from_raw_parts(receive.Buffers, receive.BufferCount as usize)
                };
                return receive::on_receive(call, stream, buffers, &mut receive.TotalBufferLength, receive.Flags);
            }
            SEND_COMPLETE => {
                let done = &of.SEND_COMPLETE;
                send::on_send_complete(call, done.ClientContext, done.Canceled != 0);
            }
            PEER_SEND_SHUTDOWN => receive::on_peer_finished(call),
            PEER_SEND_ABORTED => on_peer_aborted(call, of.PEER_SEND_ABORTED.ErrorCode),
            PEER_RECEIVE_ABORTED => {
                let code = of.PEER_RECEIVE_ABORTED.ErrorCode;
                if code == ABORT_UNWANTED && !call.inbound {
                    // An early reply: it will say why.
                    call.connection.pump.cancel(call);
                } else {
                    on_peer_aborted(call, code);
                }
            }
            SEND_SHUTDOWN_COMPLETE if of.SEND_SHUTDOWN_COMPLETE.Graceful != 0 => call.acknowledged(),
            SHUTDOWN_COMPLETE if of.SHUTDOWN_COMPLETE.AppCloseInProgress() != 0 => {}
            SHUTDOWN_COMPLETE => on_shutdown_complete(call, of.SHUTDOWN_COMPLETE.ConnectionShutdown != 0),
            _ => {}
        }
    }
    SUCCESS
}

fn on_peer_aborted(call: &Arc<Call>, wire_code: u64) {
    let (reason, code) = from_peer(wire_code);
    call.fail(reason, code, wire_code);
}

fn on_shutdown_complete(call: &Arc<Call>, with_connection: bool) {
    // A small content may still be on its way to the spool though its stream is over.
    let whole = lock(&call.intake).whole;
    if with_connection || !whole {
        call.end(AbortReason::Closed, 0);
    }
    call.release_stream();
}

/// The callee has answered before the whole request was here: the rest isn't wanted.
pub fn refuse_rest(call: &Arc<Call>) {
    intake::give_up(call);
    if let Some(stream) = call.stream() {
        // SAFETY: `stream` keeps the handle open; the call only queues work.
        unsafe { quic!(StreamShutdown(stream.raw(), ABORT_RECEIVE, ABORT_UNWANTED)) };
    }
}
