use napi_derive::napi;
use msquic as _;
use std::ffi::c_void;
unsafe extern "C" { fn MsQuicOpenVersion(version: u32, table: *mut *const c_void) -> u32; }
#[unsafe(no_mangle)]
pub unsafe extern "C" fn __wrap_SSL_CTX_new(m: *const c_void) -> *mut c_void {
    unsafe extern "C" { fn __real_SSL_CTX_new(m: *const c_void) -> *mut c_void; }
    eprintln!("wrapped");
    unsafe { __real_SSL_CTX_new(m) }
}
#[napi]
pub fn hello() -> u32 {
    let mut api: *const c_void = std::ptr::null();
    unsafe { MsQuicOpenVersion(2, &mut api) }
}
