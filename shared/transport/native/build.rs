//! Link options of the addon.
//!
//! `--wrap=SSL_CTX_new` lets `src/openssl.rs` give each TLS context of MsQuic a session id context, without
//! which OpenSSL refuses to resume a session whose client presented a certificate. GNU ld and lld know it;
//! elsewhere sessions are simply not resumed.

fn main() {
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        println!("cargo:rustc-link-arg=-Wl,--wrap=SSL_CTX_new");
    }
    println!("cargo:rerun-if-changed=build.rs");
    napi_build::setup();
}
