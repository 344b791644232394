// SPDX-License-Identifier: Apache-2.0
//! Locks, atomics and thread locals of the engine: those of the standard library, or of the
//! permutation tester with the feature `permute`.

#[cfg(not(feature = "permute"))]
pub(crate) use std::{
    sync::{Arc, Condvar, Mutex, MutexGuard, atomic},
    thread_local,
};

#[cfg(feature = "permute")]
pub(crate) use shuttle::{
    sync::{Arc, Condvar, Mutex, MutexGuard, atomic},
    thread_local,
};

/// Locks a mutex whose value is consistent even if a thread panicked with the lock.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}
