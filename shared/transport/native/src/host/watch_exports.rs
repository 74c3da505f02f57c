//! Watches of directories as JavaScript sees them. Elsewhere than on Linux there are none: ENOSYS.

use napi::bindgen_prelude::{Env, Function, Result, Uint8Array};
#[cfg(target_os = "linux")]
use napi::threadsafe_function::ThreadsafeFunctionCallMode;
use napi_derive::napi;

#[cfg(not(target_os = "linux"))]
use super::error::of_errno;
use super::error::{Code, fail};
#[cfg(target_os = "linux")]
use super::inotify;

/// A number for the other calls. `wake` is called without arguments when there is something to take. It doesn't keep the process alive.
#[napi]
#[cfg(target_os = "linux")]
pub fn watches_open(env: Env, wake: Function<'_, (), ()>) -> Result<u32, Code> {
    let coded = |error: napi::Error| napi::Error::new(Code(error.status.as_ref().to_owned()), error.reason.clone());
    let wake = wake.build_threadsafe_function::<()>().weak::<true>().build().map_err(coded)?;
    let told = move || {
        wake.call((), ThreadsafeFunctionCallMode::NonBlocking);
    };
    let id = inotify::open(told).map_err(|error| fail(&error, "inotify_init1", ""))?;
    env.add_env_cleanup_hook(id, inotify::close).map_err(coded)?;
    Ok(id)
}

#[napi]
#[cfg(not(target_os = "linux"))]
pub fn watches_open(_env: Env, _wake: Function<'_, (), ()>) -> Result<u32, Code> {
    Err(fail(&of_errno(libc::ENOSYS), "inotify_init1", ""))
}

#[napi]
#[cfg(target_os = "linux")]
pub fn watches_add(watches: u32, path: String, follow: bool) -> Result<i32, Code> {
    let added = inotify::find(watches).ok_or_else(inotify::gone).and_then(|watches| watches.add(&path, follow));
    added.map_err(|error| fail(&error, "inotify_add_watch", &path))
}

#[napi]
#[cfg(target_os = "linux")]
pub fn watches_remove(watches: u32, watch: i32) {
    if let Some(watches) = inotify::find(watches) {
        watches.remove(watch);
    }
}

/// Whole events in the layout of `inotify(7)`; empty: there are none.
#[napi]
#[cfg(target_os = "linux")]
pub fn watches_take(watches: u32, most: u32) -> Uint8Array {
    inotify::find(watches).map_or_else(Vec::new, |watches| watches.take(most as usize)).into()
}

#[napi]
#[cfg(target_os = "linux")]
pub fn watches_close(watches: u32) {
    inotify::close(watches);
}
