// SPDX-License-Identifier: Apache-2.0
//! The scheduler: assigns tasks, decides what is stolen, and accounts for what was done.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use arrayvec::ArrayVec;

use super::contention::{Controller, Sample};
use super::ledger::{Backlog, Ledger};
use super::split::{self, RailEstimate, RailEstimates, SplitRequest};
use super::{
    Assignment, COMMON, Class, Policy, RAILS_MAX, RailSet, RailSnapshot, RailTraits, Workload,
};
use crate::api::request::Priority;

/// A rail that was assigned nothing for this long, while other rails have a backlog, is assigned
/// one piece, so that the scheduler measures its rate again. A task with such a piece ends no
/// earlier than the slow rail finishes it; this happens at most ten times a second.
const REFRESH_NS: u64 = 100_000_000;

/// The priority that work counts as once it is begun: all other work waits for it.
pub const BEGUN: Priority = Priority::Foreground;

/// The longest time between two probes of a rail that adds nothing to the total, unless configured.
pub const RETRY: Duration = Duration::from_secs(10);

/// The time that a sleeping thread takes to begin with work.
pub const HANDOFF: Duration = Duration::from_micros(25);

/// The policy and what it has measured. Threads share it by reference.
#[derive(Debug)]
pub struct Scheduler {
    policy: Policy,
    ledgers: Box<[Ledger]>,
    cut_bytes: usize,
    common: Backlog,
    in_service: AtomicU32,
    active: AtomicU32,
    /// Rails that have a lane open.
    open: AtomicU32,
    controller: Mutex<Controller>,
}

impl Scheduler {
    /// Creates a scheduler with all rails in service and nothing outstanding.
    ///
    /// # Panics
    /// If there are no rails or more than [`RAILS_MAX`], traits are out of their ranges, or the
    /// policy names a rail that is not there.
    #[must_use]
    pub fn new(policy: Policy, rails: &[RailTraits]) -> Self {
        assert!(
            (1..=RAILS_MAX).contains(&rails.len()),
            "1 to {RAILS_MAX} rails"
        );
        for rail in rails {
            let counts = [rail.workers, rail.granule_bytes, rail.piece_bytes];
            assert!(
                !counts.contains(&0),
                "counts and sizes of {rail:?} are at least 1"
            );
            assert!(
                rail.prior_rate > 0.0,
                "the prior rate of {rail:?} is greater than 0"
            );
        }
        if let Policy::Single(rail) = policy {
            assert!(
                rail < rails.len(),
                "the policy's rail {rail} is one of {}",
                rails.len()
            );
        }
        let all = RailSet::first(rails.len());
        let mut rate = [0.0; RAILS_MAX];
        for (rate, rail) in rate.iter_mut().zip(rails) {
            *rate = rail.prior_rate;
        }
        let sharing = all.iter().filter(|rail| rails[*rail].shares_cpus).collect();
        let controller = Controller::new(all, sharing, &rate, nanoseconds(RETRY));
        Self {
            policy,
            ledgers: rails.iter().cloned().map(Ledger::new).collect(),
            cut_bytes: split::cut_bytes(rails.iter().map(|rail| rail.granule_bytes)),
            common: Backlog::default(),
            in_service: AtomicU32::new(all.bits()),
            active: AtomicU32::new(controller.active().bits()),
            open: AtomicU32::new(all.bits()),
            controller: Mutex::new(controller),
        }
    }

    /// Sets the longest time between two probes of an inactive rail, instead of [`RETRY`].
    #[must_use]
    pub fn with_retry_interval(mut self, retry: Duration) -> Self {
        let controller = self.controller.get_mut();
        let controller = controller.unwrap_or_else(PoisonError::into_inner);
        controller.set_interval_max(nanoseconds(retry));
        self
    }

