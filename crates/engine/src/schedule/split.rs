// SPDX-License-Identifier: Apache-2.0
//! Where a task ends soonest: whole on one rail, or split over several by byte range.
//!
//! Work dealt to a rail waits until the rail's backlog is done. A task split so that all its
//! shares end together ends at the level `T` at which the bytes that the rails can do until `T`,
//! `sum(rate * T - backlog)`, are the task's.

use arrayvec::ArrayVec;

use super::{RAILS_MAX, Share};

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
    /// Bytes per nanosecond, all workers together.
    pub(super) rate: f64,
    /// Bytes of data to do before.
    pub(super) backlog: f64,
    pub(super) workers: f64,
    /// Bytes of data below which a share is not worth its fixed cost.
    pub(super) smallest: f64,
    pub(super) granule_bytes: usize,
}

pub(super) type Candidates = ArrayVec<Candidate, RAILS_MAX>;

impl Candidate {
    /// When `data` bytes more would end. Workers share what is dealt to their rail down to the
    /// smallest piece, which one of them does alone.
    pub(super) fn end_ns(&self, data: f64) -> f64 {
        let queue = (self.backlog + data) / self.rate;
        queue.max(self.alone_ns(data))
    }

    fn alone_ns(&self, data: f64) -> f64 {
        data.min(self.smallest) * self.workers / self.rate
    }

    fn share(&self, level_ns: f64) -> f64 {
        level_ns * self.rate - self.backlog
    }
}

/// Pushes the shares of a task.
pub(super) fn deal(candidates: &Candidates, task: Task, shares: &mut ArrayVec<Share, RAILS_MAX>) {
    let data = task.data();
    let best = soonest(candidates, data);
    if candidates.len() > 1 && task.bytes > task.cut_bytes {
        let (level_ns, sharing) = level(candidates, data);
        let gain = 1.0 - level_ns / best.end_ns(data);
        if sharing.len() > 1 && gain > SPLIT_GAIN {
            cut(sharing, level_ns, task, shares);
            return;
        }
    }
    shares.push(Share {
        rail: best.rail,
        bytes: task.bytes,
    });
}

/// The rail on which `data` bytes end first.
fn soonest(candidates: &Candidates, data: f64) -> &Candidate {
    let ends = candidates.iter().min_by(|a, b| {
        let (a, b) = (a.end_ns(data), b.end_ns(data));
        a.total_cmp(&b)
    });
    ends.expect("the caller has a rail")
}

/// When the task ends if split, and over which rails: those whose share is worth having.
fn level(candidates: &Candidates, data: f64) -> (f64, Candidates) {
    let mut sharing = candidates.clone();
    loop {
        let rate: f64 = sharing.iter().map(|candidate| candidate.rate).sum();
        let backlog: f64 = sharing.iter().map(|candidate| candidate.backlog).sum();
        let level_ns = (data + backlog) / rate;
        if sharing.len() == 1 {
            return (level_ns, sharing);
        }
        // How many times as much as worthwhile a share is.
        let worth = |candidate: &Candidate| {
            let by_size = candidate.share(level_ns) / candidate.smallest.max(1.0);
            let by_time = level_ns / candidate.alone_ns(candidate.smallest).max(1.0);
            by_size.min(by_time)
        };
        let worths = sharing.iter().map(worth).enumerate();
        let (worst, least) = worths
            .min_by(|(_, a), (_, b)| a.total_cmp(b))
            .expect("more than one");
        if least >= 1.0 {
            return (level_ns, sharing);
        }
        sharing.remove(worst);
    }
}

/// Cuts a task where the rails' shares end. The last share has what cuts leave over, so it goes to
/// the rail with the finest granule.
fn cut(
    mut sharing: Candidates,
    level_ns: f64,
    task: Task,
    shares: &mut ArrayVec<Share, RAILS_MAX>,
) {
    sharing.sort_unstable_by_key(|candidate| std::cmp::Reverse(candidate.granule_bytes));
    let mut left = task.bytes;
    let last = sharing.len() - 1;
    for candidate in &sharing[..last] {
        let wanted = (candidate.share(level_ns) / task.inputs as f64) as usize;
        // Something is left for the last one, however the numbers are rounded.
        let bytes = wanted.min(left - 1) / task.cut_bytes * task.cut_bytes;
        if bytes > 0 {
            let rail = candidate.rail;
            shares.push(Share { rail, bytes });
            left -= bytes;
        }
    }
    shares.push(Share {
        rail: sharing[last].rail,
        bytes: left,
    });
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
    let even = giver.backlog.max(data) * taker.rate / (taker.rate + giver.rate);
    if even >= data {
        return task.bytes;
    }
    let kept = (data - even).max(giver.smallest) / task.inputs as f64;
    let kept = (kept.ceil() as usize).checked_next_multiple_of(task.cut_bytes);
    let taken = task.bytes.saturating_sub(kept.unwrap_or(task.bytes));
    if (taken * task.inputs) as f64 >= taker.smallest.max(1.0) {
        taken
    } else {
        0
    }
}
