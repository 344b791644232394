// SPDX-License-Identifier: Apache-2.0
//! Finds where a task ends soonest: whole on one rail, or split over several by byte range.
//!
//! Work assigned to a rail waits until the rail's backlog is done. A task split so that all its
//! assignments end together ends at the time `T` until which the rails can do as many bytes as the
//! task has: `sum(rate * T - backlog)`.

use std::cmp::Reverse;

use arrayvec::ArrayVec;

use super::{Assignment, RAILS_MAX, RailSet};

/// A split must end a task sooner by this part, because each of its pieces has a fixed cost. Less
/// than a tenth, which is what a rail adds to one that is ten times faster.
const SPLIT_GAIN: f64 = 1.0 / 32.0;

/// Cuts lie on cache lines even if rails have smaller granules: a line of an output that two rails
/// write would move between their caches.
const LINE_BYTES: usize = 64;

/// The bytes to be split or stolen.
#[derive(Clone, Copy, Debug)]
pub(super) struct SplitRequest {
    pub(super) inputs: usize,
    /// Bytes of each buffer.
    pub(super) bytes: usize,
    /// Cuts lie at multiples of this.
    pub(super) cut_bytes: usize,
}

impl SplitRequest {
    fn data(&self) -> f64 {
        (self.inputs * self.bytes) as f64
    }
}

/// Returns the least common multiple of all granules and of a cache line, in bytes. Tasks are split
/// only at multiples of it.
pub(super) fn cut_bytes(granules: impl Iterator<Item = usize>) -> usize {
    granules.fold(LINE_BYTES, |cut, granule| {
        let (mut divisor, mut rest) = (cut, granule);
        while rest != 0 {
            (divisor, rest) = (rest, divisor % rest);
        }
        cut / divisor * granule
    })
}

/// A rail that may get an assignment, and the estimates of its speed.
#[derive(Clone, Copy, Debug)]
pub(super) struct RailEstimate {
    pub(super) rail: usize,
    /// Nanoseconds per byte, all workers together, and its inverse.
    pub(super) cost: f64,
    pub(super) rate: f64,
    /// Nanoseconds until the backlog is done.
    pub(super) wait_ns: f64,
    pub(super) workers: f64,
    /// Bytes of data below which an assignment is not worth its fixed cost.
    pub(super) smallest: f64,
    pub(super) granule_bytes: usize,
}

pub(super) type RailEstimates = ArrayVec<RailEstimate, RAILS_MAX>;

impl RailEstimate {
    /// Returns the time at which the rail would have done `data` more bytes. All workers share the
    /// data of their rail, but one worker alone does a piece of the minimum size.
    fn completion_ns(&self, data: f64) -> f64 {
        let alone_ns = data.min(self.smallest) * self.cost * self.workers;
        (self.wait_ns + data * self.cost).max(alone_ns)
    }

    /// Returns the bytes of data that the rail can do until `end_ns`.
    fn capacity(&self, end_ns: f64) -> f64 {
        (end_ns - self.wait_ns) * self.rate
    }

    /// Returns the size of the rail's part, if all rails end at `end_ns`, as a multiple of its
    /// minimum piece.
    fn worth(&self, end_ns: f64) -> f64 {
        let by_size = self.capacity(end_ns) / self.smallest;
        by_size.min(end_ns / (self.smallest * self.cost * self.workers))
    }

    fn is_worthwhile(&self, end_ns: f64) -> bool {
        self.capacity(end_ns) >= self.smallest && end_ns >= self.smallest * self.cost * self.workers
    }
}

/// Assigns a task: whole to one rail, or split.
pub(super) fn assign(
    estimates: &RailEstimates,
    task: SplitRequest,
    assignments: &mut ArrayVec<Assignment, RAILS_MAX>,
) {
    let data = task.data();
    let (best, best_ns) = soonest(estimates, data);
    if estimates.len() > 1 && task.bytes > task.cut_bytes {
        let (end_ns, sharing) = balanced_end(estimates, data);
        if sharing.count() > 1 && end_ns < best_ns * (1.0 - SPLIT_GAIN) {
            return cut(estimates, sharing, end_ns, task, assignments);
        }
    }
    let (rail, bytes) = (best.rail, task.bytes);
    assignments.push(Assignment { rail, bytes });
}

