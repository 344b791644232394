// SPDX-License-Identifier: Apache-2.0
//! Locks, atomics and thread locals of the engine: those of the standard library, or those of the permutation
//! tester where the feature `permute` is on.

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

/// Locks a mutex whose holders cannot leave its value half changed, panicking or not.
pub(crate) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex
        .lock()
        .unwrap_or_else(std::sync::PoisonError::into_inner)
}
