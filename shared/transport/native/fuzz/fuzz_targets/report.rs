//! What the other side tells of its queue: a report that is taken has sound numbers and one form; and whatever is told and acknowledged, and
//! in whatever order, the bulk window stays within bounds, and nobody waits for nothing.
#![no_main]

use godwit_native_fuzz::link::window::bulk::BulkWindow;
use godwit_native_fuzz::link::window::incoming::Incoming;
use godwit_native_fuzz::link::window::report::{LENGTH, decode, encode};
use godwit_native_fuzz::link::window::sample::Sample;
use libfuzzer_sys::fuzz_target;

const LARGEST: f64 = 64.0 * 1024.0 * 1024.0;
const PACKET: f64 = 1_472.0;

fn check_report(data: &[u8]) {
    let Some(report) = decode(data) else { return };
    assert_eq!(data.len(), LENGTH);
    assert!(report.is_sound() && report.time >= 0.0 && report.received >= 0.0 && report.queue >= 0.0);
    assert_eq!(decode(&encode(&report)), Some(report));
}

fn check_story(steps: &[u8]) {
    let (mut window, mut incoming, mut now) = (BulkWindow::default(), Incoming::default(), 0.0);
    for step in steps.chunks_exact(LENGTH) {
        let numbers: [f64; 5] = std::array::from_fn(|at| f64::from_bits(word(&step[2 + 4 * at..])));
        now += f64::from(step[0]) * 1_000.0;
        let mut told = [0; LENGTH];
        told.copy_from_slice(step);
        told[..2].copy_from_slice(b"R\x02");
        if let Some(report) = decode(&told) {
            incoming.heard(now, report.time);
            window.on_report(now, &report, PACKET);
        }
        if step[1] % 8 == 1 {
            window.rested(now, step[0] % 2 == 0);
        }
        let [rtt, shortest_rtt, in_flight, delivered, behind] = numbers;
        let lost_packets = u64::from(step[1]);
        let behind = behind + incoming.queue(now);
        let (limited, waited) = (step[1] % 2 == 0, step[1] % 3 == 0);
        let packet = window.piece(PACKET);
        let told = Sample { now, rtt, behind, shortest_rtt, in_flight, delivered, lost_packets, packet, limited, waited };
        window.on_ack(&told);
        assert!((0.0..=LARGEST).contains(&window.floor()), "{}", window.floor());
        assert!((0.0..=LARGEST).contains(&window.bytes()), "{}", window.bytes());
        assert!(window.pace(now) > 0.0, "{}", window.pace(now));
        assert!((1.0..=PACKET).contains(&window.piece(PACKET)));
        assert!(incoming.queue(now) >= 0.0);
    }
}

/// The upper half of a number, so that every kind of it is near.
fn word(bytes: &[u8]) -> u64 {
    let mut upper = [0; 4];
    upper.copy_from_slice(&bytes[..4]);
    u64::from(u32::from_le_bytes(upper)) << 32
}

fuzz_target!(|data: &[u8]| {
    check_report(data);
    check_story(data);
});
