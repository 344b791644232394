// SPDX-License-Identifier: Apache-2.0
//! The engine: starts over rails, issues tasks and reports statistics.

use std::fmt;
use std::sync::PoisonError;
use std::time::{Duration, Instant};

use crossbeam_queue::ArrayQueue;
use stripeline_codec::Verdict;
use stripeline_rail::{Piece, Rail};

use crate::api::error::{Error, ErrorKind};
use crate::api::options::{Options, Scheduling, WhenFull};
use crate::api::request::Request;
use crate::api::statistics::{Counters, RailStatistics, Statistics};
use crate::api::ticket::{Ticket, until};
use crate::core::clock::nanoseconds;
use crate::core::coding_threads::CodingThreads;
use crate::core::queue::Queues;
use crate::core::rail_state::{Health, RailState};
use crate::core::shared::{Core, data_bytes};
use crate::core::spot_checks::SpotChecks;
use crate::core::sync::atomic::{AtomicBool, AtomicUsize};
use crate::core::sync::{Arc, Mutex, lock};
use crate::core::task::{Outcome, Task, TaskSpec};
use crate::core::worker_pool::WorkerPool;
use crate::node::Membership;
use crate::schedule::{Class, HANDOFF, Policy, RAILS_MAX, RailTraits, Scheduler};
use crate::tuning::RailTuning;

/// The lanes kept for waiting threads that help; more such threads open lanes of their own.
const SPARE_LANES: usize = 64;

/// An asynchronous coder over all rails of a machine.
///
/// Threads may share it. A drop finishes the pieces that rails work on and ends queued tasks with
/// [`ErrorKind::Closed`]; all buffers are released then, except for those that a hanging device
/// accesses in place. To complete all tasks, wait for them first. An engine can also be dropped in
/// a call-back or a listener; the piece that the current thread works on is then finished after the
/// drop.
///
/// A forked child has none of the engine's threads: every call there fails at once with
/// [`ErrorKind::Closed`], no task counts as outstanding, and dropping the engine does nothing. The
/// child may start an engine of its own, unless another thread was being started or ended during
/// the fork, when the standard library of a Rust program may hold a lock.
pub struct Engine {
    pub(crate) core: Arc<Core>,
    /// `None` once it is closed.
    pool: Mutex<Option<WorkerPool>>,
}

/// A task that was not issued, with its piece.
#[derive(Debug)]
pub struct Rejected {
    /// The reason.
    pub error: Error,
    /// The piece, untouched.
    pub piece: Piece,
}

impl Engine {
    /// Starts an engine over these rails, whose names must be unique.
    ///
    /// # Errors
    /// [`ErrorKind::Configuration`] if there is no rail or more than [`RAILS_MAX`], if names are
    /// not unique, if the one rail to use is not among them, if a rail codes nothing and is not
    /// alone or [`Options::measure_only`] is not set, or if threads cannot be started.
    pub fn start(rails: Vec<std::sync::Arc<dyn Rail>>, options: Options) -> Result<Self, Error> {
        let core = Arc::new(core(rails, options)?);
        let pool = Mutex::new(Some(WorkerPool::start(&core)?));
        Ok(Self { core, pool })
    }

    /// Issues a task and returns at once, unless the bounds of outstanding tasks are reached; see
    /// [`Options::when_full`].
    ///
    /// # Errors
    /// [`ErrorKind::Busy`] if there is no room and the options require a refusal;
    /// [`ErrorKind::DeadlineExceeded`] if the task's time is up before anything may be added;
    /// [`ErrorKind::Closed`] in a forked child, or after [`Engine::close`].
    pub fn issue(&self, piece: Piece, request: Request) -> Result<Ticket, Rejected> {
        self.issue_with(piece, request, |_ticket| ())
    }

    /// Issues a task as [`Engine::issue`] does, and calls `prepare` with its ticket before the task
    /// begins: calls registered with [`Ticket::on_end`] run on the thread that ends the task. That
    /// is the current thread if there are 0 bytes to code, or if no rail in service takes the task.
    ///
    /// If `prepare` panics, the task is cancelled.
    ///
    /// # Errors
    /// As [`Engine::issue`]; `prepare` is not called then.
    pub fn issue_with(
        &self,
        piece: Piece,
        request: Request,
        prepare: impl FnOnce(&Ticket),
    ) -> Result<Ticket, Rejected> {
        let ticket = self.admit(piece, request)?;
        let cancel_on_drop = CancelOnDrop(&ticket);
        prepare(&ticket);
        std::mem::forget(cancel_on_drop);
        if self.core.watch_deadline(&ticket.task) {
            self.core.enqueue_task(Arc::clone(&ticket.task));
        }
        Ok(ticket)
    }

