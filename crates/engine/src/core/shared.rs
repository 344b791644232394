// SPDX-License-Identifier: Apache-2.0
//! The state that all threads of an engine share, and the accounting of tasks.

use stripeline_codec::Verdict;
use stripeline_rail::{Fault, FaultKind, MemoryKind, Mode, Piece, Process, Region};

use crate::api::callbacks::in_turn;
use crate::api::error::{Error, ErrorKind};
use crate::api::options::{EventKind, Options, Scheduling};
use crate::core::admission::Admission;
use crate::core::clock::{Clock, nanoseconds};
use crate::core::doorbell::Doorbell;
use crate::core::queue::{QueueEntry, Queues, Subtask};
use crate::core::rail_state::RailState;
use crate::core::sync::Arc;
use crate::core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use crate::core::task::Task;
use crate::core::timer_queue::TimerQueue;
use crate::core::watchdog::WatchedTime;
use crate::node::{Coordination, Membership};
use crate::schedule::{COMMON, RailSet, Scheduler};

/// The number of bells for waiting threads; a task's address selects its bell.
const BELLS: usize = 16;

pub(crate) struct Core {
    pub(crate) options: Options,
    pub(crate) clock: Clock,
    pub(crate) scheduler: Scheduler,
    pub(crate) rail_states: Box<[RailState]>,
    /// The common queue of first-come scheduling.
    pub(crate) common: Queues,
    first_come: Doorbell,
    /// Whether there is one rail, that of the codec, which waiting threads help, and CPUs are not
    /// shared with other processes: these see work only as outstanding tasks.
    pub(crate) may_code_at_once: bool,
    pub(crate) admission: Arc<Admission>,
    pub(crate) timers: TimerQueue,
    pub(crate) watched: WatchedTime,
    /// For each priority, whether a task was given up, or a part of such a task was queued, since
    /// [`Core::end_failed`] last searched the queues.
    pub(crate) gave_up: [AtomicBool; 2],
    pub(crate) closing: AtomicBool,
    /// The process that has the engine's threads.
    process: Process,
    /// This process' membership among the processes of the node.
    pub(crate) membership: Option<Membership>,
    /// How many threads may code for each rail on the CPU; `usize::MAX` while no CPU is reserved
    /// for other processes.
    threads_allowed: AtomicUsize,
    bells: [Doorbell; BELLS],
    /// Workers of rails that are out of service sleep here.
    pub(crate) parked: Doorbell,
    /// Rung at the end of every task, for threads that wait for any of several.
    pub(crate) any: Doorbell,
    /// Rung when a helping thread leaves a closing engine.
    pub(crate) unhelped: Doorbell,
}

impl Core {
    pub(crate) fn new(
        options: Options,
        scheduler: Scheduler,
        rail_states: Box<[RailState]>,
    ) -> Self {
        let membership = options.node.clone().map(Membership::join);
        let allowed = match &membership {
            Some(membership) => thread_limit(membership, &rail_states),
            None => usize::MAX,
        };
        let coordination = membership.as_ref().map(Membership::coordination);
        // Sharing is the default; only its absence is reported.
        if let Some(alone @ Coordination::Alone { .. }) = coordination {
            options.notify_of_node(alone);
        }
        let may_code_at_once = match &*rail_states {
            [only] => {
                options.waiting_threads_help
                    && only.rail.capability().codes_as_codec
                    && membership.is_none()
            }
            _ => false,
        };
        Self {
            may_code_at_once,
            admission: Arc::new(Admission::new(options.tasks_max.max(1), options.bytes_max)),
            options,
            clock: Clock::start(),
            scheduler,
            rail_states,
            common: Queues::default(),
            first_come: Doorbell::default(),
            timers: TimerQueue::default(),
            watched: WatchedTime::default(),
            gave_up: Default::default(),
            closing: AtomicBool::new(false),
            process: Process::current(),
            threads_allowed: AtomicUsize::new(allowed),
            membership,
            bells: Default::default(),
            parked: Doorbell::default(),
            any: Doorbell::default(),
            unhelped: Doorbell::default(),
        }
    }

    /// Returns whether this is a forked child, where the engine has no threads and any lock may be
    /// held forever. Must be checked before every lock that a caller can reach.
    pub(crate) fn is_inherited(&self) -> bool {
        !self.process.is_current()
    }

