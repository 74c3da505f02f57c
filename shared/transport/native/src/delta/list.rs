//! Chunk lists: where some contents are cut, and what the chunks are.
//!
//! Bytes: version, average chunk size, number of chunks, then of each its length and 16 bytes of its BLAKE3. Numbers are
//! varints. Two chunks of one digest are never found by accident; a user who makes some on purpose damages his own files, and the digest of
//! the whole contents, which is never cut short, shows it.

use super::cutter::{Average, each_chunk};
use super::failure::{Failure, Outcome};
use super::files::Piece;
use super::varint;

const VERSION: u8 = 1;
pub const DIGEST: usize = 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Chunk {
    pub digest: [u8; DIGEST],
    pub length: u32,
}

impl Chunk {
    pub fn of(bytes: &[u8]) -> Chunk {
        let mut digest = [0; DIGEST];
        digest.copy_from_slice(&blake3::hash(bytes).as_bytes()[..DIGEST]);
        Chunk { digest, length: bytes.len() as u32 }
    }
}

pub struct List {
    pub average: Average,
    pub chunks: Vec<Chunk>,
    /// Of the contents.
    pub length: u64,
}

impl List {
    pub fn new(average: Average) -> List {
        List { average, chunks: Vec::new(), length: 0 }
    }

    pub fn push(&mut self, chunk: Chunk) {
        self.length += u64::from(chunk.length);
        self.chunks.push(chunk);
    }

    pub fn encode(&self) -> Vec<u8> {
        let mut out = vec![VERSION];
        varint::put(&mut out, self.average.bytes() as u64);
        varint::put(&mut out, self.chunks.len() as u64);
        for Chunk { digest, length } in &self.chunks {
            varint::put(&mut out, u64::from(*length));
            out.extend_from_slice(digest);
        }
        out
    }

    pub fn decode(bytes: &[u8]) -> Outcome<List> {
        parse(bytes).ok_or(Failure::Damaged("not a chunk list"))
    }
}

fn parse(bytes: &[u8]) -> Option<List> {
    let (version, mut rest) = bytes.split_first()?;
    if *version != VERSION {
        return None;
    }
    let mut list = List::new(Average::new(number(&mut rest)?)?);
    let count = number(&mut rest)?;
    // No more than there can be: the number alone must not make anybody reserve memory.
    if count > (rest.len() / (DIGEST + 1)) as u64 {
        return None;
    }
    list.chunks.reserve_exact(count as usize);
    for _ in 0..count {
        let length = number(&mut rest)?;
        if length == 0 || length > list.average.most() as u64 {
            return None;
        }
        let (digest, behind) = rest.split_first_chunk::<DIGEST>()?;
        list.push(Chunk { digest: *digest, length: length as u32 });
        rest = behind;
    }
    rest.is_empty().then_some(list)
}

fn number(from: &mut &[u8]) -> Option<u64> {
    varint::take(|| {
        let Some((byte, rest)) = from.split_first() else {
            return Err(());
        };
        *from = rest;
        Ok(Some(*byte))
    })
    .ok()
    .flatten()
}

/// The list of the contents, cut as `like` is, or as fits their length.
pub fn list_of(contents: &Piece, like: Option<&[u8]>) -> Outcome<List> {
    let average = match like {
        Some(like) => List::decode(like)?.average,
        None => Average::for_length(contents.length),
    };
    let mut list = List::new(average);
    each_chunk(&mut contents.read()?, contents.length, average, &contents.path, |bytes| {
        list.push(Chunk::of(bytes));
        Ok(())
    })?;
    Ok(list)
}
