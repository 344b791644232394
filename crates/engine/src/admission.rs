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
    /// Tasks whose waiters and callbacks have not all been told of the end. A task gives its place
    /// back before it tells its end, so that a callback can issue the next task.
    untold: AtomicUsize,
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
            untold: AtomicUsize::new(0),
            room: Doorbell::default(),
            empty: Doorbell::default(),
        }
    }

    /// Takes a place for a task of so many bytes, if there is one. A task larger than the bound on
    /// bytes gets in alone.
    pub(crate) fn enter(&self, bytes: usize) -> bool {
        // Never counted beyond the bounds, not even for a moment: another would be refused for that.
        let one_more = |tasks| (tasks < self.tasks_max).then_some(tasks + 1);
        if update(&self.tasks, one_more).is_err() {
            return false;
        }
        let more = |held| self.takes(held, bytes).then(|| held.saturating_add(bytes));
        if update(&self.bytes, more).is_err() {
            self.leave(0);
            return false;
        }
        self.untold.fetch_add(1, Ordering::AcqRel);
        true
    }

    fn takes(&self, held: usize, bytes: usize) -> bool {
        held == 0 || held.saturating_add(bytes) <= self.bytes_max
    }

    /// Whether [`Admission::enter`] would let a task in now.
    pub(crate) fn has_room(&self, bytes: usize) -> bool {
        let held = self.bytes.load(Ordering::Acquire);
        self.tasks.load(Ordering::Acquire) < self.tasks_max && self.takes(held, bytes)
    }

    /// Gives a place back.
    pub(crate) fn leave(&self, bytes: usize) {
        self.bytes.fetch_sub(bytes, Ordering::AcqRel);
        self.tasks.fetch_sub(1, Ordering::AcqRel);
        // All: the first to wake may want more than there is.
        self.room.ring_all();
    }

    /// Notes that all who waited for a task's end have been told.
    pub(crate) fn told(&self) {
        if self.untold.fetch_sub(1, Ordering::AcqRel) == 1 {
            self.empty.ring_all();
        }
    }

    /// Places taken.
    pub(crate) fn taken(&self) -> usize {
        self.tasks.load(Ordering::Acquire)
    }

    /// Tasks now outstanding.
    pub(crate) fn outstanding(&self) -> usize {
        self.untold.load(Ordering::Acquire)
    }
}

fn update(
    counter: &AtomicUsize,
    change: impl FnMut(usize) -> Option<usize>,
) -> Result<usize, usize> {
    counter.fetch_update(Ordering::AcqRel, Ordering::Acquire, change)
}
