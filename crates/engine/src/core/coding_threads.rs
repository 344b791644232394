// SPDX-License-Identifier: Apache-2.0
//! How many threads code for a rail, within the share of the CPUs that this process has.

use crate::core::doorbell::Doorbell;
use crate::core::shared::Core;
use crate::core::sync::atomic::{AtomicU64, Ordering};

/// The threads that code for one rail: its workers, and those that help while they wait.
#[derive(Debug, Default)]
pub(crate) struct CodingThreads {
    count: Count,
    /// Where workers sleep that the share has no room for.
    pub(crate) room: Doorbell,
}

/// All threads, and from [`HELPER`] up those that help. Every thread that helps changes it, so it
/// shares no cache line.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Count(AtomicU64);

const HELPER: u64 = 1 << 32;

impl CodingThreads {
    /// Threads that code now.
    fn all(&self) -> usize {
        (self.count.0.load(Ordering::SeqCst) % HELPER) as usize
    }

    /// Whether no thread helps.
    pub(crate) fn is_without_help(&self) -> bool {
        self.count.0.load(Ordering::SeqCst) < HELPER
    }
}

/// A place of a thread among those that code for a rail, until dropped.
pub(crate) struct ThreadPermit<'a> {
    core: &'a Core,
    rail: usize,
    weight: u64,
}

impl Drop for ThreadPermit<'_> {
    fn drop(&mut self) {
        let Self { core, rail, weight } = *self;
        let count = &core.rail_states[rail].coding_threads.count.0;
        count.fetch_sub(weight, Ordering::SeqCst);
        // No worker was woken for work that was added while the share was used up.
        if core.is_limited() {
            core.ring_if_waiting(rail);
        }
        if weight > 1 && core.is_closing() {
            core.unhelped.ring_all();
        }
    }
}

impl Core {
    /// A place for a worker, if the process' share of the CPUs has room.
    pub(crate) fn acquire_permit(&self, rail: usize) -> Option<ThreadPermit<'_>> {
        self.acquire_permit_of(rail, 1)
    }

    /// A place for a thread that helps, if the process' share of the CPUs has room.
    pub(crate) fn acquire_helper_permit(&self, rail: usize) -> Option<ThreadPermit<'_>> {
        self.acquire_permit_of(rail, HELPER + 1)
    }

    fn acquire_permit_of(&self, rail: usize, weight: u64) -> Option<ThreadPermit<'_>> {
        let count = &self.rail_states[rail].coding_threads.count.0;
        let before = count.fetch_add(weight, Ordering::SeqCst) % HELPER;
        // Dropped below if the share is used up. A thread that was refused because of this short
        // increment is woken by the drop.
        let permit = ThreadPermit {
            core: self,
            rail,
            weight,
        };
        ((before as usize) < self.threads_allowed(rail)).then_some(permit)
    }

    /// Whether another thread may code for a rail.
    pub(crate) fn has_room(&self, rail: usize) -> bool {
        self.has_room_for(rail, 1)
    }

    /// Whether no more threads code for a rail than may.
    pub(crate) fn is_within_share(&self, rail: usize) -> bool {
        self.has_room_for(rail, 0)
    }

    fn has_room_for(&self, rail: usize, more: usize) -> bool {
        let allowed = self.threads_allowed(rail);
        // Without a limit the count, which others change, is not looked at.
        allowed == usize::MAX || self.rail_states[rail].coding_threads.all() + more <= allowed
    }

    /// Waits until no thread helps; to be called when the engine is closing.
    pub(crate) fn await_helpers(&self) {
        let is_over = || {
            let mut rail_states = self.rail_states.iter();
            rail_states.all(|state| state.coding_threads.is_without_help())
        };
        while !is_over() {
            self.unhelped.sleep(None, || is_over().then_some(()));
        }
    }
}
