//! Private files that programs write to, and copies of contents.

use std::fs::{File, OpenOptions};
use std::io;
use std::os::fd::AsRawFd;
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;
use std::sync::atomic::{AtomicU64, Ordering};

pub struct Spool {
    folder: PathBuf,
    next: AtomicU64,
}

impl Spool {
    /// `first`: higher than the number of any file that is there.
    pub fn new(folder: &str, first: u64) -> Self {
        Spool { folder: folder.into(), next: AtomicU64::new(first) }
    }

    /// A new empty file for us alone, and its path.
    pub fn create(&self) -> io::Result<(File, String)> {
        let number = self.next.fetch_add(1, Ordering::Relaxed);
        let path = self.folder.join(format!("w{number}"));
        let file = OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(&path)?;
        Ok((file, path.to_string_lossy().into_owned()))
    }

    /// The same with the contents of another file.
    pub fn copy(&self, from: &File) -> io::Result<(File, String)> {
        let (file, path) = self.create()?;
        if let Err(error) = clone_or_copy(from, &file) {
            let _ = std::fs::remove_file(&path);
            return Err(error);
        }
        Ok((file, path))
    }

    /// The file system that all of this is on.
    pub fn statvfs(&self) -> io::Result<libc::statvfs> {
        let folder = File::open(&self.folder)?;
        // SAFETY: all zeros is a valid `statvfs`, which is plain numbers.
        let mut found: libc::statvfs = unsafe { std::mem::zeroed() };
        // SAFETY: the descriptor is open for the call, and the pointer is to a value of ours.
        if unsafe { libc::fstatvfs(folder.as_raw_fd(), &raw mut found) } == 0 {
            Ok(found)
        } else {
            Err(io::Error::last_os_error())
        }
    }
}

fn clone_or_copy(from: &File, to: &File) -> io::Result<()> {
    // SAFETY: both descriptors are open for the call; FICLONE takes a descriptor and no pointer.
    if unsafe { libc::ioctl(to.as_raw_fd(), libc::FICLONE as _, from.as_raw_fd()) } == 0 {
        return Ok(());
    }
    use std::os::unix::fs::FileExt;
    let mut buffer = vec![0; 1 << 20];
    let mut offset = 0;
    loop {
        match from.read_at(&mut buffer, offset)? {
            0 => return Ok(()),
            count => {
                to.write_all_at(&buffer[..count], offset)?;
                offset += count as u64;
            }
        }
    }
}

/// `fallocate(2)`.
pub fn allocate(file: &File, mode: i32, offset: u64, length: u64) -> io::Result<()> {
    let (offset, length) = (to_offset(offset)?, to_offset(length)?);
    // SAFETY: the descriptor is open for the call, and there is no pointer.
    if unsafe { libc::fallocate(file.as_raw_fd(), mode, offset, length) } == 0 {
        Ok(())
    } else {
        Err(io::Error::last_os_error())
    }
}

/// `lseek(2)`, for data and holes. Nothing else uses the offset of these files.
pub fn seek(file: &File, offset: i64, whence: i32) -> io::Result<i64> {
    // SAFETY: the descriptor is open for the call, and there is no pointer.
    let found = unsafe { libc::lseek(file.as_raw_fd(), offset, whence) };
    if found < 0 { Err(io::Error::last_os_error()) } else { Ok(found) }
}

fn to_offset(value: u64) -> io::Result<i64> {
    i64::try_from(value).map_err(|_| io::Error::from_raw_os_error(libc::EFBIG))
}

/// The number of a failure; EIO where it has none.
pub fn number(error: &io::Error) -> i32 {
    error.raw_os_error().unwrap_or(libc::EIO)
}
