//! What travels on a simulated path, and what happens to its sides.

use std::cmp::Ordering;

use super::super::sample::Report;

#[derive(Clone, Copy, Debug)]
pub enum Kind {
    Bulk,
    Ask(f64),
    Answer(f64),
    Told(Report),
    Acknowledgement,
}

/// The newest packet that came, and how long it had waited.
#[derive(Clone, Copy)]
pub struct Acknowledges {
    pub number: u64,
    pub waited: f64,
}

#[derive(Clone, Copy)]
pub struct Packet {
    pub number: u64,
    pub stream: f64,
    pub bytes: f64,
    pub kind: Kind,
    pub acknowledges: Option<Acknowledges>,
    /// Goes along with contents.
    pub told: Option<Report>,
    /// It is sent over the path after the move.
    pub is_anew: bool,
}

#[derive(Clone, Copy)]
pub enum What {
    /// The next contents are there to be sent.
    Begin,
    /// Contents were held back by their pace, or nothing was heard for long.
    Wake,
    LookForLosses,
    Arrives(Packet),
    AcknowledgeAlone(u64),
    SetAckDelay,
    Move,
    Ask,
}

/// At a time and to a side. The order in which they came to be decides between those at one time.
#[derive(Clone, Copy)]
pub struct Event {
    pub at: f64,
    pub order: u64,
    pub side: usize,
    pub what: What,
}

impl PartialEq for Event {
    fn eq(&self, other: &Event) -> bool {
        self.order == other.order
    }
}
impl Eq for Event {}
impl PartialOrd for Event {
    fn partial_cmp(&self, other: &Event) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Event {
    fn cmp(&self, other: &Event) -> Ordering {
        self.at.total_cmp(&other.at).then(self.order.cmp(&other.order))
    }
}
