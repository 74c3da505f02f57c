//! How long acknowledgements stand in the other direction's queue, as far as a window may go by it.
//!
//! Where they seem to stand for longer all at once, both directions may have become slow: a rate that falls to a 16th does that. What is told of this
//! one is as old then as the other queue is long, and a window that is larger by that much would overflow this one. What lasts is another
//! thing: then so much is in flight for nothing but that.
//!
//! Pure. Times are in microseconds.

/// It lasts where so many reports in a row found it so.
const REPORTS: usize = 3;
/// And for so much longer it may stand at any time.
const MORE: f64 = 50_000.0;

#[derive(Default)]
pub struct Behind {
    newest: f64,
    told: [f64; REPORTS],
}

impl Behind {
    /// By what came last, acknowledgements stand so long.
    pub fn on_ack(&mut self, behind: f64) {
        self.newest = behind;
    }

    /// Something new is told of this direction.
    pub fn on_report(&mut self) {
        self.told.rotate_left(1);
        self.told[REPORTS - 1] = self.newest;
    }

    pub fn newest(&self) -> f64 {
        self.newest
    }

    pub fn lasting(&self) -> f64 {
        let least = self.told.iter().copied().fold(f64::INFINITY, f64::min);
        self.newest.min(least + MORE)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_long_all_at_once_counts_when_it_lasts() {
        let mut behind = Behind::default();
        behind.on_ack(30_000.0);
        assert_eq!(behind.lasting(), 30_000.0);
        behind.on_ack(800_000.0);
        for _ in 0..REPORTS {
            assert_eq!(behind.lasting(), MORE);
            behind.on_report();
        }
        assert_eq!(behind.lasting(), 800_000.0);
        behind.on_ack(10_000.0);
        assert_eq!(behind.lasting(), 10_000.0);
    }
}
