//! Identities: a key and a self-signed certificate, and the fingerprint by which a peer is known.

use napi::bindgen_prelude::{Error, Result};
use napi_derive::napi;
use rcgen::{CertificateParams, DistinguishedName, DnType, KeyPair};
use sha2::{Digest, Sha256};

/// SHA-256 of a certificate in DER form.
pub type Fingerprint = [u8; 32];

pub fn fingerprint(der: &[u8]) -> Fingerprint {
    Sha256::digest(der).into()
}

/// Lower-case hex of any bytes.
pub fn hex(bytes: &[u8]) -> String {
    use std::fmt::Write;
    bytes.iter().fold(String::with_capacity(bytes.len() * 2), |mut text, byte| {
        let _ = write!(text, "{byte:02x}");
        text
    })
}

/// Reads 64 hexadecimal digits.
pub fn parse_fingerprint(text: &str) -> Option<Fingerprint> {
    if text.len() != 64 || !text.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        return None;
    }
    let mut bytes = [0; 32];
    for (index, byte) in bytes.iter_mut().enumerate() {
        *byte = u8::from_str_radix(text.get(index * 2..index * 2 + 2)?, 16).ok()?;
    }
    Some(bytes)
}

#[napi(object)]
pub struct NativeIdentity {
    pub certificate_pem: String,
    pub private_key_pem: String,
    pub fingerprint: String,
}

/// Makes a P-256 key and a certificate for it that names `common_name` and doesn't expire: a peer is known by
/// its fingerprint, not by a date.
#[napi]
pub fn generate_identity(common_name: String) -> Result<NativeIdentity> {
    let refuse = |error: rcgen::Error| Error::from_reason(format!("no identity: {error}"));
    let key = KeyPair::generate().map_err(refuse)?;
    let mut params = CertificateParams::default();
    params.distinguished_name = DistinguishedName::new();
    params.distinguished_name.push(DnType::CommonName, common_name);
    let certificate = params.self_signed(&key).map_err(refuse)?;
    Ok(NativeIdentity {
        certificate_pem: certificate.pem(),
        private_key_pem: key.serialize_pem(),
        fingerprint: hex(&fingerprint(certificate.der())),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fingerprints_survive_text() {
        let print = fingerprint(b"certificate");
        assert_eq!(parse_fingerprint(&hex(&print)), Some(print));
        assert_eq!(parse_fingerprint("00"), None);
        assert_eq!(parse_fingerprint(&"g".repeat(64)), None);
        assert_eq!(parse_fingerprint(&"é".repeat(32)), None);
    }

    #[test]
    fn identities_differ() {
        let one = generate_identity("a".into()).expect("makes one");
        let two = generate_identity("a".into()).expect("makes another");
        assert_ne!(one.fingerprint, two.fingerprint);
        assert!(one.private_key_pem.contains("PRIVATE KEY"));
    }
}