    pub(crate) fn is_closing(&self) -> bool {
        // SeqCst: the closing thread sets this before it checks for helpers and queued work;
        // helpers and issuers do the opposite.
        self.closing.load(Ordering::SeqCst)
    }

    /// Starts to close the engine: fails queued tasks and wakes all threads.
    pub(crate) fn begin_close(&self) {
        self.closing.store(true, Ordering::SeqCst);
        self.close_queues();
        self.timers.wake();
        for rail in 0..self.rail_states.len() {
            self.bell_of(rail).ring_all();
        }
        for state in &self.rail_states {
            state.coding_threads.room.ring_all();
        }
        self.parked.ring_all();
    }

    /// Returns the rails that take a job of this kind, in service or not.
    pub(crate) fn eligible(&self, piece: &Piece) -> RailSet {
        let rail_states = self.rail_states.iter().enumerate();
        let takes = rail_states.filter(|(_, state)| state.rail.capability().takes_job(piece.job()));
        takes.map(|(rail, _)| rail).collect()
    }

    /// Queues new work for a rail, or for all, and wakes a worker.
    pub(crate) fn push(&self, rail: usize, entry: QueueEntry) {
        let task = Arc::clone(entry.task());
        self.queues_of(rail).push(entry);
        self.queued(rail, &task);
    }

    /// Queues the rest of a subtask that was begun.
    pub(crate) fn push_back(&self, rail: usize, entry: QueueEntry) {
        let task = Arc::clone(entry.task());
        self.queues_of(rail).push_begun(entry);
        self.queued(rail, &task);
    }

    /// Wakes a worker for a part of a task. The thread that fails a task requests a removal
    /// afterwards, and this one looks for a failure after the push, so one of the two has the part
    /// removed.
    fn queued(&self, rail: usize, task: &Task) {
        if task.is_abandoned() {
            self.request_removal(task);
        }
        self.pushed(rail);
    }

    /// Wakes a worker for new work. If the rail went out of service in between, the work goes to
    /// another; if the engine is closing, it fails. A thread that takes a rail out of service or
    /// closes the engine empties the queues afterwards, and this one checks after the push, so one
    /// of the two finds the work.
    pub(crate) fn pushed(&self, rail: usize) {
        if self.is_closing() {
            return self.close_queues();
        }
        self.drain(rail);
        self.ring(rail);
    }

    pub(crate) fn queues_of(&self, rail: usize) -> &Queues {
        match rail {
            COMMON => &self.common,
            rail => &self.rail_states[rail].queues,
        }
    }

    /// Wakes a worker of a rail, or of any rail.
    fn ring(&self, rail: usize) {
        match self.options.scheduling {
            // All workers sleep at one bell, and only those of the rail can do the work.
            Scheduling::FirstCome if rail != COMMON => self.first_come.ring_all(),
            Scheduling::FirstCome => self.first_come.ring_one(),
            _ if rail == COMMON => (),
            // Without a free permit a worker could do nothing; dropping a `ThreadPermit` rings.
            _ if self.has_room(rail) => self.rail_states[rail].bell.ring_one(),
            _ => (),
        }
        if self.is_limited() {
            self.ring_for_room(rail);
        }
    }

    /// Wakes a worker of a rail, or of each rail, that waits for a permit, if one is free.
    fn ring_for_room(&self, rail: usize) {
        for (other, state) in self.rail_states.iter().enumerate() {
            if [COMMON, other].contains(&rail) && self.has_room(other) {
                state.coding_threads.room.ring_one();
            }
        }
    }

    /// Wakes another worker of a rail if something waits for it.
    pub(crate) fn ring_if_waiting(&self, rail: usize) {
        if self.rail_states[rail].queues.depth() > 0 {
            self.ring(rail);
        }
        if self.common.depth() > 0 {
            self.ring(COMMON);
        }
    }

    /// Returns the bell at which the workers of a rail sleep.
    pub(crate) fn bell_of(&self, rail: usize) -> &Doorbell {
        match self.options.scheduling {
            Scheduling::FirstCome => &self.first_come,
            _ => &self.rail_states[rail].bell,
        }
    }

    pub(crate) fn name(&self, rail: usize) -> &str {
        self.rail_states[rail].rail.name()
    }

    fn update_abandoned(&self, subtask: &Subtask) -> bool {
        if subtask.task.deadline != 0 && self.clock.now() >= subtask.task.deadline {
            subtask.task.expire();
        }
        if self.is_closing() {
            subtask.task.close();
        }
        subtask.task.is_abandoned()
    }