    /// Runs a task and returns its outcome. The calling thread helps to code where that is faster.
    ///
    /// On an engine whose only rail codes on the CPUs, and does not share them with other
    /// processes ([`Options::node`]), the calling thread codes small stripes at once while nothing
    /// is queued. Such a call is counted as issued, but is never outstanding: the bounds of
    /// outstanding tasks do not apply, and [`Engine::wait_all`] does not wait for it.
    ///
    /// # Errors
    /// As [`Engine::issue`], or as the task ended.
    pub fn run(&self, piece: Piece, request: Request) -> Outcome {
        let piece = match self.core.code_at_once(piece, &request) {
            Ok(()) => return Ok(Verdict::Sound),
            Err(piece) => piece,
        };
        let ticket = self
            .admit(piece, request)
            .map_err(|rejected| rejected.error)?;
        if self.core.watch_deadline(&ticket.task) {
            self.core.run_on_caller(Arc::clone(&ticket.task));
        }
        ticket.wait()
    }

    /// Does what a drop does, while call-backs may still use the engine: tasks that they issue are
    /// refused. The drop then does nothing more.
    pub fn close(&self) {
        if self.core.is_inherited() {
            return;
        }
        // Not ended under the lock: a call-back may close the engine too.
        let pool = lock(&self.pool).take();
        if let Some(mut pool) = pool {
            pool.end(&self.core);
        }
    }

    fn admit(&self, piece: Piece, request: Request) -> Result<Ticket, Rejected> {
        let core = &self.core;
        if core.is_inherited() {
            let error = Error::inherited();
            return Err(Rejected { error, piece });
        }
        if core.is_closing() {
            let text = "Cannot issue a task: the engine is shutting down";
            let error = Error::new(ErrorKind::Closed, text);
            return Err(Rejected { error, piece });
        }
        let (job, bytes) = (piece.job(), piece.bytes());
        let (inputs, outputs) = (job.inputs().len(), job.outputs().len());
        let data = inputs.saturating_mul(bytes);
        let mut issued = core.clock.now();
        let deadline = request
            .deadline
            .map_or(0, |deadline| issued.saturating_add(nanoseconds(deadline)));
        let until = request.deadline.and_then(until);
        while !core.admission.enter(data) {
            if core.options.when_full == WhenFull::Refuse {
                if core.admission.taken() == 0 {
                    // The bytes belong to a task that is being admitted or is leaving.
                    std::thread::yield_now();
                    continue;
                }
                let text = format!(
                    "Cannot issue a task: {} are outstanding, the most allowed",
                    core.admission.taken()
                );
                let error = Error::new(ErrorKind::Busy, text);
                return Err(Rejected { error, piece });
            }
            if deadline > 0 && issued >= deadline {
                let text = format!(
                    "Cannot issue a task: its deadline passed while {} were outstanding, the most \
                     allowed",
                    core.admission.taken()
                );
                let error = Error::new(ErrorKind::DeadlineExceeded, text);
                return Err(Rejected { error, piece });
            }
            core.wait_for_room(data, until);
            issued = core.clock.now();
        }
        let spec = TaskSpec {
            class: Class::of(job.mode(), outputs, data),
            priority: request.priority,
            eligible: core.eligible(&piece),
            issued,
            deadline,
            store: request.store,
        };
        let task = Arc::new(Task::new(spec, piece));
        let core = Arc::clone(core);
        Ok(Ticket { core, task })
    }

    /// Waits until one of these tasks has ended and returns its index; `None` if `tickets` is
    /// empty.
    pub fn wait_any(&self, tickets: &[Ticket]) -> Option<usize> {
        Ticket::wait_any(tickets, None)
    }

    /// Waits until all of these tasks have ended.
    pub fn wait_every(&self, tickets: &[Ticket]) {
        for ticket in tickets {
            let _: Outcome = ticket.wait();
        }
    }

    /// Returns whether no task is outstanding. A task is outstanding until all its waiters were
    /// notified.
    #[must_use]
    pub fn test_all(&self) -> bool {
        self.core.is_inherited() || self.core.admission.outstanding() == 0
    }

    /// Waits until no task of any thread is outstanding; false after `timeout`.
    pub fn wait_all(&self, timeout: Option<Duration>) -> bool {
        if self.core.is_inherited() {
            return true;
        }
        let until = timeout.and_then(until);
        let bell = &self.core.admission.empty;
        self.core.wait_until(bell, until, || self.test_all());
        self.test_all()
    }

