//! Hashing and copying files, off JavaScript's thread.

use std::fs::File;
use std::io::{self, Read, Seek, SeekFrom, Write};

use super::files::{clone_blocks, create_new};
use crate::identity::hex;

/// Read at once: enough to keep the hash's wide paths busy.
const CHUNK: usize = 1024 * 1024;

pub struct Digest {
    pub digest: String,
    pub length: u64,
}

pub fn digest_file(path: &str) -> io::Result<Digest> {
    consume(&mut File::open(path)?, |_| Ok(()))
}

/// Hashes what lies from `offset` on, `length` bytes of it or as many as there are.
pub fn digest_part(path: &str, offset: u64, length: u64) -> io::Result<Digest> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(offset))?;
    consume(&mut file.take(length), |_| Ok(()))
}

/// Copies to a file that must not exist yet. On failure nothing is left there.
pub fn copy_file(from: &str, to: &str, sync: bool) -> io::Result<Digest> {
    let mut source = File::open(from)?;
    let copy = create_new(to)?;
    copy_to(&mut source, copy, to, sync).inspect_err(|_| {
        let _ = std::fs::remove_file(to);
    })
}

fn copy_to(source: &mut File, mut copy: File, to: &str, sync: bool) -> io::Result<Digest> {
    let digest = if clone_blocks(source, &copy).is_ok() {
        // The copy is hashed, not the source, which may have changed since.
        consume(&mut File::open(to)?, |_| Ok(()))?
    } else {
        consume(source, |bytes| copy.write_all(bytes))?
    };
    if sync {
        copy.sync_all()?;
    }
    Ok(digest)
}

/// Reads to the end, hands each piece on and hashes it.
fn consume(file: &mut impl Read, mut each: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<Digest> {
    let mut hasher = blake3::Hasher::new();
    let mut buffer = vec![0; CHUNK];
    loop {
        let count = match file.read(&mut buffer) {
            Ok(0) => break,
            Ok(count) => count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => continue,
            Err(error) => return Err(error),
        };
        let bytes = &buffer[..count];
        hasher.update(bytes);
        each(bytes)?;
    }
    Ok(Digest { digest: hex(hasher.finalize().as_bytes()), length: hasher.count() })
}
