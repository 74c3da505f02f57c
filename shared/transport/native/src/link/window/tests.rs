//! The bulk window on simulated paths: how much of the link it uses, and how long an urgent message waits beside it.

use super::bulk::BulkWindow;
use super::sample::{Report, Sample};
use super::world::{Fared, Move, Path, Whose, fare};

type Rate = fn(f64) -> f64;

const RATES: [(&str, Rate); 3] = [("64 KB/s", |_| 0.064), ("256 KB/s", |_| 0.256), ("1024 KB/s", |_| 1.024)];
const QUEUES: [f64; 2] = [50_000.0, 1_000_000.0];
const ROUND_TRIPS: [f64; 3] = [400.0, 50_400.0, 200_400.0];

const ENDLESS: (f64, f64) = (f64::INFINITY, 0.0);

const PATH: Path = Path {
    rate: |_| 0.256,
    queue: 1e6,
    rtt: 50_400.0,
    loss: 0.0,
    jitter: 0.0,
    both_ways: false,
    urgent: true,
    late: 0.0,
    contents: [ENDLESS; 2],
    moves: None,
    seconds: 40.0,
    warm_up: 3e6,
};

fn every_path(both_ways: bool, holds: impl Fn(f64, &[Fared; 2]) -> bool) {
    for (name, rate) in RATES {
        for queue in QUEUES {
            for rtt in ROUND_TRIPS {
                let fared = fare(Path { rate, queue, rtt, both_ways, ..PATH });
                assert!(holds(rate(0.0), &fared), "{name}, queue {queue}, round trip {rtt}: {fared:?}");
            }
        }
    }
}

#[test]
fn fills_a_link_and_keeps_its_queue_short() {
    every_path(false, |_, [up, _]| up.share >= 97.0 && up.p95 <= 60.0);
}

#[test]
fn does_so_while_the_other_side_sends_as_well() {
    every_path(true, |_, fared| fared.iter().all(|side| side.share >= 97.0) && fared[0].p95 <= 110.0);
}

#[test]
fn a_far_slow_line_that_is_full_both_ways_is_full_soon() {
    // What stands before it is told late, and a short queue has room for two packets.
    for queue in QUEUES {
        let fared: Vec<[Fared; 2]> = (0..24)
            .map(|late| {
                let late = 5_000.0 * f64::from(late);
                fare(Path { rate: |_| 0.064, queue, rtt: 200_400.0, both_ways: true, late, seconds: 13.0, ..PATH })
            })
            .collect();
        let mean = |of: fn(&[Fared; 2]) -> f64| fared.iter().map(of).sum::<f64>() / fared.len() as f64;
        let (share, p95) = (mean(|[up, down]| up.share.min(down.share)), mean(|[up, _]| up.p95));
        assert!(share >= 98.5 && p95 <= 95.0, "queue {queue}: {share} % {p95} ms");
    }
}

#[test]
fn goes_on_both_ways_where_the_path_loses_packets() {
    for (_, rate) in RATES {
        for rtt in ROUND_TRIPS {
            let fared = fare(Path { rate, rtt, loss: 0.01, both_ways: true, seconds: 60.0, ..PATH });
            let holds = fared.iter().all(|side| side.share >= 95.0) && fared[0].p95 <= 110.0;
            assert!(holds, "round trip {rtt}: {fared:?}");
        }
    }
}

