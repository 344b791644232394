// SPDX-License-Identifier: Apache-2.0
//! The threads of an engine.

use std::thread::{Builder, JoinHandle, current};
use std::time::Duration;

use nix::sys::signal::{SigSet, SigmaskHow, Signal};
use nix::time::{ClockId, clock_gettime};
use stripeline_rail::clock;

use crate::api::callbacks::is_in_turn;
use crate::api::error::{Error, ErrorKind};
use crate::api::options::EventKind;
use crate::core::rail_state::GoodLane;
use crate::core::shared::Core;
use crate::core::sync::Arc;
use crate::core::sync::atomic::Ordering;
use crate::core::wait::is_helping;
use crate::core::watchdog;
use crate::core::worker::Worker;

/// When the engine ends, a worker whose device hangs is detached after this time; it ends by itself
/// if the device ever answers.
const FAREWELL: Duration = Duration::from_secs(2);

/// How long a worker waits for what its device has begun when the engine ends: half of
/// [`FAREWELL`], so that the lane has time to end too.
const GRACE: Duration = Duration::from_secs(1);

/// The workers and the watchdog.
pub(crate) struct WorkerPool {
    workers: Vec<WorkerThread>,
    watchdog: Option<JoinHandle<()>>,
}

struct WorkerThread {
    rail: usize,
    /// Among the workers of the rail.
    index: usize,
    handle: JoinHandle<()>,
}

impl WorkerPool {
    /// Starts all threads.
    pub(crate) fn start(core: &Arc<Core>) -> Result<Self, Error> {
        let mut pool = Self {
            workers: Vec::new(),
            watchdog: None,
        };
        // Threads inherit the mask of the one that starts them.
        let mask = asynchronous_signals().thread_swap_mask(SigmaskHow::SIG_BLOCK);
        let spawned = pool.spawn(core);
        if let Ok(mask) = mask {
            mask.thread_set_mask().expect("a mask that was set before");
        }
        if let Err(error) = spawned {
            pool.end(core);
            let text = format!("Cannot start the engine: a thread cannot be started: {error}");
            return Err(Error::new(ErrorKind::Configuration, text));
        }
        Ok(pool)
    }

    fn spawn(&mut self, core: &Arc<Core>) -> std::io::Result<()> {
        let watching = Arc::clone(core);
        let watchdog = Builder::new().name("stripeline-watchdog".to_owned());
        self.watchdog = Some(watchdog.spawn(move || watchdog::run(&watching))?);
        for (rail, state) in core.rail_states.iter().enumerate() {
            for index in 0..state.in_flight_pieces.len() {
                let core = Arc::clone(core);
                let name = format!("stripeline-{}-{index}", state.rail.name());
                let thread = Builder::new().name(name);
                let handle = thread.spawn(move || run_worker(&core, rail, index))?;
                self.workers.push(WorkerThread {
                    rail,
                    index,
                    handle,
                });
            }
        }
        Ok(())
    }

    /// Forgets the threads, which belong to the parent process.
    pub(crate) fn forget(&mut self) {
        // Not dropped: a drop detaches the thread, and a forked child has none.
        self.workers.drain(..).for_each(std::mem::forget);
        std::mem::forget(self.watchdog.take());
    }

    /// Ends all threads, except for those whose device hangs, and waits for threads that help or
    /// notify waiters of the end of a task. Does not wait for the current thread, which is one of
    /// these if the engine is dropped in a call-back.
    pub(crate) fn end(&mut self, core: &Core) {
        core.begin_close();
        let is_own = |thread: &JoinHandle<()>| thread.thread().id() == current().id();
        let mut by_itself = is_helping();
        if let Some(watchdog) = self.watchdog.take() {
            match is_own(&watchdog) {
                true => by_itself = true,
                false => drop(watchdog.join()),
            }
        }
        let until = clock::now() + FAREWELL;
        for WorkerThread {
            rail,
            index,
            handle,
        } in self.workers.drain(..)
        {
            if is_own(&handle) {
                by_itself = true;
                continue;
            }
            while !handle.is_finished() && clock::now() < until {
                core.any.sleep(Some(Duration::from_millis(1)), || {
                    handle.is_finished().then_some(())
                });
            }
            match handle.is_finished() {
                true => drop(handle.join()),
                false => core.close_in_flight(rail, index),
            }
        }
        if by_itself {
            return;
        }
        core.await_helpers();
        if is_in_turn() {
            // Tasks that this thread has ended are outstanding until after its call-back.
            return;
        }
        // A thread of the program that cancels a task notifies its waiters itself.
        let all_notified = || core.admission.outstanding() == 0;
        core.wait_until(&core.admission.empty, Some(until), all_notified);
    }
}

impl Core {
    /// Ends, as closed, the pieces of a worker that does not return from its rail, except for those
    /// that the rail may still access.
    fn close_in_flight(&self, rail: usize, index: usize) {
        let in_flight_pieces = &self.rail_states[rail].in_flight_pieces[index];
        for (in_flight, piece) in in_flight_pieces.revoke(|_, _| true) {
            drop(piece);
            in_flight.task.close();
            self.lose(rail, in_flight);
        }
    }
}

