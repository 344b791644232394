// SPDX-License-Identifier: Apache-2.0
//! The watchdog, one thread per engine: expires deadlines, ends what is queued of failed tasks,
//! takes pieces away from rails that do not answer, tests rails that are out of service, and ticks
//! the scheduler. It sleeps while no task is outstanding.

use std::sync::atomic::Ordering::{Relaxed, SeqCst};
use std::time::Duration;

use crate::api::options::EventKind;
use crate::api::request::Priority;
use crate::core::clock::nanoseconds;
use crate::core::queue::{Check, QueueEntry, Subtask};
use crate::core::rail_state::{Due, InFlightPiece};
use crate::core::shared::{Core, data_bytes};
use crate::core::sync::Arc;
use crate::core::sync::atomic::AtomicU64;
use crate::core::task::Task;
use crate::schedule::{BEGUN, COMMON};

/// The interval between two rounds; the resolution of deadlines.
const TICK: Duration = Duration::from_millis(5);

/// The watchdog keeps ticking for this long after the last task, so that a caller that pauses
/// between tasks does not have to wake it for each.
const LINGER_NS: u64 = 1_000_000_000;

/// The interval between two exchanges with the other processes of the node.
const REFRESH_NS: u64 = 250_000_000;

/// A piece is overdue after this many times the time that follows from its rail's rate.
const OVERDUE_FACTOR: u64 = 20;

/// The most that counts as watched between two rounds. More time passes while the process is
/// stopped, or gets no CPU: its rails cannot answer then either.
const WATCHED_MAX_NS: u64 = 50_000_000;

/// The time during which the watchdog made its rounds; a rail hangs only if it does not answer for
/// long by this time, too.
#[derive(Default)]
pub(crate) struct WatchedTime {
    nanoseconds: AtomicU64,
    /// When the last round was made.
    last: AtomicU64,
}

impl WatchedTime {
    pub(crate) fn time(&self) -> u64 {
        self.nanoseconds.load(Relaxed)
    }

    /// Counts the time since the last round and returns the sum. Only one thread may call this.
    fn advance(&self, now: u64) -> u64 {
        let since = now.saturating_sub(self.last.swap(now, Relaxed));
        let watched = self.time() + since.min(WATCHED_MAX_NS);
        self.nanoseconds.store(watched, Relaxed);
        watched
    }
}

/// Runs the watchdog until the engine closes.
pub(crate) fn run(core: &Arc<Core>) {
    let (mut busy_until, mut refresh_at) = (0, 0);
    while !core.is_closing() {
        let now = core.clock.now();
        core.expire_overdue(now);
        core.end_failed();
        core.revoke_overdue(now);
        core.drain_out_of_service();
        let quarantined = core.retest_due(now);
        core.scheduler.tick(now, core.has_waiting());
        let busy = core.admission.outstanding() > 0;
        if busy || quarantined {
            busy_until = now + LINGER_NS;
        }
        if now >= refresh_at || now >= busy_until {
            core.update_node_share(busy);
            refresh_at = now + REFRESH_NS;
        }
        if now < busy_until {
            core.timers.sleep(TICK, || core.is_closing());
        } else {
            core.timers.sleep_dormant(|| core.needs_watchdog());
        }
    }
}

impl Core {
    /// Returns whether the watchdog must not sleep until it is woken. A rail may have gone out of
    /// service, and the last task have ended, after this round looked for rails to test.
    pub(crate) fn needs_watchdog(&self) -> bool {
        let mut rail_states = self.rail_states.iter();
        self.is_closing()
            || self.admission.outstanding() > 0
            || self.gave_up.iter().any(|flag| flag.load(SeqCst))
            || rail_states.any(|state| !state.health.is_in_service())
    }

    pub(crate) fn expire_overdue(&self, now: u64) {
        while let Some(due) = self.timers.pop_due(now) {
            if let Some(task) = due.upgrade()
                && task.expire()
            {
                self.give_up(&task);
            }
        }
    }

    /// Ends what is not begun of a task that has failed: all of it at once, parts of it in the next
    /// round.
    pub(crate) fn give_up(&self, task: &Arc<Task>) {
        // First: the watchdog sleeps when no task is outstanding.
        self.request_removal(task);
        self.withdraw(task);
    }

    /// Makes the watchdog remove what is queued of failed tasks of this task's priority.
    pub(crate) fn request_removal(&self, task: &Task) {
        self.gave_up[task.priority as usize].store(true, SeqCst);
    }

    /// Removes failed tasks, and ends their parts, from the queues: there a part of a background
    /// task would wait as long as there is foreground work, and what is behind a piece that hangs
    /// would stay for ever. Does nothing unless something was given up, or queued of what was given
    /// up, since the last round.
    pub(crate) fn end_failed(&self) {
        let mut removed = Vec::new();
        for priority in Priority::ALL {
            // Before the search: what is given up or queued during it is found in the next round.
            if !self.gave_up[priority as usize].swap(false, SeqCst) {
                continue;
            }
            for rail in (0..self.rail_states.len()).chain([COMMON]) {
                let queues = self.queues_of(rail);
                if queues.depth() == 0 {
                    continue;
                }
                let failed = queues.remove_if(priority, |entry| entry.task().is_abandoned());
                for entry in &failed {
                    self.remove_from_backlog(rail, entry);
                }
                removed.extend(failed);
                if queues.depth() > 0 {
                    self.pushed(rail);
                }
            }
        }
        // After workers were woken for all that stays queued: call-backs may take long.
        removed.into_iter().for_each(|entry| self.end_entry(entry));
    }

