//! How far a loss may cut MsQuic's own window: not below what the bulk window knows the path to carry.
//!
//! Cubic takes a loss for a sign that too much is in flight, and needs seconds to grow back. Beneath the bulk window too much is never in flight for
//! long: it follows the rate at which contents are delivered, and gives way where they stand in a queue. What a loss tells it is that the
//! queue is short (`window/bulk.rs`). Where no contents are under way there is no floor, and cubic does as it always did.

use std::sync::atomic::{AtomicU32, Ordering};

use super::connection::Connection;
use crate::quic::HQUIC;
use crate::settings;

/// Of packets. Cubic's own least.
const NONE: u32 = 2;
/// None is so large that the number of packets in flight would go beyond what a path carries.
const MOST: u32 = 1 << 16;
/// It is set anew where it is off by more than this part of it.
const PART: u32 = 8;

/// What is set; 0: nothing yet.
pub struct LossFloor(AtomicU32);

impl LossFloor {
    pub const fn new() -> LossFloor {
        LossFloor(AtomicU32::new(0))
    }

    /// What is to be set now, if that is something else than before.
    fn next(&self, bytes: f64, packet: f64) -> Option<u32> {
        let wanted = ((bytes / packet).ceil() as u32).clamp(NONE, MOST);
        let before = self.0.load(Ordering::Relaxed);
        let changes = wanted.abs_diff(before) > before / PART;
        if changes {
            self.0.store(wanted, Ordering::Relaxed);
        }
        changes.then_some(wanted)
    }
}

/// `packet`: bytes of a full one. Call it from callbacks of this connection only: there a parameter is taken on the spot.
pub fn tend(connection: &Connection, handle: HQUIC, packet: u16) {
    let Some(packets) = connection.loss_floor.next(connection.pump.floor(), f64::from(packet.max(1))) else {
        return;
    };
    // As of `build/msquic.mjs`: what a connection begins with was taken before this.
    settings::change(handle, |set, settings| {
        set.set_InitialWindowPackets(1);
        settings.InitialWindowPackets = packets;
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn is_set_where_it_is_another_and_not_for_each_packet() {
        let floor = LossFloor::new();
        assert_eq!(floor.next(0.0, 1_472.0), Some(NONE));
        assert_eq!(floor.next(0.0, 1_472.0), None);
        assert_eq!(floor.next(147_200.0, 1_472.0), Some(100));
        assert_eq!(floor.next(150_000.0, 1_472.0), None);
        assert_eq!(floor.next(133_000.0, 1_472.0), None);
        assert_eq!(floor.next(120_000.0, 1_472.0), Some(82));
        assert_eq!(floor.next(f64::INFINITY, 1_472.0), Some(MOST));
        assert_eq!(floor.next(f64::NAN, 1_472.0), Some(NONE));
    }
}
