//! How late an acknowledgement may be, by how fast packets come in.
//!
//! An acknowledgement by itself is a packet of 75 bytes, on the line of the other direction. Where packets come in fast, one that waits for a few of
//! them costs no time that counts, and mostly goes along with what is sent meanwhile. Where they are slow, it puts the bulk window of the other
//! side out: 8 ms cost a quarter of a line of 64 KB/s with a round trip of 50 ms, and at 256 KB/s and 200 ms urgent messages waited for
//! longer, while at 1 MB/s they do not. Where both sides send contents on such lines, their pace goes by reports (`window/paced.rs`), and
//! an acknowledgement may wait for the next packet of them: at 64 KB/s it would be a twentieth of the line.

use std::sync::Mutex;
use std::time::Instant;

use super::connection::Connection;
use crate::quic::{HQUIC, lock};
use crate::settings::{self, MAX_ACK_DELAY_MS};

const FAST_DELAY_MS: u32 = 4;
/// Bytes a second that come in. Between the two it stays as it is.
const FAST: f64 = 768.0 * 1024.0;
const SLOW: f64 = 512.0 * 1024.0;
/// None waits for a packet of this side's contents where those are further apart: that of a full one at 64 KB/s.
const LONGEST_SPACING_MS: f64 = 26.0;
/// Nor for one that is further away than this where much comes in meanwhile: a line that is fast one way and slow the other one.
const SHORT_SPACING_MS: f64 = 8.0;
const MUCH: f64 = 3.0 * 1_472.0;
/// Shorter intervals say nothing: packets come in bunches.
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

pub fn wanted(rate: f64, spacing: f64, before: u32) -> u32 {
    let by_rate = match rate {
        _ if rate >= FAST => FAST_DELAY_MS,
        _ if rate < SLOW => MAX_ACK_DELAY_MS,
        _ => before.clamp(MAX_ACK_DELAY_MS, FAST_DELAY_MS),
    };
    let longest = if rate * spacing / 1e3 <= MUCH { LONGEST_SPACING_MS } else { SHORT_SPACING_MS };
    let goes_along = spacing > 0.0 && spacing <= longest;
    if goes_along { by_rate.max((spacing + 1.0) as u32) } else { by_rate }
}

/// Call it from callbacks of this connection or its streams only: there a parameter is taken on the spot.
pub fn tend(connection: &Connection, handle: HQUIC, received: u64) {
    let Some(delay) = connection.ack_delay.next(received, connection.pump.spacing()) else {
        return;
    };
    settings::change(handle, |set, settings| {
        set.set_MaxAckDelayMs(1);
        settings.MaxAckDelayMs = delay;
    });
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
        assert_eq!(wanted(64.0 * 1024.0, 22.5, MAX_ACK_DELAY_MS), 23);
        assert_eq!(wanted(1024.0 * 1024.0, 22.5, FAST_DELAY_MS), FAST_DELAY_MS);
        assert_eq!(wanted(16.0 * 1024.0, 60.0, MAX_ACK_DELAY_MS), MAX_ACK_DELAY_MS);
        assert_eq!(wanted(1024.0, 500.0, 6), MAX_ACK_DELAY_MS);
    }
}
