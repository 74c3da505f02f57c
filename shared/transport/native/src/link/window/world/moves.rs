//! A path that becomes another one while it is used, as MsQuic takes it: the server hears the client at another address and goes on to it, and
//! where the client's own address is another one, so does the client. What was measured of the path before is none of the new one.

use super::World;
use super::events::Packet;

/// What a side takes for the round trip before one is known (`settings.rs`).
pub const UNKNOWN_RTT: f64 = 100_000.0;

#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Whose {
    /// An address translation on the way has another one: nothing tells the client, and what is under way arrives.
    Translation,
    /// The client's own: what is under way to the one before is lost.
    Client,
}

#[derive(Clone, Copy, Debug)]
pub struct Move {
    pub at: f64,
    pub whose: Whose,
    /// Until then nothing gets through.
    pub gone: f64,
    /// Of the path from then on.
    pub rtt: f64,
}

impl World {
    pub(super) fn rtt(&self) -> f64 {
        self.path.moves.filter(|_| self.has_moved).map_or(self.path.rtt, |moves| moves.rtt)
    }

    /// What is sent now goes over the path after the move: as far as the side knows.
    pub(super) fn goes_anew(&self, from: usize) -> bool {
        self.has_moved && (from == 0 || self.sides[from].goes_anew)
    }

    /// Nothing gets through, or nobody is there any more.
    pub(super) fn is_gone(&self, from: usize) -> bool {
        let Some(moves) = self.path.moves.filter(|_| self.has_moved) else { return false };
        self.now < moves.at + moves.gone || (moves.whose == Whose::Translation && !self.goes_anew(from))
    }

    /// It has arrived at an address that nobody has any more.
    pub(super) fn is_astray(&self, side: usize, packet: &Packet) -> bool {
        let moves = self.path.moves.filter(|_| self.has_moved && side == 0 && !packet.is_anew);
        moves.is_some_and(|moves| moves.whose == Whose::Client)
    }

    /// Something has come over the path after the move for the first time.
    pub(super) fn follow(&mut self, side: usize, packet: &Packet) {
        let Some(moves) = self.path.moves.filter(|_| packet.is_anew) else { return };
        let is_another = side == 1 || moves.whose == Whose::Client;
        let me = &mut self.sides[side];
        if !is_another || std::mem::replace(&mut me.goes_anew, true) {
            return;
        }
        me.begin_path();
        // Not for another port alone, as which both look to the other side.
        if side == 1 && moves.whose == Whose::Client {
            me.control.reset();
        }
    }
}
