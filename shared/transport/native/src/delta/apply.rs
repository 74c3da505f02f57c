//! Makes contents of a base and a delta, which may be anything: every number is checked against the lengths of both.

use std::fs::File;
use std::io::{self, BufRead, BufReader, Read};
use std::os::unix::fs::FileExt;

use super::failure::{At, Failure, Outcome};
use super::files::{OutFile, Piece};
use super::make::MAGIC;
use super::varint;
use crate::host::copy::{Digest, open_file};

/// Read and written at once.
const BUFFER: usize = 256 * 1024;

const CUT_OFF: Failure = Failure::Damaged("the delta is cut off");

pub fn apply(base: &Piece, delta: &str, out: &str, most: u64) -> Outcome<Digest> {
    let source = base.open()?;
    let mut from = Delta::open(delta)?;
    if from.number()? != base.length {
        return Err(Failure::Damaged("the delta is for another base"));
    }
    let length = from.number()?;
    if length > most {
        return Err(Failure::Damaged("the delta makes more than it may"));
    }
    let mut out = OutFile::create(out)?;
    let mut buffer = vec![0; BUFFER];
    while out.length() < length {
        let head = from.number()?;
        let (count, copies) = (head / 2, head % 2 == 1);
        if count == 0 || count > length - out.length() {
            return Err(Failure::Damaged("the delta makes more than it says"));
        }
        if copies {
            let offset = from.number()?;
            if offset.checked_add(count).is_none_or(|end| end > base.length) {
                return Err(Failure::Damaged("the delta names what the base does not have"));
            }
            copy(&source, base, offset, count, &mut buffer, &mut out)?;
        } else {
            from.bytes(count, &mut buffer, &mut out)?;
        }
    }
    from.end()?;
    out.finish()
}

fn copy(source: &File, base: &Piece, offset: u64, count: u64, buffer: &mut [u8], out: &mut OutFile) -> Outcome<()> {
    let (mut at, mut left) = (base.offset + offset, count);
    while left > 0 {
        let wanted = usize::try_from(left).unwrap_or(usize::MAX).min(buffer.len());
        match source.read_exact_at(&mut buffer[..wanted], at) {
            Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => {
                return Err(Failure::Short { path: base.path.clone() });
            }
            result => result.at("read", &base.path)?,
        }
        out.write(&buffer[..wanted])?;
        at += wanted as u64;
        left -= wanted as u64;
    }
    Ok(())
}

/// A delta as it is read; what its head says is still to be read.
struct Delta<'a> {
    from: BufReader<File>,
    path: &'a str,
}

impl<'a> Delta<'a> {
    fn open(path: &'a str) -> Outcome<Delta<'a>> {
        let file = open_file(path).at("open", path)?;
        let mut delta = Delta { from: BufReader::with_capacity(BUFFER, file), path };
        for expected in MAGIC {
            if delta.byte()? != Some(expected) {
                return Err(Failure::Damaged("not a delta"));
            }
        }
        Ok(delta)
    }

    fn byte(&mut self) -> Outcome<Option<u8>> {
        let first = self.from.fill_buf().at("read", self.path)?.first().copied();
        if first.is_some() {
            self.from.consume(1);
        }
        Ok(first)
    }

    fn number(&mut self) -> Outcome<u64> {
        varint::take(|| self.byte())?.ok_or(CUT_OFF)
    }

    fn bytes(&mut self, count: u64, buffer: &mut [u8], out: &mut OutFile) -> Outcome<()> {
        let mut left = count;
        while left > 0 {
            let wanted = usize::try_from(left).unwrap_or(usize::MAX).min(buffer.len());
            match self.from.read_exact(&mut buffer[..wanted]) {
                Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => return Err(CUT_OFF),
                result => result.at("read", self.path)?,
            }
            out.write(&buffer[..wanted])?;
            left -= wanted as u64;
        }
        Ok(())
    }

    fn end(&mut self) -> Outcome<()> {
        match self.byte()? {
            None => Ok(()),
            Some(_) => Err(Failure::Damaged("something lies behind the delta")),
        }
    }
}