#[test]
fn follows_a_rate_that_changes_both_ways() {
    for rtt in ROUND_TRIPS {
        let half = |time: f64| if ((time / 5e6) as u64).is_multiple_of(2) { 1.024 } else { 0.8 };
        let fared = fare(Path { rate: half, queue: 50_000.0, rtt, both_ways: true, seconds: 60.0, ..PATH });
        let holds = fared.iter().all(|side| side.share >= 94.0) && fared[0].p95 <= 70.0;
        assert!(holds, "round trip {rtt}: {fared:?}");
    }
    // What was in the pipe when it fell can't be called back. Once it is through, messages wait as ever.
    let steps = |time: f64| if ((time / 8e6) as u64).is_multiple_of(2) { 1.024 } else { 0.064 };
    for queue in QUEUES {
        for (rtt, least) in ROUND_TRIPS.into_iter().zip([92.0, 88.0, 65.0]) {
            let fared = fare(Path { rate: steps, queue, rtt, both_ways: true, seconds: 60.0, ..PATH });
            let holds = fared.iter().all(|side| side.share >= least) && fared[0].p50 <= 65.0;
            assert!(holds, "queue {queue}, round trip {rtt}: {fared:?}");
            // Before a long queue as much as was right for the other queue would be lost on top of that.
            let few = queue < 1e6 || rtt > 1e5 || fared.iter().all(|side| side.lost < 600);
            assert!(few, "round trip {rtt}: {fared:?}");
        }
    }
}

/// What full frames take and nothing else, and three hundredths.
const LEAST_CONTENTS: f64 = 95.2 / 1.03;

#[test]
fn headers_and_acknowledgements_take_little_of_a_slow_line_that_is_full_both_ways() {
    for rate in [(|_| 0.065_536) as Rate, |_| 0.262_144] {
        for rtt in [400.0, 30_400.0] {
            // Packets are lost at the start where a queue is short, and are small for a while then.
            for queue in [100_000.0, 1e6] {
                let fared = fare(Path {
                    rate,
                    queue,
                    rtt,
                    both_ways: true,
                    urgent: false,
                    seconds: 280.0,
                    warm_up: 0.0,
                    ..PATH
                });
                assert!(fared.iter().all(|side| side.contents >= LEAST_CONTENTS), "{queue}, {rtt}: {fared:?}");
            }
        }
    }
}

#[test]
fn does_so_for_minutes() {
    // Bytes told in packets of other sizes, and a shortest way that no report sees any more.
    for rtt in [400.0, 50_400.0] {
        let fared = fare(Path { rate: |_| 0.064, rtt, both_ways: true, seconds: 400.0, ..PATH });
        assert!(fared.iter().all(|side| side.share >= 97.0) && fared[0].p95 <= 110.0, "{fared:?}");
    }
}

#[test]
fn a_side_that_begins_late_gets_its_part() {
    // Until then it only answers, and what it is told of that is no rate of the path.
    let [up, down] = fare(Path { rate: |_| 0.064, both_ways: true, late: 8e6, ..PATH });
    assert!(up.share >= 85.0 && down.share >= 70.0, "{up:?} {down:?}");
}

#[test]
fn both_sides_have_the_rate_soon() {
    // What they are told of the way to the other side comes before what they make of round trips, with the other side's queue in them.
    for (rate, least) in [(RATES[0].1, 40.0), (RATES[1].1, 65.0), (RATES[2].1, 50.0)] {
        for rtt in ROUND_TRIPS {
            for late in [0.0, 20_000.0, 50_000.0, 100_000.0, 1e6, 4e6] {
                let seconds = late / 1e6 + 1.5 + rtt / 1e5;
                let warm_up = late + 200_000.0 + 5.0 * rtt;
                let fared = fare(Path { rate, rtt, both_ways: true, late, seconds, warm_up, ..PATH });
                let [up, down] = &fared;
                assert!(up.share.min(down.share) >= least, "round trip {rtt}, late {late}: {fared:?}");
            }
        }
    }
}

#[test]
fn what_is_sent_now_and_then_is_as_fast_as_the_line() {
    // Between contents the line rests, and what crosses it in that time is no rate of it.
    for (name, rate) in RATES {
        let (took, p95) = if name == "64 KB/s" { (1.2, 150.0) } else { (1.15, 110.0) };
        for rtt in ROUND_TRIPS {
            for both_ways in [false, true] {
                let contents = [(40_000.0, 60_000.0); 2];
                let fared = fare(Path { rate, rtt, both_ways, contents, seconds: 60.0, ..PATH });
                let sends = &fared[..1 + usize::from(both_ways)];
                let holds = sends.iter().all(|side| side.took <= took) && fared[0].p95 <= p95;
                assert!(holds, "{name}, round trip {rtt}, both ways: {both_ways}: {fared:?}");
            }
        }
    }
}

