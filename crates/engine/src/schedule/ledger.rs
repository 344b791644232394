// SPDX-License-Identifier: Apache-2.0
//! The account of one rail: its backlog and its measured rates.
//!
//! The values are estimates for assignment, so accesses are relaxed. When two updates of a rate
//! race, one sample is lost. Only the backlog must be exact, so it is changed by atomic additions
//! only, and bytes that move are never missing.

use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicI64, AtomicU64};

use super::{Class, RailTraits};
use crate::api::request::Priority;

/// The weight of a new sample: a rate follows a change within about ten pieces. The same weight as
/// for TCP's round-trip times (RFC 6298, alpha).
const WEIGHT: f64 = 1.0 / 8.0;

/// The most by which the costs of all classes change together, and its inverse. Threads that race
/// may record a sample for the class and not for all classes, or the reverse; such errors add up.
const DRIFT_MAX: f64 = 64.0;

/// A sample is limited to this many times the estimate, and to its inverse, so that a worker that
/// lost its CPU for a time slice does not make its rail look dead. A change by a factor of ten is
/// still followed within four pieces.
const OUTLIER: f64 = 8.0;

/// The upper bound of the bytes that are worth a handoff: a rail of many threads hands work to
/// several of them, so the bound is what the fastest core, at 10 GB a second, does while another
/// thread wakes up.
const HANDOFF_BYTES_MAX: f64 = (256 << 10) as f64;

/// Bytes assigned and not yet done, by priority.
#[derive(Debug, Default)]
pub(super) struct Backlog([AtomicI64; Priority::ALL.len()]);

impl Backlog {
    pub(super) fn add(&self, priority: Priority, data_bytes: usize) {
        self.0[priority as usize].fetch_add(data_bytes as i64, Relaxed);
    }

    /// Removes bytes. A thread that reads the smaller number also sees all bytes that this thread
    /// added before.
    pub(super) fn remove(&self, priority: Priority, data_bytes: usize) {
        self.0[priority as usize].fetch_sub(data_bytes as i64, Release);
    }

    /// Returns the bytes that precede new work of this priority: all that is at least as urgent, or
    /// begun.
    ///
    /// Of additions and removals by different threads, a removal may be visible first.
    pub(super) fn ahead(&self, priority: Priority) -> usize {
        // The most urgent ones last: bytes that are begun move there, and are not missed.
        let urgent = self.0[..=priority as usize].iter().rev();
        let bytes: i64 = urgent.map(|bytes| bytes.load(Acquire)).sum();
        usize::try_from(bytes).unwrap_or(0)
    }

    /// Returns the bytes of all priorities.
    pub(super) fn bytes(&self) -> usize {
        self.ahead(Priority::Background)
    }

    #[cfg(test)]
    pub(super) fn signed(&self) -> [i64; Priority::ALL.len()] {
        Priority::ALL.map(|priority| self.0[priority as usize].load(Relaxed))
    }
}

/// A floating-point number that several threads read and write atomically.
#[derive(Debug, Default)]
struct Number(AtomicU64);

impl Number {
    fn get(&self) -> f64 {
        f64::from_bits(self.0.load(Relaxed))
    }

    fn set(&self, value: f64) {
        self.0.store(value.to_bits(), Relaxed);
    }
}

/// One rail's account. On cache lines of its own, because workers of one rail write to it while
/// others read theirs.
#[derive(Debug)]
#[repr(align(128))]
pub(super) struct Ledger {
    pub(super) traits: RailTraits,
    pub(super) backlog: Backlog,
    /// Nanoseconds per byte, all workers together, divided by `drift`; 0 while unknown.
    cost: [Number; Class::COUNT],
    /// The factor by which the costs of all classes have changed since they were first measured,
    /// minus 1.
    drift: Number,
    /// Nanoseconds and bytes of recent pieces of all classes, both exponentially weighted.
    recent_ns: Number,
    recent_bytes: Number,
    /// Their quotient; initially from the prior rate.
    recent_cost: Number,
    done_bytes: AtomicU64,
    done_pieces: AtomicU64,
    assigned_ns: AtomicU64,
}

