//! A side of the simulated path: what of its bulk is in flight, and as much of cubic as bounds a window that keeps queues short.

use std::collections::VecDeque;

use super::super::bulk::BulkWindow;
use super::super::incoming::Incoming;
use super::PACKET;

pub struct Flying {
    pub number: u64,
    pub sent_at: f64,
    pub bytes: f64,
    pub has_arrived: bool,
}

pub struct Side {
    pub sends_bulk: bool,
    pub window: BulkWindow,
    pub incoming: Incoming,
    pub control: Cubic,
    pub flying: VecDeque<Flying>,
    pub next: u64,
    pub in_flight: f64,
    pub sent: f64,
    pub lost: u64,
    pub lost_bytes: f64,
    pub smoothed: f64,
    pub limited: bool,
    /// Of bulk.
    pub received: f64,
    pub told_at: f64,
    /// The newest packet that has arrived, where that is not told yet.
    pub acknowledges: Option<u64>,
    pub paced_until: f64,
    /// So much may leave without a pause after a rest.
    pub unpaced: f64,
    pub wakes: bool,
    /// Of the contents that are sent now, and when they began to be.
    pub left: f64,
    pub began: f64,
    /// When something of them arrived last.
    pub arrived: f64,
    /// All contents after the warm-up, and what the line takes for them.
    pub took: f64,
    pub least: f64,
    /// After the warm-up.
    pub delivered: f64,
    pub urgent: Vec<f64>,
}

impl Side {
    pub fn new(sends_bulk: bool) -> Side {
        Side {
            sends_bulk,
            window: BulkWindow::default(),
            incoming: Incoming::default(),
            control: Cubic::default(),
            flying: VecDeque::new(),
            next: 0,
            in_flight: 0.0,
            sent: 0.0,
            lost: 0,
            lost_bytes: 0.0,
            smoothed: 0.0,
            limited: false,
            received: 0.0,
            told_at: f64::NEG_INFINITY,
            acknowledges: None,
            paced_until: 0.0,
            unpaced: 0.0,
            wakes: false,
            left: 0.0,
            began: 0.0,
            arrived: 0.0,
            took: 0.0,
            least: 0.0,
            delivered: 0.0,
            urgent: Vec::new(),
        }
    }

    pub fn lose_oldest(&mut self, now: f64) {
        let Some(oldest) = self.flying.pop_front() else { return };
        self.in_flight -= oldest.bytes;
        self.lost += 1;
        self.lost_bytes += oldest.bytes;
        self.control.on_loss(now, oldest.number, self.next);
    }
}

/// As much of cubic as bounds a window that keeps queues short.
pub struct Cubic {
    pub window: f64,
    threshold: f64,
    recovers_at: u64,
    largest: f64,
    since: f64,
}

impl Default for Cubic {
    fn default() -> Cubic {
        Cubic { window: 10.0 * PACKET, threshold: f64::INFINITY, recovers_at: 0, largest: 0.0, since: 0.0 }
    }
}

impl Cubic {
    /// `in_flight`: before; what uses less than half of the window tells nothing of it.
    pub fn on_ack(&mut self, now: f64, in_flight: f64, acknowledged: f64) {
        if 2.0 * in_flight < self.window {
            return;
        }
        for _ in 0..(acknowledged / PACKET).ceil() as u32 {
            self.grow(now);
        }
    }

    fn grow(&mut self, now: f64) {
        if self.window < self.threshold {
            self.window += PACKET;
            return;
        }
        let seconds = (now - self.since) / 1e6;
        let back_at = (self.largest * 0.3 / 0.4 / PACKET).cbrt();
        let wanted = 0.4 * (seconds - back_at).powi(3) * PACKET + self.largest;
        let share = PACKET / self.window;
        self.window += (wanted - self.window).clamp(0.5 * PACKET, self.window) * share;
    }

    fn on_loss(&mut self, now: f64, number: u64, next: u64) {
        if number <= self.recovers_at {
            return;
        }
        self.largest = self.window;
        self.window = (0.7 * self.window).max(2.0 * PACKET);
        self.threshold = self.window;
        self.recovers_at = next;
        self.since = now;
    }
}