    /// Returns the number of rails, which never changes; 0 in a forked child.
    #[must_use]
    pub fn rails(&self) -> usize {
        match self.core.is_inherited() {
            true => 0,
            false => self.core.rail_states.len(),
        }
    }

    /// Returns the counters of a rail by its number, from 0; `None` if there is no such rail.
    #[must_use]
    pub fn rail_statistics(&self, rail: usize) -> Option<RailStatistics> {
        let state = self.core.rail_states[..self.rails()].get(rail)?;
        let seen = self.core.scheduler.rail_snapshot(rail);
        Some(RailStatistics {
            out_of_service: state.health.why(),
            queued: state.queues.depth(),
            active: seen.active,
            rate: seen.rate,
            ..state.counters.read(state.rail.name())
        })
    }

    /// Returns the counters of the engine and its rails; empty in a forked child.
    #[must_use]
    pub fn statistics(&self) -> Statistics {
        let core = &self.core;
        if core.is_inherited() {
            return Statistics::default();
        }
        let rails = (0..self.rails()).filter_map(|rail| self.rail_statistics(rail));
        Statistics {
            issued: core.admission.admitted(),
            outstanding: core.admission.taken(),
            tuning: core.options.tuning.source().to_owned(),
            threads_allowed: core.membership.as_ref().map(Membership::threads_allowed),
            coordination: core
                .membership
                .as_ref()
                .map(|membership| membership.coordination().to_string())
                .unwrap_or_default(),
            rails: rails.collect(),
        }
    }
}

impl Drop for Engine {
    fn drop(&mut self) {
        if self.core.is_inherited() {
            // Without the lock, which a thread of the parent process may hold.
            let pool = self.pool.get_mut();
            let pool = pool.unwrap_or_else(PoisonError::into_inner);
            return pool.iter_mut().for_each(WorkerPool::forget);
        }
        self.close();
    }
}

impl fmt::Debug for Engine {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let names = self.core.rail_states.iter().map(|state| state.rail.name());
        write!(
            formatter,
            "Engine({})",
            names.collect::<Vec<_>>().join(", ")
        )
    }
}

/// Cancels a task that was admitted but not issued, when a panic drops this.
struct CancelOnDrop<'a>(&'a Ticket);

impl Drop for CancelOnDrop<'_> {
    fn drop(&mut self) {
        self.0.cancel();
    }
}

impl Core {
    /// Adds the task's deadline to the timers; false if the task has ended, because it has 0 bytes
    /// or was cancelled.
    fn watch_deadline(&self, task: &Arc<Task>) -> bool {
        self.timers.add(task);
        self.timers.wake_if_dormant();
        if task.bytes == 0 {
            self.withdraw(task);
        }
        !task.is_done()
    }

    /// Assigns a task and codes on this thread.
    fn run_on_caller(&self, task: Arc<Task>) {
        let first = crate::core::queue::QueueEntry::Task(Arc::clone(&task));
        let mine = self
            .helping_rail()
            .filter(|rail| task.eligible.contains(*rail));
        let is_idle = self.scheduler.ahead_bytes(mine.unwrap_or(0), task.priority) == 0;
        match mine {
            Some(rail) if is_idle => {
                let data = data_bytes(&task, task.bytes);
                self.scheduler.placed(rail, task.priority, data);
                if self.help(Some(first), None, || task.is_done()).is_some() {
                    self.scheduler.dropped(rail, task.priority, data);
                    self.enqueue_task(task);
                }
            }
            _ => self.enqueue_task(task),
        }
    }

    fn wait_for_room(&self, data: usize, until: Option<Instant>) {
        let room = || self.admission.has_room(data);
        self.wait_until(&self.admission.room, until, room);
    }
}

/// Creates the shared state of an engine over these rails.
pub(crate) fn core(rails: Vec<std::sync::Arc<dyn Rail>>, options: Options) -> Result<Core, Error> {
    check_rails(&rails)?;
    check_coding(&rails, options.measure_only)?;
    let policy = policy(&rails, &options.scheduling)?;
    let tuned: Vec<_> = rails
        .iter()
        .map(|rail| options.tuning.rail(&**rail))
        .collect();
    let workers: Vec<_> = tuned
        .iter()
        .map(|tuning| workers(tuning, &options))
        .collect();
    let traits: Vec<_> = std::iter::zip(&rails, std::iter::zip(&tuned, &workers))
        .map(|(rail, (tuning, workers))| traits(&**rail, tuning, *workers))
        .collect();
    let rail_states: Box<[_]> = std::iter::zip(rails, std::iter::zip(tuned, &workers))
        .map(|(rail, (tuning, workers))| rail_state(rail, tuning, *workers))
        .collect();
    let scheduler = Scheduler::new(policy, &traits).with_retry_interval(options.retry);
    for (rail, state) in rail_states.iter().enumerate() {
        let opens_later = state.rail.capability().costly_lanes;
        scheduler.set_open(rail, !opens_later);
    }
    Ok(Core::new(options, scheduler, rail_states))
}

