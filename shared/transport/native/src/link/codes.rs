//! Numbers that both sides or both languages agree on: stream priorities, application error codes, and the
//! ordinals of reasons as `shared/transport/transport-events.ts` reads them.

use crate::frame::CLASSES;

/// MsQuic's priority for each class, by urgency. Strict: a stream sends nothing while one above it has bytes.
const PRIORITIES: [u16; CLASSES as usize] = [0xF000, 0xC000, 0xA000, 0x8000, 0x4000, 0x1000];

pub fn priority(class: u8) -> u16 {
    PRIORITIES.get(class as usize).copied().unwrap_or(PRIORITIES[PRIORITIES.len() - 1])
}

/// How a connection ends, as told to the peer.
pub const CLOSE_NORMAL: u64 = 0;
/// The peer presented no certificate.
pub const CLOSE_REFUSED: u64 = 1;

/// Why a stream ends early, as told to the peer. Codes of the user come as they are (below 2^32); the Link's
/// own lie above.
const OWN: u64 = 1 << 32;
pub const ABORT_TOO_LARGE: u64 = OWN;
pub const ABORT_PROTOCOL: u64 = OWN + 1;
pub const ABORT_SOURCE: u64 = OWN + 2;
pub const ABORT_SPOOL: u64 = OWN + 3;
/// Not a failure: the reply is on its way and the rest of the request's content is not wanted.
pub const ABORT_UNWANTED: u64 = OWN + 4;

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum AbortReason {
    Closed = 0,
    Local = 1,
    Peer = 2,
    TooLarge = 3,
    Source = 4,
    Spool = 5,
    Protocol = 6,
}

impl AbortReason {
    /// What had come until then is a beginning of the content. Of frames that are none of ours nobody knows, and where
    /// the spool failed there is none.
    pub fn leaves_a_part(self) -> bool {
        matches!(self, AbortReason::Closed | AbortReason::Local | AbortReason::Peer)
    }
}

/// What the peer's code means to this side, and the number handed on to the user.
pub fn from_peer(code: u64) -> (AbortReason, u32) {
    match code {
        ABORT_TOO_LARGE => (AbortReason::TooLarge, 0),
        ABORT_PROTOCOL => (AbortReason::Protocol, 0),
        // See `PEER_SOURCE_FAILED` and `PEER_SPOOL_FAILED` in shared/ports/transport.ts.
        ABORT_SOURCE => (AbortReason::Peer, 0xFFFF_FFF1),
        ABORT_SPOOL => (AbortReason::Peer, 0xFFFF_FFF2),
        user => (AbortReason::Peer, u32::try_from(user).unwrap_or(u32::MAX)),
    }
}

#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u8)]
pub enum CloseReason {
    Local = 0,
    Peer = 1,
    Idle = 2,
    Unreachable = 3,
    Refused = 4,
    PinMismatch = 5,
    Failed = 6,
}
