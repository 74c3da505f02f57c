//! A bound on how many bytes of contents leave a connection in a time: what a person has set (contract 12 of `shared/ports/transport.ts`).
//!
//! A bucket of credit: it grows with time up to a burst, and what leaves is taken from it. What waits is handed down in pieces of some
//! milliseconds of the rate, so that what is more urgent gets the next one.
//!
//! Invariants
//! 1. In any time `t` no more leaves than `rate * t + burst`.
//! 2. Nothing waits for ever: a piece is never more than a burst.
//!
//! Pure. Times are in microseconds, rates in bytes a microsecond.

use std::time::Duration;

use super::window::Room;

/// `limitBurst` of the port has the same.
const LEAST_BURST: f64 = 16.0 * 1024.0;
const BURST_TIME: f64 = 100_000.0;
/// A piece: about a packet at least.
const LEAST_PIECE: f64 = 1_200.0;
const PIECE_TIME: f64 = 5_000.0;
/// After so long it is looked at again, however much is lacking: who waits keeps a shutdown waiting.
const LONGEST_WAIT: f64 = 100_000.0;

#[derive(Default)]
pub struct Limit {
    /// 0: there is none.
    rate: f64,
    credit: f64,
    at: f64,
}

impl Limit {
    /// `bytes_per_second` 0: none. What was saved up is kept, as far as the new burst holds it.
    pub fn set(&mut self, now: f64, bytes_per_second: f64) {
        let had = self.rate > 0.0;
        self.refill(now);
        self.rate = bytes_per_second.max(0.0) / 1e6;
        self.credit = if had { self.credit.min(self.burst()) } else { self.burst() };
    }

    /// So much may leave now, or after a wait.
    pub fn room(&mut self, now: f64) -> Room {
        if self.rate <= 0.0 {
            return Room::Now(u64::MAX);
        }
        self.refill(now);
        let piece = (self.rate * PIECE_TIME).max(LEAST_PIECE);
        // What is short of a piece by less than a byte is not waited for.
        let lacks = piece - self.credit;
        if lacks < 1.0 {
            return Room::Now(self.credit as u64);
        }
        Room::After(Duration::from_micros((lacks / self.rate).clamp(1_000.0, LONGEST_WAIT) as u64))
    }

    pub fn spent(&mut self, bytes: u64) {
        if self.rate > 0.0 {
            self.credit -= bytes as f64;
        }
    }

    fn burst(&self) -> f64 {
        (self.rate * BURST_TIME).max(LEAST_BURST)
    }

    fn refill(&mut self, now: f64) {
        let passed = (now - self.at).max(0.0);
        self.at = self.at.max(now);
        self.credit = (self.credit + passed * self.rate).min(self.burst());
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Sends all that it may for `time`, in chunks of `most`; what left, with its times.
    fn sends(limit: &mut Limit, from: f64, time: f64, most: u64) -> Vec<(f64, u64)> {
        let (mut now, mut left) = (from, Vec::new());
        while now < from + time {
            match limit.room(now) {
                Room::Now(room) => {
                    let bytes = room.min(most);
                    limit.spent(bytes);
                    left.push((now, bytes));
                }
                Room::After(wait) => now += wait.as_micros() as f64,
                Room::Full => unreachable!(),
            }
        }
        left
    }

    fn sum(left: &[(f64, u64)]) -> f64 {
        left.iter().map(|(_, bytes)| *bytes as f64).sum()
    }

    #[test]
    fn without_one_all_may_leave() {
        let mut limit = Limit::default();
        limit.spent(1 << 40);
        assert_eq!(limit.room(1.0), Room::Now(u64::MAX));
        limit.set(2.0, 10_000.0);
        assert_eq!(limit.room(2.0), Room::Now(LEAST_BURST as u64));
        limit.set(3.0, 0.0);
        assert_eq!(limit.room(3.0), Room::Now(u64::MAX));
    }

    #[test]
    fn in_any_time_no_more_leaves_than_the_rate_and_a_burst_and_hardly_less() {
        for rate in [10_000.0, 250_000.0, 3_000_000.0, 900_000_000.0] {
            let mut limit = Limit::default();
            limit.set(0.0, rate);
            let left = sends(&mut limit, 0.0, 5e6, 128 * 1024);
            let burst = limit.burst();
            for (index, (from, _)) in left.iter().enumerate().step_by(left.len().div_ceil(40)) {
                let mut bytes = 0.0;
                for (at, more) in &left[index..] {
                    bytes += *more as f64;
                    assert!(bytes <= rate * (at - from) / 1e6 + burst + 1.0, "{rate}: {bytes} from {from} to {at}");
                }
            }
            assert!(sum(&left) > 0.99 * (5.0 * rate + burst) - LEAST_PIECE, "{rate}: {}", sum(&left));
        }
    }

    #[test]
    fn what_waits_leaves_in_pieces_of_some_milliseconds() {
        let mut limit = Limit::default();
        limit.set(0.0, 1_000_000.0);
        sends(&mut limit, 0.0, 1e6, u64::MAX);
        let left = sends(&mut limit, 2e6, 1e6, u64::MAX);
        assert!(left[1..].iter().all(|(_, bytes)| *bytes <= 10_000), "{left:?}");
    }

    #[test]
    fn a_rest_saves_up_no_more_than_a_burst() {
        let mut limit = Limit::default();
        limit.set(0.0, 100_000.0);
        sends(&mut limit, 0.0, 1e6, u64::MAX);
        assert_eq!(limit.room(1e12), Room::Now(LEAST_BURST as u64));
    }

    #[test]
    fn another_limit_gives_nothing_for_free() {
        let mut limit = Limit::default();
        limit.set(0.0, 1_000_000.0);
        limit.spent(100_000);
        for step in 0..100 {
            limit.set(f64::from(step), 1_000_000.0 + f64::from(step));
        }
        assert!(matches!(limit.room(100.0), Room::After(_)));
    }

    #[test]
    fn a_clock_that_stands_or_goes_back_gives_nothing() {
        let mut limit = Limit::default();
        limit.set(1e6, 100_000.0);
        sends(&mut limit, 1e6, 1e6, u64::MAX);
        let before = limit.credit;
        limit.room(0.0);
        assert_eq!(limit.credit, before);
    }
}
