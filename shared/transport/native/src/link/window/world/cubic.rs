//! MsQuic's cubic, as far as a loss and what comes after it go.

use super::PACKET;

const SHRINKS_TO: f64 = 0.7;
const LEAST: f64 = 2.0 * PACKET;

pub struct Cubic {
    pub window: f64,
    threshold: f64,
    /// The newest packet that had been sent at the last loss; none until it is acknowledged, and while it recovers nothing grows.
    recovers_at: Option<u64>,
    recovers: bool,
    before: f64,
    largest: f64,
    /// What a window that grows by half a packet in each round trip would be, and what was acknowledged towards its next packet.
    additive: f64,
    towards: f64,
    since: f64,
    most_in_flight: f64,
}

impl Default for Cubic {
    fn default() -> Cubic {
        Cubic {
            window: 10.0 * PACKET,
            threshold: f64::INFINITY,
            recovers_at: None,
            recovers: false,
            before: 0.0,
            largest: 0.0,
            additive: 0.0,
            towards: 0.0,
            since: 0.0,
            most_in_flight: 5.0 * PACKET,
        }
    }
}

impl Cubic {
    /// The path is another one.
    pub fn reset(&mut self) {
        *self = Cubic { before: self.before, largest: self.largest, since: self.since, ..Cubic::default() };
    }

    pub fn on_sent(&mut self, in_flight: f64) {
        self.most_in_flight = self.most_in_flight.max(in_flight);
    }

    /// Below `floor` it grows as at the start.
    pub fn on_ack(&mut self, now: f64, number: u64, smoothed: f64, acknowledged: f64, floor: f64) {
        if self.recovers {
            if self.recovers_at.is_none_or(|at| number > at) {
                self.recovers = false;
                self.since = now;
            }
            return;
        }
        self.threshold = self.threshold.max(floor);
        self.additive = self.additive.max(floor);
        if self.window < self.threshold {
            self.window = (self.window + acknowledged).min(self.threshold);
            self.since = now;
        } else {
            self.avoid(now, smoothed, acknowledged);
        }
        self.window = self.window.min(2.0 * self.most_in_flight);
    }

    fn avoid(&mut self, now: f64, smoothed: f64, acknowledged: f64) {
        let back_at = (self.largest / PACKET * (1.0 - SHRINKS_TO) / 0.4).cbrt();
        let seconds = (now - self.since + smoothed) / 1e6 - back_at;
        let wanted = 0.4 * seconds.powi(3) * PACKET + self.largest;
        self.towards += if self.additive < self.before { acknowledged / 2.0 } else { acknowledged };
        if self.towards > self.additive {
            self.additive += PACKET;
            self.towards -= self.additive;
        }
        self.window = if self.additive > wanted {
            self.additive
        } else {
            self.window + (wanted.min(1.5 * self.window) - self.window).max(0.0) * PACKET / self.window
        };
    }

    /// Not below `floor`.
    pub fn on_loss(&mut self, number: u64, newest: u64, floor: f64) {
        if self.recovers_at.is_some_and(|at| number <= at) {
            return;
        }
        self.recovers_at = Some(newest);
        self.recovers = true;
        self.before = self.window;
        let is_less = self.window < self.largest;
        self.largest = if is_less { self.window * (1.0 + SHRINKS_TO) / 2.0 } else { self.window };
        self.window = (SHRINKS_TO * self.window).max(floor.max(LEAST).min(self.window));
        self.threshold = self.window;
        self.additive = self.window;
    }
}
