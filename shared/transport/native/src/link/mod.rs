//! The Link port over MsQuic.
//!
//! An `Endpoint` has connections (`connection.rs`), a connection has calls (`call.rs`), a call is one stream.
//! Who runs what: JavaScript's thread calls `exports.rs`; MsQuic's workers call the three callbacks
//! (`listener.rs`, `connection_events.rs`, `stream_events.rs`); the I/O pool runs `pump.rs` (sending contents)
//! and `intake.rs` (receiving them). Events go back through one queue for each endpoint (`events.rs`).
//!
//! Rules that keep it free of deadlocks and use after close
//! 1. A handle of MsQuic is used only through an `Arc` that closes it when the last holder lets go
//!    (`handles.rs`); so a closed one can't be used.
//! 2. No lock is held around a call of MsQuic that waits for its worker (SetParam, GetParam, the closes) or that
//!    can call back on the spot (StreamSend on the worker).
//! 3. Lock order: a call's parts, then the event queue or the connection's inbox. No other two locks are held together.
//! 4. No callback ever waits for JavaScript or for a disk.

pub mod ack_delay;
mod buffers;
pub mod call;
pub mod codes;
pub mod connection;
pub mod connection_events;
pub mod datagram;
mod dial;
pub mod endpoint;
pub mod events;
pub mod exports;
pub mod handles;
pub mod inbox;
pub mod intake;
pub mod lanes;
mod limit;
pub mod listener;
pub mod loss_floor;
pub mod pacer;
mod pump;
pub mod receive;
pub mod send;
mod sojourn;
pub mod spool;
pub mod statistics;
pub mod strangers;
pub mod stream_events;
pub mod trust;
mod window;
