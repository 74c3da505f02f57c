//! Buffers that contents are read into and sent from, used again: new ones of this size are memory that the system has to clear, page by page,
//! for each 128 KiB that are sent. They are kept as long as something is under way, and no more of them than were.

use std::sync::Mutex;

use crate::quic::lock;

/// Read and handed down at once.
pub const CHUNK: u64 = 128 * 1024;

/// As many as the memory of one connection's sends has.
const MOST: usize = 256;

#[derive(Default)]
pub struct Buffers(Mutex<Vec<Vec<u8>>>);

impl Buffers {
    /// Has any length and any bytes.
    pub fn take(&self) -> Vec<u8> {
        lock(&self.0).pop().unwrap_or_default()
    }

    pub fn give_back(&self, bytes: Vec<u8>) {
        let mut free = lock(&self.0);
        if bytes.len() as u64 >= CHUNK && free.len() < MOST {
            free.push(bytes);
        }
    }

    /// Nothing is under way.
    pub fn clear(&self) {
        let free = std::mem::take(&mut *lock(&self.0));
        drop(free);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_buffer_is_used_again_until_nothing_is_under_way() {
        let buffers = Buffers::default();
        buffers.give_back(vec![1; 10]);
        assert!(buffers.take().is_empty());
        buffers.give_back(vec![1; CHUNK as usize]);
        assert_eq!(buffers.take().len(), CHUNK as usize);
        assert!(buffers.take().is_empty());
        buffers.give_back(vec![1; CHUNK as usize]);
        buffers.clear();
        assert!(buffers.take().is_empty());
    }
}