/// The signals sent to the process, whose handlers expect the program's own threads. Faults of a
/// thread itself, such as a read beyond the end of a mapped file, must still reach their handler.
fn asynchronous_signals() -> SigSet {
    let mut signals = SigSet::all();
    for fault in [
        Signal::SIGBUS,
        Signal::SIGFPE,
        Signal::SIGILL,
        Signal::SIGSEGV,
        Signal::SIGSYS,
        Signal::SIGTRAP,
    ] {
        signals.remove(fault);
    }
    signals
}

/// The main function of a worker's thread.
fn run_worker(core: &Core, rail: usize, index: usize) {
    let state = &core.rail_states[rail];
    if state.rail.capability().costly_lanes {
        count_free(core, rail, || core.await_lane_request(rail));
    }
    let mut counted = 0;
    while !core.is_closing() {
        if !state.health.is_in_service() {
            // The test that ends this opens a lane itself, with growing pauses.
            park(core, rail);
            continue;
        }
        match state.open_lane() {
            Ok(lane) => {
                core.verify_once(rail);
                core.scheduler.set_open(rail, true);
                let mut worker = Worker::new(core, rail, &state.in_flight_pieces[index], lane);
                worker.good_lane = Some(GoodLane::of(state));
                serve(core, rail, worker, &mut counted);
            }
            Err(_) if state.good_lanes.load(Ordering::SeqCst) > 0 => {
                // The rail works without this lane, and may open it when what hangs has ended.
                let period = Some(core.options.quarantine);
                let wanted = || core.is_closing().then_some(());
                count_free(core, rail, || core.parked.sleep(period, wanted));
            }
            Err(fault) => {
                let text = format!("Cannot open a lane of {}: {fault}", state.rail.name());
                core.quarantine(rail, EventKind::Quarantined, text);
            }
        }
    }
}

/// Sleeps, unless the rail is in service or the engine closes.
fn park(core: &Core, rail: usize) {
    let health = &core.rail_states[rail].health;
    let wanted = || core.is_closing() || health.is_in_service();
    count_free(core, rail, || {
        core.parked.sleep(None, || wanted().then_some(()))
    });
}

/// Runs `wait`, and counts this worker as free until it returns.
pub(crate) fn count_free<T>(core: &Core, rail: usize, wait: impl FnOnce() -> T) -> T {
    let free = &core.rail_states[rail].free_workers;
    free.fetch_add(1, Ordering::SeqCst);
    let result = wait();
    free.fetch_sub(1, Ordering::SeqCst);
    result
}

/// Works until the engine closes or the lane is spent, then ends the lane. `counted` is the CPU
/// time of this thread that is in the rail's counter.
pub(crate) fn serve(core: &Core, rail: usize, mut worker: Worker<'_>, counted: &mut u64) {
    let state = &core.rail_states[rail];
    let mut permit = None;
    while !core.is_closing() {
        permit = permit.or_else(|| core.acquire_permit(rail));
        if permit.is_some() && core.is_within_share(rail) && worker.step() {
            continue;
        }
        worker.finish_begun();
        let has_room = permit.take().is_some() && core.is_within_share(rail);
        count_cpu(core, rail, counted);
        if worker.is_spent() {
            break;
        }
        // A worker that cannot take work must not sleep at the bell that wakes one worker per
        // entry.
        if !state.health.is_in_service() {
            park(core, rail);
        } else if !has_room {
            let wanted = || core.is_closing() || core.has_room(rail);
            let room = &state.coding_threads.room;
            count_free(core, rail, || room.sleep(None, || wanted().then_some(())));
        } else {
            let look = || {
                if core.is_closing() {
                    return Some(None);
                }
                let Some(permit) = core.acquire_permit(rail) else {
                    return Some(None);
                };
                worker.next().map(|entry| Some((permit, entry)))
            };
            let next = count_free(core, rail, || core.bell_of(rail).sleep(None, look));
            // Each ring wakes one worker: if there is more to do, wake the next.
            core.ring_if_waiting(rail);
            if let Some(Some((taken, entry))) = next {
                permit = Some(taken);
                worker.begin(entry);
            }
        }
        count_wake_up(core, rail);
    }
    worker.close(GRACE);
}

fn count_wake_up(core: &Core, rail: usize) {
    let counter = &core.rail_states[rail].counters.wake_ups;
    counter.fetch_add(1, Ordering::Relaxed);
}

/// Adds the CPU time of this thread since it last slept.
fn count_cpu(core: &Core, rail: usize, counted: &mut u64) {
    if let Ok(time) = clock_gettime(ClockId::CLOCK_THREAD_CPUTIME_ID) {
        let used = Duration::from(time).as_nanos() as u64;
        let counter = &core.rail_states[rail].counters.cpu_ns;
        counter.fetch_add(used - *counted, Ordering::Relaxed);
        *counted = used;
    }
}
