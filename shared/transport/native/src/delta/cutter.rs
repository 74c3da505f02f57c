//! Cuts contents into chunks where their bytes say so: FastCDC as of 2020 (Xia et al., IEEE TPDS), normalised at level 2, with the
//! crate's gear table. An edit moves the cuts near it and no others.
//!
//! Where the cuts fall is part of the format of lists and deltas: both sides of a link must cut alike. A test pins it.

use std::io::{self, Read};

use fastcdc::v2020::{Normalization, cut, select_masks};

use super::failure::{At, Failure, Outcome};

/// Chunks of short contents: an edit costs those that it meets, and a list is a thirtieth of the contents.
const LEAST_AVERAGE: usize = 512;
/// The largest that the cutter can do with its least and most sizes.
const MOST_AVERAGE: usize = 1024 * 1024;
/// A list of more has larger chunks instead: it is kept for each content.
const CHUNKS: u64 = 32 * 1024;
/// Read at once.
const BUFFER: usize = 1024 * 1024;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Average(usize);

impl Average {
    /// `None`: no chunk size that contents are cut by.
    pub fn new(bytes: u64) -> Option<Average> {
        let bytes = usize::try_from(bytes).ok()?;
        (bytes.is_power_of_two() && (LEAST_AVERAGE..=MOST_AVERAGE).contains(&bytes)).then_some(Average(bytes))
    }

    pub fn for_length(length: u64) -> Average {
        let mut average = LEAST_AVERAGE;
        while average < MOST_AVERAGE && length > CHUNKS * average as u64 {
            average *= 2;
        }
        Average(average)
    }

    pub fn bytes(self) -> usize {
        self.0
    }

    /// The longest chunk.
    pub fn most(self) -> usize {
        4 * self.0
    }

    /// Below this no cut is looked for.
    fn least(self) -> usize {
        self.0 / 4
    }
}

/// Reads `length` bytes and hands on chunk after chunk. `path` is for the error.
pub fn each_chunk(
    from: &mut impl Read,
    length: u64,
    average: Average,
    path: &str,
    mut each: impl FnMut(&[u8]) -> Outcome<()>,
) -> Outcome<()> {
    let (mask_short, mask_long) = select_masks(average.bytes(), Normalization::Level2);
    let mut buffer = vec![0; usize::max(BUFFER, 4 * average.most())];
    let (mut start, mut end, mut unread) = (0, 0, length);
    loop {
        if end - start < average.most() && unread > 0 {
            buffer.copy_within(start..end, 0);
            (start, end) = (0, end - start);
            let wanted = usize::try_from(unread).unwrap_or(usize::MAX).min(buffer.len() - end);
            read_all(from, &mut buffer[end..end + wanted], path)?;
            end += wanted;
            unread -= wanted as u64;
        }
        if start == end {
            return Ok(());
        }
        let (_, count) = cut(
            &buffer[start..end],
            average.least(),
            average.bytes(),
            average.most(),
            mask_short,
            mask_long,
            mask_short << 1,
            mask_long << 1,
        );
        each(&buffer[start..start + count])?;
        start += count;
    }
}

pub fn read_all(from: &mut impl Read, into: &mut [u8], path: &str) -> Outcome<()> {
    match from.read_exact(into) {
        Err(error) if error.kind() == io::ErrorKind::UnexpectedEof => Err(Failure::Short { path: path.to_owned() }),
        result => result.at("read", path),
    }
}
