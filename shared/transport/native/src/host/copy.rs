//! Hashing and copying files, off JavaScript's thread.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::OpenOptionsExt;

use super::error::of_errno;
use super::files::{WriteBehind, clone_blocks, create_new};
use crate::identity::hex;

/// Read at once at most: enough to keep the hash's wide paths busy.
const CHUNK: u64 = 1024 * 1024;

/// Zeros of this length become a hole of the copy: smaller ones save little, and cost a call each.
const HOLE: usize = 64 * 1024;

pub struct Digest {
    pub digest: String,
    pub length: u64,
}

pub fn digest_file(path: &str) -> io::Result<Digest> {
    let mut file = open_file(path)?;
    let length = file.metadata()?.len();
    consume(&mut file, length, |_| Ok(()))
}

/// A FIFO in the file's place must not be waited for, and a device must not be read: both answer at once.
pub fn open_file(path: &str) -> io::Result<File> {
    let flags = libc::O_NONBLOCK | libc::O_NOCTTY;
    let file = OpenOptions::new().read(true).custom_flags(flags).open(path)?;
    let metadata = file.metadata()?;
    match (metadata.is_file(), metadata.is_dir()) {
        (true, _) => Ok(file),
        (false, true) => Err(of_errno(libc::EISDIR)),
        (false, false) => Err(of_errno(libc::EINVAL)),
    }
}

/// Hashes what lies from `offset` on, `length` bytes of it or as many as there are.
pub fn digest_part(path: &str, offset: u64, length: u64) -> io::Result<Digest> {
    let mut file = File::open(path)?;
    file.seek(SeekFrom::Start(offset))?;
    consume(&mut file.take(length), length, |_| Ok(()))
}

/// Copies to a file that must not exist yet. On failure nothing is left there.
pub fn copy_file(from: &str, to: &str, sync: bool) -> io::Result<Digest> {
    let mut source = open_file(from)?;
    let copy = create_new(to)?;
    copy_to(&mut source, copy, to, sync).inspect_err(|_| {
        let _ = std::fs::remove_file(to);
    })
}

fn copy_to(source: &mut File, mut copy: File, to: &str, sync: bool) -> io::Result<Digest> {
    let expected = source.metadata()?.len();
    let digest = if clone_blocks(source, &copy).is_ok() {
        // The copy is hashed, not the source, which may have changed since.
        consume(&mut File::open(to)?, expected, |_| Ok(()))?
    } else {
        let (mut behind, mut length) = (WriteBehind::default(), 0);
        let digest = consume(source, expected, |bytes| {
            write_sparse(&mut copy, bytes)?;
            length += bytes.len() as u64;
            behind.written(&copy, length);
            Ok(())
        })?;
        copy.set_len(digest.length)?;
        digest
    };
    if sync {
        copy.sync_all()?;
    }
    Ok(digest)
}

/// One file after the other into one that must not exist yet. A file that has not the length that is expected of it ends it: EIO. On failure
/// nothing is left there.
pub fn join_files(from: &[String], lengths: &[u64], to: &str) -> io::Result<u64> {
    let mut whole = create_new(to)?;
    join_into(&mut whole, from, lengths).inspect_err(|_| {
        let _ = std::fs::remove_file(to);
    })
}

fn join_into(whole: &mut File, from: &[String], lengths: &[u64]) -> io::Result<u64> {
    let mut bytes = Vec::with_capacity(lengths.iter().sum::<u64>() as usize);
    for (path, length) in from.iter().zip(lengths) {
        let before = bytes.len() as u64;
        open_file(path)?.take(length + 1).read_to_end(&mut bytes)?;
        if bytes.len() as u64 - before != *length {
            return Err(of_errno(libc::EIO));
        }
    }
    whole.write_all(&bytes)?;
    Ok(bytes.len() as u64)
}

pub struct Parts {
    pub bytes: Vec<u8>,
    pub digests: Vec<String>,
}

/// What `join_files` made, and the digest of each part. EINVAL where the lengths are not those of a file of this length.
pub fn read_parts(path: &str, lengths: &[u64]) -> io::Result<Parts> {
    let expected: u64 = lengths.iter().sum();
    let mut bytes = Vec::with_capacity(expected as usize);
    open_file(path)?.take(expected + 1).read_to_end(&mut bytes)?;
    if bytes.len() as u64 != expected {
        return Err(of_errno(libc::EINVAL));
    }
    let mut rest = bytes.as_slice();
    let mut digests = Vec::with_capacity(lengths.len());
    for length in lengths {
        let (part, after) = rest.split_at(*length as usize);
        digests.push(hex(blake3::hash(part).as_bytes()));
        rest = after;
    }
    Ok(Parts { bytes, digests })
}

/// What is zero throughout is left out, and reads as zero: a sparse file does not fill the disk with its copy.
fn write_sparse(copy: &mut File, bytes: &[u8]) -> io::Result<()> {
    for block in bytes.chunks(HOLE) {
        if is_zero(block) {
            copy.seek(SeekFrom::Current(block.len() as i64))?;
        } else {
            copy.write_all(block)?;
        }
    }
    Ok(())
}

fn is_zero(block: &[u8]) -> bool {
    block.chunks(64).all(|piece| piece.iter().fold(0, |all, byte| all | byte) == 0)
}

/// Reads to the end, hands each piece on and hashes it. `expected`: how many bytes there probably are. Room for no more is made: for a
/// small file that would cost more than all else.
fn consume(
    file: &mut impl Read,
    expected: u64,
    mut each: impl FnMut(&[u8]) -> io::Result<()>,
) -> io::Result<Digest> {
    let mut hasher = blake3::Hasher::new();
    let mut buffer = vec![0; expected.clamp(1, CHUNK) as usize];
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn zeros_are_told_by_every_byte() {
        let mut block = vec![0; HOLE];
        assert!(is_zero(&block));
        for at in [0, 63, 64, HOLE / 2, HOLE - 1] {
            block[at] = 1;
            assert!(!is_zero(&block));
            block[at] = 0;
        }
    }
}
