// SPDX-License-Identifier: Apache-2.0
//! A cache of one codec's decode plans, with lock-free lookup and bounded memory.
//!
//! The cache is a table of slots, allocated once. A plan's key (survivors read, units requested)
//! hashes to a set of [`WAYS`] adjacent slots; a miss builds the plan and replaces one of them.
//! Readers protect a slot by a hazard pointer (`arc-swap`), so a plan that is replaced while in use
//! lives until its last user is done. Two threads that miss the same key both build the plan and
//! both store it: work is duplicated, but no thread waits.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use arc_swap::ArcSwapOption;

use crate::plan::Plan;
use crate::unit_set::UnitSet;

/// The number of slots that one key may occupy.
const WAYS: usize = 4;

/// The bytes that all plans of one codec may take together, unless that is less than [`SLOTS_MIN`]
/// plans.
const BYTES_BUDGET: usize = 2 << 20;

/// The least number of slots, so that wide codes (128+128 has plans of 896 KiB) still keep a few
/// plans.
const SLOTS_MIN: usize = 8;

/// The greatest number of slots: no HDFS policy has more patterns in use at once.
const SLOTS_MAX: usize = 1024;

#[derive(Debug)]
pub(crate) struct PlanCache {
    slots: Box<[ArcSwapOption<Plan>]>,
    replaced: AtomicUsize,
}

impl PlanCache {
    /// Creates a cache for plans of at most `plan_bytes` each.
    pub(crate) fn new(plan_bytes: usize) -> Self {
        let affordable = (BYTES_BUDGET / plan_bytes).clamp(SLOTS_MIN, SLOTS_MAX);
        // A power of two, rounded down, so that a mask selects the slot from the hash.
        let slots = 1 << affordable.ilog2();
        Self {
            slots: (0..slots).map(|_| ArcSwapOption::empty()).collect(),
            replaced: AtomicUsize::new(0),
        }
    }

    /// Calls `run` with the plan for this key, building it if it is not cached.
    pub(crate) fn with_plan<R>(
        &self,
        survivors: &UnitSet,
        erased: &[usize],
        build: impl FnOnce() -> Plan,
        run: impl FnOnce(&Plan) -> R,
    ) -> R {
        let set = self.set_of(survivors, erased);
        for slot in set {
            let cached = slot.load();
            if let Some(plan) = cached.as_ref()
                && plan.answers(survivors, erased)
            {
                return run(plan);
            }
        }
        let plan = Arc::new(build());
        self.victim(set).store(Some(Arc::clone(&plan)));
        run(&plan)
    }

    fn set_of(&self, survivors: &UnitSet, erased: &[usize]) -> &[ArcSwapOption<Plan>] {
        let sets = self.slots.len() / WAYS;
        let set = (hash(survivors, erased) >> 32) as usize & (sets - 1);
        &self.slots[set * WAYS..(set + 1) * WAYS]
    }

    fn victim<'a>(&self, set: &'a [ArcSwapOption<Plan>]) -> &'a ArcSwapOption<Plan> {
        set.iter()
            .find(|slot| slot.load().is_none())
            .unwrap_or_else(|| &set[self.replaced.fetch_add(1, Ordering::Relaxed) % WAYS])
    }
}

/// Hashes by a multiplication and a rotation per word; the multiplier is 2^64 divided by the golden
/// ratio, made odd.
fn hash(survivors: &UnitSet, erased: &[usize]) -> u64 {
    const MULTIPLIER: u64 = 0x9e37_79b9_7f4a_7c15;
    let words = survivors
        .words()
        .into_iter()
        .chain(erased.iter().map(|unit| *unit as u64));
    words.fold(MULTIPLIER, |state, word| {
        (state.rotate_left(29) ^ word).wrapping_mul(MULTIPLIER)
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::plan::ParityMatrix;

    fn plan_for(survivor: usize, erased: &[usize]) -> (UnitSet, Plan) {
        let mut survivors = UnitSet::default();
        survivors.insert(survivor);
        let values = [1; 255];
        let parity = ParityMatrix {
            values: &values,
            data_units: 1,
            parity_units: 255,
        };
        (survivors, Plan::build(parity, &survivors, erased))
    }

    #[test]
    fn finds_what_was_built_until_it_is_replaced() {
        let cache = PlanCache::new(BYTES_BUDGET);
        assert_eq!(cache.slots.len(), SLOTS_MIN);
        let mut builds = 0;
        for round in 0..2 {
            for unit in 1..=200 {
                let (survivors, plan) = plan_for(0, &[unit]);
                let build = || {
                    builds += 1;
                    plan
                };
                cache.with_plan(&survivors, &[unit], build, |plan| {
                    assert!(plan.answers(&survivors, &[unit]), "round {round}");
                });
            }
        }
        assert!(builds > 200, "eight slots cannot hold 200 plans");
        let (survivors, _) = plan_for(0, &[200]);
        cache.with_plan(&survivors, &[200], || panic!("was just used"), |_| ());
    }

    #[test]
    fn size_follows_the_budget() {
        assert_eq!(PlanCache::new(1).slots.len(), SLOTS_MAX);
        assert_eq!(PlanCache::new(BYTES_BUDGET / 100).slots.len(), 64);
        assert_eq!(PlanCache::new(usize::MAX).slots.len(), SLOTS_MIN);
    }
}