/// Returns the rail on which `data` bytes end first, and when.
fn soonest(estimates: &RailEstimates, data: f64) -> (&RailEstimate, f64) {
    let ends = estimates
        .iter()
        .map(|each| (each, each.completion_ns(data)));
    ends.min_by(|(_, a), (_, b)| a.total_cmp(b))
        .expect("the caller has a rail")
}

/// Returns when the task ends if split, and over which of `estimates`, by index: those whose part
/// is worthwhile.
fn balanced_end(estimates: &RailEstimates, data: f64) -> (f64, RailSet) {
    let mut sharing = RailSet::first(estimates.len());
    loop {
        let (mut rate, mut bytes) = (0.0, data);
        for index in sharing.iter() {
            rate += estimates[index].rate;
            bytes += estimates[index].wait_ns * estimates[index].rate;
        }
        let end_ns = bytes / rate;
        let worthwhile = |index: usize| estimates[index].is_worthwhile(end_ns);
        if sharing.count() == 1 || sharing.iter().all(worthwhile) {
            return (end_ns, sharing);
        }
        let by_worth = |a: &usize, b: &usize| {
            let (a, b) = (&estimates[*a], &estimates[*b]);
            a.worth(end_ns).total_cmp(&b.worth(end_ns))
        };
        let worst = sharing.iter().min_by(by_worth).expect("more than one");
        sharing = sharing.without(worst);
    }
}

/// Cuts a task where the rails' assignments end. The last assignment has the remainder of all cuts,
/// so it goes to the rail with the finest granule.
fn cut(
    estimates: &RailEstimates,
    sharing: RailSet,
    end_ns: f64,
    task: SplitRequest,
    assignments: &mut ArrayVec<Assignment, RAILS_MAX>,
) {
    let fineness = |index: &usize| Reverse(estimates[*index].granule_bytes);
    let last = sharing.iter().max_by_key(fineness);
    let last = last.expect("a split has assignments");
    let mut left = task.bytes;
    for index in sharing.without(last).iter() {
        let estimate = &estimates[index];
        let wanted = (estimate.capacity(end_ns) / task.inputs as f64) as usize;
        // Rounding must leave at least one byte for the last assignment.
        let bytes = wanted.min(left - 1) / task.cut_bytes * task.cut_bytes;
        if bytes > 0 {
            let rail = estimate.rail;
            assignments.push(Assignment { rail, bytes });
            left -= bytes;
        }
    }
    let (rail, bytes) = (estimates[last].rail, left);
    assignments.push(Assignment { rail, bytes });
}

/// Assigns one piece of its minimum size to the rail `stale`, so that its rate is measured. The
/// piece is taken from the largest assignment; if that is too small, the rail gets the whole task.
pub(super) fn refresh(
    stale: &RailEstimate,
    task: SplitRequest,
    assignments: &mut ArrayVec<Assignment, RAILS_MAX>,
) {
    let rail = stale.rail;
    let smallest = (stale.smallest as usize).div_ceil(task.inputs).max(1);
    let piece = smallest.next_multiple_of(task.cut_bytes);
    let largest = assignments
        .iter_mut()
        .max_by_key(|assignment| assignment.bytes);
    let largest = largest.expect("an assigned task has an assignment");
    if largest.bytes > piece.saturating_mul(2) {
        largest.bytes -= piece;
        assignments.insert(0, Assignment { rail, bytes: piece });
    } else {
        let bytes = task.bytes;
        assignments.clear();
        assignments.push(Assignment { rail, bytes });
    }
}

/// Returns how many bytes of each buffer `thief` should take of the task that waits at `victim`.
pub(super) fn steal(victim: &RailEstimate, thief: &RailEstimate, task: SplitRequest) -> usize {
    let data = task.data();
    // The victim does what the thief's worker leaves.
    let backlog = (victim.wait_ns * victim.rate).max(data);
    let even = backlog * thief.rate / (thief.rate + victim.rate);
    if even >= data {
        return task.bytes;
    }
    let kept = (data - even).max(victim.smallest) / task.inputs as f64;
    let kept = (kept.ceil() as usize).checked_next_multiple_of(task.cut_bytes);
    let taken = task.bytes.saturating_sub(kept.unwrap_or(task.bytes));
    if (taken * task.inputs) as f64 >= thief.smallest {
        taken
    } else {
        0
    }
}
