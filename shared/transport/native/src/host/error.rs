//! Errors in the form Node gives its own: the errno's name as `code`, and a message that names call and path.

use std::ffi::CString;
use std::io;

/// The name of an errno, as AsRef<str> because that is what Node-API makes a `code` of.
#[derive(Clone)]
pub struct Code(pub String);

impl AsRef<str> for Code {
    fn as_ref(&self) -> &str {
        &self.0
    }
}

impl From<napi::Status> for Code {
    fn from(status: napi::Status) -> Code {
        Code(status.as_ref().to_owned())
    }
}

/// What went wrong with which call on what.
pub fn fail(error: &io::Error, call: &str, path: &str) -> napi::Error<Code> {
    let (code, message) = describe(error, call, path);
    napi::Error::new(Code(code), message)
}

pub fn describe(error: &io::Error, call: &str, path: &str) -> (String, String) {
    let code = error.raw_os_error().map_or_else(|| by_kind(error.kind()), name);
    let message = format!("{code}: {call} '{path}'");
    (code, message)
}

pub fn of_errno(errno: i32) -> io::Error {
    io::Error::from_raw_os_error(errno)
}

/// The result of a C call that gives -1 on failure.
pub fn check(result: i32) -> io::Result<i32> {
    if result < 0 { Err(io::Error::last_os_error()) } else { Ok(result) }
}

/// A path for C. A NUL inside is EINVAL, as the kernel would say if it could see it.
pub fn c_path(path: &str) -> io::Result<CString> {
    CString::new(path).map_err(|_| of_errno(libc::EINVAL))
}

fn by_kind(kind: io::ErrorKind) -> String {
    match kind {
        io::ErrorKind::UnexpectedEof => "EIO".to_owned(),
        _ => "EINVAL".to_owned(),
    }
}

const NAMES: &[(i32, &str)] = &[
    (libc::E2BIG, "E2BIG"),
    (libc::EACCES, "EACCES"),
    (libc::EADDRINUSE, "EADDRINUSE"),
    (libc::EADDRNOTAVAIL, "EADDRNOTAVAIL"),
    (libc::EAFNOSUPPORT, "EAFNOSUPPORT"),
    (libc::EAGAIN, "EAGAIN"),
    (libc::EBADF, "EBADF"),
    (libc::EBUSY, "EBUSY"),
    (libc::EDQUOT, "EDQUOT"),
    (libc::EEXIST, "EEXIST"),
    (libc::EFBIG, "EFBIG"),
    (libc::EINTR, "EINTR"),
    (libc::EINVAL, "EINVAL"),
    (libc::EIO, "EIO"),
    (libc::EISDIR, "EISDIR"),
    (libc::ELOOP, "ELOOP"),
    (libc::EMFILE, "EMFILE"),
    (libc::EMLINK, "EMLINK"),
    (libc::ENAMETOOLONG, "ENAMETOOLONG"),
    (libc::ENFILE, "ENFILE"),
    (libc::ENODATA, "ENODATA"),
    (libc::ENODEV, "ENODEV"),
    (libc::ENOENT, "ENOENT"),
    (libc::ENOMEM, "ENOMEM"),
    (libc::ENOSPC, "ENOSPC"),
    (libc::ENOSYS, "ENOSYS"),
    (libc::ENOTCONN, "ENOTCONN"),
    (libc::ENOTDIR, "ENOTDIR"),
    (libc::ENOTEMPTY, "ENOTEMPTY"),
    (libc::ENOTSOCK, "ENOTSOCK"),
    (libc::ENOTSUP, "ENOTSUP"),
    (libc::ENOTTY, "ENOTTY"),
    (libc::ENXIO, "ENXIO"),
    (libc::EOPNOTSUPP, "EOPNOTSUPP"),
    (libc::EPERM, "EPERM"),
    (libc::ERANGE, "ERANGE"),
    (libc::EROFS, "EROFS"),
    (libc::ESTALE, "ESTALE"),
    (libc::ETXTBSY, "ETXTBSY"),
    (libc::EXDEV, "EXDEV"),
];

/// Where two names share a number, the first of the table is it (ENOTSUP on Linux).
fn name(errno: i32) -> String {
    let known = NAMES.iter().find(|(number, _)| *number == errno);
    known.map_or_else(|| format!("E{errno}"), |(_, name)| (*name).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn codes_are_named() {
        let (code, message) = describe(&of_errno(libc::ENOENT), "open", "/nowhere");
        assert_eq!((code.as_str(), message.as_str()), ("ENOENT", "ENOENT: open '/nowhere'"));
        assert_eq!(name(libc::ENOTSUP), "ENOTSUP");
        assert_eq!(name(9999), "E9999");
        assert!(c_path("a\0b").is_err());
    }
}
