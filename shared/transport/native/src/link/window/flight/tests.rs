//! What may be handed over, by what MsQuic tells; on a state of its own, with times that are given.

use super::*;

const MTU: u16 = 1_500;
const WIRE: f64 = 1_472.0;

/// As MsQuic tells it where nothing is lost: all that was handed over has left, and so much of it is in flight.
fn told(state: &State, in_flight: u32) -> Acknowledged {
    Acknowledged {
        in_flight,
        posted: u64::from(in_flight),
        rtt: 50_000,
        shortest_rtt: 50_000,
        sent: (state.handed * WIRE / (WIRE - MOST_AROUND)) as u64,
        stream_sent: state.handed as u64,
        mtu: MTU,
        ..Acknowledged::default()
    }
}

#[test]
fn what_was_handed_over_fills_the_window_until_it_is_acknowledged() {
    let mut state = State::new();
    let Room::Now(room) = state.room(0.0, 0) else { panic!("an empty window has room") };
    state.hand(0.0, room as f64);
    assert_eq!(state.room(1.0, 0), Room::Full);
    state.on_ack(50_000.0, &told(&state, 0));
    assert!(matches!(state.room(50_001.0, 0), Room::Now(_)));
}

#[test]
fn a_packet_has_as_much_of_a_stream_as_fits_beside_the_numbers_that_it_needs() {
    // To a server, streams so far, what of the contents went before; and what is left of 1,472 bytes.
    let cases = [
        (false, 0, 0, 1_432),
        (true, 0, 0, 1_423),
        (false, MANY_STREAMS, 0, 1_430),
        (false, 0, FAR, 1_428),
        (true, MANY_STREAMS, FAR, 1_417),
    ];
    for (to_server, streams, sent, payload) in cases {
        let mut state = State::new();
        // No rate is known: packets are as large as the path takes.
        state.on_ack(0.0, &Acknowledged { to_server, streams, ..told(&state, 0) });
        state.used = state.window.bytes() - state.packet;
        assert_eq!(state.room(1.0, sent), Room::Now(payload), "{to_server} {streams} {sent}");
    }
}

#[test]
fn what_msquic_holds_and_has_not_sent_counts() {
    let mut state = State::new();
    state.hand(0.0, 40_000.0);
    let half = Acknowledged { posted: 40_000, stream_sent: 20_000, ..told(&state, 10_000) };
    state.on_ack(50_000.0, &half);
    assert!((28_000.0..32_000.0).contains(&state.used), "{}", state.used);
    assert_eq!(state.room(50_001.0, 0), Room::Full);
}

#[test]
fn losses_are_counted_by_the_packets_of_their_time_and_may_be_taken_back() {
    let mut state = State::new();
    state.packet = 1_000.0;
    state.payload = 960.0;
    state.count_lost(10);
    state.packet = 1_400.0;
    state.payload = 1_360.0;
    state.count_lost(11);
    assert_eq!((state.lost.wire, state.lost.payload), (11_400.0, 10_960.0));
    state.count_lost(0);
    assert_eq!((state.lost.wire, state.lost.payload), (0.0, 0.0));
}

/// A line of 64 KB/s, by acknowledgements of one packet after the other, of which so many in each hundred are lost. Reports come where the other
/// side sends as well.
fn slow(lost_in_100: u32, both_ways: bool) -> State {
    let mut state = State::new();
    state.begin(0.0);
    let mut sent = 0_u32;
    let mut lost = 0;
    for step in 0..500_u32 {
        let now = f64::from(step) * 16_000.0;
        state.held_back = true;
        state.waited = true;
        state.handed = f64::from(sent);
        lost += u64::from(step % 100 < lost_in_100);
        if both_ways {
            state.heard(now, &Report { time: now, received: f64::from(sent).max(1.0), queue: 30_000.0, heard: 0 });
        }
        let queue = if step > 40 { 60_000 } else { 0 };
        let rtt = 50_000 + queue;
        let at_once = Acknowledged { rtt, sent: u64::from(sent), stream_sent: u64::from(sent), ..told(&state, 4_096) };
        state.on_ack(now, &Acknowledged { shortest_rtt: 50_000, lost_packets: lost, ..at_once });
        sent += 1_024;
    }
    state
}