    /// Ends an entry, popped from a queue, whose task has failed.
    fn end_entry(&self, entry: QueueEntry) {
        match entry {
            QueueEntry::Task(task) => self.withdraw(&task),
            QueueEntry::Subtask(subtask) => self.abandon(subtask),
            QueueEntry::Check(check) => self.close_check(*check),
        }
    }

    /// Ends a task that has failed, or has 0 bytes, if it was not begun.
    pub(crate) fn withdraw(&self, task: &Arc<Task>) {
        if let Some(piece) = task.take() {
            let bytes = piece.bytes();
            drop(piece);
            self.account(task, bytes);
        }
    }

    /// Moves the queues of rails that are out of service to other rails.
    fn drain_out_of_service(&self) {
        let rails = 0..self.rail_states.len();
        rails.chain([COMMON]).for_each(|rail| self.drain(rail));
    }

    /// Takes overdue pieces away from rails that work on copies, and redoes them on other rails.
    pub(crate) fn revoke_overdue(&self, now: u64) {
        let watched = self.watched.advance(now);
        for (rail, state) in self.rail_states.iter().enumerate() {
            if !state.rail.capability().detaches {
                continue;
            }
            let is_late = |begun: u64, due: Due| {
                let limit = self.time_limit(rail, due.bytes, now);
                now > begun.saturating_add(limit) && watched > due.watched.saturating_add(limit)
            };
            for in_flight_pieces in &state.in_flight_pieces {
                for (in_flight, piece) in in_flight_pieces.revoke(is_late) {
                    state.counters.revoked.fetch_add(1, Relaxed);
                    let milliseconds = (now - in_flight.begun) / 1_000_000;
                    let name = self.name(rail);
                    let text = format!("Cannot wait for {name}: no answer for {milliseconds} ms");
                    self.quarantine(rail, EventKind::Quarantined, text);
                    self.retry_revoked(rail, in_flight, piece);
                }
            }
        }
    }

    /// Gives a piece that was taken away from a rail to another one.
    pub(crate) fn retry_revoked(
        &self,
        rail: usize,
        in_flight: InFlightPiece,
        piece: stripeline_rail::Piece,
    ) {
        let InFlightPiece {
            task,
            refused,
            check,
            handle,
            ..
        } = in_flight;
        // The handle keeps the job alive, which must end before its task does.
        drop(handle);
        match check {
            Some((written, writer)) => self.enqueue_check(Check {
                task,
                piece,
                written,
                writer,
                refused: refused.with(rail),
            }),
            None => {
                let data = data_bytes(&task, piece.bytes());
                self.scheduler.dropped(rail, BEGUN, data);
                self.enqueue(Subtask {
                    task,
                    piece,
                    refused: refused.with(rail),
                });
            }
        }
    }

    /// Returns the nanoseconds after which a piece counts as overdue, if its rail may have to do
    /// `due_bytes` bytes of data until it has done the piece.
    pub(crate) fn time_limit(&self, rail: usize, due_bytes: usize, now: u64) -> u64 {
        let state = &self.rail_states[rail];
        let promised = due_bytes as f64 / self.scheduler.rate(rail).max(1.0) * 1e9;
        let limit = (promised as u64).saturating_mul(OVERDUE_FACTOR);
        let limit = limit.max(nanoseconds(self.options.stall));
        let period = nanoseconds(self.options.quarantine);
        state.health.extend(limit, now, period)
    }

    /// Tests rails that are due, each on a thread of its own, because a test may hang. Returns
    /// whether any rail is out of service.
    fn retest_due(self: &Arc<Self>, now: u64) -> bool {
        let mut any = false;
        for (rail, state) in self.rail_states.iter().enumerate() {
            any |= !state.health.is_in_service();
            // Without a free worker, work of a rail that is back in service could wait for ever.
            let has_worker = state.free_workers.load(SeqCst) > 0;
            if has_worker && state.health.begin_retest(now) {
                let core = Arc::clone(self);
                let name = format!("stripeline-try-{}", self.name(rail));
                let spawned = std::thread::Builder::new()
                    .name(name)
                    .spawn(move || core.retest(rail));
                if let Err(error) = spawned {
                    let period = nanoseconds(self.options.quarantine);
                    let why = format!("Cannot try it again: {error}");
                    state.health.end_retest(Some(&why), now, period);
                }
            }
        }
        any
    }

    /// Checks a rail with costly lanes, once, and takes it out of service if it gives wrong
    /// answers. Other rails are checked before an engine starts; with the first lane open this
    /// costs no more.
    pub(crate) fn verify_once(&self, rail: usize) {
        let state = &self.rail_states[rail];
        if !state.rail.capability().costly_lanes {
            return;
        }
        state.verified.call_once(|| {
            if let Err(reason) = state.check_known_answers() {
                let name = self.name(rail);
                let text = format!("Cannot use rail {name}, using the others instead: {reason}");
                self.quarantine(rail, EventKind::LeftOut, text);
            }
        });
    }

    fn retest(&self, rail: usize) {
        let state = &self.rail_states[rail];
        let result = state.check_known_answers();
        let (now, period) = (self.clock.now(), nanoseconds(self.options.quarantine));
        let failure = result.as_ref().err().map(String::as_str);
        state.health.end_retest(failure, now, period);
        if result.is_ok() {
            state.spot_checks.restart();
            self.publish_health(rail);
            let text = format!("{} computes correct results again", self.name(rail));
            // Before the listener is called, which may take long: the rail gets work already.
            self.parked.ring_all();
            self.notify(rail, EventKind::Restored, text);
        }
    }

    /// Fails all queued work, because the engine closes.
    pub(crate) fn close_queues(&self) {
        for queues in self.queues() {
            while let Some(entry) = queues.pop() {
                // Also of a check: not compared, its bytes may be wrong.
                entry.task().close();
                self.end_entry(entry);
            }
        }
    }
}