    /// Splits a new task of at least 1 byte over rails in `eligible`: replaces `assignments` by the
    /// part of each rail, and adds it to the rails' backlogs.
    ///
    /// The assignments follow each other in the buffers and sum to the task. Each is a multiple of
    /// its rail's granule, except for the last, which has the tail. Rails that are not active, or
    /// not open, are assigned work only if no other rail takes it. Under [`Policy::FirstCome`] the
    /// only assignment is for [`COMMON`].
    ///
    /// Returns `None` if the policy allows none of the rails that are eligible and in service.
    pub fn assign(
        &self,
        now_ns: u64,
        task: Workload,
        eligible: RailSet,
        assignments: &mut ArrayVec<Assignment, RAILS_MAX>,
    ) -> Option<()> {
        let bytes = task.bytes;
        assignments.clear();
        let serving = eligible.and(self.in_service());
        if serving.is_empty() {
            return None;
        }
        match self.policy {
            Policy::Single(rail) if !serving.contains(rail) => return None,
            Policy::Single(rail) => assignments.push(Assignment { rail, bytes }),
            Policy::FirstCome => assignments.push(Assignment {
                rail: COMMON,
                bytes,
            }),
            Policy::RateAware => {
                let open = serving.and(self.open());
                let rails = [open.and(self.active()), open];
                let rails = rails.into_iter().find(|rails| !rails.is_empty());
                self.assign_by_rate(now_ns, task, rails.unwrap_or(serving), assignments);
            }
        }
        for assignment in assignments {
            self.backlog(assignment.rail)
                .add(task.priority, task.inputs * assignment.bytes);
            if assignment.rail != COMMON {
                self.ledgers[assignment.rail].set_assigned_ns(now_ns);
            }
        }
        Some(())
    }

    fn assign_by_rate(
        &self,
        now_ns: u64,
        task: Workload,
        rails: RailSet,
        assignments: &mut ArrayVec<Assignment, RAILS_MAX>,
    ) {
        let mut estimates = RailEstimates::new();
        let mut stale = None;
        let mut waiting = false;
        for rail in rails.iter() {
            let estimate = self.estimate(rail, task);
            waiting |= estimate.wait_ns > 0.0;
            if now_ns.saturating_sub(self.ledgers[rail].assigned_ns()) > REFRESH_NS {
                // Of the same size class as the task's pieces: a smaller one would not show that
                // the cost of theirs is wrong.
                let least = Class::smallest_like(self.piece_data(rail, task)) as f64;
                stale = Some(RailEstimate {
                    smallest: estimate.smallest.max(least),
                    ..estimate
                });
            }
            estimates.push(estimate);
        }
        let task = self.split_request(task);
        split::assign(&estimates, task, assignments);
        let Some(stale) = stale.filter(|_| waiting && estimates.len() > 1) else {
            return;
        };
        if assignments
            .iter()
            .all(|assignment| assignment.rail != stale.rail)
        {
            split::refresh(&stale, task, assignments);
        }
    }

    fn split_request(&self, task: Workload) -> SplitRequest {
        SplitRequest {
            inputs: task.inputs,
            bytes: task.bytes,
            cut_bytes: self.cut_bytes,
        }
    }

    /// Returns the bytes of data, all inputs together, of the task's largest piece on a rail.
    fn piece_data(&self, rail: usize, task: Workload) -> usize {
        let most = self.ledgers[rail].traits.piece_bytes_max(task);
        task.inputs * task.bytes.min(most)
    }

    fn estimate(&self, rail: usize, task: Workload) -> RailEstimate {
        let ledger = &self.ledgers[rail];
        let traits = &ledger.traits;
        let cost = ledger.cost(task.class.sized(self.piece_data(rail, task)));
        // The backlog is not of this task's class: it is estimated by what was done recently.
        let wait_ns = ledger.backlog.ahead(task.priority) as f64 * ledger.cost_overall();
        RailEstimate {
            rail,
            cost,
            rate: 1.0 / cost,
            wait_ns,
            workers: traits.workers as f64,
            smallest: ledger.smallest(cost),
            granule_bytes: traits.granule_bytes,
        }
    }

    /// Returns how many bytes of each buffer an idle worker of rail `thief` should take from the
    /// tail of an assignment of which `remaining` waits on rail `victim`. The two rails may be the
    /// same. The result is all bytes, 0, or a part; a part leaves the victim at least its minimum
    /// piece and a multiple of all granules.
    ///
    /// The part is chosen so that both rails end at the same time, given all work of the victim
    /// that is as urgent; stealing therefore never delays a task. Report what was taken with
    /// [`Scheduler::moved`].
    #[must_use]
    pub fn steal(&self, thief: usize, victim: usize, remaining: Workload) -> usize {
        let active_in_service = self.in_service().and(self.active()).and(self.open());
        if remaining.bytes == 0
            || self.policy != Policy::RateAware
            || !active_in_service.contains(thief)
        {
            return 0;
        }
        if !self.in_service().contains(victim) {
            return remaining.bytes;
        }
        let mut victim_estimate = self.estimate(victim, remaining);
        let mut thief_estimate = self.estimate(thief, remaining);
        thief_estimate.rate /= thief_estimate.workers;
        if thief == victim {
            // Another worker of the same rail has the assignment: the two workers halve it.
            (victim_estimate.rate, victim_estimate.wait_ns) = (thief_estimate.rate, 0.0);
        }
        split::steal(
            &victim_estimate,
            &thief_estimate,
            self.split_request(remaining),
        )
    }

