//! Handles of MsQuic that close themselves when the last holder lets go.
//!
//! Each owns the context its callbacks get: a counted reference to our side's object, given back only after
//! the close, when no callback can come any more. The object in turn holds the handle until MsQuic reports the
//! shutdown complete; taking it out there breaks the circle.

use std::sync::Arc;

use super::call::Call;
use super::connection::Connection;
use crate::quic::{HQUIC, quic};

pub struct StreamHandle {
    raw: HQUIC,
    context: *const Call,
    /// A connection's handle must be closed after those of its streams.
    _connection: Arc<ConnectionHandle>,
}
// SAFETY: handles of MsQuic may be used from any thread, and a `Call` may be shared between threads.
unsafe impl Send for StreamHandle {}
unsafe impl Sync for StreamHandle {}

impl StreamHandle {
    /// Takes over an open stream and the reference made by `Arc::into_raw` that is its context.
    pub fn new(raw: HQUIC, context: *const Call, connection: Arc<ConnectionHandle>) -> StreamHandle {
        StreamHandle { raw, context, _connection: connection }
    }

    pub fn raw(&self) -> HQUIC {
        self.raw
    }
}

impl Drop for StreamHandle {
    fn drop(&mut self) {
        // SAFETY: closed only here; the context came from `Arc::into_raw`, and after the close it is not used.
        unsafe {
            quic!(StreamClose(self.raw));
            drop(Arc::from_raw(self.context));
        }
    }
}

pub struct ConnectionHandle {
    raw: HQUIC,
    context: *const Connection,
}
// SAFETY: as for streams.
unsafe impl Send for ConnectionHandle {}
unsafe impl Sync for ConnectionHandle {}

impl ConnectionHandle {
    /// Takes over an open connection and the reference made by `Arc::into_raw` that is its context.
    pub fn new(raw: HQUIC, context: *const Connection) -> ConnectionHandle {
        crate::quic::connection_began();
        ConnectionHandle { raw, context }
    }

    pub fn raw(&self) -> HQUIC {
        self.raw
    }
}

impl Drop for ConnectionHandle {
    fn drop(&mut self) {
        // SAFETY: closed only here; the context came from `Arc::into_raw`, and after the close it is not used.
        unsafe {
            quic!(ConnectionClose(self.raw));
            drop(Arc::from_raw(self.context));
        }
        crate::quic::connection_ended();
    }
}
