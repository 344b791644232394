// SPDX-License-Identifier: Apache-2.0
//! What waits for one rail, in the order of issue, foreground before background.

use crossbeam_queue::SegQueue;
use stripeline_rail::{Piece, Written};

use crate::request::Priority;
use crate::schedule::RailSet;
use crate::sync::Arc;
use crate::task::Task;

/// Something for a worker to do.
pub(crate) enum Work {
    /// A task whose piece waits in it.
    Whole(Arc<Task>),
    /// A part of a task.
    Part(Part),
    /// A written part to be compared.
    Check(Box<Check>),
}

/// A part of a task.
pub(crate) struct Part {
    pub(crate) task: Arc<Task>,
    pub(crate) piece: Piece,
    /// Rails that have refused or failed it.
    pub(crate) refused: RailSet,
}

/// A part that rail `writer` has written.
pub(crate) struct Check {
    pub(crate) task: Arc<Task>,
    /// The piece that compares.
    pub(crate) piece: Piece,
    pub(crate) written: Written,
    pub(crate) writer: usize,
    /// Rails that have not compared it, whatever the reason, and the writer.
    pub(crate) refused: RailSet,
}

/// The queues of one rail. Whoever adds to them rings for the rail's workers.
#[derive(Default)]
pub(crate) struct Queues {
    by_priority: [Lanes; 2],
}

/// Bounded by what the engine admits: every entry belongs to an outstanding task.
#[derive(Default)]
struct Lanes {
    /// Rests of pieces that were too long for one go: begun, so they go first.
    begun: SegQueue<Work>,
    fresh: SegQueue<Work>,
}

impl Queues {
    /// Adds what is new.
    pub(crate) fn push(&self, priority: Priority, work: Work) {
        self.by_priority[priority as usize].fresh.push(work);
    }

    /// Adds the rest of something begun.
    pub(crate) fn push_begun(&self, priority: Priority, work: Work) {
        self.by_priority[priority as usize].begun.push(work);
    }

    /// Takes what is next.
    pub(crate) fn pop(&self) -> Option<Work> {
        Priority::ALL.into_iter().find_map(|priority| {
            let lanes = &self.by_priority[priority as usize];
            lanes.begun.pop().or_else(|| lanes.fresh.pop())
        })
    }

    /// Entries now waiting.
    pub(crate) fn depth(&self) -> usize {
        let lanes = self.by_priority.iter();
        lanes
            .map(|lanes| lanes.begun.len() + lanes.fresh.len())
            .sum()
    }
}
