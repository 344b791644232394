// SPDX-License-Identifier: Apache-2.0
//! Limits the threads that code for a rail to the process' share of the CPUs.

use crate::core::doorbell::Doorbell;
use crate::core::shared::Core;
use crate::core::sync::atomic::{AtomicU64, Ordering};

/// The threads that code for one rail: its workers, and waiting threads that help.
#[derive(Debug, Default)]
pub(crate) struct CodingThreads {
    count: Count,
    /// Workers without a permit sleep here.
    pub(crate) room: Doorbell,
}

/// The number of all threads, plus [`HELPER`] for each that helps. Every thread that helps changes
/// it, so it has a cache line of its own.
#[derive(Debug, Default)]
#[repr(align(128))]
struct Count(AtomicU64);

const HELPER: u64 = 1 << 32;

impl CodingThreads {
    /// Returns the number of threads that code now.
    fn all(&self) -> usize {
        (self.count.0.load(Ordering::SeqCst) % HELPER) as usize
    }

    /// Returns whether no thread helps.
    pub(crate) fn is_without_help(&self) -> bool {
        self.count.0.load(Ordering::SeqCst) < HELPER
    }
}

/// A thread's permit to code for a rail, until dropped.
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
        // No worker was woken for work that was added while no permit was free.
        if core.is_limited() {
            core.ring_if_waiting(rail);
        }
        if weight > 1 && core.is_closing() {
            core.unhelped.ring_all();
        }
    }
}

impl Core {
    /// Returns a permit for a worker, if the process' share of the CPUs has one free.
    pub(crate) fn acquire_permit(&self, rail: usize) -> Option<ThreadPermit<'_>> {
        self.acquire_permit_of(rail, 1)
    }

    /// Returns a permit for a thread that helps, if the process' share of the CPUs has one free.
    pub(crate) fn acquire_helper_permit(&self, rail: usize) -> Option<ThreadPermit<'_>> {
        self.acquire_permit_of(rail, HELPER + 1)
    }

    fn acquire_permit_of(&self, rail: usize, weight: u64) -> Option<ThreadPermit<'_>> {
        let count = &self.rail_states[rail].coding_threads.count.0;
        let before = count.fetch_add(weight, Ordering::SeqCst) % HELPER;
        // Dropped below if the share is used up. The drop wakes a thread that was refused because
        // of this brief increment.
        let permit = ThreadPermit {
            core: self,
            rail,
            weight,
        };
        ((before as usize) < self.threads_allowed(rail)).then_some(permit)
    }

    /// Returns whether another thread may code for a rail.
    pub(crate) fn has_room(&self, rail: usize) -> bool {
        self.has_room_for(rail, 1)
    }

    /// Returns whether the number of threads that code for a rail is within the limit.
    pub(crate) fn is_within_share(&self, rail: usize) -> bool {
        self.has_room_for(rail, 0)
    }

    fn has_room_for(&self, rail: usize, more: usize) -> bool {
        let allowed = self.threads_allowed(rail);
        // Without a limit the count, which other threads change, is not read.
        allowed == usize::MAX || self.rail_states[rail].coding_threads.all() + more <= allowed
    }

    /// Waits until no thread helps. Called while the engine is closing.
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
