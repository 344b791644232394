// SPDX-License-Identifier: Apache-2.0
//! An event count: threads sleep until a condition may have changed, without lost wake-ups and
//! without a lock while no thread sleeps.
//!
//! A sleeper increments the count, checks the condition once more and only then waits; a ringer
//! changes the condition first and then reads the count. One of the two sees the other, because
//! both sides have a sequentially consistent operation between their write and their read.
//! `core/permute.rs` runs the protocol under a permutation tester.

use std::time::Duration;

use crate::core::sync::atomic::{AtomicBool, AtomicUsize, Ordering, fence};
use crate::core::sync::{Condvar, Mutex, lock};

/// Wakes threads that sleep until a condition may have changed.
#[derive(Debug, Default)]
pub(crate) struct Doorbell {
    sleepers: AtomicUsize,
    /// One sleeper was woken and has not checked its condition yet.
    waking: AtomicBool,
    rings: Mutex<u64>,
    rung: Condvar,
}

impl Doorbell {
    /// Returns whether a thread sleeps or is about to.
    pub(crate) fn has_sleepers(&self) -> bool {
        fence(Ordering::SeqCst);
        self.is_waited_at()
    }

    /// The same after the caller's fence.
    fn is_waited_at(&self) -> bool {
        self.sleepers.load(Ordering::SeqCst) > 0
    }

    /// Wakes one sleeper, after its condition was changed, unless one was woken already: a wake-up
    /// is a system call. A thread that wakes up and finds more than it can do must ring again.
    pub(crate) fn ring_one(&self) {
        // The thread that clears the flag checks afterwards, and sees the change made before this.
        if self.has_sleepers() && !self.waking.swap(true, Ordering::SeqCst) {
            *lock(&self.rings) += 1;
            self.rung.notify_one();
        }
    }

    /// Wakes all sleepers.
    pub(crate) fn ring_all(&self) {
        Self::ring_each([self]);
    }

    /// Wakes all sleepers of several bells with one fence, which costs as much as many loads.
    pub(crate) fn ring_each<const COUNT: usize>(bells: [&Self; COUNT]) {
        fence(Ordering::SeqCst);
        for bell in bells {
            if bell.is_waited_at() {
                *lock(&bell.rings) += 1;
                bell.rung.notify_all();
            }
        }
    }

    /// Calls `look` and, if it returns `None`, sleeps until a ring, for at most `limit`.
    ///
    /// Returns the result of `look`; after a ring or a timeout the caller checks its condition
    /// itself.
    pub(crate) fn sleep<T>(
        &self,
        limit: Option<Duration>,
        look: impl FnOnce() -> Option<T>,
    ) -> Option<T> {
        self.sleepers.fetch_add(1, Ordering::SeqCst);
        // The count of rings is read before the check, so a ring in between ends the sleep.
        let before = *lock(&self.rings);
        // It is also read before this: a thread that sets the flag later rings after the count was
        // read. The ring of a thread that set it earlier may have been for a thread that found work
        // by itself.
        self.waking.swap(false, Ordering::SeqCst);
        let found = look();
        if found.is_none() {
            self.wait(before, limit);
        }
        self.sleepers.fetch_sub(1, Ordering::SeqCst);
        self.waking.swap(false, Ordering::SeqCst);
        found
    }

    fn wait(&self, before: u64, limit: Option<Duration>) {
        let mut rings = lock(&self.rings);
        if *rings != before {
            return;
        }
        // One wait is enough even if it ends early: callers check again and come back.
        match limit {
            None => {
                rings = self
                    .rung
                    .wait(rings)
                    .expect("a counter cannot be half changed")
            }
            Some(limit) => {
                let waited = self.rung.wait_timeout(rings, limit);
                rings = waited.expect("a counter cannot be half changed").0;
            }
        }
        drop(rings);
    }
}
