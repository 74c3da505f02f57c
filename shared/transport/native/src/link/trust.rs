//! Who the peer is, and whether that is good enough. The one place that decides it.
//!
//! Full handshake: TLS hands us the peer's certificate before the handshake ends; its fingerprint is the peer.
//! A client holds it against the pin at once; a server refuses an empty certificate (MsQuic itself accepts one).
//!
//! In a resumed session nobody presents a certificate, so whoever is in one is nobody. A server resumes none and gives no tickets (`settings.rs`): a
//! ticket would lie on the disk of a laptop, and who read it would be that laptop, without its key.

use crate::identity::Fingerprint;

#[derive(Default)]
pub struct Trust {
    /// Client: the only peer that is welcome.
    pin: Option<Fingerprint>,
    /// From the certificate the peer presented.
    certificate: Option<Fingerprint>,
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

    /// The certificate event; `None` is an empty certificate.
    pub fn judge_certificate(&mut self, print: Option<Fingerprint>) -> Result<(), Refusal> {
        match (print, self.pin) {
            (Some(print), Some(pin)) if print != pin => Err(Refusal::PinMismatch),
            (Some(print), _) => {
                self.certificate = Some(print);
                Ok(())
            }
            (None, _) => Err(Refusal::NoCertificate),
        }
    }

    /// The handshake is complete: who is it?
    pub fn settle(&self) -> Result<Fingerprint, Refusal> {
        let peer = self.certificate.ok_or(Refusal::NoCertificate)?;
        if self.pin.is_some_and(|pin| pin != peer) {
            return Err(Refusal::PinMismatch);
        }
        Ok(peer)
    }
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
        assert_eq!(trust.settle(), Ok(A));
    }

    #[test]
    fn a_server_wants_a_certificate() {
        assert_eq!(Trust::anyone().judge_certificate(None), Err(Refusal::NoCertificate));
        assert_eq!(Trust::anyone().settle(), Err(Refusal::NoCertificate));
    }

    #[test]
    fn who_has_presented_no_certificate_is_nobody() {
        assert_eq!(Trust::pinned(A).settle(), Err(Refusal::NoCertificate));
        let mut trust = Trust::pinned(A);
        assert_eq!(trust.judge_certificate(None), Err(Refusal::NoCertificate));
        assert_eq!(trust.settle(), Err(Refusal::NoCertificate));
    }
}
