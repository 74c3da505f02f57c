//! Link options of the addon.
//!
//! `--wrap` puts a function of ours in front of one of MsQuic's: `src/openssl.rs` and `src/rebind_guard.rs` say why. GNU
//! ld and lld know it; elsewhere a client that presents a ticket of before is refused, and a rebind under load may end a connection.

fn main() {
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        println!("cargo:rustc-link-arg=-Wl,--wrap=SSL_CTX_new");
        println!("cargo:rustc-link-arg=-Wl,--wrap=QuicConnGetPathForPacket");
    }
    println!("cargo:rerun-if-changed=build.rs");
    napi_build::setup();
}
