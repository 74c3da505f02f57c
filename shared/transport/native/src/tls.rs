//! MsQuic configurations: credentials, settings and the protocol name, in one handle for each role.
//!
//! Neither role asks OpenSSL to judge a certificate: both are self-signed, and who is welcome is decided by
//! fingerprint (`link/trust.rs`). What TLS still proves is that the peer has the key of the certificate it shows.
//!
//! MsQuic reads PEM from files only. The key goes through a file that exists in memory alone (memfd), or, where
//! there is no such thing, through one of mode 0600 that is removed as soon as MsQuic has read it.

use std::ffi::CString;
use std::io;

use crate::quic::{self, HQUIC, QUIC_BUFFER, Status, quic};
use crate::settings::settings;
use msquic::ffi;

pub struct Credentials {
    pub certificate_pem: String,
    pub key_pem: String,
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Role {
    Server,
    Client,
    /// A client that shows no certificate: for the test that a server refuses it.
    AnonymousClient,
}

/// An open configuration; closed when dropped. Connections keep what they need of it alive themselves.
pub struct Configuration(HQUIC);
// SAFETY: handles of MsQuic may be used from any thread.
unsafe impl Send for Configuration {}
unsafe impl Sync for Configuration {}

impl Configuration {
    pub fn handle(&self) -> HQUIC {
        self.0
    }
}

impl Drop for Configuration {
    fn drop(&mut self) {
        // SAFETY: opened by `open_configuration` and closed only here.
        unsafe { quic!(ConfigurationClose(self.0)) };
    }
}

pub fn alpn() -> QUIC_BUFFER {
    QUIC_BUFFER { Length: quic::ALPN.len() as u32, Buffer: quic::ALPN.as_ptr().cast_mut() }
}

/// Takes 6-7 ms: make one for each role and keep it. The error says what MsQuic thought of the credentials.
pub fn open_configuration(
    credentials: &Credentials,
    role: Role,
    peer_streams: Option<u16>,
) -> Result<Configuration, String> {
    let registration = quic::registration().map_err(|status| format!("MsQuic: status {status}"))?;
    let settings = settings(role == Role::Server, peer_streams);
    let mut handle: HQUIC = std::ptr::null_mut();
    // SAFETY: the buffers outlive the call, which copies them.
    let status = unsafe {
        quic!(ConfigurationOpen(
            registration,
            &alpn(),
            1,
            &settings,
            size_of_val(&settings) as u32,
            std::ptr::null_mut(),
            &mut handle,
        ))
    };
    if quic::failed(status) {
        return Err(format!("the transport settings were refused: status {status}"));
    }
    let configuration = Configuration(handle);
    let status = crate::openssl::unnoticed(|| load(&configuration, credentials, role))
        .map_err(|error| format!("the credentials can't be handed over: {error}"))?;
    if quic::failed(status) {
        return Err(format!("the identity was refused: status {status:#x}"));
    }
    Ok(configuration)
}

fn load(configuration: &Configuration, credentials: &Credentials, role: Role) -> io::Result<Status> {
    let common = ffi::QUIC_CREDENTIAL_FLAGS_QUIC_CREDENTIAL_FLAG_NO_CERTIFICATE_VALIDATION
        | ffi::QUIC_CREDENTIAL_FLAGS_QUIC_CREDENTIAL_FLAG_INDICATE_CERTIFICATE_RECEIVED
        | ffi::QUIC_CREDENTIAL_FLAGS_QUIC_CREDENTIAL_FLAG_USE_PORTABLE_CERTIFICATES;
    // SAFETY: plain data, zeros mean "none".
    let mut config: ffi::QUIC_CREDENTIAL_CONFIG = unsafe { std::mem::zeroed() };
    config.Flags = match role {
        Role::Server => common | ffi::QUIC_CREDENTIAL_FLAGS_QUIC_CREDENTIAL_FLAG_REQUIRE_CLIENT_AUTHENTICATION,
        Role::Client | Role::AnonymousClient => common | ffi::QUIC_CREDENTIAL_FLAGS_QUIC_CREDENTIAL_FLAG_CLIENT,
    };
    if role == Role::AnonymousClient {
        config.Type = ffi::QUIC_CREDENTIAL_TYPE_QUIC_CREDENTIAL_TYPE_NONE;
        // SAFETY: the configuration is open; the structure outlives the synchronous call.
        return Ok(unsafe { quic!(ConfigurationLoadCredential(configuration.handle(), &config)) });
    }
    let certificate = SecretFile::new(credentials.certificate_pem.as_bytes())?;
    let key = SecretFile::new(credentials.key_pem.as_bytes())?;
    let mut files =
        ffi::QUIC_CERTIFICATE_FILE { PrivateKeyFile: key.path.as_ptr(), CertificateFile: certificate.path.as_ptr() };
    config.Type = ffi::QUIC_CREDENTIAL_TYPE_QUIC_CREDENTIAL_TYPE_CERTIFICATE_FILE;
    config.__bindgen_anon_1.CertificateFile = &mut files;
    // SAFETY: as above; MsQuic reads the files before it returns.
    Ok(unsafe { quic!(ConfigurationLoadCredential(configuration.handle(), &config)) })
}

/// A file only this process can read, gone when dropped.
struct SecretFile {
    path: CString,
    #[cfg(target_os = "linux")]
    _memory: std::fs::File,
}

#[cfg(target_os = "linux")]
impl SecretFile {
    fn new(bytes: &[u8]) -> io::Result<SecretFile> {
        use std::io::Write;
        use std::os::fd::{AsRawFd, FromRawFd};
        // SAFETY: the name is a C string; the descriptor returned is ours alone.
        let mut memory = unsafe {
            let fd = libc::memfd_create(c"godwit".as_ptr(), libc::MFD_CLOEXEC);
            if fd < 0 {
                return Err(io::Error::last_os_error());
            }
            std::fs::File::from_raw_fd(fd)
        };
        memory.write_all(bytes)?;
        let path = CString::new(format!("/proc/self/fd/{}", memory.as_raw_fd()))?;
        Ok(SecretFile { path, _memory: memory })
    }
}

#[cfg(not(target_os = "linux"))]
impl SecretFile {
    fn new(bytes: &[u8]) -> io::Result<SecretFile> {
        use std::io::Write;
        use std::os::unix::fs::OpenOptionsExt;
        use std::sync::atomic::{AtomicU32, Ordering};
        static NEXT: AtomicU32 = AtomicU32::new(0);
        let name = format!("godwit-{}-{}", std::process::id(), NEXT.fetch_add(1, Ordering::Relaxed));
        let path = std::env::temp_dir().join(name);
        let mut file = std::fs::OpenOptions::new().write(true).create_new(true).mode(0o600).open(&path)?;
        file.write_all(bytes)?;
        let path = CString::new(path.into_os_string().into_encoded_bytes())?;
        Ok(SecretFile { path })
    }
}

#[cfg(not(target_os = "linux"))]
impl Drop for SecretFile {
    fn drop(&mut self) {
        use std::os::unix::ffi::OsStrExt;
        let _ = std::fs::remove_file(std::ffi::OsStr::from_bytes(self.path.as_bytes()));
    }
}
