//! Who the peer is: whatever tickets and certificates come, and in whatever order, nobody passes a pin, and a ticket counts only in a
//! session that is resumed. Stamps and fingerprints in between may be anything.
#![no_main]

use godwit_native_fuzz::identity::{Fingerprint, fingerprint, hex, parse_fingerprint};
use godwit_native_fuzz::link::trust::{Trust, read_stamp, stamp};
use libfuzzer_sys::fuzz_target;

fn print(byte: u8) -> Fingerprint {
    [byte % 3; 32]
}

fn check_texts(data: &[u8]) {
    if let Some((print, rest)) = read_stamp(data) {
        assert_eq!([stamp(&print).as_slice(), rest].concat(), data);
    }
    if let Ok(text) = std::str::from_utf8(data)
        && let Some(print) = parse_fingerprint(text)
    {
        assert_eq!(hex(&print), text.to_ascii_lowercase());
    }
    assert_eq!(parse_fingerprint(&hex(&fingerprint(data))), Some(fingerprint(data)));
}

fn check_story(steps: &[u8]) {
    let Some((first, steps)) = steps.split_first() else { return };
    let pin = (first % 2 == 0).then(|| print(first / 2));
    let mut trust = pin.map_or_else(Trust::anyone, Trust::pinned);
    let (mut certificate, mut ticket) = (None, None);
    for step in steps {
        let (what, whose) = (step % 4, print(step / 4));
        match what {
            0 => {
                trust.note_ticket(whose);
                ticket = Some(whose);
            }
            1 => {
                let welcome = pin.is_none_or(|pin| pin == whose);
                assert_eq!(trust.judge_certificate(Some(whose)).is_ok(), welcome);
                certificate = if welcome { Some(whose) } else { certificate };
            }
            2 => assert_eq!(trust.judge_certificate(None).is_ok(), ticket.is_some()),
            _ => {
                let resumed = whose == print(0);
                let peer = certificate.or(ticket.filter(|_| resumed));
                let welcome = peer.filter(|peer| pin.is_none_or(|pin| pin == *peer));
                assert_eq!(trust.settle(resumed).ok(), welcome);
            }
        }
    }
}

fuzz_target!(|data: &[u8]| {
    check_texts(data);
    check_story(data);
});
