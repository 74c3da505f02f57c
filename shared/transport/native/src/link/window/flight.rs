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
use super::reports::Reports;
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
/// Where the pace alone bounds what is under way, contents that are handed over later than at their pace, for a thread was woken late, make up for
/// this.
const LATE: f64 = 12_000.0;
/// After so many microseconds it is looked at again, however much went before: who waits keeps a shutdown waiting.
const LONGEST_WAIT: f64 = 100_000.0;
/// Bytes a microsecond. What is faster than this is not paced: no queue of a link so fast is worth a wait.
const UNPACED: f64 = 25.0;
/// What a report takes in a packet of contents: kind and length of the frame, and itself.
const RIDER: f64 = 3.0 + LENGTH as f64;
/// What MsQuic says for a round trip before what was sent over a path is acknowledged.
pub(super) const UNMEASURED: u32 = u32::MAX;
/// It waits for one for so many of the times between two.
const RIDES_WITHIN: f64 = 2.0;

/// What MsQuic tells at an acknowledgement. Bytes; totals of the connection.
#[derive(Clone, Copy, Default)]
pub struct Acknowledged {
    pub in_flight: u32,
    /// Handed over and not acknowledged, in the order of each stream.
    pub posted: u64,
    /// Smoothed: seven parts of what it was and one of the newest. Microseconds.
    pub rtt: u32,
    /// The shortest there ever was on this path, microseconds; `UNMEASURED`: there was none yet.
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
pub(super) struct State {
    pub(super) window: BulkWindow,
    /// In flight, or handed over and not sent: as bytes on the wire.
    used: f64,
    /// Bytes of streams handed over.
    handed: f64,
    /// Of a packet of bulk, as on the wire and as of a stream.
    packet: f64,
    payload: f64,
    lost: Lost,
    path: Path,
    smoothed: Option<f64>,
    /// Contents waited for the window, or for what bounds them where that does not; and for that or for their pace.
    held_back: bool,
    waited: bool,
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

/// What is over of the path before, where there was one.
#[derive(Default)]
struct Path {
    /// Bytes on the wire that have left, and those whose fate is known.
    sent: u64,
    settled: u64,
    /// So many had left before this path, and so many packets of them were lost.
    before: u64,
    lost_before: u64,
}

impl Path {
    /// So many packets were lost of late. What went over the path before says nothing of this one.
    fn take(&mut self, told: &Acknowledged, lost: u64) {
        if self.settled < self.before {
            self.lost_before += lost;
        }
        self.sent = told.sent;
        self.settled = told.sent.saturating_sub(u64::from(told.in_flight));
    }
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

    /// There are contents to send again, where there were none, or none but what is with MsQuic.
    pub fn begins(&self) {
        let now = self.now();
        lock(&self.state).begin(now);
    }

    /// All contents have arrived, and there are none to send.
    pub fn ends(&self) {
        lock(&self.state).end();
    }

    /// Nothing of the connection's contents is with MsQuic.
    pub fn empty(&self) {
        lock(&self.state).empty();
    }

    pub fn on_ack(&self, told: &Acknowledged) {
        let now = self.now();
        lock(&self.state).on_ack(now, told);
    }

    /// A datagram of the other side. What is no report changes nothing.
    pub fn heard(&self, bytes: &[u8]) {
        let now = self.now();
        let Some(report) = report::decode(bytes) else { return };
        lock(&self.state).heard(now, &report);
    }

    /// What the other side is to be told now. `received`: as in `Acknowledged`. `bulk`: contents are on their way to it; where there are none,
    /// the other side goes by its round trips, and is told the time alone.
    pub fn report(&self, received: u64, bulk: bool) -> Option<[u8; LENGTH]> {
        let now = self.now();
        lock(&self.state).report(now, received as f64, bulk)
    }

    /// What is to go along with contents that are handed over now, in the room that was left for it.
    pub fn rider(&self) -> Option<[u8; LENGTH]> {
        let now = self.now();
        lock(&self.state).rider(now)
    }

    /// Bytes a second on the wire; 0: not known yet.
    pub fn rate(&self) -> f64 {
        1e6 * lock(&self.state).window.rate()
    }

    /// Milliseconds that a packet of bulk is on the line; 0: not known yet.
    pub fn spacing(&self) -> f64 {
        lock(&self.state).spacing()
    }

    /// Bytes; 0: not known.
    pub fn floor(&self) -> f64 {
        lock(&self.state).floor()
    }

    fn now(&self) -> f64 {
        self.epoch.elapsed().as_secs_f64() * 1e6
    }

    /// The path is another one.
    pub fn forget(&self) {
        lock(&self.state).forget();
    }

    /// `waiting`: some contents are held back where there is none. `sent`: bytes of the next contents that went before.
    pub fn room(&self, waiting: bool, sent: u64) -> Room {
        let now = self.now();
        lock(&self.state).room_of(now, waiting, sent)
    }
}

impl State {
    pub(super) fn new() -> State {
        let packet = LEAST_MTU - BENEATH;
        State { packet, payload: packet - MOST_AROUND, ..State::default() }
    }

    pub(super) fn forget(&mut self) {
        self.window.forget();
        self.incoming.forget();
        self.smoothed = None;
        self.path.before = self.path.sent;
    }

    pub(super) fn heard(&mut self, now: f64, report: &Report) {
        self.incoming.heard(now, report.time);
        if report.received > 0.0 {
            self.window.on_report(now, report, self.packet);
        }
    }

