// SPDX-License-Identifier: Apache-2.0
//! Drives one lane of a rail: for the lifetime of a worker, or while a waiting thread helps.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;

use stripeline_rail::{Done, Fault, FaultKind, Lane, Piece, clock};

use crate::api::error::{Error, ErrorKind};
use crate::api::options::{EventKind, Scheduling};
use crate::core::queue::{QueueEntry, Subtask};
use crate::core::rail_state::{Due, GoodLane, InFlightPiece, InFlightPieces, RailState};
use crate::core::shared::{Core, data_bytes};
use crate::core::worker_pool::count_free;
use crate::schedule::{BEGUN, COMMON, Class};

/// How long a worker waits for its device before it checks whether the engine closes.
const REAP_LIMIT: Duration = Duration::from_millis(20);

/// What is known of a lane.
#[derive(Clone, Copy, PartialEq, Eq)]
enum LaneState {
    Good,
    /// A piece failed or panicked, so that every later one may fail too. The others still come
    /// back.
    Failed,
    /// It panicked while it was asked for results, and is asked for no more.
    Panicked,
}

/// A lane and its pieces in flight.
pub(crate) struct Worker<'a> {
    core: &'a Core,
    rail: usize,
    state: &'a RailState,
    in_flight_pieces: &'a InFlightPieces,
    lane: Box<dyn Lane>,
    lane_state: LaneState,
    /// Counts the lane, if it is not that of a thread that helps, until it fails or is ended.
    pub(crate) good_lane: Option<GoodLane<'a>>,
    tickets: u64,
    /// When the lane last returned a piece: a device that has several pieces in flight is busy with
    /// the next one since then, not since its submission.
    returned: u64,
}

impl<'a> Worker<'a> {
    pub(crate) fn new(
        core: &'a Core,
        rail: usize,
        in_flight_pieces: &'a InFlightPieces,
        lane: Box<dyn Lane>,
    ) -> Self {
        Self {
            core,
            rail,
            state: &core.rail_states[rail],
            in_flight_pieces,
            lane,
            lane_state: LaneState::Good,
            good_lane: None,
            tickets: 0,
            returned: 0,
        }
    }

    fn set_failed(&mut self, state: LaneState) {
        self.lane_state = state;
        self.good_lane = None;
    }

    pub(crate) fn now(&self) -> u64 {
        self.core.clock.now()
    }

    /// Returns the lane, on which nothing is in flight, for reuse; ends one that must not be
    /// reused.
    pub(crate) fn into_lane(self) -> Option<Box<dyn Lane>> {
        if self.lane_state == LaneState::Good {
            return Some(self.lane);
        }
        self.close(Duration::ZERO);
        None
    }

    /// Returns whether the lane is of no more use, and must be ended: it has failed, or has only
    /// pieces that were taken away and may never come back, and no task needs what it has in
    /// flight. A lane that panicked may have dropped pieces, which never come back either.
    pub(crate) fn is_spent(&self) -> bool {
        match self.lane_state {
            LaneState::Good => self.lane.in_flight() > 0 && self.in_flight_pieces.len() == 0,
            LaneState::Failed => self.in_flight_pieces.len() == 0 || self.lane.in_flight() == 0,
            LaneState::Panicked => true,
        }
    }

    /// Returns whether a piece was taken away and has not come back: a new one could have to wait
    /// for it.
    fn has_lost_piece(&self) -> bool {
        let in_flight = self.lane.in_flight();
        in_flight > 0 && self.in_flight_pieces.len() < in_flight
    }

    fn has_room(&self, depth: usize) -> bool {
        self.lane.in_flight() < depth && !self.has_lost_piece()
    }

    /// Submits queued work to the lane and takes completed pieces; false if there was nothing to
    /// do, or if the lane is spent.
    pub(crate) fn step(&mut self) -> bool {
        let depth = self.state.rail.capability().depth;
        while self.has_room(depth) {
            let Some(entry) = self.next() else { break };
            self.begin(entry);
        }
        if self.lane.in_flight() == 0 {
            return false;
        }
        // One piece that takes long, or never ends, must not keep the rail out of service.
        let is_free = !self.state.health.is_in_service()
            && self.lane_state == LaneState::Good
            && self.has_room(depth);
        let has_reaped = match is_free {
            true => count_free(self.core, self.rail, || self.reap()),
            false => self.reap(),
        };
        has_reaped || !self.is_spent()
    }