const AFTER_SLOW: f64 = 500.0 * 16_000.0;

#[test]
fn packets_on_a_slow_line_are_handed_over_one_by_one_at_a_pace_and_are_small_where_it_loses_them() {
    for (lost, size) in [(0, 1_472.0..1_473.0), (10, 800.0..1_100.0)] {
        let (mut state, now) = (slow(lost, false), AFTER_SLOW);
        assert!(size.contains(&state.packet), "{}", state.packet);
        state.used = 0.0;
        state.paced_until = 0.0;
        let Room::Now(room) = state.room(now, 0) else { panic!("{:?}", state.room(now, 0)) };
        assert!(room <= state.packet as u64, "{room}");
        state.hand(now, room as f64);
        state.hand(now, room as f64);
        let Room::After(wait) = state.room(now, 0) else { panic!("{:?}", state.room(now, 0)) };
        assert!((5..40).contains(&wait.as_millis()), "{wait:?}");
        assert!(matches!(state.room(now + wait.as_secs_f64() * 1e6 + 1.0, 0), Room::Now(_)));
    }
}

#[test]
fn what_was_lost_takes_the_turn_of_new_packets() {
    let (mut state, now) = (slow(0, false), AFTER_SLOW);
    state.used = 0.0;
    state.paced_until = now;
    let two = state.lost.packets + 2;
    state.leave_room_for_lost(now, 2.0);
    assert!(state.paced_until >= now + 30_000.0, "{}", state.paced_until - now);
    state.count_lost(two);
    assert_eq!(state.lost.packets, two);
}

#[test]
fn a_report_goes_along_with_contents_where_both_sides_send_on_a_slow_line() {
    let (mut state, now) = (slow(0, true), AFTER_SLOW);
    assert!(state.window.is_slow());
    // It is time, and the next packet is about to leave.
    state.used = 0.0;
    state.paced_until = now;
    let Room::Now(whole) = state.room(now, 0) else { panic!("{:?}", state.room(now, 0)) };
    state.paced_until = now + 10_000.0;
    assert_eq!(state.rider(now), None);
    assert!(state.report(now, 60_000.0, true).is_none());
    let now = now + 10_000.0;
    assert_eq!(state.room(now, 0), Room::Now(whole - RIDER as u64));
    let report = report::decode(&state.rider(now).expect("it goes along")).expect("it is a report");
    assert_eq!(report.time, now);
    assert!(report.received >= 60_000.0);
    assert_eq!(state.rider(now), None);
    assert_eq!(state.room(now, 0), Room::Now(whole));
    // Where none leaves in time, it goes alone.
    state.reports = Reports::default();
    state.paced_until = now + 1e6;
    assert!(state.report(now, 60_000.0, true).is_none());
    assert!(state.report(now + 500_000.0, 60_000.0, true).is_some());
}

#[test]
fn what_has_come_is_told_once_and_stays_so_whatever_size_packets_have_then() {
    let mut state = State::new();
    let mut received = 0.0;
    let mut before = 0.0;
    for step in 0..200_u32 {
        state.packet = if step % 2 == 0 { 800.0 } else { 1_472.0 };
        state.payload = state.packet - 40.0;
        received += 100_000.0;
        let bytes = state.report(f64::from(step) * 200_000.0, received, true).expect("it is time");
        let told = report::decode(&bytes).expect("it is a report").received;
        assert!((102_000.0..106_000.0).contains(&(told - before)), "{} at {step}", told - before);
        before = told;
    }
}

#[test]
fn what_may_stand_in_the_queue_leaves_at_once_where_the_path_was_empty() {
    let (mut state, now) = (slow(0, false), AFTER_SLOW);
    let at_once = |state: &mut State| {
        let mut packets = 0;
        while let Room::Now(room) = state.room(now, 0) {
            state.hand(now, room as f64);
            packets += 1;
        }
        packets
    };
    // Something is in flight: it goes on at its pace.
    (state.used, state.paced_until) = (1.0, now);
    state.begin(now);
    assert_eq!(at_once(&mut state), 1);
    state.used = 0.0;
    state.begin(now);
    assert_eq!(at_once(&mut state), 3);
}