fn check_rails(rails: &[std::sync::Arc<dyn Rail>]) -> Result<(), Error> {
    let refuse = |text| Err(Error::new(ErrorKind::Configuration, text));
    if rails.is_empty() || rails.len() > RAILS_MAX {
        let text = format!(
            "Cannot start the engine: {} rails given, 1 to {RAILS_MAX} allowed",
            rails.len()
        );
        return refuse(text);
    }
    for (index, rail) in rails.iter().enumerate() {
        if rails[..index]
            .iter()
            .any(|other| other.name() == rail.name())
        {
            let text = format!(
                "Cannot start the engine: two rails are named {}",
                rail.name()
            );
            return refuse(text);
        }
    }
    Ok(())
}

/// Refuses rails whose outputs would be wrong without an error.
fn check_coding(rails: &[std::sync::Arc<dyn Rail>], measure_only: bool) -> Result<(), Error> {
    let Some(idle) = rails.iter().find(|rail| rail.capability().codes_nothing) else {
        return Ok(());
    };
    let name = idle.name();
    let text = if rails.len() > 1 {
        let names: Vec<_> = rails.iter().map(|rail| rail.name()).collect();
        let names = names.join(",");
        format!(
            "Cannot start the engine: rail {name} of rails={names} codes nothing and cannot be \
             used with others: remove it"
        )
    } else if !measure_only {
        format!(
            "Cannot start the engine: rail {name} codes nothing, so outputs would be wrong: name \
             other rails, or set measure-only=true in a measurement"
        )
    } else {
        return Ok(());
    };
    Err(Error::new(ErrorKind::Configuration, text))
}

fn policy(rails: &[std::sync::Arc<dyn Rail>], scheduling: &Scheduling) -> Result<Policy, Error> {
    match scheduling {
        Scheduling::FirstCome => Ok(Policy::FirstCome),
        Scheduling::RateAware => Ok(Policy::RateAware),
        Scheduling::Single(name) => {
            let found = rails.iter().position(|rail| rail.name() == name);
            found.map(Policy::Single).ok_or_else(|| {
                let names: Vec<_> = rails.iter().map(|rail| rail.name()).collect();
                let names = names.join(", ");
                let text =
                    format!("Cannot start the engine: no rail is named {name}, there are {names}");
                Error::new(ErrorKind::Configuration, text)
            })
        }
    }
}

fn workers(tuning: &RailTuning, options: &Options) -> usize {
    match options.workers_max {
        0 => tuning.lanes.max(1),
        most => tuning.lanes.clamp(1, most),
    }
}

fn traits(rail: &dyn Rail, tuning: &RailTuning, workers: usize) -> RailTraits {
    let capability = rail.capability();
    let granule_bytes = capability.granule_bytes.max(1);
    RailTraits {
        workers,
        granule_bytes,
        piece_bytes: tuning.piece_bytes.max(granule_bytes),
        room_bytes: capability.room_bytes,
        smallest_bytes: tuning.smallest_data_bytes,
        handoff: HANDOFF,
        prior_rate: tuning.bytes_per_second as f64,
        shares_cpus: capability.shares_cpus,
    }
}

fn rail_state(rail: std::sync::Arc<dyn Rail>, tuning: RailTuning, workers: usize) -> RailState {
    RailState {
        rail,
        tuning,
        queues: Queues::default(),
        bell: Default::default(),
        counters: Counters::default(),
        in_flight_pieces: (0..workers).map(|_| Default::default()).collect(),
        health: Health::default(),
        spot_checks: SpotChecks::default(),
        lanes_requested: AtomicBool::new(false),
        verified: std::sync::Once::new(),
        coding_threads: CodingThreads::default(),
        free_workers: AtomicUsize::new(0),
        good_lanes: AtomicUsize::new(0),
        spare_lanes: ArrayQueue::new(SPARE_LANES),
    }
}