    /// Completes all pieces in flight, unless the engine closes or the lane is spent.
    pub(crate) fn finish_begun(&mut self) {
        while self.lane.in_flight() > 0 && !self.is_spent() && !self.core.is_closing() {
            self.reap();
        }
    }

    /// Takes a completed piece, if there is one within [`REAP_LIMIT`]; false if not.
    fn reap(&mut self) -> bool {
        let lane = &mut self.lane;
        let Ok(done) = catch_unwind(AssertUnwindSafe(|| lane.reap(REAP_LIMIT))) else {
            self.set_failed(LaneState::Panicked);
            let text = self.panic_text();
            self.core
                .quarantine(self.rail, EventKind::Quarantined, text);
            return false;
        };
        let is_done = done.is_some();
        done.into_iter().for_each(|done| self.end(done));
        is_done
    }

    /// Does the next piece, on a lane that does it within the call, if `fits` accepts the next
    /// entry; otherwise the entry stays queued. False if nothing was done.
    pub(crate) fn step_if(&mut self, fits: impl FnOnce(&QueueEntry) -> bool) -> bool {
        let Some(entry) = self.next() else {
            return false;
        };
        if !fits(&entry) {
            self.core.push_back(self.rail, entry);
            return false;
        }
        self.begin(entry);
        self.reap();
        true
    }

    /// Returns the next work, if the lane may take more: of this rail, or taken from another one.
    pub(crate) fn next(&self) -> Option<QueueEntry> {
        if self.lane_state != LaneState::Good || !self.state.health.is_in_service() {
            return None;
        }
        if let Some(entry) = self.state.queues.pop() {
            return Some(entry);
        }
        match self.core.options.scheduling {
            Scheduling::Single(_) => None,
            Scheduling::FirstCome => self.take_common(),
            Scheduling::RateAware => self.steal(),
        }
    }

    fn take_common(&self) -> Option<QueueEntry> {
        let entry = self.core.common.pop()?;
        let Some((task, bytes, refused)) = entry.extent() else {
            return Some(entry);
        };
        if task.eligible.contains(self.rail) && !refused.contains(self.rail) {
            let data = data_bytes(task, bytes);
            let scheduler = &self.core.scheduler;
            scheduler.moved(COMMON, self.rail, task.priority, data);
            return Some(entry);
        }
        // Not for this rail: queued for the first one that takes it.
        let data = data_bytes(task, bytes);
        self.core.scheduler.dropped(COMMON, task.priority, data);
        if let Some(subtask) = entry.into_subtask() {
            self.core.enqueue_anywhere(subtask);
        }
        None
    }

    fn steal(&self) -> Option<QueueEntry> {
        if !self.core.scheduler.is_active(self.rail) {
            return None;
        }
        let victims = (0..self.core.rail_states.len()).filter(|victim| *victim != self.rail);
        victims
            .into_iter()
            .find_map(|victim| self.steal_from(victim))
    }

    fn steal_from(&self, victim: usize) -> Option<QueueEntry> {
        let queues = &self.core.rail_states[victim].queues;
        if queues.depth() == 0 {
            return None;
        }
        let entry = queues.pop()?;
        let taken = self.worth_stealing(victim, &entry);
        if taken == 0 {
            // The victim's workers may have found nothing in the meantime and gone to sleep.
            self.core.push_back(victim, entry);
            return None;
        }
        let subtask = self.core.claim(victim, entry)?;
        self.state.counters.stolen.fetch_add(1, Relaxed);
        let data = data_bytes(&subtask.task, taken);
        let (scheduler, priority) = (&self.core.scheduler, subtask.task.priority);
        scheduler.moved(victim, self.rail, priority, data);
        let remaining = subtask.piece.bytes();
        if taken == remaining {
            return Some(QueueEntry::Subtask(subtask));
        }
        let (left, taken) = subtask.split(remaining - taken);
        self.core.push_back(victim, QueueEntry::Subtask(left));
        Some(QueueEntry::Subtask(taken))
    }

    /// Returns how many bytes of each buffer, from its end, this rail should steal.
    fn worth_stealing(&self, victim: usize, entry: &QueueEntry) -> usize {
        let Some((task, bytes, refused)) = entry.extent() else {
            return 0;
        };
        if !task.eligible.contains(self.rail) || refused.contains(self.rail) {
            return 0;
        }
        let scheduler = &self.core.scheduler;
        let wanted = scheduler.steal(self.rail, victim, task.workload(bytes));
        wanted.min(bytes)
    }