#[test]
fn what_is_sent_after_a_rest_beside_contents_of_the_other_side_is_as_fast_as_the_line() {
    // A side that rests and answers is told how little comes of it: that is no rate of the line.
    let mut took = Vec::new();
    for (name, rate) in RATES {
        for rtt in ROUND_TRIPS {
            for (size, rest) in
                [20_000.0, 150_000.0].into_iter().flat_map(|size| [1e5, 2e6, 6e6].map(|rest| (size, rest)))
            {
                let contents = [ENDLESS, (size, rest)];
                // Some sixty of them.
                let seconds = 120.0 + 60.0 * rest / 1e6;
                let fared = fare(Path { rate, rtt, both_ways: true, contents, seconds, ..PATH });
                let [up, down] = &fared;
                let holds = down.took <= 1.4 && up.share >= 95.0 && up.p95 <= 130.0 && up.lost == 0;
                assert!(holds, "{name}, round trip {rtt}, {size} bytes, rest {rest}: {fared:?}");
                took.push(down.took);
            }
        }
    }
    let mean = took.iter().sum::<f64>() / took.len() as f64;
    assert!(mean <= 1.11, "{mean}: {took:?}");
}

#[test]
fn follows_a_rate_that_changes() {
    let [up, _] = fare(Path { rate: |time| 0.25 + 0.2 * (time / 3e6).sin(), seconds: 60.0, ..PATH });
    assert!(up.share >= 97.0 && up.p95 <= 80.0, "{up:?}");
    let steps = |time: f64| if ((time / 8e6) as u64).is_multiple_of(2) { 1.024 } else { 0.064 };
    let [up, _] = fare(Path { rate: steps, seconds: 60.0, ..PATH });
    assert!(up.share >= 90.0 && up.p50 <= 30.0, "{up:?}");
}

/// On the path after the move little more is sent than it takes, and it is used soon.
fn goes_on(name: &str, path: Path, least: f64) {
    let Some(moves) = path.moves else { panic!("it moves") };
    // Until then the rate was found.
    let fared = fare(Path { warm_up: moves.at, seconds: moves.at / 1e6 + 10.0, ..path });
    let sends = &fared[..1 + usize::from(path.both_ways)];
    let holds = |side: &Fared| side.share >= least && side.lost <= 72 && side.silent <= 1e3 + moves.gone / 1e3;
    assert!(sends.iter().all(holds), "{name}, queue {}, round trip {}, {moves:?}: {fared:?}", path.queue, path.rtt);
}

#[test]
fn goes_on_over_another_path_and_sends_no_more_than_it_takes() {
    for (name, rate) in RATES {
        for (queue, rtt) in [1e5, 1e6].into_iter().flat_map(|queue| ROUND_TRIPS.map(|rtt| (queue, rtt))) {
            for (whose, gone) in
                [Whose::Translation, Whose::Client].into_iter().flat_map(|whose| [0.0, 5e5].map(|gone| (whose, gone)))
            {
                for both_ways in [false, true] {
                    // Half a second without a line is a twentieth of the time.
                    let least = if rtt < 1e5 { 87.0 } else { 70.0 };
                    let moves = Some(Move { at: 8e6, whose, gone, rtt });
                    goes_on(name, Path { rate, queue, rtt, both_ways, moves, ..PATH }, least);
                }
            }
        }
    }
}

#[test]
fn goes_on_over_a_path_that_is_faster_or_slower() {
    let faster = |time: f64| if time < 8e6 { 0.256 } else { 1.024 };
    let slower = |time: f64| if time < 8e6 { 1.024 } else { 0.256 };
    for (name, rate) in [("faster", faster as Rate), ("slower", slower)] {
        for (queue, both_ways) in [1e5, 1e6].into_iter().flat_map(|queue| [false, true].map(|both| (queue, both))) {
            let moves = Some(Move { at: 8e6, whose: Whose::Client, gone: 0.0, rtt: 50_400.0 });
            goes_on(name, Path { rate, queue, both_ways, moves, ..PATH }, 90.0);
        }
    }
}