    /// Ends a subtask that no rail will do.
    pub(crate) fn abandon(&self, subtask: Subtask) {
        let Subtask { task, piece, .. } = subtask;
        let bytes = piece.bytes();
        drop(piece);
        self.account(&task, bytes);
    }

    /// Returns the subtask, or ends it if its task was cancelled, expired or closed.
    pub(crate) fn discard_if_abandoned(&self, subtask: Subtask) -> Option<Subtask> {
        if self.update_abandoned(&subtask) {
            self.abandon(subtask);
            return None;
        }
        Some(subtask)
    }

    /// Subtracts bytes of a task whose piece has been dropped; the last ones end the task.
    pub(crate) fn account(&self, task: &Arc<Task>, bytes: usize) {
        if !task.account(bytes) {
            return;
        }
        self.admission.leave(data_bytes(task, task.bytes));
        task.finish();
        self.timers.remove(task);
        Doorbell::ring_each([self.bell(task), &self.any]);
        // After the call-backs of the task, which may wait for another one on this thread.
        let admission = Arc::clone(&self.admission);
        in_turn(move || admission.mark_notified());
    }

    /// Returns the bell that the end of a task rings.
    pub(crate) fn bell(&self, task: &Arc<Task>) -> &Doorbell {
        // Tasks are a few hundred bytes apart.
        let address = std::ptr::from_ref::<Task>(task).addr();
        &self.bells[(address >> 8) % BELLS]
    }

    /// Queues a subtask that a rail did not do for another rail.
    pub(crate) fn retry_elsewhere(&self, subtask: Subtask, rail: usize, fault: &Fault) {
        if fault.kind() != FaultKind::Refused {
            let faults = &self.rail_states[rail].counters.faults;
            faults.fetch_add(1, Ordering::Relaxed);
            let text = format!("Cannot code on {}: {fault}", self.name(rail));
            self.quarantine(rail, EventKind::Quarantined, text);
        }
        // A device that works on copies writes to pinned memory, and to its own, itself.
        let is_host = |output: Region| output.kind() == MemoryKind::Host;
        let on_copies = self.rail_states[rail].rail.capability().detaches
            && subtask.piece.outputs().all(is_host);
        if !on_copies
            && subtask.piece.job().mode() == Mode::Add
            && fault.kind() != FaultKind::Refused
        {
            let name = self.name(rail);
            let text = format!("Cannot update parity: {name} failed while changing it ({fault})");
            subtask.task.fail(Error::new(ErrorKind::Failed, text));
            self.give_up(&subtask.task);
            return self.abandon(subtask);
        }
        let refused = subtask.refused.with(rail);
        self.enqueue(Subtask { refused, ..subtask });
    }

    /// Takes a rail out of service and moves its queues to other rails.
    pub(crate) fn quarantine(&self, rail: usize, kind: EventKind, text: String) {
        let state = &self.rail_states[rail];
        let period = nanoseconds(self.options.quarantine);
        if !state.health.quarantine(&text, self.clock.now(), period) {
            return;
        }
        state.counters.quarantines.fetch_add(1, Ordering::Relaxed);
        self.publish_health(rail);
        self.notify(rail, kind, text);
        self.drain(rail);
        self.drain(COMMON);
        self.timers.wake();
    }

    /// Updates the scheduler's record of whether a rail is in service.
    pub(crate) fn publish_health(&self, rail: usize) {
        let publish = |in_service| self.scheduler.set_in_service(rail, in_service);
        self.rail_states[rail].health.publish(publish);
    }

    /// Moves the queues of a rail that is out of service to other rails, or fails the entries if
    /// there are none; the common queue fails if all rails are out of service.
    pub(crate) fn drain(&self, rail: usize) {
        let is_served = || match rail {
            COMMON => self.has_service(),
            rail => self.rail_states[rail].health.is_in_service(),
        };
        while !is_served()
            && let Some(entry) = self.queues_of(rail).pop()
        {
            self.remove_from_backlog(rail, &entry);
            match entry {
                QueueEntry::Task(task) => self.enqueue_task(task),
                QueueEntry::Subtask(subtask) => self.enqueue(subtask),
                QueueEntry::Check(check) => self.enqueue_check(*check),
            }
        }
    }

    /// Removes an entry that was popped from a rail's queues, and will not be done there, from the
    /// rail's backlog.
    pub(crate) fn remove_from_backlog(&self, rail: usize, entry: &QueueEntry) {
        if let Some((task, bytes, _)) = entry.extent() {
            self.scheduler
                .dropped(rail, task.priority, data_bytes(task, bytes));
        }
    }

