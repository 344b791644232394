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
    /// What [`Queues::remove_if`] has kept, all older than what is in `fresh`.
    kept: SegQueue<QueueEntry>,
    fresh: SegQueue<QueueEntry>,
}

impl Lanes {
    fn pop(&self) -> Option<QueueEntry> {
        let mut queues = [&self.begun, &self.kept, &self.fresh].into_iter();
        queues.find_map(SegQueue::pop)
    }

    fn depth(&self) -> usize {
        self.begun.len() + self.kept.len() + self.fresh.len()
    }
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
        self.by_priority.iter().find_map(Lanes::pop)
    }

    /// Removes and returns the entries of a priority for which `is_done`. After the call workers
    /// must be woken for the others. Only one thread may call this at a time.
    ///
    /// The others keep their order, and come before new work that is added during the call. But
    /// during the call this thread has them: a worker may find nothing, or take work that was added
    /// in the meantime, or that comes after them. Remainders that are added during the call come
    /// before those that are kept.
    pub(crate) fn remove_if(
        &self,
        priority: Priority,
        is_done: impl Fn(&QueueEntry) -> bool,
    ) -> Vec<QueueEntry> {
        let Lanes { begun, kept, fresh } = &self.by_priority[priority as usize];
        let mut removed = Vec::new();
        for (sources, target) in [(&[begun][..], begun), (&[kept, fresh], kept)] {
            // All are taken before the first one is put back, so that no worker takes one of them
            // before one that precedes it and is put back later.
            let mut others = Vec::new();
            for source in sources {
                for entry in (0..source.len()).map_while(|_| source.pop()) {
                    match is_done(&entry) {
                        true => removed.push(entry),
                        false => others.push(entry),
                    }
                }
            }
            others.into_iter().for_each(|entry| target.push(entry));
        }
        removed
    }

    /// Returns the number of entries.
    pub(crate) fn depth(&self) -> usize {
        self.by_priority.iter().map(Lanes::depth).sum()
    }
}
