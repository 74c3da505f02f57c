//! Who the peer is, and whether that is good enough. The one place that decides it.
//!
//! Full handshake: TLS hands us the peer's certificate before the handshake ends; its fingerprint is the peer.
//! A client holds it against the pin at once; a server refuses an empty certificate (MsQuic itself accepts one).
//!
//! Resumed session: nobody presents a certificate. A server resumes none and gives no tickets (`settings.rs`): a ticket lies on the disk of
//! a laptop, and who read it would be that laptop, without its key. Servers of before gave some; a client's ticket carries the fingerprint of
//! the server it came from, noted by us when that server had passed the pin, and only the holder of that server's ticket key can complete the
//! handshake.

use crate::identity::Fingerprint;

const VERSION: u8 = 1;
const STAMP: usize = 33;

#[derive(Default)]
pub struct Trust {
    /// Client: the only peer that is welcome.
    pin: Option<Fingerprint>,
    /// From the certificate the peer presented.
    certificate: Option<Fingerprint>,
    /// Client: from the ticket.
    ticket: Option<Fingerprint>,
    settled: Option<Fingerprint>,
}

#[derive(Debug, PartialEq, Eq)]
pub enum Refusal {
    PinMismatch,
    NoCertificate,
}

impl Trust {
    /// For a server: everybody with a certificate may connect; the layers above know whom to serve.
    pub fn anyone() -> Trust {
        Trust::default()
    }

    pub fn pinned(pin: Fingerprint) -> Trust {
        Trust { pin: Some(pin), ..Trust::default() }
    }

    /// The session this side wants to resume belongs to this fingerprint. Never at a server.
    pub fn note_ticket(&mut self, print: Fingerprint) {
        self.ticket = Some(print);
    }

    /// The certificate event; `None` is an empty certificate.
    pub fn judge_certificate(&mut self, print: Option<Fingerprint>) -> Result<(), Refusal> {
        match (print, self.pin) {
            (Some(print), Some(pin)) if print != pin => Err(Refusal::PinMismatch),
            (Some(print), _) => {
                self.certificate = Some(print);
                Ok(())
            }
            (None, _) if self.ticket.is_some() => Ok(()),
            (None, _) => Err(Refusal::NoCertificate),
        }
    }

    /// The handshake is complete: who is it?
    pub fn settle(&mut self, resumed: bool) -> Result<Fingerprint, Refusal> {
        let by_ticket = if resumed { self.ticket } else { None };
        let peer = self.certificate.or(by_ticket).ok_or(Refusal::NoCertificate)?;
        if self.pin.is_some_and(|pin| pin != peer) {
            return Err(Refusal::PinMismatch);
        }
        self.settled = Some(peer);
        Ok(peer)
    }

    pub fn peer(&self) -> Option<Fingerprint> {
        self.settled
    }
}

/// What a client writes in front of a ticket.
pub fn stamp(print: &Fingerprint) -> [u8; STAMP] {
    let mut bytes = [VERSION; STAMP];
    bytes[1..].copy_from_slice(print);
    bytes
}

/// Reads a stamp and returns what follows it.
pub fn read_stamp(bytes: &[u8]) -> Option<(Fingerprint, &[u8])> {
    let (head, rest) = bytes.split_at_checked(STAMP)?;
    let (version, print) = head.split_first()?;
    (*version == VERSION).then_some((print.try_into().ok()?, rest))
}

#[cfg(test)]
mod tests {
    use super::*;

    const A: Fingerprint = [1; 32];
    const B: Fingerprint = [2; 32];

    #[test]
    fn a_pin_admits_one_certificate() {
        let mut trust = Trust::pinned(A);
        assert_eq!(trust.judge_certificate(Some(B)), Err(Refusal::PinMismatch));
        let mut trust = Trust::pinned(A);
        assert_eq!(trust.judge_certificate(Some(A)), Ok(()));
        assert_eq!(trust.settle(false), Ok(A));
    }

    #[test]
    fn a_server_wants_a_certificate() {
        assert_eq!(Trust::anyone().judge_certificate(None), Err(Refusal::NoCertificate));
        assert_eq!(Trust::anyone().settle(false), Err(Refusal::NoCertificate));
    }

    #[test]
    fn a_resumed_session_is_nobody_to_a_server() {
        assert_eq!(Trust::anyone().judge_certificate(None), Err(Refusal::NoCertificate));
        assert_eq!(Trust::anyone().settle(true), Err(Refusal::NoCertificate));
    }

    #[test]
    fn a_ticket_counts_only_in_a_resumed_session() {
        let mut trust = Trust::pinned(A);
        trust.note_ticket(A);
        assert_eq!(trust.judge_certificate(None), Ok(()));
        assert_eq!(trust.settle(false), Err(Refusal::NoCertificate));
        assert_eq!(trust.settle(true), Ok(A));
    }

    #[test]
    fn a_certificate_outranks_a_ticket() {
        let mut trust = Trust::anyone();
        trust.note_ticket(A);
        assert_eq!(trust.judge_certificate(Some(B)), Ok(()));
        assert_eq!(trust.settle(true), Ok(B));
    }

    #[test]
    fn a_pin_holds_for_tickets_too() {
        let mut trust = Trust::pinned(A);
        trust.note_ticket(B);
        assert_eq!(trust.settle(true), Err(Refusal::PinMismatch));
    }

    #[test]
    fn stamps() {
        let bytes = [stamp(&A).as_slice(), b"rest"].concat();
        assert_eq!(read_stamp(&bytes), Some((A, b"rest".as_slice())));
        assert_eq!(read_stamp(&bytes[..32]), None);
        assert_eq!(read_stamp(&[9; 40]), None);
    }
}
