//! The shaper under a clock of the test.

use super::Nanos;
use super::counts::Size;
use super::rate::{Rate, Step};
use super::shaper::{Bound, Conditions, Shaper};

const MS: Nanos = 1_000_000;
const SECOND: Nanos = 1000 * MS;
const END: Nanos = Nanos::MAX / 4;

/// 1,000 bytes a second and a queue without end.
fn plain() -> Conditions {
    Conditions {
        rate: Some(steady(1000)),
        burst: 0,
        queue: Bound::Bytes(u64::MAX),
        delay: 0,
        jitter: 0,
        loss: 0.0,
        outages: Vec::new(),
    }
}

fn steady(bytes_per_second: u64) -> Rate {
    Rate::new(vec![Step { from: 0, bytes_per_second }])
}

fn size(bytes: u64) -> Size {
    Size { payload: bytes - 42, counted: bytes }
}

/// When each of the packets arrives, in order of arrival.
fn arrivals(conditions: Conditions, offered: &[(Nanos, u64)]) -> Vec<(usize, Nanos)> {
    let mut shaper = Shaper::new(conditions, 1, 0);
    for (index, &(at, bytes)) in offered.iter().enumerate() {
        shaper.offer(at, size(bytes), index);
    }
    rest(&mut shaper)
}

fn rest(shaper: &mut Shaper<usize>) -> Vec<(usize, Nanos)> {
    std::iter::from_fn(|| shaper.take(END)).map(|(at, packet)| (packet.contents, at)).collect()
}

#[test]
fn a_packet_needs_the_time_that_its_bytes_take() {
    let found = arrivals(plain(), &[(0, 100), (0, 50), (SECOND, 100)]);
    assert_eq!(found, [(0, 100 * MS), (1, 150 * MS), (2, 1100 * MS)]);
}

#[test]
fn a_burst_lets_a_lone_packet_pass_at_once() {
    let found = arrivals(Conditions { burst: 100, ..plain() }, &[(0, 100), (0, 100), (SECOND, 100)]);
    assert_eq!(found, [(0, 0), (1, 100 * MS), (2, SECOND)]);
}

#[test]
fn the_last_to_come_is_dropped_when_the_queue_is_full() {
    let offered = [(0, 100), (0, 100), (0, 100), (100 * MS, 100)];
    let found = arrivals(Conditions { queue: Bound::Bytes(200), ..plain() }, &offered);
    assert_eq!(found, [(0, 100 * MS), (1, 200 * MS), (3, 300 * MS)]);
    let found = arrivals(Conditions { queue: Bound::Time(200 * MS), ..plain() }, &offered);
    assert_eq!(found.len(), 3);
}

#[test]
fn an_empty_queue_takes_any_packet() {
    let found = arrivals(Conditions { queue: Bound::Bytes(0), ..plain() }, &[(0, 500), (0, 500)]);
    assert_eq!(found, [(0, 500 * MS)]);
}

#[test]
fn a_step_of_nothing_holds_packets_back() {
    let steps = [(0, 1000), (SECOND / 2, 0), (2 * SECOND, 100)];
    let rate = Rate::new(steps.map(|(from, bytes_per_second)| Step { from, bytes_per_second }).into());
    let found = arrivals(Conditions { rate: Some(rate), ..plain() }, &[(400 * MS, 100), (400 * MS, 50)]);
    assert_eq!(found, [(0, 500 * MS), (1, 2500 * MS)]);
}

#[test]
fn without_a_limit_only_the_delay_is_left() {
    let conditions = Conditions { rate: None, delay: 20 * MS, ..plain() };
    assert_eq!(arrivals(conditions, &[(0, 1500), (3, 1500)]), [(0, 20 * MS), (1, 20 * MS + 3)]);
}

#[test]
fn jitter_keeps_the_order_and_its_bounds() {
    let conditions = Conditions { rate: None, delay: 20 * MS, jitter: 10 * MS, ..plain() };
    let offered: Vec<(Nanos, u64)> = (0..1000).map(|index| (index * MS, 100)).collect();
    let found = arrivals(conditions, &offered);
    assert_eq!(found.len(), 1000);
    assert!(found.is_sorted());
    let took: Vec<Nanos> = found.iter().map(|&(index, at)| at - offered[index].0).collect();
    assert!(took.iter().all(|took| (10 * MS..=30 * MS).contains(took)));
    assert!(took.iter().any(|&took| took > 25 * MS) && took.iter().any(|&took| took < 20 * MS));
}

