//! Strangers: inbound connections whose peer is not admitted yet (`admit`).
//!
//! What they take is bounded here, before a byte of theirs reaches JavaScript: how many there are, how many of one address, and how
//! often an address may begin. One more than there may be ends the oldest: who is known says so within a few round trips, so the
//! oldest is the least likely to.
//!
//! An IPv6 address counts by its first 64 bits: a subscriber has all of those below.

use std::collections::{BTreeMap, HashMap};
use std::net::IpAddr;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use crate::quic::lock;

#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Bytes of a header.
    pub max_header: u32,
    /// Calls of one connection at a time.
    pub max_calls: u16,
    pub most: usize,
    pub most_of_address: usize,
    /// Connections of one address that were not admitted: a burst, and then a rate a second.
    pub at_once: f64,
    pub per_second: f64,
}

/// Addresses that have begun lately and are remembered; the table is swept when it is full.
const MOST_ADDRESSES: usize = 8192;
/// Neither known nor gone for this long, handshake included: it never will be.
const PATIENCE: Duration = Duration::from_secs(20);

#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Network(u128);

impl Network {
    pub fn of(address: IpAddr) -> Network {
        match address.to_canonical() {
            IpAddr::V4(v4) => Network(v4.to_ipv6_mapped().to_bits()),
            IpAddr::V6(v6) => Network(v6.to_bits() & !u128::from(u64::MAX)),
        }
    }
}

struct Stranger {
    of: Network,
    since: Instant,
}

/// What an address may begin: it fills up with time.
struct Allowance {
    left: f64,
    at: Instant,
}

#[derive(Default)]
struct Inside {
    /// By connection: their ids ascend, so the first is the oldest.
    here: BTreeMap<u32, Stranger>,
    count_of: HashMap<Network, usize>,
    allowances: HashMap<Network, Allowance>,
}

pub struct Strangers {
    pub limits: Limits,
    inside: Mutex<Inside>,
}

impl Strangers {
    pub fn new(limits: Limits) -> Strangers {
        Strangers { limits, inside: Mutex::default() }
    }

    /// An address asks to begin. False: it has begun too often.
    pub fn may_begin(&self, address: IpAddr, now: Instant) -> bool {
        let mut inside = lock(&self.inside);
        inside.spend(&self.limits, Network::of(address), now)
    }

    /// A connection of it begins. Returns those that go for it, and those that never came to anything.
    pub fn begins(&self, connection: u32, address: IpAddr, now: Instant) -> Vec<u32> {
        let of = Network::of(address);
        let mut inside = lock(&self.inside);
        let mut gone = Vec::new();
        while let Some(id) = inside.oldest(|stranger| now.duration_since(stranger.since) >= PATIENCE) {
            inside.remove(id);
            gone.push(id);
        }
        if inside.count_of.get(&of).copied().unwrap_or(0) >= self.limits.most_of_address
            && let Some(id) = inside.oldest(|stranger| stranger.of == of)
        {
            inside.remove(id);
            gone.push(id);
        }
        if inside.here.len() >= self.limits.most
            && let Some(id) = inside.oldest(|_| true)
        {
            inside.remove(id);
            gone.push(id);
        }
        inside.here.insert(connection, Stranger { of, since: now });
        *inside.count_of.entry(of).or_default() += 1;
        gone
    }

    /// It is a stranger no more; to have begun costs its address nothing.
    pub fn admitted(&self, connection: u32) {
        let mut inside = lock(&self.inside);
        if let Some(of) = inside.remove(connection)
            && let Some(allowance) = inside.allowances.get_mut(&of)
        {
            allowance.left = (allowance.left + 1.0).min(self.limits.at_once);
        }
    }

    pub fn ended(&self, connection: u32) {
        lock(&self.inside).remove(connection);
    }
}

impl Inside {
    fn oldest(&self, fits: impl Fn(&Stranger) -> bool) -> Option<u32> {
        self.here.iter().find(|(_, stranger)| fits(stranger)).map(|(id, _)| *id)
    }

    fn remove(&mut self, connection: u32) -> Option<Network> {
        let Stranger { of, .. } = self.here.remove(&connection)?;
        if let Some(count) = self.count_of.get_mut(&of) {
            *count -= 1;
            if *count == 0 {
                self.count_of.remove(&of);
            }
        }
        Some(of)
    }