    pub(crate) fn begin(&mut self, entry: QueueEntry) {
        match entry {
            QueueEntry::Check(check) => self.begin_check(*check),
            entry => {
                if let Some(subtask) = self.core.claim(self.rail, entry) {
                    self.begin_subtask(subtask);
                }
            }
        }
    }

    fn begin_subtask(&mut self, subtask: Subtask) {
        let queued = data_bytes(&subtask.task, subtask.piece.bytes());
        let priority = subtask.task.priority;
        let Some(subtask) = self.core.discard_if_abandoned(subtask) else {
            return self.core.scheduler.dropped(self.rail, priority, queued);
        };
        let Some(subtask) = self.fit(subtask) else {
            return;
        };
        let now = self.now();
        if subtask.task.begin(now) {
            self.state.counters.waits.count(now - subtask.task.issued);
        }
        let data = data_bytes(&subtask.task, subtask.piece.bytes());
        self.core.scheduler.begun(self.rail, priority, data);
        let Subtask {
            task,
            piece,
            refused,
        } = subtask;
        let store = task.store.unwrap_or_else(|| self.state.store(piece.job()));
        let before = self.core.before(self.rail, &piece);
        self.submit(piece.stored(store), |bytes, handle| InFlightPiece {
            task,
            bytes,
            begun: now,
            refused,
            handle,
            check: None,
            before,
        });
    }

    /// Cuts off a piece of the size that suits the rail and queues the rest for any worker; `None`
    /// if the rail cannot do any of it.
    fn fit(&mut self, subtask: Subtask) -> Option<Subtask> {
        let capability = self.state.rail.capability();
        let (bytes, granule) = (subtask.piece.bytes(), capability.granule_bytes);
        let workload = subtask.task.workload(bytes);
        let mut wanted = self.core.scheduler.piece(self.rail, workload);
        if wanted < bytes || !capability.takes(&subtask.piece) {
            wanted -= wanted % granule;
        }
        if wanted == bytes {
            return Some(subtask);
        }
        if wanted == 0 {
            let data = data_bytes(&subtask.task, bytes);
            let scheduler = &self.core.scheduler;
            scheduler.dropped(self.rail, subtask.task.priority, data);
            let refused = subtask.refused.with(self.rail);
            self.core.enqueue(Subtask { refused, ..subtask });
            return None;
        }
        let (subtask, rest) = subtask.split(wanted);
        let remaining = rest.piece.bytes();
        self.core.push_back(self.rail, QueueEntry::Subtask(rest));
        self.core
            .wake_idle_rails(&subtask.task, self.rail, remaining);
        Some(subtask)
    }

    pub(crate) fn submit(
        &mut self,
        piece: Piece,
        in_flight: impl FnOnce(usize, Option<stripeline_rail::RevokeHandle>) -> InFlightPiece,
    ) {
        self.tickets += 1;
        let bytes = piece.bytes();
        let (piece, handle) = piece.for_rail(self.state.rail.capability());
        let in_flight = in_flight(bytes, handle);
        let due = Due {
            bytes: self.state.due_bytes(self.in_flight_pieces, &in_flight),
            watched: self.core.watched.time(),
        };
        self.in_flight_pieces.insert(self.tickets, in_flight, due);
        // A panic of a coder must neither end the worker nor leave the task unfinished.
        let (lane, ticket) = (&mut self.lane, self.tickets);
        let submitted = catch_unwind(AssertUnwindSafe(|| lane.submit(ticket, piece)));
        if submitted.is_err() {
            self.panicked(ticket);
        }
    }

    /// Fails the task: the panic has dropped the piece, so no rail can do it again.
    fn panicked(&mut self, ticket: u64) {
        self.set_failed(LaneState::Failed);
        let Some(in_flight) = self.in_flight_pieces.remove(ticket) else {
            return;
        };
        let text = self.panic_text();
        let error = Error::new(ErrorKind::Failed, text.clone());
        in_flight.task.fail(error);
        self.core.give_up(&in_flight.task);
        self.core
            .quarantine(self.rail, EventKind::Quarantined, text);
        self.core.lose(self.rail, in_flight);
    }

    fn panic_text(&self) -> String {
        let name = self.core.name(self.rail);
        format!("Cannot code on {name}: its coder panicked")
    }

