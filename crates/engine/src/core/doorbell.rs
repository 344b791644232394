// SPDX-License-Identifier: Apache-2.0
//! Sleeping until something may have changed, without a lost wake-up and without a lock where
//! nobody sleeps.
//!
//! The sleeper counts itself, looks once more and only then waits; the ringer changes the world
//! first and then looks for sleepers. One of the two sees the other, because both sides pass a
//! sequentially consistent operation between their write and their read. `core/permute.rs` runs the
//! protocol under a permutation tester.

use std::time::Duration;

use crate::core::sync::atomic::{AtomicBool, AtomicUsize, Ordering, fence};
use crate::core::sync::{Condvar, Mutex, lock};

/// What sleeping threads wait for.
#[derive(Debug, Default)]
pub(crate) struct Doorbell {
    sleepers: AtomicUsize,
    /// One sleeper is being woken and has not looked yet.
    waking: AtomicBool,
    rings: Mutex<u64>,
    rung: Condvar,
}

impl Doorbell {
    /// Whether somebody sleeps or is about to.
    pub(crate) fn has_sleepers(&self) -> bool {
        fence(Ordering::SeqCst);
        self.is_waited_at()
    }

    /// The same after the caller's fence.
    fn is_waited_at(&self) -> bool {
        self.sleepers.load(Ordering::SeqCst) > 0
    }

    /// Wakes one sleeper, after the change that it waits for has been made, unless one is being
    /// woken already: a wake-up is a system call. Who wakes up and finds more than it can do must
    /// ring again.
    pub(crate) fn ring_one(&self) {
        // Whoever clears the flag looks afterwards, and sees the change made before this.
        if self.has_sleepers() && !self.waking.swap(true, Ordering::SeqCst) {
            *lock(&self.rings) += 1;
            self.rung.notify_one();
        }
    }

    /// Wakes all sleepers.
    pub(crate) fn ring_all(&self) {
        Self::ring_each([self]);
    }

    /// Wakes all sleepers of several: a fence takes as long as many looks at memory.
    pub(crate) fn ring_each<const COUNT: usize>(bells: [&Self; COUNT]) {
        fence(Ordering::SeqCst);
        for bell in bells {
            if bell.is_waited_at() {
                *lock(&bell.rings) += 1;
                bell.rung.notify_all();
            }
        }
    }

    /// Sleeps until `look` gives something or a ring comes, at most `patience`.
    ///
    /// Returns what `look` gave before sleeping; after a ring or at the end of patience the caller
    /// looks for itself.
    pub(crate) fn sleep<T>(
        &self,
        patience: Option<Duration>,
        look: impl FnOnce() -> Option<T>,
    ) -> Option<T> {
        self.sleepers.fetch_add(1, Ordering::SeqCst);
        // Rings are counted from before the look: one that comes in between ends the sleep.
        let before = *lock(&self.rings);
        // And from before this: whoever sets the flag afterwards rings after the count was taken. The
        // ring of one who set it earlier may have been meant for someone who found something himself.
        self.waking.swap(false, Ordering::SeqCst);
        let found = look();
        if found.is_none() {
            self.wait(before, patience);
        }
        self.sleepers.fetch_sub(1, Ordering::SeqCst);
        self.waking.swap(false, Ordering::SeqCst);
        found
    }

    fn wait(&self, before: u64, patience: Option<Duration>) {
        let mut rings = lock(&self.rings);
        if *rings != before {
            return;
        }
        // One wait is enough even if it ends early: callers look again and come back.
        match patience {
            None => {
                rings = self
                    .rung
                    .wait(rings)
                    .expect("a counter cannot be half changed")
            }
            Some(patience) => {
                let waited = self.rung.wait_timeout(rings, patience);
                rings = waited.expect("a counter cannot be half changed").0;
            }
        }
        drop(rings);
    }
}
