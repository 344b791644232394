// SPDX-License-Identifier: Apache-2.0
//! How much may be outstanding.

use crate::doorbell::Doorbell;
use crate::sync::atomic::{AtomicUsize, Ordering};

/// Counts outstanding tasks and their bytes against two bounds.
#[derive(Debug)]
pub(crate) struct Admission {
    tasks_max: usize,
    bytes_max: usize,
    tasks: AtomicUsize,
    bytes: AtomicUsize,
    /// Rung when room is made.
    pub(crate) room: Doorbell,
    /// Rung when nothing is outstanding any more.
    pub(crate) empty: Doorbell,
}

impl Admission {
    pub(crate) fn new(tasks_max: usize, bytes_max: usize) -> Self {
        Self {
            tasks_max,
            bytes_max,
            tasks: AtomicUsize::new(0),
            bytes: AtomicUsize::new(0),
            room: Doorbell::default(),
            empty: Doorbell::default(),
        }
    }

    /// Takes a place for a task of so many bytes, if there is one. A task larger than the bound on
    /// bytes gets in alone.
    pub(crate) fn enter(&self, bytes: usize) -> bool {
        if self.tasks.fetch_add(1, Ordering::AcqRel) >= self.tasks_max {
            self.tasks.fetch_sub(1, Ordering::AcqRel);
            return false;
        }
        let before = self.bytes.fetch_add(bytes, Ordering::AcqRel);
        if before > 0 && before.saturating_add(bytes) > self.bytes_max {
            self.leave(bytes);
            return false;
        }
        true
    }

    /// Whether [`Admission::enter`] would let a task in now.
    pub(crate) fn has_room(&self, bytes: usize) -> bool {
        let held = self.bytes.load(Ordering::Acquire);
        self.tasks.load(Ordering::Acquire) < self.tasks_max
            && (held == 0 || held.saturating_add(bytes) <= self.bytes_max)
    }

    /// Gives a place back.
    pub(crate) fn leave(&self, bytes: usize) {
        self.bytes.fetch_sub(bytes, Ordering::AcqRel);
        let before = self.tasks.fetch_sub(1, Ordering::AcqRel);
        // All: the first to wake may want more than there is.
        self.room.ring_all();
        if before == 1 {
            self.empty.ring_all();
        }
    }

    /// Tasks now outstanding.
    pub(crate) fn outstanding(&self) -> usize {
        self.tasks.load(Ordering::Acquire)
    }
}
