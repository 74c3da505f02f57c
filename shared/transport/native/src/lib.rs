//! The native half of Godwit: the Link port over MsQuic (`link`), the calls to the operating system that
//! Node lacks (`host`), contents encoded against others (`delta`), and the link shaper (`relay`), a part
//! of the laboratory (feature `lab`).
//!
//! What JavaScript sees is in the `exports.rs` of each and in `identity.rs`; everything else is plain Rust. File contents
//! never cross into JavaScript.

// The exports are left out of a test build, and then nothing seems used.
#![cfg_attr(test, allow(dead_code))]

mod address;
mod delta;
mod frame;
mod host;
mod identity;
mod io_pool;
mod link;
mod openssl;
mod quic;
#[cfg(target_os = "linux")]
mod rebind_guard;
#[cfg(feature = "lab")]
mod relay;
mod settings;
mod tls;
