//! The native half of Godwit: the Link port over MsQuic (`link`), and the calls to the operating system that
//! Node lacks (`host`).
//!
//! What JavaScript sees is in `link/exports.rs`, `host/exports.rs` and `identity.rs`; everything else is plain
//! Rust. File contents never cross into JavaScript.

mod address;
mod frame;
mod host;
mod identity;
mod io_pool;
mod link;
#[cfg(target_os = "linux")]
mod openssl;
mod quic;
mod settings;
mod tls;