    fn spend(&mut self, limits: &Limits, of: Network, now: Instant) -> bool {
        if self.allowances.len() >= MOST_ADDRESSES && !self.allowances.contains_key(&of) {
            self.allowances.retain(|_, allowance| allowance.now(limits, now) < limits.at_once);
            if self.allowances.len() >= MOST_ADDRESSES {
                // So many addresses at once: they are not distinguished, and the bounds on connections hold still.
                self.allowances.clear();
            }
        }
        let allowance = self.allowances.entry(of).or_insert(Allowance { left: limits.at_once, at: now });
        let left = allowance.now(limits, now);
        *allowance = Allowance { left: if left >= 1.0 { left - 1.0 } else { left }, at: now };
        left >= 1.0
    }
}

impl Allowance {
    fn now(&self, limits: &Limits, now: Instant) -> f64 {
        let filled = now.duration_since(self.at).as_secs_f64() * limits.per_second;
        (self.left + filled).min(limits.at_once)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const LIMITS: Limits =
        Limits { max_header: 8192, max_calls: 4, most: 4, most_of_address: 2, at_once: 3.0, per_second: 1.0 };

    fn address(text: &str) -> IpAddr {
        text.parse().expect("an address")
    }

    #[test]
    fn one_more_of_an_address_ends_its_oldest() {
        let strangers = Strangers::new(LIMITS);
        let now = Instant::now();
        let (one, other) = (address("192.0.2.1"), address("192.0.2.2"));
        assert_eq!(strangers.begins(1, other, now), []);
        assert_eq!(strangers.begins(2, one, now), []);
        assert_eq!(strangers.begins(3, one, now), []);
        assert_eq!(strangers.begins(4, one, now), [2]);
        strangers.ended(3);
        assert_eq!(strangers.begins(5, one, now), []);
    }

    #[test]
    fn one_more_than_there_may_be_ends_the_oldest_of_all() {
        let strangers = Strangers::new(LIMITS);
        let now = Instant::now();
        for id in 1..=4 {
            assert_eq!(strangers.begins(id, address(&format!("192.0.2.{id}")), now), []);
        }
        strangers.admitted(1);
        assert_eq!(strangers.begins(5, address("192.0.2.5"), now), []);
        assert_eq!(strangers.begins(6, address("192.0.2.6"), now), [2]);
    }

    #[test]
    fn a_subscriber_of_ipv6_is_one_address_and_a_mapped_one_is_its_ipv4() {
        let strangers = Strangers::new(LIMITS);
        let now = Instant::now();
        strangers.begins(1, address("2001:db8:1:2::1"), now);
        strangers.begins(2, address("2001:db8:1:2:ffff::9"), now);
        assert_eq!(strangers.begins(3, address("2001:db8:1:2:8::"), now), [1]);
        assert_eq!(strangers.begins(4, address("2001:db8:1:3::1"), now), []);
        assert_eq!(Network::of(address("::ffff:192.0.2.1")), Network::of(address("192.0.2.1")));
        assert_ne!(Network::of(address("192.0.2.1")), Network::of(address("192.0.2.2")));
    }

    #[test]
    fn who_stays_a_stranger_for_too_long_goes_when_another_comes() {
        let strangers = Strangers::new(LIMITS);
        let now = Instant::now();
        strangers.begins(1, address("192.0.2.1"), now);
        strangers.begins(2, address("192.0.2.2"), now + PATIENCE / 2);
        assert_eq!(strangers.begins(3, address("192.0.2.3"), now + PATIENCE), [1]);
    }

    #[test]
    fn an_address_begins_so_often_and_who_is_admitted_costs_it_nothing() {
        let strangers = Strangers::new(LIMITS);
        let now = Instant::now();
        let one = address("192.0.2.1");
        for _ in 0..3 {
            assert!(strangers.may_begin(one, now));
        }
        assert!(!strangers.may_begin(one, now));
        assert!(strangers.may_begin(address("192.0.2.2"), now));
        strangers.begins(7, one, now);
        strangers.admitted(7);
        assert!(strangers.may_begin(one, now));
        assert!(!strangers.may_begin(one, now));
        assert!(strangers.may_begin(one, now + Duration::from_secs(1)));
    }

    #[test]
    fn what_is_remembered_of_addresses_is_bounded() {
        let strangers = Strangers::new(LIMITS);
        let now = Instant::now();
        for number in 0..20_000_u32 {
            assert!(strangers.may_begin(IpAddr::from(number.to_be_bytes()), now));
        }
        assert!(lock(&strangers.inside).allowances.len() <= MOST_ADDRESSES);
    }
}
