//! Locks that a panic elsewhere does not take from us.

use std::sync::{Mutex, MutexGuard, PoisonError};

pub fn hold<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
