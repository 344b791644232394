// SPDX-License-Identifier: Apache-2.0
//! The deadlines of outstanding tasks, and the sleep of the watchdog between them.

use std::collections::BTreeMap;
use std::sync::Weak;
use std::time::Duration;

use crate::core::doorbell::Doorbell;
use crate::core::sync::atomic::{AtomicBool, Ordering};
use crate::core::sync::{Arc, Mutex, lock};
use crate::core::task::Task;

/// Deadlines in order of time. Issuers add and remove them; the watchdog sleeps here and pops those
/// that are due.
#[derive(Default)]
pub(crate) struct TimerQueue {
    bell: Doorbell,
    /// Whether the watchdog sleeps without a time limit, because no task was outstanding.
    dormant: AtomicBool,
    /// Of the tasks that have not ended, by time and by the task's address.
    deadlines: Mutex<BTreeMap<(u64, usize), Weak<Task>>>,
}

impl TimerQueue {
    /// Wakes the watchdog if it is dormant, because a task is outstanding.
    pub(crate) fn wake_if_dormant(&self) {
        if self.dormant.load(Ordering::SeqCst) {
            self.wake();
        }
    }

    /// Wakes the watchdog at once.
    pub(crate) fn wake(&self) {
        self.dormant.store(false, Ordering::SeqCst);
        self.bell.ring_all();
    }

    /// Adds the deadline of a task, if it has one.
    pub(crate) fn add(&self, task: &Arc<Task>) {
        if task.deadline > 0 {
            lock(&self.deadlines).insert(key(task), Arc::downgrade(task));
            // It may have been cancelled before this was called.
            if task.is_done() {
                self.remove(task);
            }
        }
    }

    /// Removes the deadline of a task that has ended.
    pub(crate) fn remove(&self, task: &Arc<Task>) {
        if task.deadline > 0 {
            lock(&self.deadlines).remove(&key(task));
        }
    }

    /// Removes the first deadline that is not later than `now`.
    pub(crate) fn pop_due(&self, now: u64) -> Option<Weak<Task>> {
        let mut deadlines = lock(&self.deadlines);
        match deadlines.first_entry() {
            Some(first) if first.key().0 <= now => Some(first.remove()),
            _ => None,
        }
    }

    /// Sleeps for `time` at most, unless `is_closing`.
    pub(crate) fn sleep(&self, time: Duration, is_closing: impl FnOnce() -> bool) {
        self.bell.sleep(Some(time), || is_closing().then_some(()));
    }

    /// Sleeps until woken, unless `is_needed`.
    pub(crate) fn sleep_dormant(&self, is_needed: impl FnOnce() -> bool) {
        self.dormant.store(true, Ordering::SeqCst);
        self.bell.sleep(None, || {
            let awake = is_needed() || !self.dormant.load(Ordering::SeqCst);
            awake.then_some(())
        });
        self.dormant.store(false, Ordering::SeqCst);
    }

    #[cfg(test)]
    pub(crate) fn len(&self) -> usize {
        lock(&self.deadlines).len()
    }
}

/// Identifies a task's deadline for as long as the task exists.
fn key(task: &Arc<Task>) -> (u64, usize) {
    (task.deadline, std::ptr::from_ref::<Task>(task).addr())
}
