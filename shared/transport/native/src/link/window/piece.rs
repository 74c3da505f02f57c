//! How large packets of bulk are.
//!
//! Pure. Times are in microseconds, amounts in bytes, rates in bytes a microsecond.

/// A packet of bulk is on the line for so long at most, where it need not be smaller than that for it: as a full one at 64 KB/s, for headers cost
/// more than the wait. On a far path it is so much: what is told of a queue is late there, and a packet more or less tells for more than a header.
/// Where packets are lost it is so long: three of them and an urgent message have room in a queue of 50 ms.
const PIECE: f64 = 25_000.0;
const PIECE_OF_FAR: f64 = 20_000.0;
/// Of a round trip without queues.
const FAR: f64 = 100_000.0;
const PIECE_AFTER_LOSS: f64 = 12_000.0;
const LEAST_PIECE: f64 = 800.0;

/// Bytes on the wire, where the path takes `most`. `rate`: 0: not known. `lossless`: from 0, after many losses, to 1. `base`: of a round trip.
pub fn piece(rate: f64, lossless: f64, base: f64, most: f64) -> f64 {
    let whole = if base > FAR { PIECE_OF_FAR } else { PIECE };
    let piece = PIECE_AFTER_LOSS + (whole - PIECE_AFTER_LOSS) * lossless;
    if rate > 0.0 { (piece * rate).max(LEAST_PIECE).min(most) } else { most }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_smaller_on_a_slow_line_and_where_packets_are_lost() {
        let of = |rate: f64, lossless: f64| piece(rate, lossless, 50_000.0, 1_472.0);
        assert_eq!((of(0.0, 1.0), of(1.0, 0.0), of(0.064, 1.0)), (1_472.0, 1_472.0, 1_472.0));
        assert!(of(0.04, 1.0) < 1_472.0 && of(0.064, 0.0) < of(0.064, 0.5));
        assert_eq!(of(0.001, 0.0), LEAST_PIECE);
    }

    #[test]
    fn is_smaller_on_a_slow_line_that_is_far() {
        let of = |rate: f64, base: f64| piece(rate, 1.0, base, 1_472.0);
        assert!(of(0.064, 200_000.0) < of(0.064, 50_000.0));
        assert_eq!(of(0.1, 200_000.0), 1_472.0);
    }
}
