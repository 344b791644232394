// SPDX-License-Identifier: Apache-2.0
//! The queues of a rail: foreground before background, each in the order of issue.

use crossbeam_queue::SegQueue;
use stripeline_rail::{Piece, WrittenPiece};

use crate::api::request::Priority;
use crate::core::sync::Arc;
use crate::core::task::Task;
use crate::schedule::RailSet;

/// Work for a worker.
pub(crate) enum QueueEntry {
    /// A whole task, which still has its piece.
    Task(Arc<Task>),
    /// A part of a task.
    Subtask(Subtask),
    /// A result to be compared.
    Check(Box<Check>),
}

impl QueueEntry {
    /// Returns the task, the bytes of each buffer and the rails that have refused it; none for a
    /// check, which only the rail of this queue does.
    pub(crate) fn extent(&self) -> Option<(&Arc<Task>, usize, RailSet)> {
        match self {
            Self::Task(task) => Some((task, task.bytes, RailSet::EMPTY)),
            Self::Subtask(subtask) => Some((&subtask.task, subtask.piece.bytes(), subtask.refused)),
            Self::Check(_) => None,
        }
    }

    pub(crate) fn task(&self) -> &Arc<Task> {
        match self {
            Self::Task(task) => task,
            Self::Subtask(subtask) => &subtask.task,
            Self::Check(check) => &check.task,
        }
    }

    fn lane_of<'a>(&self, queues: &'a Queues) -> &'a Lanes {
        &queues.by_priority[self.task().priority as usize]
    }

    /// Returns the subtask to be done; none if its issuer has withdrawn it, or if the entry is a
    /// check.
    pub(crate) fn into_subtask(self) -> Option<Subtask> {
        match self {
            Self::Task(task) => {
                let piece = task.take()?;
                let refused = RailSet::EMPTY;
                Some(Subtask {
                    task,
                    piece,
                    refused,
                })
            }
            Self::Subtask(subtask) => Some(subtask),
            Self::Check(_) => None,
        }
    }
}

/// A part of a task, or all of it, with its piece.
pub(crate) struct Subtask {
    pub(crate) task: Arc<Task>,
    pub(crate) piece: Piece,
    /// Rails that have refused or failed it.
    pub(crate) refused: RailSet,
}

impl Subtask {
    /// Cuts the subtask in two: its first `bytes` bytes of each buffer, and the rest.
    pub(crate) fn split(self, bytes: usize) -> (Self, Self) {
        let Self {
            task,
            piece,
            refused,
        } = self;
        let (piece, more) = piece.split(bytes);
        let rest = Self {
            task: Arc::clone(&task),
            piece: more,
            refused,
        };
        let first = Self {
            task,
            piece,
            refused,
        };
        (first, rest)
    }
}

/// A result of rail `writer` to be compared by another rail.
pub(crate) struct Check {
    pub(crate) task: Arc<Task>,
    /// The piece that compares.
    pub(crate) piece: Piece,
    pub(crate) written: WrittenPiece,
    pub(crate) writer: usize,
    /// Rails that failed to compare it, and the writer.
    pub(crate) refused: RailSet,
}

/// The queues of one rail. The caller that adds to them must wake the rail's workers.
#[derive(Default)]
pub(crate) struct Queues {
    by_priority: [Lanes; 2],
}

/// Bounded by the engine's admission: every entry belongs to an outstanding task, or to one that
/// was cancelled or has expired since the watchdog's last round.
#[derive(Default)]
struct Lanes {
    /// The remainders of subtasks that were longer than one piece; they have begun, so they go
    /// first.
    begun: SegQueue<QueueEntry>,
    fresh: SegQueue<QueueEntry>,
}

impl Queues {
    /// Adds new work.
    pub(crate) fn push(&self, entry: QueueEntry) {
        entry.lane_of(self).fresh.push(entry);
    }

    /// Adds the rest of work that was begun.
    pub(crate) fn push_begun(&self, entry: QueueEntry) {
        entry.lane_of(self).begun.push(entry);
    }

    /// Removes the next entry.
    pub(crate) fn pop(&self) -> Option<QueueEntry> {
        Priority::ALL.into_iter().find_map(|priority| {
            let lanes = &self.by_priority[priority as usize];
            lanes.begun.pop().or_else(|| lanes.fresh.pop())
        })
    }

    /// Removes and returns the entries for which `is_done`. The others keep their order, but come
    /// after those that other threads add during the call, and after the call workers must be woken
    /// for them.
    pub(crate) fn remove_if(&self, is_done: impl Fn(&QueueEntry) -> bool) -> Vec<QueueEntry> {
        let lanes = self.by_priority.iter();
        let queues = lanes.flat_map(|lanes| [&lanes.begun, &lanes.fresh]);
        let mut removed = Vec::new();
        for queue in queues {
            for entry in (0..queue.len()).map_while(|_| queue.pop()) {
                match is_done(&entry) {
                    true => removed.push(entry),
                    false => queue.push(entry),
                }
            }
        }
        removed
    }

    /// Returns the number of entries.
    pub(crate) fn depth(&self) -> usize {
        let lanes = self.by_priority.iter();
        lanes
            .map(|lanes| lanes.begun.len() + lanes.fresh.len())
            .sum()
    }
}
