// SPDX-License-Identifier: Apache-2.0
//! Placement: puts tasks and subtasks into the queues of rails.

use arrayvec::ArrayVec;

use crate::api::error::{Error, ErrorKind};
use crate::api::options::Scheduling;
use crate::core::queue::{QueueEntry, Subtask};
use crate::core::shared::{Core, data_bytes};
use crate::core::sync::Arc;
use crate::core::sync::atomic::Ordering;
use crate::core::task::Task;
use crate::schedule::{Assignment, RAILS_MAX, RailSet, Workload};

/// The rails that a task is assigned to.
type Assignments = ArrayVec<Assignment, RAILS_MAX>;

impl Core {
    /// Queues a task that was just issued. A task that stays whole keeps its piece, so that its
    /// issuer can withdraw it.
    pub(crate) fn enqueue_task(&self, task: Arc<Task>) {
        let mut assignments = Assignments::new();
        let assigned = self.assign(&task, task.bytes, task.eligible, &mut assignments);
        if let (true, [assignment]) = (assigned, &assignments[..]) {
            return self.push(assignment.rail, QueueEntry::Task(task));
        }
        let (inputs, priority) = (task.inputs, task.priority);
        match QueueEntry::Task(task).into_subtask() {
            Some(subtask) => self.enqueue_subtasks(subtask, assigned, &assignments),
            // Its issuer has withdrawn it in the meantime.
            None => {
                for Assignment { rail, bytes } in assignments {
                    self.scheduler.dropped(rail, priority, inputs * bytes);
                }
            }
        }
    }

    /// Queues a subtask for rails that have not refused it.
    pub(crate) fn enqueue(&self, subtask: Subtask) {
        let Some(subtask) = self.discard_if_abandoned(subtask) else {
            return;
        };
        let mut assignments = Assignments::new();
        let assigned = self.assign(
            &subtask.task,
            subtask.piece.bytes(),
            allowed(&subtask),
            &mut assignments,
        );
        self.enqueue_subtasks(subtask, assigned, &assignments);
    }

    /// Asks the scheduler for the rails of `bytes` bytes of a task; false if it names none.
    fn assign(
        &self,
        task: &Task,
        bytes: usize,
        rails: RailSet,
        assignments: &mut Assignments,
    ) -> bool {
        let (now, workload) = (self.clock.now(), task.workload(bytes));
        // The scheduler learns of a quarantine later; what it assigned to the rail would come back
        // here.
        let in_service = |rail: &usize| self.rail_states[*rail].health.is_in_service();
        let rails = rails.iter().filter(in_service).collect();
        self.request_lanes(workload, rails);
        self.scheduler
            .assign(now, workload, rails, assignments)
            .is_some()
    }

    /// Requests that rails with costly lanes open them, if the work is worth it. Until then the
    /// work is assigned to other rails, if there are any.
    fn request_lanes(&self, task: Workload, rails: RailSet) {
        let open = self.scheduler.open();
        let picks = !matches!(self.options.scheduling, Scheduling::Single(_));
        if rails.and(open) == rails || !picks {
            return;
        }
        for rail in rails.iter().filter(|rail| !open.contains(*rail)) {
            let lanes_requested = &self.rail_states[rail].lanes_requested;
            if self.scheduler.is_worthwhile(rail, task)
                && !lanes_requested.swap(true, Ordering::SeqCst)
            {
                self.bell_of(rail).ring_all();
            }
        }
    }

    /// Sleeps until lanes of a rail with costly lanes are requested, or the engine closes.
    pub(crate) fn await_lane_request(&self, rail: usize) {
        let state = &self.rail_states[rail];
        let wanted = || {
            let assigned = state.queues.depth() > 0 || self.common.depth() > 0;
            assigned || self.is_closing() || state.lanes_requested.load(Ordering::SeqCst)
        };
        while !wanted() {
            self.bell_of(rail).sleep(None, || wanted().then_some(()));
        }
        state.lanes_requested.store(true, Ordering::SeqCst);
        // Opening takes long: another worker may be quicker.
        self.ring_if_waiting(rail);
    }

    fn enqueue_subtasks(&self, subtask: Subtask, assigned: bool, assignments: &[Assignment]) {
        if !assigned {
            return self.enqueue_anywhere(subtask);
        }
        let mut rest = Some(subtask);
        for assignment in assignments {
            let mut subtask = rest.take().expect("assignments sum to the piece");
            if assignment.bytes < subtask.piece.bytes() {
                let (first, more) = subtask.split(assignment.bytes);
                (subtask, rest) = (first, Some(more));
            }
            self.push(assignment.rail, QueueEntry::Subtask(subtask));
        }
    }

    /// Queues a subtask, for which the policy names no rail, for any rail that takes it; without
    /// one the task fails.
    pub(crate) fn enqueue_anywhere(&self, subtask: Subtask) {
        let allowed = allowed(&subtask);
        let rail = allowed
            .iter()
            .find(|rail| self.rail_states[*rail].health.is_in_service());
        match rail {
            Some(rail) => {
                let data = data_bytes(&subtask.task, subtask.piece.bytes());
                self.scheduler.placed(rail, subtask.task.priority, data);
                self.push(rail, QueueEntry::Subtask(subtask));
            }
            None => {
                let text = if subtask.task.eligible.is_empty() {
                    format!(
                        "Cannot run {:?}: no rail takes such a task",
                        subtask.piece.job()
                    )
                } else {
                    let names: Vec<_> = subtask
                        .task
                        .eligible
                        .iter()
                        .map(|rail| self.name(rail))
                        .collect();
                    let names = names.join(", ");
                    format!(
                        "Cannot run {:?}: out of service or failed it: {names}",
                        subtask.piece.job()
                    )
                };
                subtask.task.fail(Error::new(ErrorKind::NoRail, text));
                self.give_up(&subtask.task);
                self.abandon(subtask);
            }
        }
    }
}

/// Returns the rails that may still do a subtask.
pub(crate) fn allowed(subtask: &Subtask) -> RailSet {
    subtask
        .refused
        .iter()
        .fold(subtask.task.eligible, RailSet::without)
}
