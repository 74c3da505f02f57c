//! MsQuic's QUIC_ADDR (a `sockaddr` union) from and to Rust's socket addresses.

use std::net::SocketAddr;

use crate::quic::QUIC_ADDR;
use msquic::Addr;

/// Owns a QUIC_ADDR for the length of a call.
pub struct QuicAddress(Addr);

impl QuicAddress {
    pub fn new(address: SocketAddr) -> QuicAddress {
        QuicAddress(address.into())
    }

    pub fn zeroed() -> QuicAddress {
        // SAFETY: a sockaddr of zeros is the unspecified address.
        QuicAddress(unsafe { std::mem::zeroed() })
    }

    /// # Safety
    /// `from` must be null or point to an address.
    pub unsafe fn read(from: *const QUIC_ADDR) -> Option<SocketAddr> {
        // SAFETY: as promised by the caller; both types are the same union.
        unsafe { from.cast::<Addr>().as_ref() }.and_then(Addr::as_socket)
    }

    pub const SIZE: u32 = size_of::<Addr>() as u32;

    pub fn as_ptr(&self) -> *const QUIC_ADDR {
        (&raw const self.0).cast()
    }

    pub fn as_mut_ptr(&mut self) -> *mut QUIC_ADDR {
        (&raw mut self.0).cast()
    }

    pub fn to_socket(&self) -> Option<SocketAddr> {
        self.0.as_socket()
    }
}

/// The address any socket of the same family may bind to.
pub fn wildcard(like: SocketAddr) -> SocketAddr {
    match like {
        SocketAddr::V4(_) => SocketAddr::from(([0, 0, 0, 0], 0)),
        SocketAddr::V6(_) => SocketAddr::from(([0u16; 8], 0)),
    }
}
