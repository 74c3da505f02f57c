//! Chance that a seed repeats: the n-th draw of a stream depends on seed, stream and n alone, so that what is changed
//! about one kind of draw leaves the others as they were.

#[derive(Clone, Copy)]
pub enum Stream {
    Loss = 1,
    Jitter = 2,
}

/// The finaliser of splitmix64 (Steele, Lea and Flood, 2014).
fn mix(value: u64) -> u64 {
    let value = (value ^ (value >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let value = (value ^ (value >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    value ^ (value >> 31)
}

const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

pub fn draw(seed: u64, stream: Stream, number: u64) -> u64 {
    let start = mix(seed.wrapping_add((stream as u64).wrapping_mul(GOLDEN)));
    mix(start.wrapping_add(number.wrapping_add(1).wrapping_mul(GOLDEN)))
}

/// In [0, 1).
pub fn fraction(draw: u64) -> f64 {
    (draw >> 11) as f64 / (1u64 << 53) as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_the_same_again_and_different_in_each_stream() {
        let of = |seed, stream| (0..4).map(|number| draw(seed, stream, number)).collect::<Vec<_>>();
        assert_eq!(of(7, Stream::Loss), of(7, Stream::Loss));
        assert_ne!(of(7, Stream::Loss), of(7, Stream::Jitter));
        assert_ne!(of(7, Stream::Loss), of(8, Stream::Loss));
    }

    #[test]
    fn is_spread_evenly() {
        for seed in 0..20 {
            let hits = (0..10_000).filter(|&number| fraction(draw(seed, Stream::Loss, number)) < 0.1).count();
            assert!((850..1150).contains(&hits), "{hits}");
        }
    }
}
