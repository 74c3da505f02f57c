//! Hashing and copying files, off JavaScript's thread.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::sync::mpsc::{Receiver, SyncSender, sync_channel};

use super::error::of_errno;
use super::files::{Keep, WriteBehind, clone_blocks, create_new, give_back};
use super::spare::{self, Identity};
use crate::identity::hex;

/// Read at once at most: enough to keep the hash's wide paths busy.
const CHUNK: u64 = 1024 * 1024;

/// From this length on a file is read and written by two threads.
const LONG: u64 = 16 * CHUNK;

/// Pieces that were read and are not written yet: the one waits for the other.
const PIECES: usize = 4;

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
        (true, _) => {
            // FUSE keeps pages by name: those of this one may be from before a write by another.
            if metadata.nlink() > 1 {
                give_back(&file, 0, 0);
            }
            Ok(file)
        }
        (false, true) => Err(of_errno(libc::EISDIR)),
        (false, false) => Err(of_errno(libc::EINVAL)),
    }
}

/// Hashes what lies from `offset` on, `length` bytes of it or as many as there are.
pub fn digest_part(path: &str, offset: u64, length: u64) -> io::Result<Digest> {
    let mut file = open_file(path)?;
    file.seek(SeekFrom::Start(offset))?;
    consume(&mut file.take(length), length, |_| Ok(()))
}

/// Copies to a file that must not exist yet. On failure nothing is left there. `spare`: readers of the copy read the original while that is
/// untouched (`spare.rs`), so the copy is not kept in memory.
pub fn copy_file(from: &str, to: &str, sync: bool, spare: bool) -> io::Result<Digest> {
    let mut source = open_file(from)?;
    let copy = create_new(to)?;
    copy_to(&mut source, copy, to, sync, spare).inspect_err(|_| {
        let _ = std::fs::remove_file(to);
    })
}

fn copy_to(source: &mut File, copy: File, to: &str, sync: bool, spare: bool) -> io::Result<Digest> {
    let before = source.metadata()?;
    if clone_blocks(source, &copy).is_ok() {
        if sync {
            copy.sync_all()?;
        }
        // The copy is hashed, not the source, which may have changed since.
        return consume(&mut File::open(to)?, before.len(), |_| Ok(()));
    }
    let behind = WriteBehind::new(if spare { Keep::Few } else { Keep::All });
    let (digest, copy) = copy_bytes(source, copy, before.len(), behind)?;
    copy.set_len(digest.length)?;
    if spare {
        spare::note(&copy, source, Identity::from(&before));
    }
    if sync {
        copy.sync_all()?;
    }
    Ok(digest)
}

/// A long file is written by a thread of its own, while the next piece is read and hashed here.
fn copy_bytes(source: &mut File, copy: File, expected: u64, behind: WriteBehind) -> io::Result<(Digest, File)> {
    let mut writer = Writer { copy, behind, length: 0 };
    if expected < LONG {
        let digest = consume(source, expected, |bytes| writer.write(bytes))?;
        return Ok((digest, writer.copy));
    }
    let (full, filled) = sync_channel::<(Vec<u8>, usize)>(PIECES);
    let (empty, emptied) = sync_channel(PIECES + 2);
    let writing = std::thread::Builder::new().name("godwit-copy".into()).spawn(move || {
        for (bytes, length) in filled {
            writer.write(&bytes[..length])?;
            let _ = empty.send(bytes);
        }
        Ok(writer.copy)
    })?;
    let read = read_pieces(source, &full, &emptied);
    drop(full);
    // What went wrong with the writing is why the reading ended.
    let copy = writing.join().unwrap_or_else(|_| Err(of_errno(libc::EIO)))?;
    Ok((read?, copy))
}

/// Reads to the end, hashes each piece and sends it on. The pieces come back empty, so that the same memory serves all of them.
fn read_pieces(
    source: &mut File,
    full: &SyncSender<(Vec<u8>, usize)>,
    emptied: &Receiver<Vec<u8>>,
) -> io::Result<Digest> {
    let mut hasher = blake3::Hasher::new();
    for made in 0.. {
        let fresh = || vec![0; CHUNK as usize];
        let mut bytes = if made < PIECES { fresh() } else { emptied.recv().unwrap_or_else(|_| fresh()) };
        let length = read_some(source, &mut bytes)?;
        if length == 0 {
            break;
        }
        hasher.update(&bytes[..length]);
        full.send((bytes, length)).map_err(|_| of_errno(libc::EIO))?;
    }
    Ok(Digest { digest: hex(hasher.finalize().as_bytes()), length: hasher.count() })
}

struct Writer {
    copy: File,
    behind: WriteBehind,
    length: u64,
}

impl Writer {
    fn write(&mut self, bytes: &[u8]) -> io::Result<()> {
        write_sparse(&mut self.copy, bytes)?;
        self.length += bytes.len() as u64;
        self.behind.written(&self.copy, self.length)
    }
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
fn consume(file: &mut impl Read, expected: u64, mut each: impl FnMut(&[u8]) -> io::Result<()>) -> io::Result<Digest> {
    let mut hasher = blake3::Hasher::new();
    let mut buffer = vec![0; expected.clamp(1, CHUNK) as usize];
    loop {
        let count = read_some(file, &mut buffer)?;
        if count == 0 {
            break;
        }
        let bytes = &buffer[..count];
        hasher.update(bytes);
        each(bytes)?;
    }
    Ok(Digest { digest: hex(hasher.finalize().as_bytes()), length: hasher.count() })
}

/// How many bytes were read; 0: there are no more.
fn read_some(file: &mut impl Read, buffer: &mut [u8]) -> io::Result<usize> {
    loop {
        match file.read(buffer) {
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            result => return result,
        }
    }
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
