// SPDX-License-Identifier: Apache-2.0
//! Waits for tasks; waiting threads help by coding.

use std::cell::Cell;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Instant;

use stripeline_codec::{StorePolicy, Verdict};
use stripeline_rail::{Cpu, Mode, Piece, clock};

use crate::api::options::Scheduling;
use crate::api::request::Request;
use crate::core::coding_threads::ThreadPermit;
use crate::core::doorbell::Doorbell;
use crate::core::queue::QueueEntry;
use crate::core::rail_state::InFlightPieces;
use crate::core::shared::Core;
use crate::core::sync::{Arc, thread_local};
use crate::core::task::Task;
use crate::core::worker::Worker;
use crate::schedule::{COMMON, Class, Workload};

/// A thread with a deadline takes a piece only if it has this many times the estimated time of the
/// piece.
const MARGIN: f64 = 2.0;

thread_local! {
    /// How many engines this thread helps: several if a listener waits for a task of another
    /// engine.
    #[allow(
        clippy::missing_const_for_thread_local,
        reason = "the permutation tester's thread locals cannot be const"
    )]
    static HELPED: Cell<usize> = Cell::new(0);
}

/// A thread that helps, until dropped.
struct Helping;

impl Helping {
    fn begin() -> Self {
        HELPED.with(|helped| helped.set(helped.get() + 1));
        Self
    }
}

impl Drop for Helping {
    fn drop(&mut self) {
        HELPED.with(|helped| helped.set(helped.get() - 1));
    }
}

/// Returns whether this thread helps an engine, and is therefore in a call-back or a listener.
pub(crate) fn is_helping() -> bool {
    HELPED.try_with(Cell::get).is_ok_and(|helped| helped > 0)
}

impl Core {
    /// Waits until a task is done, or until `until`.
    pub(crate) fn wait_for(&self, task: &Arc<Task>, until: Option<Instant>) {
        self.wait_until(self.bell(task), until, || task.is_done());
    }

    /// Waits at a bell until `done`, or until `until`, and helps during the wait.
    pub(crate) fn wait_until(
        &self,
        bell: &Doorbell,
        until: Option<Instant>,
        done: impl Fn() -> bool,
    ) {
        if done() {
            return;
        }
        let is_late = || until.is_some_and(|until| clock::now() >= until);
        self.help(None, until, || done() || is_late());
        while !done() {
            let limit = until.map(|until| until.saturating_duration_since(clock::now()));
            if limit.is_some_and(|limit| limit.is_zero()) {
                return;
            }
            bell.sleep(limit, || done().then_some(()));
        }
    }

    /// Codes on this thread, beginning with `first`, until `enough`, or until no work is left that
    /// would end in time. Returns `first` if this thread may not help.
    pub(crate) fn help(
        &self,
        first: Option<QueueEntry>,
        until: Option<Instant>,
        enough: impl Fn() -> bool,
    ) -> Option<QueueEntry> {
        let Some(rail) = self.helping_rail() else {
            return first;
        };
        let state = &self.rail_states[rail];
        if first.is_none() && state.queues.depth() == 0 && self.common.depth() == 0 {
            return None;
        }
        // The permit first: a closing thread either sees it and waits, or is seen by this thread
        // below.
        let Some(_permit) = self.acquire_helper_permit(rail) else {
            return first;
        };
        if self.is_closing() {
            return first;
        }
        let _helping = Helping::begin();
        let lane = match state.spare_lanes.pop() {
            Some(lane) => lane,
            None => match state.open_lane() {
                Ok(lane) => lane,
                Err(_) => return first,
            },
        };
        let in_flight_pieces = InFlightPieces::default();
        let mut worker = Worker::new(self, rail, &in_flight_pieces, lane);
        if let Some(entry) = first {
            worker.begin(entry);
            worker.step();
        }
        let fits = |entry: &QueueEntry| until.is_none_or(|until| self.ends_by(rail, entry, until));
        while !enough() && !self.is_closing() && worker.step_if(fits) {}
        if let Some(lane) = worker.into_lane() {
            let _ = state.spare_lanes.push(lane);
        }
        None
    }

