// SPDX-License-Identifier: Apache-2.0
//! What a job keeps until it uses no buffer any more, and hands back then.

use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
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
    contents: Mutex<Contents<T>>,
    back: Condvar,
}

#[derive(Debug)]
struct Contents<T> {
    value: Option<T>,
    /// Whether a thread has waited: a notification is a system call, also if none does.
    is_awaited: bool,
}

impl<T> Slot<T> {
    fn contents(&self) -> MutexGuard<'_, Contents<T>> {
        let contents = self.contents.lock();
        contents.unwrap_or_else(PoisonError::into_inner)
    }
}

pub(crate) fn keep<T>(value: T) -> (Kept<T>, Receiver<T>) {
    let slot = Arc::new(Slot {
        contents: Mutex::new(Contents {
            value: None,
            is_awaited: false,
        }),
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
        let mut contents = self.slot.contents();
        contents.value = self.value.take();
        let is_awaited = contents.is_awaited;
        drop(contents);
        if is_awaited {
            self.slot.back.notify_all();
        }
    }
}

impl<T> Receiver<T> {
    /// Waits for the value, which can be taken once.
    pub(crate) fn wait(&self) -> T {
        let mut contents = self.0.contents();
        while contents.value.is_none() {
            contents.is_awaited = true;
            let waited = self.0.back.wait(contents);
            contents = waited.unwrap_or_else(PoisonError::into_inner);
        }
        contents.value.take().expect("waited for")
    }

    /// Waits for the value for at most `limit`; `None` after that, or if it was taken before.
    pub(crate) fn wait_for(&self, limit: Duration) -> Option<T> {
        let mut contents = self.0.contents();
        contents.is_awaited |= contents.value.is_none();
        let is_missing = |contents: &mut Contents<T>| contents.value.is_none();
        let waited = self.0.back.wait_timeout_while(contents, limit, is_missing);
        let (mut contents, _) = waited.unwrap_or_else(PoisonError::into_inner);
        contents.value.take()
    }
}
