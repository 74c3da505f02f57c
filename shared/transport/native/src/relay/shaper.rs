//! One direction of a link, under a clock that the caller gives: a queue, a line that sends one packet after the other at its rate,
//! and the way to the other end.
//!
//! 1. A packet that finds the queue full is dropped (the last to come). An empty queue takes any packet.
//! 2. The line earns bytes by its rate; a packet leaves when as many are earned as it has, its headers counted. What is earned
//!    while nothing waits is kept up to the burst. A burst of 0 is a line that needs time for each packet; that of one packet or more
//!    is the token bucket of `tc tbf`, in which a lone packet passes at once.
//! 3. What leaves the line is lost by chance, or arrives after the delay, more or less by the jitter. Order is kept.
//! 4. In an outage what comes in is dropped, and so is what leaves the line; what has left it before arrives.
//! 5. Times of steps and outages count from the moment the conditions were set.
//!
//! Nothing depends on how often it is called: whatever happened by now, happened at its own instant.

use std::collections::VecDeque;

use super::Nanos;
use super::chance::{Stream, draw, fraction};
use super::counts::{Counts, Dropped, Size};
use super::rate::{CREDIT_OF_A_BYTE, Credit, Rate};

/// A delay of a minute at 12,500 KB/s and more would be held here: rather dropped than that the memory goes.
const MOST_HELD_BYTES: u64 = 256 * 1024 * 1024;
const MOST_HELD_PACKETS: u64 = 512 * 1024;

pub enum Bound {
    Bytes(u64),
    /// As many bytes as the line sends in that time.
    Time(Nanos),
}

pub struct Conditions {
    /// None: as fast as this machine is.
    pub rate: Option<Rate>,
    pub burst: u64,
    pub queue: Bound,
    pub delay: Nanos,
    pub jitter: Nanos,
    /// From 0 to 1.
    pub loss: f64,
    /// From and until, in order.
    pub outages: Vec<(Nanos, Nanos)>,
}

pub struct Packet<T> {
    pub size: Size,
    pub contents: T,
}

pub struct Shaper<T> {
    conditions: Conditions,
    began: Nanos,
    seed: u64,
    cut: bool,
    waiting: VecDeque<Packet<T>>,
    /// Earned and not used, as of `line_at`.
    credit: Credit,
    line_at: Nanos,
    /// By the time of arrival, which only grows.
    flying: VecDeque<(Nanos, Packet<T>)>,
    last_arrival: Nanos,
    /// How many packets have left the line.
    left: u64,
    pub counts: Counts,
}

impl<T> Shaper<T> {
    pub fn new(conditions: Conditions, seed: u64, now: Nanos) -> Shaper<T> {
        Shaper {
            credit: full(&conditions),
            conditions,
            began: now,
            seed,
            cut: false,
            waiting: VecDeque::new(),
            line_at: now,
            flying: VecDeque::new(),
            last_arrival: 0,
            left: 0,
            counts: Counts::default(),
        }
    }

    pub fn offer(&mut self, now: Nanos, size: Size, contents: T) {
        self.advance(now);
        self.counts.offered.add(size);
        if self.is_out(now) {
            return self.counts.dropped(Dropped::Outage, size);
        }
        if !self.has_room(now, size) {
            return self.counts.dropped(Dropped::Queue, size);
        }
        self.counts.waiting.add(size);
        self.waiting.push_back(Packet { size, contents });
        self.advance(now);
    }

    /// The next packet that has arrived by now, and when it did. Whoever takes it says what became of it (`arrived` or `dropped` of
    /// the counts).
    pub fn take(&mut self, now: Nanos) -> Option<(Nanos, Packet<T>)> {
        self.advance(now);
        self.flying.front().filter(|(at, _)| *at <= now)?;
        let arrived = self.flying.pop_front()?;
        self.counts.flying.remove(arrived.1.size);
        Some(arrived)
    }

    /// When to look again, if nothing else comes: not after the next arrival.
    pub fn next(&self) -> Option<Nanos> {
        // What is still to leave the line arrives after what has left it.
        if let Some((at, _)) = self.flying.front() {
            return Some(*at);
        }
        let leaves = self.leaves(self.waiting.front()?.size)?;
        Some(leaves.saturating_add(self.conditions.delay.saturating_sub(self.conditions.jitter)))
    }

