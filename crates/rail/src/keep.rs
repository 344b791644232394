// SPDX-License-Identifier: Apache-2.0
//! What a job keeps until it uses no buffer any more, and hands back then.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::Duration;

/// Owned by the job as [`Buffers::keep`](crate::Buffers): hands the value back when dropped.
pub(crate) struct Kept<T> {
    value: Option<T>,
    slot: Arc<Slot<T>>,
}

/// Receives the value when the job is dropped.
#[derive(Debug)]
pub(crate) struct Receiver<T>(Arc<Slot<T>>);

#[derive(Debug)]
struct Slot<T> {
    value: Mutex<Option<T>>,
    back: Condvar,
}

pub(crate) fn keep<T>(value: T) -> (Kept<T>, Receiver<T>) {
    let slot = Arc::new(Slot {
        value: Mutex::new(None),
        back: Condvar::new(),
    });
    let kept = Kept {
        value: Some(value),
        slot: Arc::clone(&slot),
    };
    (kept, Receiver(slot))
}

impl<T> Drop for Kept<T> {
    fn drop(&mut self) {
        let slot = self.slot.value.lock();
        *slot.unwrap_or_else(PoisonError::into_inner) = self.value.take();
        self.slot.back.notify_all();
    }
}

impl<T> Receiver<T> {
    /// Waits for the value, which can be taken once.
    pub(crate) fn wait(&self) -> T {
        let value = self.0.value.lock().unwrap_or_else(PoisonError::into_inner);
        let waited = self.0.back.wait_while(value, |value| value.is_none());
        let taken = waited.unwrap_or_else(PoisonError::into_inner).take();
        taken.expect("waited for")
    }

    /// Waits for the value for at most `limit`; `None` after that, or if it was taken before.
    pub(crate) fn wait_for(&self, limit: Duration) -> Option<T> {
        let value = self.0.value.lock().unwrap_or_else(PoisonError::into_inner);
        let back = &self.0.back;
        let waited = back.wait_timeout_while(value, limit, |value| value.is_none());
        waited.unwrap_or_else(PoisonError::into_inner).0.take()
    }
}
