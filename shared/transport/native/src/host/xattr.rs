//! User extended attributes, of a symlink itself where the path is one (Linux allows none there).

#[cfg(not(target_os = "linux"))]
use std::io;

pub struct Xattr {
    pub name: String,
    pub value: Vec<u8>,
}

#[cfg(target_os = "linux")]
mod linux {
    use super::Xattr;
    use crate::host::error::{c_path, check, of_errno};
    use std::ffi::{CStr, CString};
    use std::io;

    const PREFIX: &str = "user.";
    /// An attribute that grows while it is read is asked for again, so many times.
    const ATTEMPTS: usize = 5;

    /// In byte order of names; names that are not UTF-8 are left out. Empty where there is no support.
    pub fn list(path: &str) -> io::Result<Vec<Xattr>> {
        let path = c_path(path)?;
        let names = match read(|buffer, length| {
            // SAFETY: the buffer is as long as `length` says, or null where that is 0.
            unsafe { libc::llistxattr(path.as_ptr(), buffer.cast(), length) }
        }) {
            Ok(names) => names,
            Err(error) if error.raw_os_error() == Some(libc::ENOTSUP) => return Ok(Vec::new()),
            Err(error) => return Err(error),
        };
        let mut attributes = Vec::new();
        for name in names.split_inclusive(|byte| *byte == 0) {
            let Some(full) = CStr::from_bytes_with_nul(name).ok() else { continue };
            let Some(name) = full.to_str().ok().and_then(|name| name.strip_prefix(PREFIX)) else { continue };
            match value(&path, full) {
                Ok(value) => attributes.push(Xattr { name: name.to_owned(), value }),
                // Removed since it was listed.
                Err(error) if error.raw_os_error() == Some(libc::ENODATA) => {}
                Err(error) => return Err(error),
            }
        }
        attributes.sort_by(|a, b| a.name.as_bytes().cmp(b.name.as_bytes()));
        Ok(attributes)
    }

    fn value(path: &CStr, name: &CStr) -> io::Result<Vec<u8>> {
        read(|buffer, length| {
            // SAFETY: the buffer is as long as `length` says, or null where that is 0.
            unsafe { libc::lgetxattr(path.as_ptr(), name.as_ptr(), buffer.cast(), length) }
        })
    }

    /// Asks for the size, then for the bytes.
    fn read(call: impl Fn(*mut u8, usize) -> isize) -> io::Result<Vec<u8>> {
        for _ in 0..ATTEMPTS {
            let size = usize::try_from(call(std::ptr::null_mut(), 0)).map_err(|_| io::Error::last_os_error())?;
            let mut bytes = vec![0; size];
            if size == 0 {
                return Ok(bytes);
            }
            match usize::try_from(call(bytes.as_mut_ptr(), size)) {
                Ok(length) => {
                    bytes.truncate(length);
                    return Ok(bytes);
                }
                Err(_) => {
                    let error = io::Error::last_os_error();
                    if error.raw_os_error() != Some(libc::ERANGE) {
                        return Err(error);
                    }
                }
            }
        }
        Err(of_errno(libc::ERANGE))
    }

    fn full_name(name: &str) -> io::Result<CString> {
        c_path(&format!("{PREFIX}{name}"))
    }

    pub fn set(path: &str, name: &str, value: &[u8]) -> io::Result<()> {
        let (path, name) = (c_path(path)?, full_name(name)?);
        // SAFETY: everything outlives the call.
        check(unsafe { libc::lsetxattr(path.as_ptr(), name.as_ptr(), value.as_ptr().cast(), value.len(), 0) })?;
        Ok(())
    }

    /// ENODATA where there is no such attribute.
    pub fn remove(path: &str, name: &str) -> io::Result<()> {
        let (path, name) = (c_path(path)?, full_name(name)?);
        // SAFETY: both outlive the call.
        check(unsafe { libc::lremovexattr(path.as_ptr(), name.as_ptr()) })?;
        Ok(())
    }
}

#[cfg(target_os = "linux")]
pub use linux::{list, remove, set};

#[cfg(not(target_os = "linux"))]
pub fn list(_path: &str) -> io::Result<Vec<Xattr>> {
    Ok(Vec::new())
}

#[cfg(not(target_os = "linux"))]
pub fn set(_path: &str, _name: &str, _value: &[u8]) -> io::Result<()> {
    Err(super::error::of_errno(libc::ENOTSUP))
}

#[cfg(not(target_os = "linux"))]
pub fn remove(_path: &str, _name: &str) -> io::Result<()> {
    Err(super::error::of_errno(libc::ENOTSUP))
}
