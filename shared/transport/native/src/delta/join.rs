//! Puts together what came in two pieces.

use std::fs::{File, OpenOptions};
use std::io::{Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};

use super::failure::{At, Outcome};
use crate::host::copy::{Digest, open_file};
use crate::host::error::of_errno;
use crate::identity::hex;

/// Read and written at once.
const BUFFER: usize = 1024 * 1024;

/// Appends `rest` to `begun` and removes it. On failure both are as they were.
pub fn join(begun: &str, rest: &str) -> Outcome<Digest> {
    let mut source = open_file(rest).at("open", rest)?;
    let mut options = OpenOptions::new();
    let mut target = options.read(true).write(true).custom_flags(libc::O_NONBLOCK).open(begun).at("open", begun)?;
    let (mine, theirs) = (target.metadata().at("fstat", begun)?, source.metadata().at("fstat", rest)?);
    if !mine.is_file() || (mine.dev(), mine.ino()) == (theirs.dev(), theirs.ino()) {
        return Err(of_errno(libc::EINVAL)).at("open", begun);
    }
    let mut hasher = blake3::Hasher::new();
    let joined = append(&mut target, begun, &mut source, rest, &mut hasher)
        .and_then(|()| std::fs::remove_file(rest).at("unlink", rest));
    if let Err(failure) = joined {
        let _ = target.set_len(mine.len());
        return Err(failure);
    }
    Ok(Digest { digest: hex(hasher.finalize().as_bytes()), length: hasher.count() })
}

fn append(target: &mut File, begun: &str, source: &mut File, rest: &str, hasher: &mut blake3::Hasher) -> Outcome<()> {
    let mut buffer = vec![0; BUFFER];
    while let Some(bytes) = next(target, &mut buffer).at("read", begun)? {
        hasher.update(bytes);
    }
    // Where the next byte goes is where reading stopped, whoever shortened or lengthened the file meanwhile.
    target.seek(SeekFrom::Start(hasher.count())).at("lseek", begun)?;
    while let Some(bytes) = next(source, &mut buffer).at("read", rest)? {
        hasher.update(bytes);
        target.write_all(bytes).at("write", begun)?;
    }
    Ok(())
}

fn next<'a>(file: &mut File, buffer: &'a mut [u8]) -> std::io::Result<Option<&'a [u8]>> {
    loop {
        match file.read(buffer) {
            Ok(0) => return Ok(None),
            Ok(count) => return Ok(Some(&buffer[..count])),
            Err(error) if error.kind() == std::io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
}
