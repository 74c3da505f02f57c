//! The order of contents that a program waits for (fair sojourn protocol): the one that would finish first under round robin is sent first, and alone. So none finishes
//! later than by taking turns, and most are done sooner; what is short does not wait for what is long, and what is long is not put off for ever
//! (the fair sojourn protocol: Friedman and Henderson, "Fairness and efficiency in web server protocols", SIGMETRICS 2003, section 3). The
//! simulator has the same in `app/lab/simulator/net/sojourn-order.ts`.
//!
//! Invariants
//! 1. `turn` is how many bytes each of those in the imagined round has had; who has had its length leaves the round.
//! 2. Who was served early stays in the round until its turns are over: it has spared the others nothing.
//! 3. If nothing is left to be sent, the round is empty.

#[derive(Default)]
pub struct Round {
    turn: f64,
    /// When the round is over for each that is in it, the least first.
    ends: Vec<f64>,
    /// Those of them that are not done.
    members: usize,
}

/// A position in a round: a smaller one goes first.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Place(f64);

impl Place {
    /// The same order among whole numbers.
    pub fn rank(self) -> u64 {
        // No place is below zero, and so its bits are in its order.
        self.0.to_bits()
    }
}

impl Round {
    /// `bytes`: what is left of it.
    pub fn join(&mut self, bytes: u64) -> Place {
        let end = self.turn + bytes as f64;
        let at = self.ends.partition_point(|other| *other <= end);
        self.ends.insert(at, end);
        self.members += 1;
        Place(end)
    }

    /// So many bytes of a content have left.
    pub fn served(&mut self, bytes: u64) {
        let mut left = bytes as f64;
        while left > 0.0 {
            let Some(next) = self.ends.first().copied() else { return };
            let count = self.ends.len() as f64;
            let most = (next - self.turn) * count;
            if most > left {
                self.turn += left / count;
                return;
            }
            left -= most;
            self.turn = next;
            self.ends.remove(0);
        }
    }

    /// All of it has left.
    pub fn done(&mut self) {
        self.members = self.members.saturating_sub(1);
        if self.members == 0 {
            *self = Round::default();
        }
    }

    /// It is taken out before it is done.
    pub fn leave(&mut self, Place(end): Place) {
        let at = self.ends.partition_point(|other| *other < end);
        if self.ends.get(at) == Some(&end) {
            self.ends.remove(at);
        }
        self.done();
    }
}

#[cfg(test)]
mod tests {
    use super::{Place, Round};

    /// When each is done, where a byte leaves in each unit of time. (when it comes, bytes).
    fn done(arrivals: &[(u64, u64)]) -> Vec<u64> {
        let mut round = Round::default();
        let mut left: Vec<u64> = arrivals.iter().map(|(_, bytes)| *bytes).collect();
        let mut done = vec![0; arrivals.len()];
        let mut waiting: Vec<(Place, usize)> = Vec::new();
        for now in 0..10_000 {
            for (item, (_, bytes)) in arrivals.iter().enumerate().filter(|(_, (at, _))| *at == now) {
                waiting.push((round.join(*bytes), item));
            }
            let Some(first) = (0..waiting.len()).min_by_key(|at| (waiting[*at].0.rank(), waiting[*at].1)) else {
                continue;
            };
            let item = waiting[first].1;
            left[item] -= 1;
            round.served(1);
            if left[item] == 0 {
                waiting.remove(first);
                round.done();
                done[item] = now + 1;
            }
        }
        done
    }

    #[test]
    fn what_is_short_passes_what_is_long_and_equals_come_in_order() {
        assert_eq!(done(&[(0, 100), (10, 5), (10, 5)]), [110, 15, 20]);
    }

    #[test]
    fn what_is_long_is_not_put_off_for_ever() {
        let shorts = (0..200).map(|index| (4 * index, 2));
        let all: Vec<(u64, u64)> = std::iter::once((0, 20)).chain(shorts).collect();
        assert!(done(&all)[0] < 60, "{}", done(&all)[0]);
    }

    #[test]
    fn who_is_taken_out_is_forgotten() {
        let mut round = Round::default();
        let long = round.join(100);
        let withdrawn = round.join(50);
        assert!(withdrawn.rank() < long.rank());
        round.leave(withdrawn);
        round.served(60);
        // It has had sixty turns alone, so this one is over after a hundred and ten.
        assert!(long.rank() < round.join(50).rank());
        round.done();
        round.done();
        assert_eq!(round.join(7), Place(7.0));
    }
}
