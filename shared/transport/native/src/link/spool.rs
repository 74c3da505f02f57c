//! Files that receive contents: fresh names in the endpoint's spool folder, hashed as they are written, removed
//! unless they are handed over.

use std::fs::{File, OpenOptions};
use std::io::{self, Write};
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{SystemTime, UNIX_EPOCH};

use crate::host::files::{Keep, WriteBehind};

pub struct Spool {
    /// Folder and the part of the name that differs between processes and endpoints.
    prefix: String,
    next: AtomicU64,
}

impl Spool {
    pub fn new(folder: &str) -> Spool {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |since| since.as_nanos());
        let prefix = format!("{}/in-{}-{:x}-", folder.trim_end_matches('/'), std::process::id(), now);
        Spool { prefix, next: AtomicU64::new(1) }
    }

    /// `passing`: it is not about to be read here, so a long one does not stay in memory.
    pub fn create(&self, passing: bool) -> io::Result<SpoolFile> {
        let path = format!("{}{}", self.prefix, self.next.fetch_add(1, Ordering::Relaxed));
        let mut options = OpenOptions::new();
        options.write(true).create_new(true);
        #[cfg(unix)]
        std::os::unix::fs::OpenOptionsExt::mode(&mut options, 0o600);
        let file = options.open(&path)?;
        let behind = WriteBehind::new(if passing { Keep::Unwritten } else { Keep::All });
        Ok(SpoolFile { file, path, hasher: Box::default(), length: 0, behind, keep: false })
    }
}

pub struct SpoolFile {
    file: File,
    pub path: String,
    /// Two kilobytes: kept apart, because every call has room for one of these.
    hasher: Box<blake3::Hasher>,
    pub length: u64,
    behind: WriteBehind,
    keep: bool,
}

impl SpoolFile {
    pub fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        self.file.write_all(bytes)?;
        self.hasher.update(bytes);
        self.length += bytes.len() as u64;
        self.behind.written(&self.file, self.length)
    }

    pub fn digest(&self) -> [u8; 32] {
        *self.hasher.finalize().as_bytes()
    }

    /// Takes the last byte away again. The digest is none from then on.
    pub fn shorten(&mut self) -> io::Result<()> {
        let length = self.length.saturating_sub(1);
        self.file.set_len(length)?;
        self.length = length;
        Ok(())
    }

    /// From here on the file belongs to the receiver of its path.
    pub fn keep(&mut self) {
        self.keep = true;
    }
}

impl Drop for SpoolFile {
    fn drop(&mut self) {
        if !self.keep {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}
