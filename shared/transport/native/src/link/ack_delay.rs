//! How late an acknowledgement may be, by how fast packets come in.
//!
//! An acknowledgement by itself is a packet of 75 bytes, on the line of the other direction. Where packets come in fast, one that waits for a few of
//! them costs no time that counts, and mostly goes along with what is sent meanwhile. Where they are slow, it puts the bulk window of the other
//! side out: 8 ms cost a quarter of a line of 64 KB/s with a round trip of 50 ms, and at 256 KB/s and 200 ms urgent messages waited for
//! longer, while at 1 MB/s they do not.

use std::sync::Mutex;
use std::time::Instant;

use super::connection::Connection;
use crate::quic::{self, HQUIC, lock, quic};
use crate::settings::MAX_ACK_DELAY_MS;
use msquic::ffi::{QUIC_PARAM_CONN_SETTINGS, QUIC_SETTINGS};

const FAST_DELAY_MS: u32 = 4;
/// Bytes a second that come in. Between the two it stays as it is.
const FAST: f64 = 768.0 * 1024.0;
const SLOW: f64 = 512.0 * 1024.0;
/// None waits for a packet of this side's contents where those are further apart: at 64 KB/s, before a queue of 50 ms, that left a fifth of a
/// line empty.
const LONGEST_SPACING_MS: f64 = 8.0;
/// What is shorter than this says nothing: packets come in bunches.
const SPAN: f64 = 0.2;

/// When it was looked at last, how much had come by then, and what was set.
pub struct AckDelay(Mutex<(Instant, u64, u32)>);

impl AckDelay {
    pub fn new() -> AckDelay {
        AckDelay(Mutex::new((Instant::now(), 0, MAX_ACK_DELAY_MS)))
    }

    /// What is to be set now, if that is something else than before. `received`: a total of the connection. `spacing`: milliseconds from one packet
    /// of this side's contents to the next; 0: it sends none.
    fn next(&self, received: u64, spacing: f64) -> Option<u32> {
        let mut state = lock(&self.0);
        let seconds = state.0.elapsed().as_secs_f64();
        if seconds < SPAN {
            return None;
        }
        let rate = received.saturating_sub(state.1) as f64 / seconds;
        let delay = wanted(rate, spacing, state.2);
        let changes = delay != state.2;
        *state = (Instant::now(), received, delay);
        changes.then_some(delay)
    }
}

fn wanted(rate: f64, spacing: f64, before: u32) -> u32 {
    let by_rate = match rate {
        _ if rate >= FAST => FAST_DELAY_MS,
        _ if rate < SLOW => MAX_ACK_DELAY_MS,
        _ => before.clamp(MAX_ACK_DELAY_MS, FAST_DELAY_MS),
    };
    let goes_along = spacing > 0.0 && spacing <= LONGEST_SPACING_MS;
    if goes_along { by_rate.max((spacing + 1.0) as u32) } else { by_rate }
}

/// Call it from callbacks of this connection or its streams only: there a parameter is taken on the spot.
pub fn tend(connection: &Connection, handle: HQUIC, received: u64) {
    let Some(delay) = connection.ack_delay.next(received, connection.pump.spacing()) else {
        return;
    };
    // SAFETY: QUIC_SETTINGS is plain data; all zeros mean "nothing set".
    let mut settings: QUIC_SETTINGS = unsafe { std::mem::zeroed() };
    // SAFETY: the bit field and the flag word of the union are views of the same eight bytes.
    unsafe { &mut settings.__bindgen_anon_1.IsSet }.set_MaxAckDelayMs(1);
    settings.MaxAckDelayMs = delay;
    let length = size_of::<QUIC_SETTINGS>() as u32;
    // SAFETY: the buffer is as long as `length` says. Where it is refused, acknowledgements are as they were.
    let status = unsafe { quic!(SetParam(handle, QUIC_PARAM_CONN_SETTINGS, length, (&raw const settings).cast())) };
    debug_assert!(!quic::failed(status));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_longer_where_packets_come_fast_and_does_not_flutter() {
        assert_eq!(wanted(256.0 * 1024.0, 0.0, MAX_ACK_DELAY_MS), MAX_ACK_DELAY_MS);
        assert_eq!(wanted(1024.0 * 1024.0, 0.0, MAX_ACK_DELAY_MS), FAST_DELAY_MS);
        assert_eq!(wanted(640.0 * 1024.0, 0.0, FAST_DELAY_MS), FAST_DELAY_MS);
        assert_eq!(wanted(640.0 * 1024.0, 0.0, 7), FAST_DELAY_MS);
        assert_eq!(wanted(640.0 * 1024.0, 0.0, MAX_ACK_DELAY_MS), MAX_ACK_DELAY_MS);
        assert_eq!(wanted(0.0, 0.0, FAST_DELAY_MS), MAX_ACK_DELAY_MS);
    }

    #[test]
    fn is_as_long_as_it_takes_until_a_packet_of_contents_goes_along() {
        assert_eq!(wanted(256.0 * 1024.0, 5.75, MAX_ACK_DELAY_MS), 6);
        assert_eq!(wanted(1024.0 * 1024.0, 1.4, FAST_DELAY_MS), FAST_DELAY_MS);
        assert_eq!(wanted(64.0 * 1024.0, 16.0, MAX_ACK_DELAY_MS), MAX_ACK_DELAY_MS);
        assert_eq!(wanted(1024.0, 500.0, 6), MAX_ACK_DELAY_MS);
    }
}
