//! What of a connection is in flight, or with MsQuic and not sent yet; and so how much more of contents may be handed over.
//!
//! MsQuic tells at each acknowledgement what is in flight and what was posted and not acknowledged. What it holds and has not
//! sent is the difference, where nothing was lost; after a loss, what came behind the hole counts as posted until the hole is filled. So it is
//! also counted here: what was handed over, less what was sent for the first time. The smaller one of the two is near the truth.
//! Urgent messages pass by without asking, and count: contents give way to them.

use std::sync::Mutex;
use std::time::{Duration, Instant};

use super::bulk::BulkWindow;
use super::incoming::Incoming;
use super::report::{self, LENGTH};
use super::sample::{Report, Sample};
use crate::quic::lock;

/// Of IP and UDP: what a packet is less than the path takes.
const BENEATH: f64 = 28.0;
/// Of QUIC in a packet full of one stream, where all numbers are short: flags, packet number and tag; kind, id, offset and length of the frame; and
/// an acknowledgement, which goes along wherever something came, be it an acknowledgement alone. What is handed over for one packet must fit in
/// it: the rest of it is a packet of its own, with headers of its own. What would have fitted beside it is lost.
const AROUND: f64 = (1.0 + 4.0 + 16.0) + (1.0 + 2.0 + 4.0 + 2.0) + ACKNOWLEDGEMENT;
/// Kind, largest number, delay (two bytes on a slow line), count, and the first range.
const ACKNOWLEDGEMENT: f64 = 1.0 + 4.0 + 2.0 + 1.0 + 2.0;
/// The server's id of the connection, which is in each packet to it. A client has none.
const SERVER_ID: f64 = 9.0;
/// The number of a stream is so much longer from so many streams on, and an offset from a gigabyte on.
const LONG_STREAM: f64 = 2.0;
const MANY_STREAMS: u64 = 4_096;
const LONG_OFFSET: f64 = 4.0;
const FAR: u64 = 1 << 30;
/// Before anything is known.
const MOST_AROUND: f64 = AROUND + SERVER_ID + LONG_STREAM;
/// A path takes so much at least.
const LEAST_MTU: f64 = 1_200.0;
/// What is handed over at once is at least so much of the window, so that a fast link is not fed by single packets.
const GRAIN: f64 = 1.0 / 16.0;
const LARGEST_GRAIN: f64 = 128.0 * 1024.0;
/// After so many microseconds it is looked at again, however much went before: who waits keeps a shutdown waiting.
const LONGEST_WAIT: f64 = 100_000.0;
/// Bytes a microsecond. What is faster than this is not paced: no queue of a link so fast is worth a wait.
const UNPACED: f64 = 25.0;
/// The other side is told of the way to here so often where it sends too; and where it does not, so that it knows the shortest way
/// by the time it does. Microseconds.
const REPORT_EVERY: f64 = 100_000.0;
const REPORT_SELDOM: f64 = 1_000_000.0;
/// And so often where no contents go there: the shortest way is that of a line without a queue, and what comes first with contents has one before it.
const REPORT_AT_REST: f64 = 10_000_000.0;
/// The other side sends bulk where so many packets came within `REPORT_SELDOM`.
const COMES_IN: f64 = 8.0;

/// What MsQuic tells at an acknowledgement. Bytes; totals of the connection.
#[derive(Clone, Copy, Default)]
pub struct Acknowledged {
    pub in_flight: u32,
    /// Handed over and not acknowledged, in the order of each stream.
    pub posted: u64,
    /// Smoothed: seven parts of what it was and one of the newest. Microseconds.
    pub rtt: u32,
    /// The shortest there ever was on this path, microseconds.
    pub shortest_rtt: u32,
    pub sent: u64,
    /// Of streams, again and again where they were lost.
    pub stream_sent: u64,
    pub lost_packets: u64,
    /// Of streams.
    pub received: u64,
    pub mtu: u16,
    /// Streams that were begun, by both sides.
    pub streams: u64,
    /// The other side is the server.
    pub to_server: bool,
}

/// How much more of contents may be handed over.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Room {
    /// So many bytes, now.
    Now(u64),
    /// None before an acknowledgement.
    Full,
    /// None before this.
    After(Duration),
}

pub struct Flight {
    epoch: Instant,
    state: Mutex<State>,
}