    /// Returns the subtask of an entry that was popped from a rail's queues; none, and removed from
    /// the rail's backlog, if its issuer has withdrawn it.
    pub(crate) fn claim(&self, rail: usize, entry: QueueEntry) -> Option<Subtask> {
        let (task, bytes, _) = entry.extent()?;
        let (priority, data) = (task.priority, data_bytes(task, bytes));
        let subtask = entry.into_subtask();
        if subtask.is_none() {
            self.scheduler.dropped(rail, priority, data);
        }
        subtask
    }

    /// Returns whether some of the CPUs are reserved for other processes.
    pub(crate) fn is_limited(&self) -> bool {
        self.threads_allowed.load(Ordering::Relaxed) < usize::MAX
    }

    /// Returns the number of threads that may code for a rail.
    pub(crate) fn threads_allowed(&self, rail: usize) -> usize {
        match self.rail_states[rail].rail.capability().detaches {
            true => usize::MAX,
            false => self.threads_allowed.load(Ordering::Relaxed),
        }
    }

    /// Publishes to the other processes of the node whether this one has work, and updates its
    /// share of the CPUs.
    pub(crate) fn update_node_share(&self, busy: bool) {
        let Some(membership) = &self.membership else {
            return;
        };
        membership.report(busy);
        if let Some(change) = membership.refresh() {
            self.options.notify_of_node(change);
        }
        self.allow_threads(thread_limit(membership, &self.rail_states));
    }

    /// Sets how many threads may code for each rail on the CPU.
    pub(crate) fn allow_threads(&self, allowed: usize) {
        let before = self.threads_allowed.swap(allowed, Ordering::Relaxed);
        if allowed > before {
            for state in &self.rail_states {
                state.coding_threads.room.ring_all();
            }
        }
    }

    pub(crate) fn notify(&self, rail: usize, kind: EventKind, text: String) {
        self.options.notify(self.name(rail), kind, text);
    }

    /// Records a rail's good result and ends the subtask.
    pub(crate) fn complete(&self, subtask: Subtask, verdict: Verdict) {
        subtask.task.found(verdict);
        self.abandon(subtask);
    }

    /// Wakes idle rails that would steal from the `remaining` bytes.
    pub(crate) fn wake_idle_rails(&self, task: &Task, rail: usize, remaining: usize) {
        if self.options.scheduling != Scheduling::RateAware {
            return;
        }
        for (other, state) in self.rail_states.iter().enumerate() {
            let idle = other != rail && task.eligible.contains(other) && state.bell.has_sleepers();
            if idle && state.health.is_in_service() && self.scheduler.is_active(other) {
                let remaining = task.workload(remaining);
                if self.scheduler.steal(other, rail, remaining) > 0 {
                    state.bell.ring_one();
                }
            }
        }
    }

    /// Returns the queues of every rail and the common one.
    pub(crate) fn queues(&self) -> impl Iterator<Item = &Queues> {
        let queues = self.rail_states.iter().map(|state| &state.queues);
        queues.chain([&self.common])
    }

    /// Returns whether any rail is in service.
    fn has_service(&self) -> bool {
        let mut rail_states = self.rail_states.iter();
        rail_states.any(|state| state.health.is_in_service())
    }

    /// Returns whether any queue has an entry.
    pub(crate) fn has_waiting(&self) -> bool {
        self.queues().any(|queues| queues.depth() > 0)
    }
}

/// Returns the number of threads that may code for each rail on the CPU; unlimited if this process
/// has all of its CPUs and no more workers than those. Limiting the threads as helpers come and go
/// would then cost more than leaving the choice to the operating system.
fn thread_limit(membership: &Membership, rail_states: &[RailState]) -> usize {
    let allowed = membership.threads_allowed();
    let on_cpus = rail_states
        .iter()
        .filter(|state| !state.rail.capability().detaches);
    let workers = on_cpus.map(|state| state.in_flight_pieces.len()).max();
    match membership.is_limited() || workers.is_some_and(|workers| allowed < workers) {
        true => allowed,
        false => usize::MAX,
    }
}

/// Returns the bytes of all inputs together, the unit of backlogs and rates.
pub(crate) fn data_bytes(task: &Task, bytes: usize) -> usize {
    task.inputs.saturating_mul(bytes)
}
