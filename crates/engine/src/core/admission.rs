// SPDX-License-Identifier: Apache-2.0
//! Bounds the outstanding tasks and bytes.

use crate::core::doorbell::Doorbell;
use crate::core::sync::atomic::{AtomicU64, AtomicUsize, Ordering};

/// Counts outstanding tasks and their bytes against two bounds.
#[derive(Debug)]
pub(crate) struct Admission {
    tasks_max: u64,
    bytes_max: usize,
    counts: Counts,
    /// Rung when a task has left.
    pub(crate) room: Doorbell,
    /// Rung when no task is outstanding any more.
    pub(crate) empty: Doorbell,
}

/// Every issue and every end of a task changes all of these counters, so they have their own cache
/// lines.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Counts {
    /// The tasks that were admitted and have not left, plus [`UNNOTIFIED`] for each task whose
    /// waiters and call-backs were not all notified yet. A task leaves before it notifies, so that
    /// a call-back can issue the next task.
    tasks: AtomicU64,
    bytes: AtomicUsize,
    admitted: AtomicU64,
}

const UNNOTIFIED: u64 = 1 << 32;

impl Admission {
    pub(crate) fn new(tasks_max: usize, bytes_max: usize) -> Self {
        Self {
            // The count of these tasks is the lower 32 bits of `Counts::tasks`; see `UNNOTIFIED`.
            tasks_max: (tasks_max as u64).min(UNNOTIFIED - 1),
            bytes_max,
            counts: Counts::default(),
            room: Doorbell::default(),
            empty: Doorbell::default(),
        }
    }

    /// Admits a task of `bytes` bytes if there is room. A task larger than the bound on bytes is
    /// admitted only if no other task is outstanding.
    pub(crate) fn enter(&self, bytes: usize) -> bool {
        // The count of tasks never exceeds the bound, not even briefly, because another thread
        // would then refuse a task. The count of bytes may, while a task is being refused.
        let more = |held| self.takes(held, bytes).then(|| held.saturating_add(bytes));
        let held = &self.counts.bytes;
        if held
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, more)
            .is_err()
        {
            return false;
        }
        let one_more =
            |tasks| (tasks % UNNOTIFIED < self.tasks_max).then_some(tasks + UNNOTIFIED + 1);
        let tasks = &self.counts.tasks;
        if tasks
            .fetch_update(Ordering::AcqRel, Ordering::Acquire, one_more)
            .is_err()
        {
            held.fetch_sub(bytes, Ordering::AcqRel);
            // Another thread may have checked for room in between.
            self.room.ring_all();
            return false;
        }
        self.count();
        true
    }

    /// Counts a task as admitted.
    pub(crate) fn count(&self) {
        self.counts.admitted.fetch_add(1, Ordering::Relaxed);
    }

    fn takes(&self, held: usize, bytes: usize) -> bool {
        held == 0 || held.saturating_add(bytes) <= self.bytes_max
    }

    /// Returns whether [`Admission::enter`] would admit a task now.
    pub(crate) fn has_room(&self, bytes: usize) -> bool {
        let held = self.counts.bytes.load(Ordering::Acquire);
        (self.taken() as u64) < self.tasks_max && self.takes(held, bytes)
    }

    /// Releases the place of a task.
    pub(crate) fn leave(&self, bytes: usize) {
        self.counts.bytes.fetch_sub(bytes, Ordering::AcqRel);
        self.counts.tasks.fetch_sub(1, Ordering::AcqRel);
        // Wakes all threads: the first one may need more bytes than are free.
        self.room.ring_all();
    }

    /// Records that all waiters of a task were notified.
    pub(crate) fn mark_notified(&self) {
        let before = self.counts.tasks.fetch_sub(UNNOTIFIED, Ordering::AcqRel);
        if before / UNNOTIFIED == 1 {
            self.empty.ring_all();
        }
    }

    /// Returns the number of tasks that were admitted and have not left.
    pub(crate) fn taken(&self) -> usize {
        (self.counts.tasks.load(Ordering::Acquire) % UNNOTIFIED) as usize
    }

    /// Returns the number of tasks outstanding.
    pub(crate) fn outstanding(&self) -> usize {
        (self.counts.tasks.load(Ordering::Acquire) / UNNOTIFIED) as usize
    }

    /// Returns the number of tasks admitted since the engine started.
    pub(crate) fn admitted(&self) -> u64 {
        self.counts.admitted.load(Ordering::Relaxed)
    }
}
