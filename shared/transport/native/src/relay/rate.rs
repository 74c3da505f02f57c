//! How fast a direction of a link is as time goes on: steps, each of which holds until the next one begins.
//!
//! Bytes are counted in billionths, so that bytes a second times nanoseconds is exact and nothing drifts.

use super::Nanos;

/// Billionths of a byte.
pub type Credit = u128;

pub const CREDIT_OF_A_BYTE: Credit = 1_000_000_000;

pub struct Step {
    pub from: Nanos,
    pub bytes_per_second: u64,
}

/// The first step begins at 0, and each later than the one before.
pub struct Rate(Vec<Step>);

impl Rate {
    pub fn new(mut steps: Vec<Step>) -> Rate {
        steps.sort_by_key(|step| step.from);
        steps.dedup_by_key(|step| step.from);
        match steps.first_mut() {
            Some(first) => first.from = 0,
            None => steps.push(Step { from: 0, bytes_per_second: 0 }),
        }
        Rate(steps)
    }

    fn index(&self, at: Nanos) -> usize {
        self.0.partition_point(|step| step.from <= at) - 1
    }

    /// What holds at an instant, and until when.
    fn step(&self, at: Nanos) -> (u64, Option<Nanos>) {
        let index = self.index(at);
        (self.0[index].bytes_per_second, self.0.get(index + 1).map(|next| next.from))
    }

    /// What a buffer that is told in time is made for: the rate of the moment; where there is none, the one before, or the first to come.
    pub fn usual(&self, at: Nanos) -> u64 {
        let now = self.index(at);
        let before = self.0[..=now].iter().rev();
        before.chain(&self.0[now..]).map(|step| step.bytes_per_second).find(|&rate| rate > 0).unwrap_or(0)
    }

    /// What can be sent from one instant to another.
    pub fn earned(&self, from: Nanos, to: Nanos) -> Credit {
        let mut sum = 0;
        let mut at = from;
        while at < to {
            let (rate, until) = self.step(at);
            let end = until.map_or(to, |until| until.min(to));
            sum += Credit::from(rate) * Credit::from(end - at);
            at = end;
        }
        sum
    }

    /// The first instant at which that much has been earned; never, where the rate stays at nothing.
    pub fn when(&self, from: Nanos, wanted: Credit) -> Option<Nanos> {
        let mut left = wanted;
        let mut at = from;
        while left > 0 {
            let (rate, until) = self.step(at);
            if rate > 0 {
                let needed = left.div_ceil(Credit::from(rate));
                let end = Nanos::try_from(needed).ok().and_then(|needed| at.checked_add(needed))?;
                if until.is_none_or(|until| end <= until) {
                    return Some(end);
                }
            }
            let until = until?;
            left -= Credit::from(rate) * Credit::from(until - at);
            at = until;
        }
        Some(at)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECOND: Nanos = 1_000_000_000;

    fn rate(steps: &[(Nanos, u64)]) -> Rate {
        Rate::new(steps.iter().map(|&(from, bytes_per_second)| Step { from, bytes_per_second }).collect())
    }

    #[test]
    fn earns_over_steps() {
        let rate = rate(&[(0, 1000), (SECOND, 0), (3 * SECOND, 500)]);
        assert_eq!(rate.earned(0, 4 * SECOND), 1500 * CREDIT_OF_A_BYTE);
        assert_eq!(rate.earned(SECOND / 2, SECOND), 500 * CREDIT_OF_A_BYTE);
        assert_eq!(rate.earned(SECOND, SECOND), 0);
    }

    #[test]
    fn says_when_that_much_is_earned() {
        let rate = rate(&[(0, 1000), (SECOND, 0), (3 * SECOND, 500)]);
        assert_eq!(rate.when(7, 0), Some(7));
        assert_eq!(rate.when(0, 1000 * CREDIT_OF_A_BYTE), Some(SECOND));
        assert_eq!(rate.when(0, 1000 * CREDIT_OF_A_BYTE + 1), Some(3 * SECOND + 1));
        assert_eq!(rate.when(SECOND, 500 * CREDIT_OF_A_BYTE), Some(4 * SECOND));
    }

    #[test]
    fn never_earns_at_a_rate_of_nothing() {
        assert_eq!(rate(&[(0, 0)]).when(0, 1), None);
        assert_eq!(rate(&[(0, 5), (SECOND, 0)]).when(2 * SECOND, 1), None);
        assert_eq!(rate(&[(0, 1)]).when(0, Credit::MAX), None);
    }

    #[test]
    fn knows_what_a_buffer_is_made_for() {
        let rate = rate(&[(0, 0), (SECOND, 700), (2 * SECOND, 0)]);
        assert_eq!([rate.usual(0), rate.usual(SECOND), rate.usual(9 * SECOND)], [700, 700, 700]);
    }
}