#[test]
fn jitter_is_no_queue() {
    let [up, _] = fare(Path { jitter: 20_000.0, seconds: 60.0, ..PATH });
    assert!(up.share >= 90.0 && up.p95 <= 80.0, "{up:?}");
}

#[test]
fn goes_on_where_the_path_loses_packets() {
    // MsQuic's own window alone would leave a third of it, and a tenth.
    for (_, rate) in RATES {
        for rtt in ROUND_TRIPS {
            let [up, _] = fare(Path { rate, rtt, loss: 0.01, seconds: 60.0, ..PATH });
            assert!(up.share >= 95.0 && up.p95 <= 40.0, "round trip {rtt}: {up:?}");
        }
    }
}

#[test]
fn fills_a_fast_link() {
    let [up, _] = fare(Path { rate: |_| 12.5, rtt: 20_000.0, seconds: 20.0, ..PATH });
    assert!(up.share >= 97.0 && up.p95 <= 60.0, "{up:?}");
}

fn sample(now: f64) -> Sample {
    Sample {
        now,
        rtt: 50_000.0,
        behind: 0.0,
        shortest_rtt: 50_000.0,
        in_flight: 10_000.0,
        delivered: now * 0.2,
        lost_packets: 0,
        packet: 1_252.0,
        limited: true,
        waited: true,
    }
}

#[test]
fn a_fast_path_is_not_held_by_what_small_messages_had() {
    // The other side has reported a little, and acknowledgements are no rates for a second.
    let mut window = BulkWindow::default();
    let near = Sample { rtt: 400.0, shortest_rtt: 400.0, in_flight: 38_000.0, ..sample(0.0) };
    for step in 0..200 {
        let now = f64::from(step) * 5_000.0;
        window.on_ack(&Sample { now, delivered: now * 9.0, ..near });
    }
    let (mut now, mut delivered) = (1e6, 9e6);
    window.on_report(now, &Report { time: now, received: 1.0, queue: 0.0, heard: 0 }, 1_252.0);
    for _ in 0..100 {
        now += 700.0;
        let in_flight = 0.99 * window.bytes();
        delivered += in_flight;
        window.on_ack(&Sample { now, delivered, in_flight, rtt: 700.0, ..near });
    }
    assert!(window.bytes() > 4e6, "{}", window.bytes());
}

#[test]
fn a_round_trip_that_is_the_shortest_makes_no_burst_of_what_it_acknowledges() {
    let mut window = BulkWindow::default();
    for step in 1..20 {
        let now = f64::from(step) * 100_000.0;
        window.on_ack(&Sample { now, delivered: now * 0.2, ..sample(now) });
        window.on_report(now, &Report { time: now, received: now * 0.2, queue: 0.0, heard: 0 }, 1_252.0);
    }
    let now = 2e6;
    window.rested(now, true);
    // Of six packets that left at once, over a path that is shorter now: nothing but the round trip has passed.
    let soon = Sample { now: now + 20_001.0, rtt: 20_000.0, shortest_rtt: 20_000.0, ..sample(now) };
    window.on_ack(&Sample { delivered: 0.2 * 1.9e6 + 6.0 * 1_252.0, ..soon });
    assert!(window.rate() < 1.0, "{}", window.rate());
}

#[test]
fn reports_of_a_time_without_contents_tell_no_rate_and_those_of_contents_do_on_another_path_too() {
    for (sends, is_known) in [(true, true), (false, false)] {
        let mut window = BulkWindow::default();
        window.sends(sends);
        window.forget();
        for step in 1..20 {
            let now = f64::from(step) * 100_000.0;
            window.on_ack(&Sample { limited: false, ..sample(now) });
            window.on_report(now, &Report { time: now, received: now * 0.2, queue: 20_000.0, heard: 0 }, 1_252.0);
        }
        assert_eq!(window.is_slow(), is_known);
    }
}