    /// Returns how many bytes of each buffer a worker of `rail` should take from the head of an
    /// assignment of which `remaining` is left, at least 1 byte: all, or a multiple of all
    /// granules.
    ///
    /// Each worker takes the remaining bytes divided by the number of workers, but not less than
    /// the rail's minimum piece (guided self-scheduling: Polychronopoulos and Kuck, 1987). The
    /// assignment then ends as soon as the rate of the whole rail allows. [`Policy::FirstCome`],
    /// and work that a device copies itself, limit pieces only by the rail's largest piece.
    #[must_use]
    pub fn piece(&self, rail: usize, remaining: Workload) -> usize {
        let Workload { inputs, bytes, .. } = remaining;
        let ledger = &self.ledgers[rail];
        let traits = &ledger.traits;
        let worthwhile = (inputs * bytes) as f64 / ledger.smallest(ledger.cost_overall());
        // A device is not faster if two workers feed it, and each cut costs copies and a launch.
        let feeds_device = remaining.unstaged && traits.room_bytes.is_some();
        let parts = match self.policy {
            _ if feeds_device => 1,
            Policy::FirstCome => 1,
            Policy::Single(_) | Policy::RateAware => (worthwhile as usize).clamp(1, traits.workers),
        };
        let piece = bytes.div_ceil(parts).min(traits.piece_bytes_max(remaining));
        if piece == bytes {
            return bytes;
        }
        let cuts = (piece / self.cut_bytes).max(1);
        bytes.min(cuts * self.cut_bytes)
    }

    /// Returns the estimated nanoseconds that one worker of `rail` takes for the first piece of
    /// this work, which has at least 1 byte.
    #[must_use]
    pub fn piece_ns(&self, rail: usize, task: Workload) -> f64 {
        let bytes = self.piece(rail, task);
        let estimate = self.estimate(rail, Workload { bytes, ..task });
        (task.inputs * bytes) as f64 * estimate.cost * estimate.workers
    }

    /// Moves `data_bytes` bytes of data, all inputs together, from the backlog of one rail (or
    /// [`COMMON`]) to that of another. A thread that reads the backlog of `from` first finds them
    /// in one of both.
    pub fn moved(&self, from: usize, to: usize, priority: Priority, data_bytes: usize) {
        if from != to {
            self.backlog(to).add(priority, data_bytes);
            self.backlog(from).remove(priority, data_bytes);
        }
    }

    /// Removes `data_bytes` bytes of data that were assigned to a rail (or [`COMMON`]) and that it
    /// will not do: cancelled, failed, or taken from a rail in quarantine.
    pub fn dropped(&self, rail: usize, priority: Priority, data_bytes: usize) {
        self.backlog(rail).remove(priority, data_bytes);
    }

    /// Adds `data_bytes` bytes of data that a rail is to do without an assignment:
    /// where no rail that the policy allows is in service.
    pub fn placed(&self, rail: usize, priority: Priority, data_bytes: usize) {
        self.backlog(rail).add(priority, data_bytes);
    }

    /// Records that a worker of `rail` has begun `data_bytes` bytes of data, assigned or moved to
    /// the rail before. They count as [`BEGUN`] until [`finished`](Self::finished) or
    /// [`dropped`](Self::dropped).
    pub fn begun(&self, rail: usize, priority: Priority, data_bytes: usize) {
        if priority != BEGUN {
            self.backlog(rail).add(BEGUN, data_bytes);
            self.backlog(rail).remove(priority, data_bytes);
        }
    }

    /// Records that a worker of `rail` has done `data_bytes` bytes of data, begun before, as one
    /// piece in `busy_ns`. `class` is that of the piece, not of its task.
    pub fn finished(&self, rail: usize, class: Class, data_bytes: usize, busy_ns: u64) {
        self.backlog(rail).remove(BEGUN, data_bytes);
        self.ledgers[rail].measured(class, data_bytes, busy_ns);
    }

    /// Puts a rail into service or takes it out: it is then assigned nothing, and its rates are
    /// kept.
    pub fn set_in_service(&self, rail: usize, in_service: bool) {
        let bit = RailSet::only(rail).bits();
        if in_service {
            self.in_service.fetch_or(bit, Relaxed);
        } else {
            self.in_service.fetch_and(!bit, Relaxed);
        }
    }