    /// Ends the lane because it is spent or the engine closes. Pieces that complete within `limit`
    /// end with the rail's result. All others end as closed, as soon as the device can no longer
    /// access their buffers; those that a panic has lost are done elsewhere if the device has
    /// copies, and end as failed otherwise.
    pub(crate) fn close(mut self, limit: Duration) {
        self.good_lane = None;
        let until = clock::now() + limit;
        while self.lane.in_flight() > 0 && !self.is_spent() && clock::now() < until {
            self.reap();
        }
        let has_panicked = match self.lane_state {
            LaneState::Good => false,
            // It panicked when it was given a piece, and has dropped those that it had.
            LaneState::Failed => self.lane.in_flight() == 0,
            LaneState::Panicked => true,
        };
        let error = has_panicked.then(|| Error::new(ErrorKind::Failed, self.panic_text()));
        let Self {
            core,
            rail,
            in_flight_pieces,
            lane,
            ..
        } = self;
        let lose = |in_flight: InFlightPiece| {
            match &error {
                Some(error) => drop(in_flight.task.fail(error.clone())),
                // This includes checks: without a comparison, the bytes may be wrong.
                None => in_flight.task.close(),
            }
            core.give_up(&in_flight.task);
            core.lose(rail, in_flight);
        };
        for (in_flight, piece) in in_flight_pieces.revoke(|_, _| true) {
            if has_panicked {
                core.retry_revoked(rail, in_flight, piece);
            } else {
                drop(piece);
                lose(in_flight);
            }
        }
        // Waits for the device, for a limited time. A piece in place that it may still access keeps
        // its job alive. A panic must not end the worker.
        let _ = catch_unwind(AssertUnwindSafe(|| drop(lane)));
        in_flight_pieces.take().for_each(lose);
    }

    fn end(&mut self, done: Done) {
        let Some(mut in_flight) = self.in_flight_pieces.remove(done.ticket) else {
            // Revoked while the device worked; another rail does it.
            return;
        };
        if let Err(fault) = &done.outcome
            && fault.kind() != FaultKind::Refused
        {
            self.set_failed(LaneState::Failed);
        }
        let now = self.now();
        let busy = now - in_flight.begun.max(self.returned);
        self.returned = now;
        let mut piece = done.piece.expect("what was not taken away comes back");
        piece.make_irrevocable();
        // The handle keeps the job alive, which must end before its task does.
        in_flight.handle = None;
        if in_flight.check.is_some() {
            return self
                .core
                .end_check(self.rail, in_flight, piece, done.outcome);
        }
        let InFlightPiece {
            task,
            bytes,
            refused,
            begun,
            before,
            ..
        } = in_flight;
        let subtask = Subtask {
            task,
            piece,
            refused,
        };
        let data = data_bytes(&subtask.task, bytes);
        match done.outcome {
            Ok(verdict) => {
                self.count(now - begun, busy, data, &subtask);
                self.core.written(self.rail, subtask, verdict, before);
            }
            Err(fault) => self.failed(subtask, &fault, data),
        }
    }

    fn failed(&self, subtask: Subtask, fault: &Fault, data: usize) {
        self.core.scheduler.dropped(self.rail, BEGUN, data);
        self.core.retry_elsewhere(subtask, self.rail, fault);
    }

    fn count(&self, service: u64, busy: u64, data: usize, subtask: &Subtask) {
        let counters = &self.state.counters;
        counters.pieces.fetch_add(1, Relaxed);
        counters.data_bytes.fetch_add(data as u64, Relaxed);
        counters.busy_ns.fetch_add(busy, Relaxed);
        counters.services.count(service);
        let job = subtask.piece.job();
        let class = Class::of(job.mode(), job.outputs().len(), data);
        let scheduler = &self.core.scheduler;
        scheduler.finished(self.rail, class, data, busy);
    }
}

impl Core {
    /// Accounts for a piece in flight that was lost.
    pub(crate) fn lose(&self, rail: usize, in_flight: InFlightPiece) {
        let InFlightPiece {
            task,
            bytes,
            check,
            handle,
            ..
        } = in_flight;
        let is_check = check.is_some();
        // Both keep the job alive, which must end before its task does.
        drop((check, handle));
        if !is_check {
            let data = data_bytes(&task, bytes);
            self.scheduler.dropped(rail, BEGUN, data);
        }
        self.account(&task, bytes);
    }
}
