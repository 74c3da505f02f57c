fn main() {
    println!("cargo:rustc-link-arg=-Wl,--wrap=SSL_CTX_new");
    napi_build::setup();
}
