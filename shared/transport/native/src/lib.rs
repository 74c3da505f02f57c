use napi_derive::napi;
#[napi]
pub fn hello() -> u32 {
    let mut api: *const msquic::ffi::QUIC_API_TABLE = std::ptr::null();
    let s = unsafe { msquic::ffi::MsQuicOpenVersion(2, &mut api as *mut _ as *mut _) };
    s as u32
}
