//! A report on the wire: one datagram of QUIC, for it is of no use late.
//!
//! | offset | bytes | what |
//! | --- | --- | --- |
//! | 0 | 1 | magic, `R` |
//! | 1 | 1 | version, 2 |
//! | 2 | 8 | the sender's clock, microseconds since it began to count, little endian |
//! | 10 | 8 | bytes that came to it on this connection, as on the wire, little endian |
//! | 18 | 4 | microseconds that the report which came last had stood in the queue, little endian |
//! | 22 | 4 | the low bits of the clock in that report, little endian |

use super::sample::Report;

pub const LENGTH: usize = 26;
const MAGIC: u8 = b'R';
const VERSION: u8 = 2;

pub fn encode(report: &Report) -> [u8; LENGTH] {
    let mut bytes = [0; LENGTH];
    bytes[0] = MAGIC;
    bytes[1] = VERSION;
    bytes[2..10].copy_from_slice(&(report.time as u64).to_le_bytes());
    bytes[10..18].copy_from_slice(&(report.received as u64).to_le_bytes());
    bytes[18..22].copy_from_slice(&(report.queue as u32).to_le_bytes());
    bytes[22..].copy_from_slice(&report.heard.to_le_bytes());
    bytes
}

/// None: no report of this version, or one whose numbers are out of reason.
pub fn decode(bytes: &[u8]) -> Option<Report> {
    let (&[MAGIC, VERSION], numbers) = bytes.split_first_chunk()? else {
        return None;
    };
    let (time, rest) = numbers.split_first_chunk()?;
    let (received, rest) = rest.split_first_chunk()?;
    let (queue, rest) = rest.split_first_chunk()?;
    let (heard, []) = rest.split_first_chunk()? else {
        return None;
    };
    let report = Report {
        time: u64::from_le_bytes(*time) as f64,
        received: u64::from_le_bytes(*received) as f64,
        queue: f64::from(u32::from_le_bytes(*queue)),
        heard: u32::from_le_bytes(*heard),
    };
    report.is_sound().then_some(report)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_read_as_it_was_written() {
        let report = Report { time: 1.0e15, received: 123_456_789.0, queue: 25_000.0, heard: 0xfedc_ba98 };
        assert_eq!(decode(&encode(&report)), Some(report));
    }

    #[test]
    fn is_nothing_that_was_cut_made_longer_or_of_another_kind() {
        let bytes = encode(&Report { time: 1.0, received: 2.0, queue: 3.0, heard: 4 });
        for length in 0..LENGTH {
            assert_eq!(decode(&bytes[..length]), None);
        }
        assert_eq!(decode(&[bytes.as_slice(), &[0]].concat()), None);
        for (at, flipped) in (0..2).flat_map(|at| (1..=u8::MAX).map(move |flipped| (at, flipped))) {
            let mut other = bytes;
            other[at] ^= flipped;
            assert_eq!(decode(&other), None);
        }
    }

    #[test]
    fn whatever_comes_is_no_report_or_one_of_sound_numbers() {
        let mut random = 1_u64;
        let mut byte = || {
            random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
            (random >> 56) as u8
        };
        for round in 0..20_000 {
            let mut bytes: Vec<u8> = (0..usize::from(byte() % 32)).map(|_| byte()).collect();
            if round % 2 == 0 && bytes.len() >= 2 {
                bytes[..2].copy_from_slice(&[MAGIC, VERSION]);
            }
            let Some(report) = decode(&bytes) else { continue };
            assert_eq!(bytes.len(), LENGTH);
            assert!(report.is_sound() && report.time >= 0.0 && report.received >= 0.0 && report.queue >= 0.0);
        }
    }

    #[test]
    fn numbers_that_do_not_fit_are_the_nearest() {
        let report = Report { time: 1.0, received: -1.0, queue: f64::MAX, heard: 0 };
        let told = decode(&encode(&report)).unwrap();
        assert_eq!((told.received, told.queue), (0.0, f64::from(u32::MAX)));
    }

    #[test]
    fn numbers_out_of_reason_are_refused() {
        for (time, received) in [(f64::INFINITY, 0.0), (0.0, 1e18), (1.1e15, 0.0)] {
            assert_eq!(decode(&encode(&Report { time, received, queue: 0.0, heard: 0 })), None);
        }
    }
}