#[test]
fn an_outage_takes_what_comes_in_and_what_leaves_the_line() {
    let outages = vec![(250 * MS, 500 * MS)];
    let conditions = Conditions { outages, delay: SECOND, ..plain() };
    let found = arrivals(conditions, &[(0, 200), (100 * MS, 200), (300 * MS, 100), (500 * MS, 100)]);
    assert_eq!(found, [(0, 1200 * MS), (3, 1600 * MS)]);
}

#[test]
fn loss_is_the_same_for_a_seed_and_takes_time_on_the_line() {
    let lossy = || Conditions { loss: 0.3, ..plain() };
    let offered = vec![(0, 100); 1000];
    let found = arrivals(lossy(), &offered);
    assert_eq!(found, arrivals(lossy(), &offered));
    assert!((650..750).contains(&found.len()), "{}", found.len());
    assert!(found.iter().all(|&(index, at)| at == (index as u64 + 1) * 100 * MS));
}

#[test]
fn conditions_change_under_what_waits() {
    let mut shaper = Shaper::new(plain(), 1, 0);
    for index in 0..3 {
        shaper.offer(0, size(100), index);
    }
    // One and a half have left.
    shaper.change(150 * MS, Conditions { rate: Some(steady(100)), delay: 5 * MS, ..plain() });
    assert_eq!(rest(&mut shaper), [(0, 100 * MS), (1, 655 * MS), (2, 1655 * MS)]);
}

#[test]
fn what_waits_goes_at_once_when_the_limit_is_gone() {
    let mut shaper = Shaper::new(plain(), 1, 0);
    for index in 0..2 {
        shaper.offer(0, size(1000), index);
    }
    shaper.change(10 * MS, Conditions { rate: None, ..plain() });
    assert_eq!(rest(&mut shaper), [(0, 10 * MS), (1, 10 * MS)]);
}

#[test]
fn a_cut_is_an_outage_until_it_is_over() {
    let mut shaper = Shaper::new(plain(), 1, 0);
    shaper.offer(0, size(100), 0);
    shaper.cut(50 * MS, true);
    shaper.offer(60 * MS, size(100), 1);
    shaper.cut(200 * MS, false);
    shaper.offer(200 * MS, size(100), 2);
    assert_eq!(rest(&mut shaper), [(2, 300 * MS)]);
    assert_eq!(shaper.counts.outage.packets, 2);
}

#[test]
fn it_is_waited_for_until_something_arrives_and_not_longer() {
    let mut shaper = Shaper::new(Conditions { delay: 20 * MS, jitter: 5 * MS, ..plain() }, 1, 0);
    assert_eq!(shaper.next(), None);
    shaper.offer(0, size(100), 0);
    assert_eq!(shaper.next(), Some(115 * MS));
    assert!(shaper.take(115 * MS - 1).is_none());
    let next = shaper.next().unwrap();
    shaper.look(115 * MS);
    let arrival = shaper.next().unwrap();
    assert!(next <= arrival && arrival <= 125 * MS);
    assert!(shaper.take(arrival - 1).is_none());
    assert_eq!(shaper.take(arrival).map(|(at, _)| at), Some(arrival));
    assert_eq!(shaper.next(), None);
}

#[test]
fn every_packet_is_counted_somewhere() {
    let outages = vec![(2 * SECOND, 3 * SECOND)];
    let conditions = Conditions { queue: Bound::Bytes(500), loss: 0.2, outages, delay: 50 * MS, ..plain() };
    let mut shaper = Shaper::new(conditions, 9, 0);
    for index in 0..500 {
        let now = index * 20 * MS;
        shaper.offer(now, size(60 + index % 40), index as usize);
        while let Some((_, packet)) = shaper.take(now) {
            shaper.counts.arrived.add(packet.size);
        }
        let counts = &shaper.counts;
        let parts = [counts.arrived, counts.queue, counts.loss, counts.outage, counts.waiting, counts.flying];
        assert_eq!(counts.offered.packets, parts.iter().map(|part| part.packets).sum());
        assert_eq!(counts.offered.bytes, parts.iter().map(|part| part.bytes).sum());
        assert_eq!(counts.offered.payload, parts.iter().map(|part| part.payload).sum());
    }
    let counts = &shaper.counts;
    assert!([counts.arrived, counts.queue, counts.loss, counts.outage].iter().all(|part| part.packets > 0));
}
