// SPDX-License-Identifier: Apache-2.0
//! Where a task ends soonest: whole on one rail, or split over several by byte range.
//!
//! Work dealt to a rail waits until the rail's backlog is done. A task split so that all its
//! shares end together ends at the level `T` at which the bytes that the rails can do until `T`,
//! `sum(rate * T - backlog)`, are the task's.

use std::cmp::Reverse;

use arrayvec::ArrayVec;

use super::{RAILS_MAX, RailSet, Share};

/// A split ends a task in several pieces, each with its fixed cost, so it must end the task sooner
/// by this part. Less than what a fast rail brings to a ten times faster one, a tenth.
const SPLIT_GAIN: f64 = 1.0 / 32.0;

/// Cuts lie on cache lines, whatever smaller granules rails have: a line of an output that two
/// rails write would travel between them.
const LINE_BYTES: usize = 64;

/// What is dealt or stolen.
#[derive(Clone, Copy, Debug)]
pub(super) struct Task {
    pub(super) inputs: usize,
    /// Of each buffer.
    pub(super) bytes: usize,
    /// Cuts are at multiples of this.
    pub(super) cut_bytes: usize,
}

impl Task {
    fn data(&self) -> f64 {
        (self.inputs * self.bytes) as f64
    }
}

/// The least distance of cuts that suits all rails.
pub(super) fn cut_bytes(granules: impl Iterator<Item = usize>) -> usize {
    granules.fold(LINE_BYTES, |cut, granule| {
        let (mut divisor, mut rest) = (cut, granule);
        while rest != 0 {
            (divisor, rest) = (rest, divisor % rest);
        }
        cut / divisor * granule
    })
}

/// A rail that may get a share.
#[derive(Clone, Copy, Debug)]
pub(super) struct Candidate {
    pub(super) rail: usize,
    /// Nanoseconds per byte, all workers together, and its inverse.
    pub(super) cost: f64,
    pub(super) rate: f64,
    /// Until the backlog is done.
    pub(super) wait_ns: f64,
    pub(super) workers: f64,
    /// Bytes of data below which a share is not worth its fixed cost.
    pub(super) smallest: f64,
    pub(super) granule_bytes: usize,
}

pub(super) type Candidates = ArrayVec<Candidate, RAILS_MAX>;

impl Candidate {
    /// When `data` bytes more would end. Workers share what is dealt to their rail down to the
    /// smallest piece, which one of them does alone.
    fn end_ns(&self, data: f64) -> f64 {
        let alone_ns = data.min(self.smallest) * self.cost * self.workers;
        (self.wait_ns + data * self.cost).max(alone_ns)
    }

    fn share(&self, level_ns: f64) -> f64 {
        (level_ns - self.wait_ns) * self.rate
    }

    /// How many times as much as worthwhile its share is if all end at `level_ns`.
    fn worth(&self, level_ns: f64) -> f64 {
        let by_size = self.share(level_ns) / self.smallest;
        by_size.min(level_ns / (self.smallest * self.cost * self.workers))
    }

    fn is_worthwhile(&self, level_ns: f64) -> bool {
        self.share(level_ns) >= self.smallest
            && level_ns >= self.smallest * self.cost * self.workers
    }
}

/// Pushes the shares of a task.
pub(super) fn deal(candidates: &Candidates, task: Task, shares: &mut ArrayVec<Share, RAILS_MAX>) {
    let data = task.data();
    let (best, best_ns) = soonest(candidates, data);
    if candidates.len() > 1 && task.bytes > task.cut_bytes {
        let (level_ns, sharing) = level(candidates, data);
        if sharing.count() > 1 && level_ns < best_ns * (1.0 - SPLIT_GAIN) {
            return cut(candidates, sharing, level_ns, task, shares);
        }
    }
    let (rail, bytes) = (best.rail, task.bytes);
    shares.push(Share { rail, bytes });
}