#[test]
fn what_is_handed_over_at_a_pace_is_whole_packets() {
    let mut state = State::new();
    let mut sent = 0_u64;
    // A line of 1 MB/s with 25 ms in its queue: a sixteenth of the window is a packet and a bit.
    for step in 0..2_000_u32 {
        let now = f64::from(step) * 1_472.0;
        let at_once = Acknowledged { rtt: 25_000, sent, stream_sent: sent, ..told(&state, 25_000) };
        state.held_back = true;
        state.handed = sent as f64;
        state.on_ack(now, &Acknowledged { shortest_rtt: 1_000, ..at_once });
        sent += 1_472;
        let grain = state.grain() / state.packet;
        assert!(grain >= 1.0 && grain.fract() < 1e-9, "{grain} at {step}");
    }
}

#[test]
fn the_other_side_is_told_often_where_it_sends_bulk_and_seldom_where_it_does_not() {
    let count = |bytes_each: f64, bulk: bool| {
        let mut state = State::new();
        (0..1_000_u32)
            .filter(|step| state.report(f64::from(*step) * 10_000.0, f64::from(*step) * bytes_each, bulk).is_some())
            .count()
    };
    assert_eq!(count(0.0, true), 10);
    assert!((85..=100).contains(&count(2_000.0, true)), "{}", count(2_000.0, true));
    assert_eq!(count(2_000.0, false), 1);
}

#[test]
fn the_other_side_is_told_as_soon_as_it_sends_bulk() {
    let mut state = State::new();
    assert!(state.report(10_000.0, 0.0, true).is_some());
    assert!(state.report(150_000.0, 2_000.0, true).is_none());
    assert!(state.report(160_000.0, 20_000.0, true).is_some());
    assert!(state.report(250_000.0, 60_000.0, true).is_none());
    assert!(state.report(260_000.0, 60_000.0, true).is_some());
}

#[test]
fn what_the_other_side_sends_is_validated_before_it_is_used() {
    let flight = Flight::new();
    let whole = report::encode(&Report { time: 1e6, received: 1e6, queue: 1e3, heard: 0 });
    for length in 0..LENGTH {
        flight.heard(&whole[..length]);
    }
    assert_eq!(lock(&flight.state).incoming.queue(flight.now()), 0.0);
    for bytes in [[0xff; LENGTH], [0; LENGTH]] {
        flight.heard(&bytes);
    }
    let mut far = [0xff; LENGTH];
    far[..2].copy_from_slice(&whole[..2]);
    flight.heard(&far);
    flight.heard(&whole);
    flight.on_ack(&Acknowledged { rtt: 1, shortest_rtt: 1, sent: u64::MAX, mtu: u16::MAX, ..Acknowledged::default() });
    assert!(lock(&flight.state).window.bytes().is_finite());
}

#[test]
fn before_a_round_trip_of_another_path_is_known_nothing_is_made_of_a_guess() {
    let mut state = State::new();
    state.on_ack(50_000.0, &told(&state, 10_000));
    state.forget();
    let before = state.window.bytes();
    state.on_ack(60_000.0, &Acknowledged { rtt: 100_000, shortest_rtt: UNMEASURED, ..told(&state, 5_000) });
    assert_eq!((state.window.bytes(), state.smoothed, state.used), (before, None, 5_000.0));
}

#[test]
fn what_the_path_before_lost_is_no_loss_of_this_one() {
    for (first, counts) in [(40, false), (0, true)] {
        let mut state = State::new();
        let sent = |in_flight: u32, sent: u64, lost_packets: u64| Acknowledged {
            in_flight,
            sent,
            lost_packets,
            ..told(&State::new(), in_flight)
        };
        state.on_ack(50_000.0, &sent(60_000, 200_000, 0));
        state.forget();
        // What was in flight then is acknowledged or lost, and what has left since is in flight.
        state.on_ack(150_000.0, &sent(10_000, 210_000, first));
        state.on_ack(160_000.0, &sent(10_000, 220_000, 40));
        assert_eq!(state.window.bytes() < BulkWindow::default().bytes(), counts, "{}", state.window.bytes());
    }
}