#[derive(Default)]
struct State {
    window: BulkWindow,
    /// In flight, or handed over and not sent: as bytes on the wire.
    used: f64,
    /// Bytes of streams handed over.
    handed: f64,
    /// Of a packet of bulk, as on the wire and as of a stream.
    packet: f64,
    payload: f64,
    lost: Lost,
    smoothed: Option<f64>,
    held_back: bool,
    incoming: Incoming,
    /// When what was handed over has left at its pace.
    paced_until: f64,
    /// So much may leave without a pause after a rest: it may stand in the queue.
    unpaced: f64,
    reports: Reports,
}

/// What packets held that were lost. Those that were not lost after all are taken off again.
#[derive(Default)]
struct Lost {
    packets: u64,
    wire: f64,
    payload: f64,
}

#[derive(Default)]
struct Reports {
    last: Option<f64>,
    /// The start of a span in which what comes in is counted, how much had come by then, and whether the one before had bulk.
    span: (f64, f64),
    comes_in: bool,
}

impl Flight {
    pub fn new() -> Flight {
        Flight { epoch: Instant::now(), state: Mutex::new(State::new()) }
    }

    /// So many bytes of streams were handed to MsQuic.
    pub fn handed(&self, bytes: u64) {
        let now = self.now();
        lock(&self.state).hand(now, bytes as f64);
    }

    /// There are contents to send again, where there were none.
    pub fn begins(&self) {
        let now = self.now();
        lock(&self.state).begin(now);
    }

    /// Nothing of the connection's contents is with MsQuic.
    pub fn empty(&self) {
        lock(&self.state).used = 0.0;
    }

    pub fn on_ack(&self, told: &Acknowledged) {
        let now = self.now();
        lock(&self.state).on_ack(now, told);
    }

    /// A datagram of the other side. What is no report changes nothing.
    pub fn heard(&self, bytes: &[u8]) {
        let now = self.now();
        let Some(report) = report::decode(bytes) else { return };
        let mut state = lock(&self.state);
        state.incoming.heard(now, report.time);
        if report.received == 0.0 {
            return;
        }
        let packet = state.packet;
        state.window.on_report(now, &report, packet);
    }

    /// What the other side is to be told now. `received`: as in `Acknowledged`. `bulk`: contents are on their way to it; where there are none,
    /// the other side goes by its round trips, and is told the time alone.
    pub fn report(&self, received: u64, bulk: bool) -> Option<[u8; LENGTH]> {
        let now = self.now();
        lock(&self.state).report(now, received as f64, bulk)
    }

    /// Bytes a second on the wire; 0: not known yet.
    pub fn rate(&self) -> f64 {
        1e6 * lock(&self.state).window.rate()
    }

    /// Milliseconds that a packet of bulk is on the line; 0: not known yet.
    pub fn spacing(&self) -> f64 {
        let state = lock(&self.state);
        let rate = state.window.rate();
        if rate > 0.0 { state.packet / rate / 1e3 } else { 0.0 }
    }

    fn now(&self) -> f64 {
        self.epoch.elapsed().as_secs_f64() * 1e6
    }

    /// The path is another one.
    pub fn forget(&self) {
        let mut state = lock(&self.state);
        state.window.forget();
        state.incoming.forget();
        state.smoothed = None;
    }

    /// `waiting`: some contents are held back where there is none. `sent`: bytes of the next contents that went before.
    pub fn room(&self, waiting: bool, sent: u64) -> Room {
        let now = self.now();
        let mut state = lock(&self.state);
        let room = state.room(now, sent);
        state.held_back |= waiting && room == Room::Full;
        room
    }
}

impl State {
    fn new() -> State {
        let packet = LEAST_MTU - BENEATH;
        State { packet, payload: packet - MOST_AROUND, ..State::default() }
    }

    fn on_ack(&mut self, now: f64, told: &Acknowledged) {
        self.count_lost(told.lost_packets);
        self.packet = self.window.piece(f64::from(told.mtu).max(LEAST_MTU) - BENEATH);
        self.payload = self.packet - around(told);
        let smoothed = f64::from(told.rtt);
        // Where several came between two questions, it is none of them.
        let newest = self.smoothed.map_or(smoothed, |before| 8.0 * smoothed - 7.0 * before);
        let rtt = newest.max(f64::from(told.shortest_rtt));
        self.smoothed = Some(smoothed);
        let in_flight = f64::from(told.in_flight);
        self.used = in_flight + self.unsent(told) * self.packet / self.payload;
        let limited = std::mem::take(&mut self.held_back);
        self.window.on_ack(&Sample {
            now,
            rtt,
            behind: self.incoming.queue(now),
            shortest_rtt: f64::from(told.shortest_rtt),
            in_flight,
            delivered: told.sent as f64 - in_flight - self.lost.wire,
            lost_packets: told.lost_packets,
            packet: self.packet,
            limited,
        });
    }