    /// Returns a permit to code new outputs on this thread at once, without a task. `None` if there
    /// is a choice of rails or of threads, if work is queued, or if the request has a deadline,
    /// which needs a task.
    pub(crate) fn acquire_permit_at_once(
        &self,
        (inputs, outputs, bytes): (usize, usize, usize),
        request: &Request,
    ) -> Option<ThreadPermit<'_>> {
        let workload = Workload {
            class: Class::of(Mode::Set, outputs, inputs.saturating_mul(bytes)),
            priority: request.priority,
            inputs,
            outputs,
            on_device: false,
            unstaged: false,
            bytes,
        };
        let is_small = self.may_code_at_once
            && bytes > 0
            && request.deadline.is_none()
            && !self.is_inherited()
            && self.rail_states[0].health.is_in_service()
            // The common backlog first: work moves from there to the rail.
            && self.scheduler.ahead_bytes(COMMON, request.priority) == 0
            && self.scheduler.ahead_bytes(0, request.priority) == 0
            && self.scheduler.piece(0, workload) == bytes;
        // The permit first, as in `help`.
        let permit = is_small.then(|| self.acquire_helper_permit(0)).flatten()?;
        (!self.is_closing()).then_some(permit)
    }

    /// Codes new outputs of a piece on this thread. Returns the piece if it was not coded.
    pub(crate) fn code_at_once(&self, piece: Piece, request: &Request) -> Result<(), Piece> {
        let (job, bytes) = (piece.job(), piece.bytes());
        let (inputs, outputs) = (job.inputs().len(), job.outputs().len());
        let state = &self.rail_states[0];
        // Of other results, some are checked.
        if job.mode() != Mode::Set || !state.rail.capability().takes(&piece) {
            return Err(piece);
        }
        let Some(_permit) = self.acquire_permit_at_once((inputs, outputs, bytes), request) else {
            return Err(piece);
        };
        let store = request.store.unwrap_or_else(|| state.store(job));
        let _: Verdict = Cpu::active().code(&mut piece.stored(store));
        self.count_at_once(inputs * bytes);
        Ok(())
    }

    /// Codes new outputs by a codec on this thread: calls `code` with the store policy. `None` if
    /// it was not called.
    pub(crate) fn by_codec<R, E>(
        &self,
        (inputs, outputs, bytes): (usize, usize, usize),
        request: &Request,
        code: impl FnOnce(StorePolicy) -> Result<R, E>,
    ) -> Option<Result<R, E>> {
        let _permit = self.acquire_permit_at_once((inputs, outputs, bytes), request)?;
        let all = (inputs + outputs).saturating_mul(bytes);
        let tuning = &self.rail_states[0].tuning;
        let store = request.store.unwrap_or_else(|| tuning.store(all));
        let coded = code(store);
        if coded.is_ok() {
            self.count_at_once(inputs * bytes);
        }
        Some(coded)
    }

    fn count_at_once(&self, data: usize) {
        self.admission.count();
        let counters = &self.rail_states[0].counters;
        counters.pieces.fetch_add(1, Relaxed);
        counters.data_bytes.fetch_add(data as u64, Relaxed);
    }

    /// Returns whether this thread is expected to finish the next piece of an entry by `until`.
    fn ends_by(&self, rail: usize, entry: &QueueEntry, until: Instant) -> bool {
        let Some((task, bytes, _)) = entry.extent() else {
            return false;
        };
        let needed = self.scheduler.piece_ns(rail, task.workload(bytes)) * MARGIN;
        needed < until.saturating_duration_since(clock::now()).as_nanos() as f64
    }

    /// Returns the rail that waiting threads help: one whose coder runs on the calling thread.
    pub(crate) fn helping_rail(&self) -> Option<usize> {
        if !self.options.waiting_threads_help {
            return None;
        }
        let can = |rail: usize| {
            let state = &self.rail_states[rail];
            let capability = state.rail.capability();
            let within_call = !capability.detaches && capability.depth == 1;
            within_call && capability.for_waiting_threads && state.health.is_in_service()
        };
        match &self.options.scheduling {
            Scheduling::Single(name) => {
                let named = (0..self.rail_states.len()).find(|rail| self.name(*rail) == name);
                named.filter(|rail| can(*rail))
            }
            _ => (0..self.rail_states.len()).find(|rail| can(*rail)),
        }
    }
}
