// SPDX-License-Identifier: Apache-2.0
//! Lanes that were dropped while the plug-in hung. Each holds a thread, or copies that the plug-in
//! may still access, until it answers. They are counted, because a plug-in that hangs again and
//! again must not collect them.

use std::fmt;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use super::asynchronous::AsynchronousLane;

#[derive(Default)]
pub(super) struct Abandoned {
    count: AtomicUsize,
    /// Those that end only when they are polled. They keep the plug-in, and it keeps them.
    lanes: Mutex<Vec<AsynchronousLane>>,
}

impl Abandoned {
    pub(super) fn add(&self) {
        self.count.fetch_add(1, Ordering::SeqCst);
    }

    pub(super) fn remove(&self) {
        self.count.fetch_sub(1, Ordering::SeqCst);
    }

    /// Adds a lane that must be polled.
    pub(super) fn keep(&self, lane: AsynchronousLane) {
        self.add();
        self.lanes().push(lane);
    }

    /// Closes the lanes that the plug-in has finished with, and returns the number of the others.
    pub(super) fn close_finished(&self) -> usize {
        // Not under the lock: the plug-in may take long to answer.
        let mut kept = std::mem::take(&mut *self.lanes());
        let finished = kept.extract_if(.., AsynchronousLane::is_finished);
        finished.for_each(|lane| {
            drop(lane);
            self.remove();
        });
        self.lanes().append(&mut kept);
        self.count.load(Ordering::SeqCst)
    }

    fn lanes(&self) -> MutexGuard<'_, Vec<AsynchronousLane>> {
        self.lanes.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl fmt::Debug for Abandoned {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        // Without the lanes, which contain this.
        write!(formatter, "Abandoned({:?})", self.count)
    }
}
