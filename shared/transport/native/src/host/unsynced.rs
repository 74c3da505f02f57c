//! What a file has that is not synced: owner, group, access control list, attributes of systems and programs, flags.
//!
//! A file whose contents come from another machine is a new inode. It gets from the one whose place it takes what that had here, or, where it is
//! new, what its directory gives to a file that is made in it. Neither gets what would let contents from elsewhere act with rights that somebody
//! gave to others: setuid, setgid, capabilities.

#[cfg(target_os = "linux")]
mod linux {
    use std::ffi::{CStr, CString};
    use std::fs::{File, OpenOptions};
    use std::io;
    use std::os::fd::AsRawFd;
    use std::os::unix::fs::OpenOptionsExt;

    use crate::host::error::{check, of_errno};
    use crate::host::inode::{InodePath, facts};
    use crate::host::xattr;

    const ACCESS_LIST: &CStr = c"system.posix_acl_access";
    const DEFAULT_LIST: &CStr = c"system.posix_acl_default";
    const CAPABILITY: &CStr = c"security.capability";

    /// Of the contents that were (integrity), or of the file system's own making: they say nothing of the new inode.
    const NOT_KEPT: [&str; 3] = ["security.ima", "security.evm", "trusted.overlay."];

    /// SYNC, NODUMP, NOATIME: what people set to a file (`chattr(1)`), and what a new one can be given. The rest is of how its contents are laid
    /// out, or forbids to replace it at all.
    const KEPT_FLAGS: libc::c_long = 0x08 | 0x40 | 0x80;

    /// Gives `to` what `from` has. Names what `from` has and `to` could not be given, or must not. The mode of `to` is set after this.
    pub fn keep(from: &str, to: &str) -> io::Result<Vec<String>> {
        let (from, to) = (InodePath::new(from)?, InodePath::new(to)?);
        let (old, new) = (facts(&from)?, facts(&to)?);
        let mut left = Vec::new();
        if old.st_mode & libc::S_ISUID != 0 {
            left.push("setuid".to_owned());
        }
        // Without the right to execute it means mandatory locks, a relic, and gives no rights.
        if old.st_mode & libc::S_ISGID != 0 && old.st_mode & libc::S_IXGRP != 0 {
            left.push("setgid".to_owned());
        }
        if old.st_gid != new.st_gid && own(&to, KEEP, old.st_gid).is_err() {
            left.push("group".to_owned());
        }
        if old.st_uid != new.st_uid && own(&to, old.st_uid, KEEP).is_err() {
            left.push("owner".to_owned());
        }
        keep_attributes(&from, &to, &mut left)?;
        if keep_flags(&from, &to).is_err() {
            left.push("flags".to_owned());
        }
        Ok(left)
    }

    /// `chown(2)` leaves what is so.
    const KEEP: u32 = u32::MAX;

    fn own(path: &InodePath, owner: libc::uid_t, group: libc::gid_t) -> io::Result<()> {
        // SAFETY: the path outlives the call.
        check(unsafe { libc::fchownat(libc::AT_FDCWD, path.text.as_ptr(), owner, group, path.at_flags()) })?;
        Ok(())
    }

    /// Attributes that only the file system sets are no loss; those that a user gave the file and that get lost are reported.
    fn keep_attributes(from: &InodePath, to: &InodePath, left: &mut Vec<String>) -> io::Result<()> {
        let (had, has) = (xattr::names(from)?, xattr::names(to)?);
        if has.iter().any(|name| name.as_c_str() == ACCESS_LIST) && !had.iter().any(|name| name.as_c_str() == ACCESS_LIST) {
            // From the directory that it was made in.
            let _ = xattr::take(to, ACCESS_LIST);
        }
        for name in &had {
            if name.as_c_str() == CAPABILITY {
                left.push("capabilities".to_owned());
                continue;
            }
            // Any bytes are a name: one that is not UTF-8 is kept like the others.
            if NOT_KEPT.iter().any(|not| name.to_bytes().starts_with(not.as_bytes())) {
                continue;
            }
            // Not ours to read, or removed since: then there is nothing to keep.
            let Ok(Some(value)) = xattr::get(from, name) else { continue };
            if xattr::get(to, name).is_ok_and(|now| now.as_ref() == Some(&value)) {
                continue;
            }
            if xattr::put(to, name, &value).is_err() {
                left.push(told(name));
            }
        }
        Ok(())
    }