    /// Sets whether a rail has a lane open and can begin at once; true initially.
    pub fn set_open(&self, rail: usize, open: bool) {
        let bit = RailSet::only(rail).bits();
        if open {
            self.open.fetch_or(bit, Relaxed);
        } else {
            self.open.fetch_and(!bit, Relaxed);
        }
    }

    /// Returns the rails that have a lane open.
    #[must_use]
    pub fn open(&self) -> RailSet {
        RailSet::from_bits(self.open.load(Relaxed))
    }

    /// Returns whether this work is worth a rail's fixed cost.
    #[must_use]
    pub fn is_worthwhile(&self, rail: usize, task: Workload) -> bool {
        let ledger = &self.ledgers[rail];
        task.inputs.saturating_mul(task.bytes) as f64 >= ledger.smallest(ledger.cost_overall())
    }

    /// Returns the rails in service.
    #[must_use]
    pub fn in_service(&self) -> RailSet {
        RailSet::from_bits(self.in_service.load(Relaxed))
    }

    /// Updates the contention controller with what was done until now. One thread calls this every
    /// few milliseconds while there is work; `saturated` says that work was waiting throughout
    /// since the last call, so that the rails, not the callers, limited the throughput.
    pub fn tick(&self, now_ns: u64, saturated: bool) {
        if self.policy != Policy::RateAware {
            return;
        }
        // One thread ticks; of two concurrent ticks one is enough.
        let Ok(mut controller) = self.controller.try_lock() else {
            return;
        };
        let mut sample = Sample {
            now_ns,
            saturated,
            in_service: self.in_service().and(self.open()),
            done_bytes: 0,
            done_pieces: 0,
            backlog: [0; RAILS_MAX],
            rate: [0.0; RAILS_MAX],
        };
        for (rail, ledger) in self.ledgers.iter().enumerate() {
            sample.done_bytes += ledger.done_bytes();
            sample.done_pieces += ledger.done_pieces();
            sample.backlog[rail] = ledger.backlog.bytes();
            sample.rate[rail] = 1.0 / ledger.cost_overall();
        }
        self.active.store(controller.step(&sample).bits(), Relaxed);
    }

    /// Returns whether a rail is assigned work while it is in service, and may steal.
    #[must_use]
    pub fn is_active(&self, rail: usize) -> bool {
        self.active().contains(rail)
    }

    fn active(&self) -> RailSet {
        RailSet::from_bits(self.active.load(Relaxed))
    }

    /// Returns the bytes of data assigned to a rail (or [`COMMON`]) and not done that precede new
    /// work of this priority.
    #[must_use]
    pub fn ahead_bytes(&self, rail: usize, priority: Priority) -> usize {
        self.backlog(rail).ahead(priority)
    }

    /// Returns the bytes of data assigned to a rail (or [`COMMON`]) and not done.
    #[must_use]
    pub fn backlog_bytes(&self, rail: usize) -> usize {
        self.backlog(rail).bytes()
    }

    /// Returns the bytes of each priority that are assigned to a rail (or [`COMMON`]) and not done:
    /// never less than 0, unless something was subtracted twice.
    #[cfg(test)]
    pub(crate) fn signed_backlog(&self, rail: usize) -> [i64; Priority::ALL.len()] {
        self.backlog(rail).signed()
    }

    fn backlog(&self, rail: usize) -> &Backlog {
        if rail == COMMON {
            &self.common
        } else {
            &self.ledgers[rail].backlog
        }
    }

    /// Returns the recent rate of a rail in bytes of data a second, all its workers together; the
    /// prior rate before its first piece.
    #[must_use]
    pub fn rate(&self, rail: usize) -> f64 {
        1e9 / self.ledgers[rail].cost_overall()
    }

    /// Returns the state of each rail, by index.
    #[must_use]
    pub fn snapshot(&self) -> Vec<RailSnapshot> {
        let rails = 0..self.ledgers.len();
        rails.map(|rail| self.rail_snapshot(rail)).collect()
    }

    /// Returns the state of a rail.
    ///
    /// # Panics
    /// If there is no rail of this number.
    #[must_use]
    pub fn rail_snapshot(&self, rail: usize) -> RailSnapshot {
        let controller = self.controller.lock();
        let controller = controller.unwrap_or_else(PoisonError::into_inner);
        RailSnapshot {
            active: controller.is_active(rail),
            backlog_bytes: self.backlog_bytes(rail),
            rate: self.rate(rail),
        }
    }
}

/// Returns a duration in nanoseconds, at most 584 years.
pub(crate) fn nanoseconds(time: Duration) -> u64 {
    u64::try_from(time.as_nanos()).unwrap_or(u64::MAX)
}

#[cfg(test)]
mod tests;