#[test]
fn what_was_delivered_over_the_path_before_is_no_reason_to_send_more() {
    let mut window = BulkWindow::default();
    for step in 0..500 {
        window.on_ack(&sample(f64::from(step) * 5_000.0));
    }
    window.forget();
    let before = window.bytes();
    window.on_ack(&Sample { in_flight: before, ..sample(2.5e6) });
    assert_eq!(window.bytes(), before);
}

#[test]
fn half_a_window_that_is_acknowledged_at_once_was_a_whole_one() {
    // What is in flight is told after the acknowledgement.
    let mut window = BulkWindow::default();
    let mut delivered = 0.0;
    for step in 0..100 {
        let now = f64::from(step) * 200.0;
        let in_flight = 0.49 * window.bytes();
        delivered += in_flight;
        window.on_ack(&Sample { now, delivered, in_flight, rtt: 200.0, shortest_rtt: 200.0, ..sample(now) });
    }
    assert!(window.bytes() > 1e6, "{}", window.bytes());
}

#[test]
fn numbers_that_are_none_change_nothing() {
    let mut window = BulkWindow::default();
    for step in 0..500 {
        window.on_ack(&sample(f64::from(step) * 5_000.0));
    }
    let before = (window.bytes(), window.pace(2.5e6));
    let none = [f64::NAN, f64::INFINITY, f64::NEG_INFINITY];
    for value in none {
        window.on_ack(&Sample { rtt: value, ..sample(2.5e6) });
        window.on_ack(&Sample { behind: value, ..sample(2.5e6) });
        window.on_ack(&Sample { delivered: value, ..sample(2.5e6) });
        window.on_report(2.5e6, &Report { time: value, received: 0.0, queue: 0.0, heard: 0 }, 1_252.0);
        window.on_report(2.5e6, &Report { time: 0.0, received: 0.0, queue: value, heard: 0 }, 1_252.0);
    }
    assert_eq!((window.bytes(), window.pace(2.5e6)), before);
}

#[test]
fn a_near_path_that_is_measured_anew_has_room_for_two_packets() {
    // Its base round trip is far less than a packet. With room for none, nothing would be acknowledged any more.
    let mut window = BulkWindow::default();
    for step in 0..4_000 {
        let rtt = if step < 10 { 400.0 } else { 45_400.0 };
        let now = f64::from(step) * 5_000.0;
        window.on_ack(&Sample { rtt, shortest_rtt: 400.0, delivered: now * 0.064, ..sample(now) });
        assert!(window.bytes() >= 2.0 * 1_252.0, "{} after {step} acknowledgements", window.bytes());
    }
}

#[test]
fn whatever_is_told_it_stays_within_bounds() {
    let mut window = BulkWindow::default();
    let mut random = 7_u64;
    let mut number = |most: f64| {
        random = random.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (random >> 33) as f64 / (1_u64 << 31) as f64 * most - most / 8.0
    };
    let mut now = 0.0;
    for step in 0..100_000 {
        now += number(50_000.0);
        window.on_ack(&Sample {
            now,
            rtt: number(1e6),
            behind: number(1e6),
            shortest_rtt: number(1e5),
            in_flight: number(1e7),
            delivered: number(1e9),
            lost_packets: step / 3,
            packet: 1_252.0,
            limited: step % 2 == 0,
            waited: step % 2 == 0,
        });
        let report = Report { time: number(1e12), received: number(1e12), queue: number(1e9), heard: 0 };
        window.on_report(now, &report, 1_252.0);
        // With less than two packets nothing might be in flight whose acknowledgement lets it go on.
        assert!((2.0 * 1_252.0..=64.0 * 1024.0 * 1024.0).contains(&window.bytes()), "{}", window.bytes());
        assert!(window.pace(now) > 0.0, "{}", window.pace(now));
    }
}
