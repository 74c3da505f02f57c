//! The parsers of the addon for its fuzz targets, out of the addon's own sources: what Node and MsQuic have to do with is left out.

#![allow(dead_code)]

pub mod bench;
#[path = "../../src/frame.rs"]
pub mod frame;
#[path = "../../src/identity.rs"]
pub mod identity;

#[path = "../../src/delta"]
pub mod delta {
    pub mod apply;
    pub mod cutter;
    pub mod failure;
    pub mod files;
    pub mod list;
    pub mod make;
    pub mod varint;
}

#[path = "../../src/host"]
pub mod host {
    pub mod copy;
    pub mod error;
    pub mod files;
    pub mod inode;
    pub mod spare;
}

#[path = "../../src/link"]
pub mod link {
    pub mod trust;
    pub mod window {
        pub mod base;
        pub mod behind;
        pub mod bulk;
        pub mod incoming;
        pub mod paced;
        pub mod phase;
        pub mod piece;
        pub mod rates;
        pub mod report;
        pub mod reported;
        pub mod sample;
        pub mod standing;
    }
}

/// What the sources need of MsQuic's part of the addon.
pub mod quic {
    use std::sync::{Mutex, MutexGuard, PoisonError};

    pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
        mutex.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