    pub(super) fn spacing(&self) -> f64 {
        let rate = self.window.rate();
        if rate > 0.0 { self.packet / rate / 1e3 } else { 0.0 }
    }

    pub(super) fn room_of(&mut self, now: f64, waiting: bool, sent: u64) -> Room {
        let room = self.room(now, sent);
        if waiting && !matches!(room, Room::Now(_)) {
            self.waited = true;
            self.held_back |= room == Room::Full || self.window.is_paced();
        }
        room
    }

    pub(super) fn floor(&self) -> f64 {
        self.window.floor()
    }

    pub(super) fn on_ack(&mut self, now: f64, told: &Acknowledged) {
        let lost = told.lost_packets as f64 - self.lost.packets as f64;
        self.path.take(told, told.lost_packets.saturating_sub(self.lost.packets));
        self.count_lost(told.lost_packets);
        self.leave_room_for_lost(now, lost);
        self.packet = self.window.piece(f64::from(told.mtu).max(LEAST_MTU) - BENEATH);
        self.payload = self.packet - around(told);
        let in_flight = f64::from(told.in_flight);
        let handed = self.handed;
        self.used = in_flight + self.unsent(told) * self.packet / self.payload;
        let urgent = (self.handed - handed).max(0.0) * self.packet / self.payload;
        self.window.sent(now, urgent);
        // What it takes for one then is a guess.
        if told.shortest_rtt == UNMEASURED {
            return;
        }
        let smoothed = f64::from(told.rtt);
        // Where several came between two questions, it is none of them.
        let newest = self.smoothed.map_or(smoothed, |before| 8.0 * smoothed - 7.0 * before);
        let rtt = newest.max(f64::from(told.shortest_rtt));
        self.smoothed = Some(smoothed);
        let limited = std::mem::take(&mut self.held_back);
        self.window.on_ack(&Sample {
            now,
            rtt,
            behind: self.incoming.queue(now),
            shortest_rtt: f64::from(told.shortest_rtt),
            in_flight,
            delivered: told.sent as f64 - in_flight - self.lost.wire,
            lost_packets: told.lost_packets.saturating_sub(self.path.lost_before),
            packet: self.packet,
            limited,
            waited: std::mem::take(&mut self.waited),
        });
    }

    /// MsQuic sends again at once what was lost. With new packets at the same time, before a short queue, the next ones were lost as well.
    fn leave_room_for_lost(&mut self, now: f64, packets: f64) {
        let pace = self.window.pace(now);
        if packets > 0.0 && pace < UNPACED {
            self.paced_until = self.paced_until.max(now) + (packets * self.packet / pace).min(LONGEST_WAIT);
        }
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

    pub(super) fn empty(&mut self) {
        self.used = 0.0;
    }

    /// There are contents to send again. Where the path is full nevertheless, it has not rested.
    pub(super) fn begin(&mut self, now: f64) {
        self.window.sends(true);
        if self.is_full() {
            return;
        }
        let empty = self.used <= 0.0;
        self.window.rested(now, empty);
        if empty {
            self.unpaced = self.window.queued(self.packet);
            self.paced_until = self.paced_until.min(now - self.unpaced / self.window.pace(now));
        }
    }

    pub(super) fn end(&mut self) {
        self.window.sends(false);
    }

    pub(super) fn hand(&mut self, now: f64, bytes: f64) {
        let wire = bytes * self.packet / self.payload;
        self.handed += bytes;
        self.used += wire;
        let pace = self.window.pace(now);
        self.window.sent(now, wire);
        if pace < UNPACED {
            let late = if self.window.is_slow() { LATE } else { 0.0 };
            let made_up_for = late.max(self.grain().max(self.unpaced) / pace);
            self.paced_until = self.paced_until.max(now - made_up_for) + wire / pace;
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
        let (grain, pace) = (self.grain(), self.window.pace(now));
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
        let rider = if self.reports.goes_along() { RIDER } else { 0.0 };
        Room::Now((free.min(grain) * payload - rider) as u64)
    }

    pub(super) fn report(&mut self, now: f64, received: f64, bulk: bool) -> Option<[u8; LENGTH]> {
        if !self.reports.is_due(now, received, self.payload, bulk) {
            return None;
        }
        let is_paced = bulk && self.window.is_slow() && self.paced_until > now;
        if is_paced && self.reports.wait(now, RIDES_WITHIN * 1e3 * self.spacing()) {
            return None;
        }
        Some(self.tell(now, bulk, false))
    }

    pub(super) fn rider(&mut self, now: f64) -> Option<[u8; LENGTH]> {
        self.reports.goes_along().then(|| self.tell(now, true, true))
    }

    fn tell(&mut self, now: f64, bulk: bool, rides: bool) -> [u8; LENGTH] {
        let received = self.reports.sent(now, self.packet / self.payload);
        self.window.report_leaves(now, rides);
        if bulk && self.window.is_paced() && self.reports.may_empty(now) {
            let spacing = 1e3 * self.spacing();
            let empty_at = self.paced_until.max(now) + self.window.stands() + spacing;
            self.reports.empty(now, empty_at);
            self.paced_until = empty_at + spacing;
        }
        let received = if bulk { received } else { 0.0 };
        let queue = self.incoming.queue(now);
        report::encode(&Report { time: now, received, queue, heard: self.incoming.newest() })
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
