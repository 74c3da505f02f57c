//! Who the peer is: whatever certificates come, and in whatever order, nobody passes a pin, and nobody is known without one. Fingerprints in between
//! may be anything.
#![no_main]

use godwit_native_fuzz::identity::{Fingerprint, fingerprint, hex, parse_fingerprint};
use godwit_native_fuzz::link::trust::Trust;
use libfuzzer_sys::fuzz_target;

fn print(byte: u8) -> Fingerprint {
    [byte % 3; 32]
}

fn check_texts(data: &[u8]) {
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
    let mut certificate = None;
    for step in steps {
        let (what, whose) = (step % 3, print(step / 3));
        match what {
            0 => {
                let welcome = pin.is_none_or(|pin| pin == whose);
                assert_eq!(trust.judge_certificate(Some(whose)).is_ok(), welcome);
                certificate = if welcome { Some(whose) } else { certificate };
            }
            1 => assert!(trust.judge_certificate(None).is_err()),
            _ => {
                let welcome = certificate.filter(|peer| pin.is_none_or(|pin| pin == *peer));
                assert_eq!(trust.settle().ok(), welcome);
            }
        }
    }
}

fuzz_target!(|data: &[u8]| {
    check_texts(data);
    check_story(data);
});