    fn count_lost(&mut self, packets: u64) {
        let more = packets as f64 - self.lost.packets as f64;
        self.lost.packets = packets;
        self.lost.wire = (self.lost.wire + more * self.packet).max(0.0);
        self.lost.payload = (self.lost.payload + more * self.payload).max(0.0);
    }

    /// With MsQuic, and not sent yet. Corrects what drifts: streams that were given up, and repetitions that nothing announced.
    fn unsent(&mut self, told: &Acknowledged) -> f64 {
        let first_time = (told.stream_sent as f64 - self.lost.payload).max(0.0);
        let flying = f64::from(told.in_flight) * self.payload / self.packet;
        let most = (told.posted as f64 - flying).max(0.0);
        let unsent = (self.handed - first_time).clamp(0.0, most);
        self.handed = first_time + unsent;
        unsent
    }

    /// Where the path is full nevertheless, it has not rested.
    fn begin(&mut self, now: f64) {
        if self.is_full() {
            return;
        }
        let empty = self.used <= 0.0;
        self.window.rested(now, empty);
        if empty {
            self.unpaced = self.window.queued(self.packet);
            self.paced_until = self.paced_until.min(now - self.unpaced / self.window.pace());
        }
    }

    fn hand(&mut self, now: f64, bytes: f64) {
        let wire = bytes * self.packet / self.payload;
        self.handed += bytes;
        self.used += wire;
        let pace = self.window.pace();
        if pace < UNPACED {
            let at_once = self.grain().max(self.unpaced);
            self.paced_until = self.paced_until.max(now - at_once / pace) + wire / pace;
        }
        self.unpaced = (self.unpaced - wire).max(0.0);
    }

    /// As much as fits, to the nearest packet: on a slow line the window is two or three of them.
    fn is_full(&self) -> bool {
        self.window.bytes() - self.used < self.grain() / 2.0
    }

    /// In whole packets: what is left over of the last one would be sent as a small one.
    fn grain(&self) -> f64 {
        let packets = (GRAIN * self.window.bytes()).min(LARGEST_GRAIN) / self.packet;
        packets.floor().max(1.0) * self.packet
    }

    fn room(&self, now: f64, sent: u64) -> Room {
        let (grain, pace) = (self.grain(), self.window.pace());
        if self.is_full() {
            return Room::Full;
        }
        let free = (self.window.bytes() - self.used).max(grain);
        let longer = if sent >= FAR { LONG_OFFSET } else { 0.0 };
        let payload = (self.payload - longer) / self.packet;
        if pace >= UNPACED {
            return Room::Now((free * payload) as u64);
        }
        let wait = self.paced_until - now;
        if wait > 0.0 {
            return Room::After(Duration::from_secs_f64(wait.min(LONGEST_WAIT) / 1e6));
        }
        Room::Now((free.min(grain) * payload) as u64)
    }

    fn report(&mut self, now: f64, received: f64, bulk: bool) -> Option<[u8; LENGTH]> {
        let reports = &mut self.reports;
        let came = received - reports.span.1 > COMES_IN * self.payload;
        // At once: a second of round trips with the other side's queue in them would leave most of the line empty.
        reports.comes_in |= came;
        if now - reports.span.0 >= REPORT_SELDOM {
            reports.comes_in = came;
            reports.span = (now, received);
        }
        let every = match (bulk, reports.comes_in) {
            (false, _) => REPORT_AT_REST,
            (true, true) => REPORT_EVERY,
            (true, false) => REPORT_SELDOM,
        };
        if reports.last.is_some_and(|last| now - last < every) {
            return None;
        }
        reports.last = Some(now);
        let received = if bulk { received * self.packet / self.payload } else { 0.0 };
        Some(report::encode(&Report { time: now, received, queue: self.incoming.queue(now) }))
    }
}

/// What QUIC has in a packet beside the stream.
fn around(told: &Acknowledged) -> f64 {
    let id = if told.to_server { SERVER_ID } else { 0.0 };
    let stream = if told.streams >= MANY_STREAMS { LONG_STREAM } else { 0.0 };
    AROUND + id + stream
}

#[cfg(test)]
mod tests;
