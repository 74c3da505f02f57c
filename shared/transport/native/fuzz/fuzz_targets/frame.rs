//! Frames: the pieces in which bytes come make no difference, and a head that is taken is written again as it came.
#![no_main]

use godwit_native_fuzz::bench::parts;
use godwit_native_fuzz::frame::{CLASSES, ContentMeter, FrameError, FrameParser, Head, PREFIX, encode};
use libfuzzer_sys::fuzz_target;

const LIMIT: u32 = 1000;

fn parse<'a>(pieces: impl Iterator<Item = &'a [u8]>) -> Result<Option<(Head, usize)>, FrameError> {
    let mut parser = FrameParser::new(LIMIT);
    let mut taken = 0;
    for piece in pieces {
        let (count, head) = parser.push(piece)?;
        assert!(count <= piece.len());
        taken += count;
        if let Some(head) = head {
            return Ok(Some((head, taken)));
        }
        assert_eq!(count, piece.len(), "bytes are left over before the head is whole");
    }
    Ok(None)
}

fuzz_target!(|data: &[u8]| {
    let [cuts, bytes] = parts::<2>(data);
    let whole = parse(std::iter::once(bytes));
    let step = 1 + cuts.first().map_or(0, |byte| usize::from(*byte));
    assert_eq!(parse(bytes.chunks(step)), whole);
    let Ok(Some((head, taken))) = whole else { return };
    assert_eq!(taken, PREFIX + head.header.len());
    assert!(head.header.len() <= LIMIT as usize && head.class < CLASSES);
    assert_eq!(encode(head.class, &head.header, head.content_length), bytes[..taken]);

    let mut meter = ContentMeter::new(head.content_length);
    let mut received = 0u64;
    for pair in cuts.chunks(9) {
        let length = pair.iter().skip(1).fold(0, |sum, byte| sum << 8 | u64::from(*byte));
        let fin = pair[0] % 2 == 1;
        let total = received.checked_add(length).filter(|total| *total <= head.content_length);
        let fits = total.is_some_and(|total| !fin || total == head.content_length);
        assert_eq!(meter.take(length, fin).is_ok(), fits);
        received = if fits { total.unwrap_or(received) } else { received };
    }
});
