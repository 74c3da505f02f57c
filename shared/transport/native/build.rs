//! Link options of the addon.
//!
//! `--wrap` puts a function of ours in front of one of MsQuic's: `src/rebind_guard.rs` says why. GNU ld and lld know it; elsewhere a
//! rebind under load may end a connection.
//!
//! OpenSSL is in the Node that loads the addon, and nowhere in the executable of the crate's own tests: there its functions are left
//! without an address, and no test may call one. The addon has them bound when it is loaded, so a lack is seen at once.

/// Set where the tests are built (build/native.mjs).
const TESTS: &str = "GODWIT_NATIVE_TESTS";

fn main() {
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        println!("cargo:rustc-link-arg=-Wl,--wrap=QuicConnGetPathForPacket");
    }
    if std::env::var_os(TESTS).is_some() {
        println!("cargo:rustc-link-arg=-Wl,--unresolved-symbols=ignore-all,-z,lazy");
    }
    println!("cargo:rerun-if-env-changed={TESTS}");
    println!("cargo:rerun-if-changed=build.rs");
    napi_build::setup();
}
