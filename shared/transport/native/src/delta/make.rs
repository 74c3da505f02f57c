//! Deltas: how contents are made of a base.
//!
//! Bytes: magic and version, the lengths of the base and of what is made, then operations until that is whole. An operation
//! begins with twice its length, plus one where it copies: then the offset in the base follows, else the new bytes do. Numbers are
//! varints.

use std::collections::HashMap;

use super::cutter::each_chunk;
use super::failure::Outcome;
use super::files::{OutFile, Piece};
use super::list::{Chunk, List};
use super::varint;
use crate::host::copy::Digest;

pub const MAGIC: [u8; 4] = *b"gwd\x01";

/// New bytes of one operation: so much is held in memory.
const MOST_NEW: usize = 256 * 1024;

pub struct Made {
    /// `None`: it is not worth it, and there is no file.
    pub delta: Option<Digest>,
    pub list: List,
}

/// Bytes of the base.
#[derive(Clone, Copy, PartialEq, Eq)]
struct Range {
    offset: u64,
    length: u64,
}

pub fn make(base: &[u8], contents: &Piece, out: &str) -> Outcome<Made> {
    let base = List::decode(base)?;
    let mut list = List::new(base.average);
    let mut file = contents.read()?;
    let mut known = Known::new(&base);
    let mut writer = Some(Writer::new(out, base.length, contents.length)?);
    each_chunk(&mut file, contents.length, base.average, &contents.path, |bytes| {
        let chunk = Chunk::of(bytes);
        list.push(chunk);
        let Some(open) = &mut writer else {
            return Ok(());
        };
        match known.find(chunk) {
            Some(range) => open.copy(range)?,
            None => open.add(bytes)?,
        }
        if !is_worth(open.length(), contents.length) {
            writer = None;
        }
        Ok(())
    })?;
    let delta = match writer {
        Some(open) => open.finish(contents.length)?,
        None => None,
    };
    Ok(Made { delta, list })
}

/// Shorter than three quarters.
fn is_worth(delta: u64, contents: u64) -> bool {
    u128::from(delta) * 4 < u128::from(contents) * 3
}

/// The chunks of the base, and where the last one was found.
struct Known<'a> {
    chunks: &'a [Chunk],
    offsets: Vec<u64>,
    /// The first of each kind.
    places: HashMap<Chunk, usize>,
    /// The one behind the last that was found.
    next: usize,
}

impl Known<'_> {
    fn new(base: &List) -> Known<'_> {
        let mut offset = 0;
        let mut places = HashMap::with_capacity(base.chunks.len());
        let mut offsets = Vec::with_capacity(base.chunks.len());
        for (place, chunk) in base.chunks.iter().enumerate() {
            places.entry(*chunk).or_insert(place);
            offsets.push(offset);
            offset += u64::from(chunk.length);
        }
        Known { chunks: &base.chunks, offsets, places, next: 0 }
    }

    /// Where a run goes on, it is followed: one operation for all of it.
    fn find(&mut self, chunk: Chunk) -> Option<Range> {
        let goes_on = self.chunks.get(self.next) == Some(&chunk);
        let place = if goes_on { self.next } else { *self.places.get(&chunk)? };
        self.next = place + 1;
        Some(Range { offset: self.offsets[place], length: u64::from(chunk.length) })
    }
}

/// Writes operations, each as long as it can be.
struct Writer {
    out: OutFile,
    copying: Option<Range>,
    new: Vec<u8>,
}

impl Writer {
    fn new(path: &str, base: u64, contents: u64) -> Outcome<Writer> {
        let mut head = MAGIC.to_vec();
        varint::put(&mut head, base);
        varint::put(&mut head, contents);
        let mut out = OutFile::create(path)?;
        out.write(&head)?;
        Ok(Writer { out, copying: None, new: Vec::new() })
    }

    fn length(&self) -> u64 {
        self.out.length() + self.new.len() as u64
    }

    fn copy(&mut self, range: Range) -> Outcome<()> {
        if let Some(before) = &mut self.copying
            && before.offset + before.length == range.offset
        {
            before.length += range.length;
            return Ok(());
        }
        self.settle()?;
        self.copying = Some(range);
        Ok(())
    }

    fn add(&mut self, bytes: &[u8]) -> Outcome<()> {
        if self.copying.is_some() || self.new.len() + bytes.len() > MOST_NEW {
            self.settle()?;
        }
        self.new.extend_from_slice(bytes);
        Ok(())
    }

    /// Writes the operation that is open.
    fn settle(&mut self) -> Outcome<()> {
        let mut head = Vec::new();
        if let Some(Range { offset, length }) = self.copying.take() {
            varint::put(&mut head, 2 * length + 1);
            varint::put(&mut head, offset);
            self.out.write(&head)?;
        } else if !self.new.is_empty() {
            varint::put(&mut head, 2 * self.new.len() as u64);
            self.out.write(&head)?;
            self.out.write(&self.new)?;
            self.new.clear();
        }
        Ok(())
    }

    fn finish(mut self, contents: u64) -> Outcome<Option<Digest>> {
        self.settle()?;
        if is_worth(self.length(), contents) { self.out.finish().map(Some) } else { Ok(None) }
    }
}
