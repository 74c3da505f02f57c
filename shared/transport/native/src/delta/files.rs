//! The files that go in, and the ones that come out.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

use super::failure::{At, Failure, Outcome};
use crate::host::copy::{Digest, open_file};
use crate::host::files::create_new;
use crate::host::spare::Contents;
use crate::identity::hex;

/// Bytes of a file.
pub struct Piece {
    pub path: String,
    pub offset: u64,
    pub length: u64,
}

impl Piece {
    /// The file, at the first byte of the piece; all of it was there a moment ago.
    pub fn open(&self) -> Outcome<File> {
        let mut file = open_file(&self.path).at("open", &self.path)?;
        let length = file.metadata().at("fstat", &self.path)?.len();
        match self.offset.checked_add(self.length) {
            Some(end) if end <= length => {}
            _ => return Err(Failure::Short { path: self.path.clone() }),
        }
        file.seek(SeekFrom::Start(self.offset)).at("lseek", &self.path)?;
        Ok(file)
    }

    /// The same, to be read from the first byte of the piece to its last.
    pub fn read(&self) -> Outcome<Reader> {
        let contents = Contents::of(self.open()?);
        Ok(Reader { contents, at: self.offset, end: self.offset + self.length })
    }
}

pub struct Reader {
    contents: Contents,
    at: u64,
    end: u64,
}

impl Read for Reader {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let length = into.len().min(usize::try_from(self.end - self.at).unwrap_or(usize::MAX));
        self.contents.read_exact_at(&mut into[..length], self.at)?;
        self.at += length as u64;
        Ok(length)
    }
}

/// A new file, hashed as it is written, and removed again unless it is finished.
pub struct OutFile {
    file: File,
    path: String,
    hasher: blake3::Hasher,
    /// Written by `write` and not yet with the system.
    pending: Vec<u8>,
    finished: bool,
}

const BUFFER: usize = 256 * 1024;

impl OutFile {
    pub fn create(path: &str) -> Outcome<OutFile> {
        let file = create_new(path).at("open", path)?;
        let pending = Vec::with_capacity(BUFFER);
        Ok(OutFile { file, path: path.to_owned(), hasher: blake3::Hasher::new(), pending, finished: false })
    }

    pub fn write(&mut self, bytes: &[u8]) -> Outcome<()> {
        self.hasher.update(bytes);
        if self.pending.len() + bytes.len() > BUFFER {
            self.flush()?;
        }
        if bytes.len() >= BUFFER {
            return self.file.write_all(bytes).at("write", &self.path);
        }
        self.pending.extend_from_slice(bytes);
        Ok(())
    }

    /// What has been written.
    pub fn length(&self) -> u64 {
        self.hasher.count()
    }

    pub fn finish(mut self) -> Outcome<Digest> {
        self.flush()?;
        self.finished = true;
        Ok(Digest { digest: hex(self.hasher.finalize().as_bytes()), length: self.length() })
    }

    fn flush(&mut self) -> Outcome<()> {
        self.file.write_all(&self.pending).at("write", &self.path)?;
        self.pending.clear();
        Ok(())
    }
}

impl Drop for OutFile {
    fn drop(&mut self) {
        if !self.finished {
            let _ = std::fs::remove_file(&self.path);
        }
    }
}
