//! A side of the simulated path: the state that decides what is handed over, and MsQuic below it.

use std::collections::VecDeque;

use super::super::flight::{Acknowledged, State};
use super::super::sample::Report;
use super::cubic::Cubic;
use super::events::Kind;
use super::moves::UNKNOWN_RTT;
use super::{AROUND, PACKET};

/// What was sent and asks for an acknowledgement.
pub struct Flying {
    pub number: u64,
    pub sent_at: f64,
    /// As of UDP, and of the stream in it.
    pub bytes: f64,
    pub stream: f64,
    pub kind: Kind,
    pub has_arrived: bool,
    pub is_dropped: bool,
}

/// What has arrived and is not acknowledged.
#[derive(Clone, Copy)]
pub struct Unanswered {
    pub number: u64,
    pub arrived_at: f64,
    pub packets: u32,
}

pub struct Side {
    pub sends_bulk: bool,
    pub is_client: bool,
    pub state: State,
    pub control: Cubic,
    pub flying: VecDeque<Flying>,
    pub next: u64,
    pub in_flight: f64,
    /// Of contents, handed to MsQuic and not sent, or lost and not sent again.
    pub buffered: f64,
    /// Urgent messages that its window holds back.
    pub held: VecDeque<Kind>,
    pub sent: f64,
    pub stream_sent: f64,
    pub lost: u64,
    pub smoothed: f64,
    /// A round trip was measured on this path, and the shortest of them; none: the path is the first one, and it is known.
    is_measured: bool,
    shortest: Option<f64>,
    /// It sends over the path after the move, and so far packets went over the one before.
    pub goes_anew: bool,
    before: u64,
    pub received: f64,
    /// Bytes as of UDP, for the delay of acknowledgements.
    pub came: f64,
    pub acknowledge_within: u32,
    pub unanswered: Option<Unanswered>,
    pub newest_arrived: u64,
    pub timer: u64,
    pub wakes: bool,
    /// Of the contents that are sent now: what is not handed over, when they began, and what the line takes for them.
    pub left: f64,
    pub has_begun: bool,
    began: f64,
    takes: f64,
    /// When something of them arrived last.
    pub arrived: f64,
    /// All contents after the warm-up, and what the line takes for them.
    pub took: f64,
    pub least: f64,
    /// What goes along with the next packet of contents.
    pub rider: Option<Report>,
    /// After the warm-up.
    pub contents: f64,
    pub urgent: Vec<f64>,
}

impl Side {
    pub fn new(is_client: bool, sends_bulk: bool) -> Side {
        Side {
            sends_bulk,
            is_client,
            state: State::new(),
            control: Cubic::default(),
            flying: VecDeque::new(),
            next: 0,
            in_flight: 0.0,
            buffered: 0.0,
            held: VecDeque::new(),
            sent: 0.0,
            stream_sent: 0.0,
            lost: 0,
            smoothed: 0.0,
            is_measured: false,
            shortest: None,
            goes_anew: false,
            before: 0,
            received: 0.0,
            came: 0.0,
            acknowledge_within: 2,
            unanswered: None,
            newest_arrived: 0,
            timer: 0,
            wakes: false,
            left: 0.0,
            has_begun: false,
            began: 0.0,
            takes: 0.0,
            arrived: 0.0,
            took: 0.0,
            least: 0.0,
            rider: None,
            contents: 0.0,
            urgent: Vec::new(),
        }
    }

    pub fn contents_began(&mut self, now: f64, size: f64, takes: f64) {
        if self.sends_bulk {
            (self.left, self.began, self.takes, self.has_begun) = (size, now, takes, true);
            self.state.begin(now);
        }
    }

    pub fn contents_ended(&mut self, counts: bool) {
        self.has_begun = false;
        self.state.empty();
        self.state.end();
        if counts {
            self.took += self.arrived - self.began;
            self.least += self.takes;
        }
    }

    /// The path is another one.
    pub fn begin_path(&mut self) {
        (self.smoothed, self.is_measured, self.before) = (UNKNOWN_RTT, false, self.next);
        self.shortest = Some(f64::INFINITY);
        self.state.forget();
    }

    /// A packet was acknowledged after so long: the newest round trip of this path, 0: there was none.
    pub fn measure(&mut self, number: u64, rtt: f64) -> f64 {
        if number <= self.before {
            return 0.0;
        }
        let is_first = !std::mem::replace(&mut self.is_measured, true);
        self.smoothed = if is_first { rtt } else { 0.875 * self.smoothed + 0.125 * rtt };
        self.shortest = self.shortest.map(|shortest| shortest.min(rtt));
        rtt
    }

    pub fn drop(&mut self, number: u64) {
        if let Ok(place) = self.flying.binary_search_by_key(&number, |flying| flying.number) {
            self.flying[place].is_dropped = true;
        }
    }

    pub fn may_send(&self) -> bool {
        self.in_flight < self.control.window
    }

    /// Some contents are with MsQuic.
    pub fn has_bulk(&self) -> bool {
        self.buffered > 0.0 || self.flying.iter().any(|flying| matches!(flying.kind, Kind::Bulk))
    }

    /// What is lost by now, taken out.
    pub fn lose(&mut self, is_lost: impl Fn(&Flying) -> bool) -> Vec<Flying> {
        let (lost, flying): (Vec<_>, Vec<_>) = self.flying.drain(..).partition(|flying| is_lost(flying));
        self.flying = flying.into();
        self.in_flight = self.flying.iter().map(|flying| flying.bytes).sum();
        self.lost += lost.len() as u64;
        lost
    }

    pub fn told(&self, shortest: f64) -> Acknowledged {
        let of_bulk = self.flying.iter().map(|flying| flying.stream).sum::<f64>();
        Acknowledged {
            in_flight: self.in_flight as u32,
            posted: (self.buffered + of_bulk) as u64,
            rtt: self.smoothed as u32,
            shortest_rtt: self.shortest.unwrap_or(shortest) as u32,
            sent: self.sent as u64,
            stream_sent: self.stream_sent as u64,
            lost_packets: self.lost,
            received: self.received as u64,
            mtu: (PACKET + 28.0) as u16,
            streams: 8,
            to_server: self.is_client,
        }
    }

    /// Of a stream, in a packet that is as full as it may be.
    pub fn most_of_stream(&self) -> f64 {
        PACKET - self.around()
    }

    pub fn around(&self) -> f64 {
        if self.is_client { AROUND + 9.0 } else { AROUND }
    }
}