    /// What waits goes on under the new ones, where it stands; what has left the line arrives as it was to.
    pub fn change(&mut self, now: Nanos, conditions: Conditions) {
        self.advance(now);
        self.credit = self.credit.min(cap(&conditions, self.waiting.front().map(|packet| packet.size)));
        self.conditions = conditions;
        self.began = now;
        self.advance(now);
    }

    /// An outage until further notice.
    pub fn cut(&mut self, now: Nanos, cut: bool) {
        self.advance(now);
        self.cut = cut;
    }

    /// Brings the counts up to now.
    pub fn look(&mut self, now: Nanos) {
        self.advance(now);
    }

    /// Lets leave the line what leaves it by now.
    fn advance(&mut self, now: Nanos) {
        while let Some(head) = self.waiting.front() {
            let size = head.size;
            let Some(at) = self.leaves(size).filter(|&at| at <= now) else {
                break;
            };
            if self.conditions.rate.is_some() {
                self.credit = self.credit + self.earned(at) - cost(size);
                self.line_at = at;
            }
            let packet = self.waiting.pop_front();
            self.counts.waiting.remove(size);
            packet.into_iter().for_each(|packet| self.send(at, packet));
        }
        let most = cap(&self.conditions, self.waiting.front().map(|packet| packet.size));
        self.credit = (self.credit + self.earned(now)).min(most);
        self.line_at = self.line_at.max(now);
    }

    fn earned(&self, to: Nanos) -> Credit {
        let Some(rate) = &self.conditions.rate else {
            return 0;
        };
        rate.earned(self.line_at.saturating_sub(self.began), to.saturating_sub(self.began))
    }

    /// When the first in the queue has left the line.
    fn leaves(&self, size: Size) -> Option<Nanos> {
        let Some(rate) = &self.conditions.rate else {
            return Some(self.line_at);
        };
        let wanted = cost(size).saturating_sub(self.credit);
        Some(rate.when(self.line_at.saturating_sub(self.began), wanted)?.saturating_add(self.began))
    }

    fn send(&mut self, at: Nanos, packet: Packet<T>) {
        let number = self.left;
        self.left += 1;
        if self.is_out(at) {
            return self.counts.dropped(Dropped::Outage, packet.size);
        }
        if fraction(draw(self.seed, Stream::Loss, number)) < self.conditions.loss {
            return self.counts.dropped(Dropped::Loss, packet.size);
        }
        let arrival = at.saturating_add(self.delay(number)).max(self.last_arrival);
        self.last_arrival = arrival;
        self.counts.flying.add(packet.size);
        self.flying.push_back((arrival, packet));
    }

    /// Evenly from `delay - jitter` to `delay + jitter`.
    fn delay(&self, number: u64) -> Nanos {
        let Conditions { delay, jitter, .. } = self.conditions;
        if jitter == 0 {
            return delay;
        }
        let more = (2.0 * jitter as f64 * fraction(draw(self.seed, Stream::Jitter, number))) as Nanos;
        delay.saturating_add(more).saturating_sub(jitter)
    }

    fn is_out(&self, at: Nanos) -> bool {
        let since = at.saturating_sub(self.began);
        self.cut || self.conditions.outages.iter().any(|&(from, until)| (from..until).contains(&since))
    }

    fn has_room(&self, now: Nanos, size: Size) -> bool {
        let Counts { waiting, flying, .. } = &self.counts;
        let held = waiting.bytes + flying.bytes + size.counted;
        if held > MOST_HELD_BYTES || waiting.packets + flying.packets >= MOST_HELD_PACKETS {
            return false;
        }
        let Some(rate) = &self.conditions.rate else {
            return true;
        };
        let bound = match self.conditions.queue {
            Bound::Bytes(bytes) => Credit::from(bytes) * CREDIT_OF_A_BYTE,
            Bound::Time(time) => Credit::from(rate.usual(now.saturating_sub(self.began))) * Credit::from(time),
        };
        self.waiting.is_empty() || Credit::from(waiting.bytes + size.counted) * CREDIT_OF_A_BYTE <= bound
    }
}

fn cost(size: Size) -> Credit {
    Credit::from(size.counted) * CREDIT_OF_A_BYTE
}

fn full(conditions: &Conditions) -> Credit {
    Credit::from(conditions.burst) * CREDIT_OF_A_BYTE
}

/// What may be saved up: the burst, and what the packet that waits first still needs.
fn cap(conditions: &Conditions, head: Option<Size>) -> Credit {
    full(conditions).max(head.map_or(0, cost))
}
