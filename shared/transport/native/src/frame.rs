//! The frame on a stream, the same in both directions: a prefix of 16 bytes, the header, the content, FIN.
//!
//! | offset | bytes | what |
//! | --- | --- | --- |
//! | 0 | 1 | magic, `G` |
//! | 1 | 1 | version of the frame, 1 |
//! | 2 | 1 | urgency of the priority class, 0 the most urgent |
//! | 3 | 1 | 0 |
//! | 4 | 4 | length of the header, little endian |
//! | 8 | 8 | length of the content, little endian |
//!
//! The parser takes bytes in pieces of any size, keeps at most a header of the agreed limit, and answers any
//! input with a value: it never panics.

pub const PREFIX: usize = 16;
const MAGIC: u8 = b'G';
const VERSION: u8 = 1;
/// Ordinals of the priority classes, see `shared/model/priority-class.ts`.
pub const CLASSES: u8 = 6;
/// Lengths cross into JavaScript as numbers: 2^53 - 1.
const MAX_CONTENT: u64 = (1 << 53) - 1;
/// What is set aside at once for a header; a longer one grows as its bytes come, so that a prefix alone
/// can't make us reserve much.
const FIRST_RESERVE: usize = 4096;

#[derive(Debug, PartialEq, Eq)]
pub struct Head {
    pub class: u8,
    pub header: Vec<u8>,
    pub content_length: u64,
}

#[derive(Debug, PartialEq, Eq, Clone, Copy)]
pub enum FrameError {
    /// Not a frame of this version.
    Malformed,
    /// The header is over the limit.
    TooLarge,
}

/// The prefix and the header, ready to send. The header must be shorter than 4 GB; the caller holds it to its
/// own limit.
pub fn encode(class: u8, header: &[u8], content_length: u64) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(PREFIX + header.len());
    bytes.extend_from_slice(&[MAGIC, VERSION, class, 0]);
    bytes.extend_from_slice(&(header.len() as u32).to_le_bytes());
    bytes.extend_from_slice(&content_length.to_le_bytes());
    bytes.extend_from_slice(header);
    bytes
}

/// Changes the class in a frame that has not left.
pub fn set_class(frame: &mut [u8], class: u8) {
    if let Some(byte) = frame.get_mut(2) {
        *byte = class;
    }
}

pub struct FrameParser {
    max_header: u32,
    prefix: [u8; PREFIX],
    filled: usize,
    header: Vec<u8>,
}

impl FrameParser {
    pub fn new(max_header: u32) -> FrameParser {
        FrameParser { max_header, prefix: [0; PREFIX], filled: 0, header: Vec::new() }
    }

    /// What a header may have from here on; one whose prefix has been read keeps what held then.
    pub fn limit(&mut self, max_header: u32) {
        self.max_header = max_header;
    }

    /// Takes bytes up to the end of the header. Returns how many it took and, once the header is whole, the
    /// head; what follows is content. Must not be called again after that or after an error.
    pub fn push(&mut self, bytes: &[u8]) -> Result<(usize, Option<Head>), FrameError> {
        let (of_prefix, told) = self.push_prefix(bytes)?;
        let rest = &bytes[of_prefix..];
        if told.is_none() {
            return Ok((of_prefix, None));
        }
        let (class, header_length, content_length) = self.parse_prefix()?;
        let missing = header_length - self.header.len();
        let of_header = rest.len().min(missing);
        if self.header.capacity() == 0 {
            self.header.reserve_exact(header_length.min(FIRST_RESERVE));
        }
        self.header.extend_from_slice(&rest[..of_header]);
        let taken = of_prefix + of_header;
        if of_header < missing {
            return Ok((taken, None));
        }
        let header = std::mem::take(&mut self.header);
        Ok((taken, Some(Head { class, header, content_length })))
    }

    /// Takes bytes up to the end of the prefix. Returns how many it took and, once the prefix is whole, the class and the length of the
    /// header.
    pub fn push_prefix(&mut self, bytes: &[u8]) -> Result<(usize, Option<(u8, u32)>), FrameError> {
        let taken = bytes.len().min(PREFIX - self.filled);
        self.prefix[self.filled..self.filled + taken].copy_from_slice(&bytes[..taken]);
        self.filled += taken;
        if self.filled < PREFIX {
            return Ok((taken, None));
        }
        let (class, length, _) = self.parse_prefix()?;
        Ok((taken, Some((class, length as u32))))
    }

    fn parse_prefix(&self) -> Result<(u8, usize, u64), FrameError> {
        let [magic, version, class, zero, h0, h1, h2, h3, content @ ..] = self.prefix;
        if magic != MAGIC || version != VERSION || zero != 0 || class >= CLASSES {
            return Err(FrameError::Malformed);
        }
        let header_length = u32::from_le_bytes([h0, h1, h2, h3]);
        if header_length > self.max_header {
            return Err(FrameError::TooLarge);
        }
        let content_length = u64::from_le_bytes(content);
        if content_length > MAX_CONTENT {
            return Err(FrameError::Malformed);
        }
        Ok((class, header_length as usize, content_length))
    }
}