/// The rail on which `data` bytes end first, and when.
fn soonest(candidates: &Candidates, data: f64) -> (&Candidate, f64) {
    let ends = candidates.iter().map(|each| (each, each.end_ns(data)));
    ends.min_by(|(_, a), (_, b)| a.total_cmp(b))
        .expect("the caller has a rail")
}

/// When the task ends if split, and over which candidates, by index: those whose share is worth
/// having.
fn level(candidates: &Candidates, data: f64) -> (f64, RailSet) {
    let mut sharing = RailSet::first(candidates.len());
    loop {
        let (mut rate, mut bytes) = (0.0, data);
        for index in sharing.iter() {
            rate += candidates[index].rate;
            bytes += candidates[index].wait_ns * candidates[index].rate;
        }
        let level_ns = bytes / rate;
        let worthwhile = |index: usize| candidates[index].is_worthwhile(level_ns);
        if sharing.count() == 1 || sharing.iter().all(worthwhile) {
            return (level_ns, sharing);
        }
        let by_worth = |a: &usize, b: &usize| {
            let (a, b) = (&candidates[*a], &candidates[*b]);
            a.worth(level_ns).total_cmp(&b.worth(level_ns))
        };
        let worst = sharing.iter().min_by(by_worth).expect("more than one");
        sharing = sharing.without(worst);
    }
}

/// Cuts a task where the rails' shares end. The last share has what cuts leave over, so it goes to
/// the rail with the finest granule.
fn cut(
    candidates: &Candidates,
    sharing: RailSet,
    level_ns: f64,
    task: Task,
    shares: &mut ArrayVec<Share, RAILS_MAX>,
) {
    let fineness = |index: &usize| Reverse(candidates[*index].granule_bytes);
    let last = sharing.iter().max_by_key(fineness);
    let last = last.expect("a split has shares");
    let mut left = task.bytes;
    for index in sharing.without(last).iter() {
        let candidate = &candidates[index];
        let wanted = (candidate.share(level_ns) / task.inputs as f64) as usize;
        // Something is left for the last one, however the numbers are rounded.
        let bytes = wanted.min(left - 1) / task.cut_bytes * task.cut_bytes;
        if bytes > 0 {
            let rail = candidate.rail;
            shares.push(Share { rail, bytes });
            left -= bytes;
        }
    }
    let (rail, bytes) = (candidates[last].rail, left);
    shares.push(Share { rail, bytes });
}

/// Gives `stale` the first piece that is worth having, to measure it: out of the largest share, or
/// the whole task if that is small.
pub(super) fn refresh(stale: &Candidate, task: Task, shares: &mut ArrayVec<Share, RAILS_MAX>) {
    let rail = stale.rail;
    let smallest = (stale.smallest as usize).div_ceil(task.inputs).max(1);
    let piece = smallest.next_multiple_of(task.cut_bytes);
    let largest = shares.iter_mut().max_by_key(|share| share.bytes);
    let largest = largest.expect("a dealt task has a share");
    if largest.bytes > piece.saturating_mul(2) {
        largest.bytes -= piece;
        shares.insert(0, Share { rail, bytes: piece });
    } else {
        let bytes = task.bytes;
        shares.clear();
        shares.push(Share { rail, bytes });
    }
}

/// How many bytes of each buffer `taker` should take of the task's that wait at `giver`.
pub(super) fn steal(giver: &Candidate, taker: &Candidate, task: Task) -> usize {
    let data = task.data();
    // What the victim does until all is done is what the thief's worker leaves of it.
    let backlog = (giver.wait_ns * giver.rate).max(data);
    let even = backlog * taker.rate / (taker.rate + giver.rate);
    if even >= data {
        return task.bytes;
    }
    let kept = (data - even).max(giver.smallest) / task.inputs as f64;
    let kept = (kept.ceil() as usize).checked_next_multiple_of(task.cut_bytes);
    let taken = task.bytes.saturating_sub(kept.unwrap_or(task.bytes));
    if (taken * task.inputs) as f64 >= taker.smallest {
        taken
    } else {
        0
    }
}
