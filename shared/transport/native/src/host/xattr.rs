//! Extended attributes of an inode: of a symlink itself where the path is one (Linux allows no `user.` ones there), and of the open inode where
//! the path is that of one (`inode.rs`).

#[cfg(not(target_os = "linux"))]
use std::io;

pub struct Xattr {
    pub name: String,
    pub value: Vec<u8>,
    /// The name is these bytes. If not, it is told as `escaped` does, and no call takes it.
    pub is_text: bool,
}

#[cfg(target_os = "linux")]
mod linux {
    use super::Xattr;
    use crate::host::error::{check, of_errno};
    use crate::host::inode::InodePath;
    use std::ffi::{CStr, CString};
    use std::io;

    const PREFIX: &str = "user.";
    /// An attribute that grows while it is read is asked for again, so many times.
    const ATTEMPTS: usize = 5;

    /// In byte order of names. One that is not UTF-8 is told with an empty value. Empty where there is no support.
    pub fn list(path: &str) -> io::Result<Vec<Xattr>> {
        let path = InodePath::new(path)?;
        let mut attributes = Vec::new();
        for full in names(&path)? {
            let Some(name) = full.to_bytes().strip_prefix(PREFIX.as_bytes()) else { continue };
            let Ok(text) = str::from_utf8(name) else {
                attributes.push(Xattr { name: escaped(name), value: Vec::new(), is_text: false });
                continue;
            };
            // None: removed since it was listed.
            if let Some(value) = get(&path, &full)? {
                attributes.push(Xattr { name: text.to_owned(), value, is_text: true });
            }
        }
        attributes.sort_by(|a, b| a.name.as_bytes().cmp(b.name.as_bytes()));
        Ok(attributes)
    }

    /// A name to show: each byte that is no UTF-8 as a backslash, an x and two digits.
    pub fn escaped(name: &[u8]) -> String {
        let mut text = String::new();
        for part in name.utf8_chunks() {
            text.push_str(part.valid());
            for byte in part.invalid() {
                text.push_str(&format!("\\x{byte:02x}"));
            }
        }
        text
    }

    pub fn set(path: &str, name: &str, value: &[u8]) -> io::Result<()> {
        put(&InodePath::new(path)?, &full_name(name)?, value)
    }

    /// ENODATA where there is no such attribute.
    pub fn remove(path: &str, name: &str) -> io::Result<()> {
        take(&InodePath::new(path)?, &full_name(name)?)
    }

    fn full_name(name: &str) -> io::Result<CString> {
        CString::new(format!("{PREFIX}{name}")).map_err(|_| of_errno(libc::EINVAL))
    }

    /// All that we may see, with their prefixes; none where there is no support.
    pub fn names(path: &InodePath) -> io::Result<Vec<CString>> {
        let listed = read(|buffer, length| {
            // SAFETY: the path outlives the call; the buffer is as long as `length` says, or null where that is 0.
            unsafe {
                match path.follows {
                    true => libc::listxattr(path.text.as_ptr(), buffer.cast(), length),
                    false => libc::llistxattr(path.text.as_ptr(), buffer.cast(), length),
                }
            }
        });
        match listed {
            Ok(bytes) => {
                let parts = bytes.split_inclusive(|byte| *byte == 0);
                Ok(parts.filter_map(|name| CStr::from_bytes_with_nul(name).ok()).map(CStr::to_owned).collect())
            }
            Err(error) if error.raw_os_error() == Some(libc::ENOTSUP) => Ok(Vec::new()),
            Err(error) => Err(error),
        }
    }

    /// `None`: there is none of this name.
    pub fn get(path: &InodePath, name: &CStr) -> io::Result<Option<Vec<u8>>> {
        let value = read(|buffer, length| {
            // SAFETY: path and name outlive the call; the buffer is as long as `length` says, or null where that is 0.
            unsafe {
                match path.follows {
                    true => libc::getxattr(path.text.as_ptr(), name.as_ptr(), buffer.cast(), length),
                    false => libc::lgetxattr(path.text.as_ptr(), name.as_ptr(), buffer.cast(), length),
                }
            }
        });
        match value {
            Ok(value) => Ok(Some(value)),
            Err(error) if error.raw_os_error() == Some(libc::ENODATA) => Ok(None),
            Err(error) => Err(error),
        }
    }

    pub fn put(path: &InodePath, name: &CStr, value: &[u8]) -> io::Result<()> {
        // SAFETY: everything outlives the call.
        check(unsafe {
            match path.follows {
                true => libc::setxattr(path.text.as_ptr(), name.as_ptr(), value.as_ptr().cast(), value.len(), 0),
                false => libc::lsetxattr(path.text.as_ptr(), name.as_ptr(), value.as_ptr().cast(), value.len(), 0),
            }
        })?;
        Ok(())
    }

    /// ENODATA where there is none of this name.
    pub fn take(path: &InodePath, name: &CStr) -> io::Result<()> {
        // SAFETY: both outlive the call.
        check(unsafe {
            match path.follows {
                true => libc::removexattr(path.text.as_ptr(), name.as_ptr()),
                false => libc::lremovexattr(path.text.as_ptr(), name.as_ptr()),
            }
        })?;
        Ok(())
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
}

#[cfg(target_os = "linux")]
pub use linux::{escaped, get, list, names, put, remove, set, take};

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