impl Ledger {
    pub(super) fn new(traits: RailTraits) -> Self {
        let recent_cost = Number::default();
        recent_cost.set(1e9 / traits.prior_rate);
        Self {
            traits,
            backlog: Backlog::default(),
            cost: [const { Number(AtomicU64::new(0)) }; Class::COUNT],
            drift: Number::default(),
            recent_ns: Number::default(),
            recent_bytes: Number::default(),
            recent_cost,
            done_bytes: AtomicU64::new(0),
            done_pieces: AtomicU64::new(0),
            assigned_ns: AtomicU64::new(0),
        }
    }

    /// Records that one worker was busy with a piece for `busy_ns`.
    pub(super) fn measured(&self, class: Class, data_bytes: usize, busy_ns: u64) {
        self.done_bytes.fetch_add(data_bytes as u64, Relaxed);
        self.done_pieces.fetch_add(1, Relaxed);
        if data_bytes == 0 {
            return;
        }
        let bytes = data_bytes as f64;
        let sample = busy_ns.max(1) as f64 / (bytes * self.traits.workers as f64);
        let sample = match self.cost_measured(class) {
            Some(known) => {
                let off = (sample / known).clamp(1.0 / OUTLIER, OUTLIER);
                let step = 1.0 + (off - 1.0) * WEIGHT;
                // When a rail becomes slower or faster, all its classes do, including those that it
                // is no longer assigned; when one class does, the pieces of some tasks are enough
                // to separate it from the others. Both factors are powers of one step: noise that
                // leaves their product as it is then changes neither of them.
                let cost = &self.cost[class.index()];
                cost.set(cost.get() * step.sqrt().sqrt());
                let drift = (self.drift() * step).clamp(1.0 / DRIFT_MAX, DRIFT_MAX);
                self.drift.set(drift - 1.0);
                known * off
            }
            None => {
                // A piece whose worker lost the CPU must not stand for its class: the rail might
                // never be assigned such a piece again.
                let known = self.cost_overall();
                let bounded = sample.clamp(known / OUTLIER, known * OUTLIER);
                if bounded == sample {
                    self.cost[class.index()].set(sample / self.drift());
                }
                bounded
            }
        };
        let fade = |sum: &Number, value: f64| {
            let faded = sum.get() * (1.0 - WEIGHT) + value;
            sum.set(faded);
            faded
        };
        let recent_ns = fade(&self.recent_ns, sample * bytes);
        self.recent_cost
            .set(recent_ns / fade(&self.recent_bytes, bytes));
    }

    fn drift(&self) -> f64 {
        1.0 + self.drift.get()
    }

    /// Returns the nanoseconds per byte, all workers together, if measured.
    pub(super) fn cost_measured(&self, class: Class) -> Option<f64> {
        let cost = self.cost[class.index()].get();
        (cost > 0.0).then(|| cost * self.drift())
    }

    /// Returns the cost of this class, or of all classes if this one is not measured.
    pub(super) fn cost(&self, class: Class) -> f64 {
        self.cost_measured(class)
            .unwrap_or_else(|| self.cost_overall())
    }

    /// Returns the cost of recent pieces of all classes; before the first piece, by the prior rate.
    pub(super) fn cost_overall(&self) -> f64 {
        self.recent_cost.get()
    }

    /// Returns the minimum piece in bytes of data. For a smaller one, the fixed cost would exceed
    /// the work, or another thread would begin it later than this thread could finish it.
    ///
    /// `cost` should be that of whole tasks: the cost of assignments rises as they get smaller, so
    /// with their own cost they would shrink to `smallest_bytes`.
    pub(super) fn smallest(&self, cost: f64) -> f64 {
        let during_handoff = self.traits.handoff.as_nanos() as f64 / cost;
        let smallest = self.traits.smallest_bytes as f64;
        smallest.max(during_handoff.min(HANDOFF_BYTES_MAX)).max(1.0)
    }