    fn told(name: &CString) -> String {
        if name.as_c_str() == ACCESS_LIST { "access list".to_owned() } else { xattr::escaped(name.to_bytes()) }
    }

    fn keep_flags(from: &InodePath, to: &InodePath) -> io::Result<()> {
        // Not ours to read, or a file system without: there are none to keep.
        let Ok(Some(had)) = open(from).and_then(|file| flags(&file)) else { return Ok(()) };
        if had & KEPT_FLAGS == 0 {
            return Ok(());
        }
        let file = open(to)?;
        let has = flags(&file)?.unwrap_or(0);
        let wanted: libc::c_long = has | (had & KEPT_FLAGS);
        // SAFETY: the descriptor is open for the length of the call, and the kernel reads what `wanted` is.
        check(unsafe { libc::ioctl(file.as_raw_fd(), libc::FS_IOC_SETFLAGS as _, &raw const wanted) })?;
        Ok(())
    }

    fn flags(file: &File) -> io::Result<Option<libc::c_long>> {
        let mut found: libc::c_long = 0;
        // SAFETY: the descriptor is open for the length of the call, and the kernel writes no more than `found` has room for.
        match check(unsafe { libc::ioctl(file.as_raw_fd(), libc::FS_IOC_GETFLAGS as _, &raw mut found) }) {
            Ok(_) => Ok(Some(found)),
            Err(error) if matches!(error.raw_os_error(), Some(libc::ENOTTY | libc::ENOTSUP | libc::ENOSYS)) => Ok(None),
            Err(error) => Err(error),
        }
    }

    /// Waits for nothing that may stand there.
    fn open(path: &InodePath) -> io::Result<File> {
        let links = if path.follows { 0 } else { libc::O_NOFOLLOW };
        let text = path.text.to_str().map_err(|_| of_errno(libc::EINVAL))?;
        OpenOptions::new().read(true).custom_flags(libc::O_NONBLOCK | libc::O_NOCTTY | links).open(text)
    }

    /// Gives a private file what one that is made in `directory` would have: the group of a setgid directory, and its default access list.
    /// Nothing where the directory gives nothing, or the file system can make no file without a name to ask it by.
    pub fn inherit(directory: &str, file: &str) -> io::Result<()> {
        let (directory, file) = (InodePath::new(directory)?, InodePath::new(file)?);
        let now = facts(&file)?;
        let gives_group = facts(&directory)?.st_mode & libc::S_ISGID != 0;
        let gives_list = matches!(xattr::get(&directory, DEFAULT_LIST), Ok(Some(_)));
        let has_list = matches!(xattr::get(&file, ACCESS_LIST), Ok(Some(_)));
        if !gives_group && !gives_list {
            if has_list {
                let _ = xattr::take(&file, ACCESS_LIST);
            }
            return Ok(());
        }
        let text = directory.text.to_str().map_err(|_| of_errno(libc::EINVAL))?;
        let made = OpenOptions::new().write(true).mode(0o666).custom_flags(libc::O_TMPFILE).open(text);
        let Ok(made) = made else { return Ok(()) };
        let like = InodePath::new(&format!("/proc/self/fd/{}", made.as_raw_fd()))?;
        let wanted = facts(&like)?;
        if wanted.st_gid != now.st_gid {
            let _ = own(&file, KEEP, wanted.st_gid);
        }
        match xattr::get(&like, ACCESS_LIST) {
            Ok(Some(list)) => {
                let _ = xattr::put(&file, ACCESS_LIST, &list);
            }
            _ if has_list => {
                let _ = xattr::take(&file, ACCESS_LIST);
            }
            _ => {}
        }
        Ok(())
    }
}

#[cfg(target_os = "linux")]
pub use linux::{inherit, keep};

#[cfg(not(target_os = "linux"))]
pub fn keep(_from: &str, _to: &str) -> std::io::Result<Vec<String>> {
    Ok(Vec::new())
}

#[cfg(not(target_os = "linux"))]
pub fn inherit(_directory: &str, _file: &str) -> std::io::Result<()> {
    Ok(())
}
