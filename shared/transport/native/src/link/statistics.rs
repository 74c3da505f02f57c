//! A connection's statistics, for people and for policies above the Link.
//!
//! They are read inside callbacks of the connection, where a parameter is answered on the spot; from any other
//! thread the question would wait for the worker. At most four reports a second, and none while nothing moves. The
//! progress of calls is emitted at the same pace.

use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

use super::ack_delay;
use super::connection::Connection;
use super::datagram;
use super::events::Event;
use super::loss_floor;
use super::window::Acknowledged;
use crate::quic::{self, HQUIC, quic};
use msquic::ffi::{QUIC_PARAM_CONN_STATISTICS_V2, QUIC_STATISTICS_V2};

const INTERVAL_MS: u64 = 250;

#[derive(Default)]
pub struct Statistics {
    rtt_ms: f64,
    min_rtt_ms: f64,
    bytes_in_flight: f64,
    congestion_window: f64,
    sent_bytes: f64,
    received_bytes: f64,
    lost_packets: f64,
    /// Bytes a second; 0: not known yet.
    bulk_rate: f64,
}

impl Statistics {
    pub fn numbers(&self) -> [f64; 8] {
        [
            self.rtt_ms,
            self.min_rtt_ms,
            self.bytes_in_flight,
            self.congestion_window,
            self.sent_bytes,
            self.received_bytes,
            self.lost_packets,
            self.bulk_rate,
        ]
    }
}

/// What the network events said last, and when the last report was made.
pub struct Gauges {
    epoch: Instant,
    last_report: AtomicU64,
    bytes_in_flight: AtomicU64,
    congestion_window: AtomicU64,
}

impl Gauges {
    pub fn new() -> Gauges {
        Gauges {
            epoch: Instant::now(),
            last_report: AtomicU64::new(0),
            bytes_in_flight: AtomicU64::new(0),
            congestion_window: AtomicU64::new(0),
        }
    }

    pub fn note(&self, bytes_in_flight: u32, congestion_window: u32) {
        self.bytes_in_flight.store(bytes_in_flight.into(), Ordering::Relaxed);
        self.congestion_window.store(congestion_window.into(), Ordering::Relaxed);
    }

    /// Bytes; 0 before the first acknowledgement.
    pub fn congestion_window(&self) -> u64 {
        self.congestion_window.load(Ordering::Relaxed)
    }

    /// True at most once in each interval, counted in `last`; true the first time, when that is 0.
    pub fn due(&self, last: &AtomicU64) -> bool {
        let now = self.epoch.elapsed().as_millis() as u64 + INTERVAL_MS;
        let before = last.load(Ordering::Relaxed);
        now.saturating_sub(before) >= INTERVAL_MS
            && last.compare_exchange(before, now, Ordering::Relaxed, Ordering::Relaxed).is_ok()
    }
}

/// Reports where it is time to. Call it from callbacks of this connection or its streams only.
pub fn report(connection: &Connection, handle: HQUIC) {
    if !connection.is_open() || !connection.gauges.due(&connection.gauges.last_report) {
        return;
    }
    let Some(raw) = ask(handle) else {
        return;
    };
    ack_delay::tend(connection, handle, raw.RecvTotalBytes);
    let lost = lost_packets(&raw);
    let statistics = Statistics {
        rtt_ms: f64::from(raw.Rtt) / 1000.0,
        min_rtt_ms: f64::from(raw.MinRtt) / 1000.0,
        bytes_in_flight: connection.gauges.bytes_in_flight.load(Ordering::Relaxed) as f64,
        congestion_window: f64::from(raw.SendCongestionWindow),
        sent_bytes: raw.SendTotalBytes as f64,
        received_bytes: raw.RecvTotalBytes as f64,
        lost_packets: lost as f64,
        bulk_rate: connection.pump.bulk_rate(),
    };
    let connection_id = connection.id;
    connection
        .endpoint
        .events
        .push(connection_id, Event::Statistics { connection: connection_id, statistics: &statistics });
}

/// Tells the bulk window what an acknowledgement brought. Call it from callbacks of this connection only.
pub fn feed_window(connection: &Arc<Connection>, handle: HQUIC, posted: u64) {
    let Some(raw) = ask(handle) else {
        return;
    };
    let in_flight = connection.gauges.bytes_in_flight.load(Ordering::Relaxed) as u32;
    let told = Acknowledged {
        in_flight,
        posted,
        rtt: raw.Rtt,
        shortest_rtt: raw.MinRtt,
        sent: raw.SendTotalBytes,
        stream_sent: raw.SendTotalStreamBytes,
        lost_packets: lost_packets(&raw),
        received: raw.RecvTotalStreamBytes,
        mtu: raw.SendPathMtu,
        streams: connection.pump.streams(),
        to_server: !connection.inbound,
    };
    connection.pump.acknowledged(connection, &told);
    loss_floor::tend(connection, handle, told.mtu);
    if let Some(report) = connection.pump.report(told.received) {
        datagram::send(handle, &report);
    }
}

fn ask(handle: HQUIC) -> Option<QUIC_STATISTICS_V2> {
    // SAFETY: plain numbers; all zeros are a value.
    let mut raw: QUIC_STATISTICS_V2 = unsafe { std::mem::zeroed() };
    let mut length = size_of::<QUIC_STATISTICS_V2>() as u32;
    // SAFETY: the buffer is as long as `length` says; MsQuic fills in what its version knows.
    let status = unsafe { quic!(GetParam(handle, QUIC_PARAM_CONN_STATISTICS_V2, &mut length, (&raw mut raw).cast())) };
    (!quic::failed(status)).then_some(raw)
}

fn lost_packets(raw: &QUIC_STATISTICS_V2) -> u64 {
    raw.SendSuspectedLostPackets.saturating_sub(raw.SendSpuriousLostPackets)
}