/// Holds a content to the length that its head gave.
#[derive(Debug, Default)]
pub struct ContentMeter {
    expected: u64,
    received: u64,
}

impl ContentMeter {
    pub fn new(expected: u64) -> ContentMeter {
        ContentMeter { expected, received: 0 }
    }

    /// Counts bytes that came, with FIN behind them or not. Too many, or FIN too early, is no frame of ours.
    pub fn take(&mut self, length: u64, fin: bool) -> Result<(), FrameError> {
        let missing = self.expected - self.received;
        if length > missing || (fin && length < missing) {
            return Err(FrameError::Malformed);
        }
        self.received += length;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMIT: u32 = 1000;

    /// Feeds `bytes` in pieces and returns the head and how many bytes it took.
    fn parse(bytes: &[u8], piece: usize) -> Result<Option<(Head, usize)>, FrameError> {
        let mut parser = FrameParser::new(LIMIT);
        let mut taken = 0;
        for chunk in bytes.chunks(piece) {
            let (count, head) = parser.push(chunk)?;
            taken += count;
            if let Some(head) = head {
                return Ok(Some((head, taken)));
            }
        }
        Ok(None)
    }

    #[test]
    fn the_class_can_change() {
        let mut bytes = encode(5, b"x", 0);
        set_class(&mut bytes, 1);
        assert_eq!(bytes, encode(1, b"x", 0));
    }

    #[test]
    fn any_cut_gives_the_same_head() {
        let mut bytes = encode(4, b"a header", 7);
        bytes.extend_from_slice(b"content");
        for piece in 1..=bytes.len() {
            let (head, taken) = parse(&bytes, piece).expect("well formed").expect("whole");
            assert_eq!(head, Head { class: 4, header: b"a header".to_vec(), content_length: 7 });
            assert_eq!(taken, PREFIX + 8);
        }
    }

    #[test]
    fn an_empty_header_ends_with_the_prefix() {
        let (head, taken) = parse(&encode(0, b"", 0), 3).expect("well formed").expect("whole");
        assert_eq!((head.header.len(), head.content_length, taken), (0, 0, PREFIX));
    }

    #[test]
    fn a_cut_frame_is_not_whole() {
        let bytes = encode(1, &[9; 500], 0);
        for length in 0..bytes.len() {
            assert_eq!(parse(&bytes[..length], 7), Ok(None));
        }
    }

    #[test]
    fn headers_have_a_limit() {
        assert!(parse(&encode(0, &[0; LIMIT as usize], 0), 64).expect("at the limit").is_some());
        assert_eq!(parse(&encode(0, &[0; LIMIT as usize + 1], 0), 64), Err(FrameError::TooLarge));
    }

    #[test]
    fn wrong_prefixes_are_malformed() {
        let good = encode(0, b"x", 0);
        for (index, value) in [(0, b'H'), (1, 2), (2, CLASSES), (3, 1), (15, 0xFF)] {
            let mut bytes = good.clone();
            bytes[index] = value;
            assert_eq!(parse(&bytes, 5), Err(FrameError::Malformed), "byte {index}");
        }
    }

    #[test]
    fn a_content_is_as_long_as_its_head_said() {
        let mut meter = ContentMeter::new(10);
        assert_eq!(meter.take(4, false), Ok(()));
        assert_eq!(meter.take(7, false), Err(FrameError::Malformed));
        assert_eq!(meter.take(5, true), Err(FrameError::Malformed));
        assert_eq!(meter.take(u64::MAX, false), Err(FrameError::Malformed));
        assert_eq!(meter.take(6, false), Ok(()));
        assert_eq!(meter.take(0, true), Ok(()));
        assert_eq!(ContentMeter::new(0).take(0, true), Ok(()));
        assert_eq!(ContentMeter::new(0).take(1, true), Err(FrameError::Malformed));
    }

    #[test]
    fn no_input_panics() {
        let mut state = 0x9E37_79B9_7F4A_7C15_u64;
        let mut next = || {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            state
        };
        for round in 0..20_000_u64 {
            let length = (next() % 64) as usize;
            let mut bytes: Vec<u8> = (0..length).map(|_| next() as u8).collect();
            // Half of them begin as a frame does, so that they get past the first byte.
            if round % 2 == 0 {
                for (byte, value) in bytes.iter_mut().zip([MAGIC, VERSION, (round % 7) as u8, 0]) {
                    *byte = value;
                }
            }
            let _ = parse(&bytes, 1 + (next() % 20) as usize);
        }
    }
}
