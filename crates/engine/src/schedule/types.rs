// SPDX-License-Identifier: Apache-2.0
//! The inputs and results of the scheduler.

use std::time::Duration;

use super::Class;
use crate::api::request::Priority;

/// How tasks are assigned to rails.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Policy {
    /// Assigns all tasks to the rail of this index.
    Single(usize),
    /// First come, first served: one queue, any worker takes the next task, whole.
    FirstCome,
    /// Assigns each task to the rails on which it ends soonest, by measured rates.
    RateAware,
}

/// Properties of a rail that the scheduler needs in advance.
#[derive(Clone, Debug, PartialEq)]
pub struct RailTraits {
    /// The number of threads that count their busy times separately, at least 1: its lanes,
    /// regardless of the depth of each.
    pub workers: usize,
    /// Assignments are a multiple of this many bytes of each buffer, except for the last one of a
    /// task; at least 1.
    pub granule_bytes: usize,
    /// The most bytes of each buffer in one piece, at least 1.
    pub piece_bytes: usize,
    /// The most bytes of all buffers of a piece together, if the size of pieces is limited by
    /// memory for copies: work that is entirely in device memory needs none. `None` if
    /// `piece_bytes` applies to all work.
    pub room_bytes: Option<usize>,
    /// Bytes of data, all inputs together, below which an assignment is not worth its fixed cost.
    pub smallest_bytes: usize,
    /// How long another thread takes to begin: an assignment that the rail would do in less is not
    /// worth the handoff either. [`HANDOFF`] for threads that sleep.
    pub handoff: Duration,
    /// Bytes of data a second, all workers together, assumed until measured; greater than 0.
    pub prior_rate: f64,
    /// Whether it computes on the CPUs that all such rails share. Of these only the fastest is
    /// active until a probe shows that another one adds to the total.
    pub shares_cpus: bool,
}

impl RailTraits {
    /// Returns the most bytes of each buffer in one piece of this work, at least 1.
    pub(super) fn piece_bytes_max(&self, work: Workload) -> usize {
        let most = match self.room_bytes {
            Some(_) if work.on_device => usize::MAX,
            Some(room) => self.piece_bytes.min(room / (work.inputs + work.outputs)),
            None => self.piece_bytes,
        };
        most.max(self.granule_bytes)
    }
}

/// The scheduler's state of one rail, for statistics.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct RailSnapshot {
    /// Whether it is assigned work while it is in service, regardless of a running probe of the
    /// contention controller.
    pub active: bool,
    /// Bytes of data assigned to it and not done.
    pub backlog_bytes: usize,
    /// The recent rate in bytes of data a second, all workers together; the prior rate before the
    /// first piece.
    pub rate: f64,
}

/// The part of a task that is assigned to a rail.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Assignment {
    /// The rail's index, or [`COMMON`].
    pub rail: usize,
    /// Bytes of each buffer, following those of the assignment before; greater than 0.
    pub bytes: usize,
}

/// The work on some bytes of a task, to be assigned or stolen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Workload {
    /// The kind of work.
    pub class: Class,
    /// The priority, which determines the work that it waits for.
    pub priority: Priority,
    /// Buffers that are read, at least 1.
    pub inputs: usize,
    /// Buffers that are written or compared.
    pub outputs: usize,
    /// Whether all buffers are in device memory. The rail then copies none, so that every cut costs
    /// a launch and gains nothing.
    pub on_device: bool,
    /// Whether no buffer is in ordinary memory. A rail with memory for copies then needs no thread
    /// to copy them, and its workers only feed one device.
    pub unstaged: bool,
    /// Bytes of each buffer.
    pub bytes: usize,
}
