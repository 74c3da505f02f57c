//! Whole numbers as seven bits a byte, the low ones first; each number has one form only.

/// The longest form of 64 bits.
const LONGEST: usize = 10;

pub fn put(out: &mut Vec<u8>, mut value: u64) {
    while value > 0x7f {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Takes a number from where `next` gives byte after byte; `None` where it is none, or `next` gave none.
pub fn take<E>(mut next: impl FnMut() -> Result<Option<u8>, E>) -> Result<Option<u64>, E> {
    let mut value: u64 = 0;
    for place in 0..LONGEST {
        let Some(byte) = next()? else {
            return Ok(None);
        };
        let bits = u64::from(byte & 0x7f);
        let shifted = bits << (7 * place);
        if shifted >> (7 * place) != bits || (byte == 0 && place > 0) {
            return Ok(None);
        }
        value |= shifted;
        if byte & 0x80 == 0 {
            return Ok(Some(value));
        }
    }
    Ok(None)
}

#[cfg(test)]
mod tests {
    use std::convert::Infallible;

    use super::*;

    fn taken(bytes: &[u8]) -> Option<u64> {
        let mut from = bytes.iter();
        take(|| Ok::<_, Infallible>(from.next().copied())).unwrap_or_else(|never| match never {})
    }

    #[test]
    fn numbers_come_back() {
        for value in [0, 1, 0x7f, 0x80, 300, 1 << 32, (1 << 63) - 1, u64::MAX] {
            let mut bytes = Vec::new();
            put(&mut bytes, value);
            assert_eq!(taken(&bytes), Some(value));
            assert_eq!(taken(&bytes[..bytes.len() - 1]), None);
        }
    }

    #[test]
    fn one_form_only() {
        assert_eq!(taken(&[0x80, 0]), None);
        assert_eq!(taken(&[0xff; 11]), None);
        assert_eq!(taken(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 2]), None);
    }
}