    /// Returns the bytes of data done so far.
    pub(super) fn done_bytes(&self) -> u64 {
        self.done_bytes.load(Relaxed)
    }

    /// Returns the number of pieces done so far.
    pub(super) fn done_pieces(&self) -> u64 {
        self.done_pieces.load(Relaxed)
    }

    /// Returns when work was last assigned to it.
    pub(super) fn assigned_ns(&self) -> u64 {
        self.assigned_ns.load(Relaxed)
    }

    pub(super) fn set_assigned_ns(&self, now_ns: u64) {
        self.assigned_ns.store(now_ns, Relaxed);
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::time::Duration;

    use stripeline_codec::hash::split_mix;
    use stripeline_rail::Mode;

    use super::*;
    use crate::schedule::{BEGUN, COMMON, Policy, Scheduler};

    fn traits() -> RailTraits {
        RailTraits {
            workers: 1,
            granule_bytes: 1,
            piece_bytes: 1 << 20,
            room_bytes: None,
            smallest_bytes: 1,
            handoff: Duration::ZERO,
            prior_rate: 1e9,
            shares_cpus: false,
        }
    }

    /// A call that found the bytes nowhere would overtake them.
    #[test]
    fn bytes_that_move_are_never_missing() {
        let first_come = Scheduler::new(Policy::FirstCome, &[traits()]);
        let background = Priority::Background;
        let (moving, read) = (AtomicUsize::new(0), AtomicUsize::new(0));
        let rounds = 1..=20_000;
        let await_round = |of: &AtomicUsize, round| {
            for spins in 1.. {
                if of.load(Ordering::Acquire) >= round {
                    break;
                }
                if spins % 1000 == 0 {
                    std::thread::yield_now();
                }
                std::hint::spin_loop();
            }
        };
        let missing = std::thread::scope(|scope| {
            let reader = scope.spawn(|| {
                let is_missing = |round: &usize| {
                    await_round(&moving, *round);
                    let common = first_come.ahead_bytes(COMMON, background);
                    let bytes = common + first_come.ahead_bytes(0, background);
                    read.store(*round, Ordering::Release);
                    bytes == 0
                };
                rounds.clone().filter(is_missing).count()
            });
            for round in rounds.clone() {
                first_come.placed(COMMON, background, 1 << 20);
                moving.store(round, Ordering::Release);
                // So that the reader meets each step of the move in some round.
                (0..round % 100).for_each(|_| std::hint::spin_loop());
                first_come.moved(COMMON, 0, background, 1 << 20);
                first_come.begun(0, background, 1 << 20);
                await_round(&read, round);
                first_come.dropped(0, BEGUN, 1 << 20);
            }
            reader.join().expect("no panic")
        });
        assert_eq!(missing, 0);
    }

    #[test]
    fn noise_of_one_class_does_not_change_the_cost_of_another() {
        let bytes = 1 << 20;
        let ledger = Ledger::new(traits());
        let classes = [Mode::Set, Mode::Add].map(|mode| Class::of(mode, 1, bytes));
        // One nanosecond a byte.
        for class in classes {
            ledger.measured(class, bytes, bytes as u64);
        }
        let mut seed = 1;
        for _ in 0..100_000 {
            let noise = (split_mix(&mut seed) >> 11) as f64 / (1_u64 << 53) as f64;
            let busy_ns = bytes as f64 * (0.75 + 0.5 * noise);
            ledger.measured(classes[0], bytes, busy_ns as u64);
        }
        let costs = classes.map(|class| ledger.cost(class));
        assert!(
            costs.iter().all(|cost| (0.8..1.25).contains(cost)),
            "{costs:?}"
        );
    }
}
