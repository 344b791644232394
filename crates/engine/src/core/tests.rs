// SPDX-License-Identifier: Apache-2.0
//! Interleavings that are rare between threads, constructed explicitly.

use std::cell::Cell;
use std::sync::atomic::{AtomicUsize, Ordering::SeqCst};
use std::time::{Duration, Instant};

use stripeline_codec::{Code, Codec, Isa, Kernels, Verdict};
use stripeline_rail::owned::{self, Units};
use stripeline_rail::{Capability, Cpu, Mode, Piece, Rail, Synchronous};
use stripeline_testkit::faulty::{Failure, FaultyRail, Script};

use super::shared::Core;
use crate::api::engine::{Engine, core};
use crate::api::options::{Options, Scheduling};
use crate::api::request::Priority;
use crate::api::ticket::Ticket;
use crate::core::queue::{QueueEntry, Subtask};
use crate::core::rail_state::InFlightPieces;
use crate::core::sync::Arc;
use crate::core::task::{Hook, Task, TaskSpec};
use crate::core::worker::Worker;
use crate::schedule::{BEGUN, COMMON, Class, RailSet};

/// Longer than any operation here takes.
const LIMIT: Duration = Duration::from_secs(60);

fn rails() -> Vec<std::sync::Arc<dyn Rail>> {
    let kernels = Kernels::for_isa(Isa::Portable).expect("runs everywhere");
    let rail = |name| std::sync::Arc::new(Cpu::with_kernels(name, kernels)) as _;
    vec![rail("first"), rail("second")]
}

/// Assigns all work to the rail `first` while it is in service.
fn options() -> Options {
    Options {
        scheduling: Scheduling::Single("first".to_owned()),
        waiting_threads_help: false,
        ..Options::default()
    }
}

/// Returns a piece to encode.
pub(crate) fn piece() -> Piece {
    let codec = Codec::new(Code::Xor, 2, 1).expect("a valid shape");
    let units = Units {
        inputs: vec![vec![1; 8]; 2],
        outputs: vec![vec![0; 8]],
    };
    owned::encode(&codec, units).expect("right units").0
}

/// Returns the properties of an ordinary task.
pub(crate) fn spec(eligible: RailSet) -> TaskSpec {
    TaskSpec {
        class: Class::of(Mode::Set, 1, 16),
        priority: Priority::Foreground,
        eligible,
        issued: 1,
        deadline: 0,
        store: None,
    }
}

/// Returns a task that was admitted but not queued.
pub(crate) fn task(core: &Core) -> Arc<Task> {
    assert!(core.admission.enter(16));
    let piece = piece();
    let spec = spec(core.eligible(&piece));
    Arc::new(Task::new(spec, piece))
}

/// Returns the two halves of a task.
fn halves(task: &Arc<Task>) -> (Subtask, Subtask) {
    let entry = QueueEntry::Task(Arc::clone(task));
    entry.into_subtask().expect("not begun").split(4)
}

/// Takes the first rail out of service without updating the scheduler, as in the middle of a
/// quarantine.
fn take_out(core: &Core) {
    let health = &core.rail_states[0].health;
    assert!(health.quarantine("a test", core.clock.now(), u64::from(u32::MAX)));
}

#[test]
fn work_pushed_to_a_rail_that_went_out_of_service_goes_to_another() {
    let core = core(rails(), options()).expect("right options");
    take_out(&core);
    core.push(0, QueueEntry::Task(task(&core)));
    let depths = [0, 1].map(|rail| core.rail_states[rail].queues.depth());
    assert_eq!(depths, [0, 1]);
    core.push_back(0, QueueEntry::Task(task(&core)));
    let depths = [0, 1].map(|rail| core.rail_states[rail].queues.depth());
    assert_eq!(depths, [0, 2]);
}

#[test]
fn a_task_that_is_withdrawn_before_it_is_queued_leaves_no_backlog() {
    let options = Options {
        scheduling: Scheduling::RateAware,
        ..options()
    };
    let rail = |name| {
        let rail = Synchronous::new(name, Capability::synchronous(), Cpu::portable());
        std::sync::Arc::new(rail) as _
    };
    let core = core(vec![rail("first"), rail("second")], options).expect("right options");
    let codec = Codec::new(Code::Xor, 2, 1).expect("a valid shape");
    let bytes = 16 << 20;
    let units = Units {
        inputs: vec![vec![1; bytes]; 2],
        outputs: vec![vec![0; bytes]],
    };
    let (piece, _units) = owned::encode(&codec, units).expect("right units");
    let spec = TaskSpec {
        class: Class::of(Mode::Set, 1, 2 * bytes),
        ..spec(core.eligible(&piece))
    };
    let task = Arc::new(Task::new(spec, piece));
    assert!(core.admission.enter(2 * bytes));
    core.withdraw(&task);
    core.enqueue_task(task);
    let queued = [0, 1].map(|rail| core.rail_states[rail].queues.depth());
    let backlogs = [0, 1].map(|rail| core.scheduler.backlog_bytes(rail));
    assert_eq!((queued, backlogs), ([0, 0], [0, 0]));
}

#[test]
fn work_for_any_rail_fails_when_all_are_out_of_service() {
    let options = Options {
        scheduling: Scheduling::FirstCome,
        ..options()
    };
    let core = core(rails(), options).expect("right options");
    let task = task(&core);
    core.push(COMMON, QueueEntry::Task(Arc::clone(&task)));
    for rail in [0, 1] {
        assert!(!task.is_done());
        core.quarantine(rail, crate::EventKind::Quarantined, "a test".to_owned());
    }
    let error = task.outcome().expect("it has ended");
    assert_eq!(error.expect_err("no rail").kind(), crate::ErrorKind::NoRail);
}

#[test]
fn the_watchdog_empties_the_queue_of_a_rail_out_of_service() {
    let engine = Engine::start(rails(), options()).expect("right options");
    let core = &engine.core;
    take_out(core);
    let task = task(core);
    core.rail_states[0]
        .queues
        .push(QueueEntry::Task(Arc::clone(&task)));
    core.timers.wake();
    core.wait_for(&task, Some(Instant::now() + LIMIT));
    assert_eq!(task.outcome(), Some(Ok(Verdict::Sound)));
}

#[test]
fn the_watchdog_is_needed_while_a_rail_is_out_of_service() {
    let core = core(rails(), options()).expect("right options");
    assert!(!core.needs_watchdog());
    take_out(&core);
    assert!(
        core.needs_watchdog(),
        "the rail is tested again without a task"
    );
}

#[test]
fn a_deadline_is_removed_when_its_task_ends() {
    let core = core(rails(), options()).expect("right options");
    let task = |time| {
        assert!(core.admission.enter(16));
        let piece = piece();
        let spec = TaskSpec {
            deadline: core.clock.now() + time,
            ..spec(core.eligible(&piece))
        };
        Arc::new(Task::new(spec, piece))
    };
    let day = 86_400_000_000_000;
    let (ended, cancelled) = (task(day), task(day));
    core.timers.add(&ended);
    assert_eq!(core.timers.len(), 1);
    core.withdraw(&ended);
    assert_eq!(core.timers.len(), 0);
    core.withdraw(&cancelled);
    core.timers.add(&cancelled);
    assert_eq!(core.timers.len(), 0);
}

#[test]
fn queued_parts_of_an_expired_task_end_before_other_work() {
    let core = core(rails(), options()).expect("right options");
    assert!(core.admission.enter(16));
    let piece = piece();
    let spec = TaskSpec {
        deadline: 1,
        priority: Priority::Background,
        ..spec(core.eligible(&piece))
    };
    let expired = Arc::new(Task::new(spec, piece));
    core.timers.add(&expired);
    let others = [task(&core), task(&core)];
    for task in [&expired, &others[0], &others[1]] {
        core.scheduler.placed(0, task.priority, 16);
    }
    let (begun, rest) = halves(&expired);
    core.scheduler.begun(0, Priority::Background, 8);
    core.push(0, QueueEntry::Task(Arc::clone(&others[0])));
    core.push_back(0, QueueEntry::Subtask(rest));
    core.push(0, QueueEntry::Task(Arc::clone(&others[1])));
    core.expire_overdue(core.clock.now());
    core.end_failed();
    // What is begun, and the other tasks.
    assert_eq!(core.scheduler.backlog_bytes(0), 8 + 2 * 16);
    let queues = &core.rail_states[0].queues;
    for task in &others {
        let next = queues.pop().expect("an entry");
        assert!(Arc::ptr_eq(next.task(), task), "in the order of issue");
    }
    assert_eq!(queues.depth(), 0);
    assert!(!expired.is_done(), "a part is begun");
    core.abandon(begun);
    let error = expired.outcome().expect("it has ended");
    let error = error.expect_err("its deadline has passed");
    assert_eq!(error.kind(), crate::ErrorKind::DeadlineExceeded);
}

#[test]
fn queues_are_searched_again_only_for_what_is_queued_later() {
    let core = core(rails(), options()).expect("right options");
    let failed = task(&core);
    let (begun, rest) = halves(&failed);
    failed.expire();
    core.give_up(&failed);
    core.end_failed();
    let queues = &core.rail_states[0].queues;
    queues.push_begun(QueueEntry::Subtask(rest));
    core.end_failed();
    assert_eq!(queues.depth(), 1, "nothing was given up since the search");
    core.push_back(0, QueueEntry::Subtask(begun));
    core.end_failed();
    assert_eq!(queues.depth(), 0);
    assert!(failed.is_done());
    assert!(!core.needs_watchdog());
}

#[test]
fn searches_keep_the_order_while_a_worker_takes_entries() {
    for [begun, taken, added] in [[0, 0, 1], [0, 1, 1], [0, 2, 0], [4, 1, 0], [4, 5, 0]] {
        let core = core(rails(), options()).expect("right options");
        let queues = &core.rail_states[0].queues;
        let tasks: Vec<_> = (0..11).map(|_| task(&core)).collect();
        let entry = |number: usize| QueueEntry::Task(Arc::clone(&tasks[number]));
        let number = |entry: &QueueEntry| {
            let mut tasks = tasks.iter();
            tasks.position(|task| Arc::ptr_eq(task, entry.task()))
        };
        (0..begun).for_each(|number| queues.push_begun(entry(number)));
        (begun..8).for_each(|number| queues.push(entry(number)));
        let (queued, gone) = (Cell::new(8), Cell::new(0));
        for failed in [6, 7, 99] {
            let is_first = Cell::new(true);
            let removed = queues.remove_if(Priority::Foreground, |looked_at| {
                if is_first.replace(false) {
                    let taken = (0..taken).filter_map(|_| queues.pop()).count();
                    gone.set(gone.get() + taken);
                    for _ in 0..added {
                        queues.push(entry(queued.replace(queued.get() + 1)));
                    }
                }
                number(looked_at) == Some(failed)
            });
            gone.set(gone.get() + removed.len());
            let other = queues.remove_if(Priority::Background, |_| true);
            assert!(other.is_empty());
        }
        let left: Vec<_> = std::iter::from_fn(|| queues.pop())
            .map(|entry| number(&entry).expect("one of them"))
            .collect();
        assert!(left.is_sorted(), "{begun} begun, {taken} taken: {left:?}");
        assert_eq!(left.len() + gone.get(), queued.get());
    }
}

#[test]
fn what_stays_queued_can_be_taken_before_call_backs_of_failed_tasks_run() {
    let core = Arc::new(core(rails(), options()).expect("right options"));
    let (failed, other) = (task(&core), task(&core));
    let (begun, rest) = halves(&failed);
    core.abandon(begun);
    let queues = &core.rail_states[0].queues;
    queues.push_begun(QueueEntry::Subtask(rest));
    queues.push(QueueEntry::Task(other));
    // A push finds this and moves the other task.
    take_out(&core);
    let (watched, seen) = (Arc::clone(&core), std::sync::Arc::new(AtomicUsize::new(9)));
    let sees = std::sync::Arc::clone(&seen);
    failed.hook(Hook::Call(Box::new(move |_| {
        sees.store(watched.rail_states[1].queues.depth(), SeqCst);
    })));
    failed.expire();
    core.give_up(&failed);
    core.end_failed();
    assert_eq!(seen.load(SeqCst), 1);
}

#[test]
fn parts_of_a_task_that_a_panic_fails_leave_the_queues_of_other_rails() {
    for failure in [Failure::PanicAtOnce, Failure::Panic] {
        let coder = Synchronous::new("first", Capability::synchronous(), Cpu::portable());
        let panicking = FaultyRail::new(std::sync::Arc::new(coder), Script::always(failure));
        let rails = vec![std::sync::Arc::new(panicking) as _, rails().remove(1)];
        let core = core(rails, options()).expect("right options");
        let task = task(&core);
        let (first, second) = halves(&task);
        core.push(1, QueueEntry::Subtask(second));
        let state = &core.rail_states[0];
        let lane = state.open_lane().expect("a lane");
        let mut worker = Worker::new(&core, 0, &state.in_flight_pieces[0], lane);
        worker.begin(QueueEntry::Subtask(first));
        worker.step();
        worker.close(Duration::ZERO);
        core.end_failed();
        assert_eq!(core.rail_states[1].queues.depth(), 0, "{failure:?}");
        let error = task.outcome().expect("it has ended");
        let error = error.expect_err("the coder panicked");
        assert_eq!(error.kind(), crate::ErrorKind::Failed);
    }
}

#[test]
fn a_cancelled_task_leaves_queue_and_backlog() {
    let core = Arc::new(core(rails(), options()).expect("right options"));
    let task = task(&core);
    core.enqueue_task(Arc::clone(&task));
    let ticket = Ticket {
        core: Arc::clone(&core),
        task,
    };
    assert!(ticket.cancel());
    assert!(ticket.test().is_some(), "ended at once");
    assert!(core.needs_watchdog());
    core.end_failed();
    let depth = core.rail_states[0].queues.depth();
    assert_eq!((depth, core.scheduler.backlog_bytes(0)), (0, 0));
    assert!(!core.needs_watchdog());
}

/// Pieces in flight on a lane.
const DEPTH: u64 = 64;

const PIECE_NS: u64 = 5_000_000;

/// Returns an engine's state over a hanging rail with two deep lanes, which does a piece in
/// [`PIECE_NS`].
fn deep_core() -> Core {
    let capability = Capability {
        lanes: 2,
        ..Capability::synchronous()
    };
    let coder = Synchronous::new("slow", capability, Cpu::portable());
    let hanging = FaultyRail::new(std::sync::Arc::new(coder), Script::always(Failure::Hang));
    let rail = hanging.detaching().deep(DEPTH as usize);
    let options = Options {
        check_every: 0,
        ..Options::default()
    };
    let core = core(vec![std::sync::Arc::new(rail)], options).expect("right options");
    // Each lane has half of the rate.
    let class = Class::of(Mode::Set, 1, 16);
    for _ in 0..100 {
        core.scheduler.placed(0, BEGUN, 16);
        core.scheduler.finished(0, class, 16, 2 * PIECE_NS);
    }
    core
}

/// Submits pieces to a lane of the rail.
fn fill(core: &Core, lane: usize, pieces: u64) -> &InFlightPieces {
    let state = &core.rail_states[0];
    let in_flight = &state.in_flight_pieces[lane];
    let lane = state.open_lane().expect("a lane");
    let mut worker = Worker::new(core, 0, in_flight, lane);
    for _ in 0..pieces {
        core.scheduler.placed(0, Priority::Foreground, 16);
        worker.begin(QueueEntry::Task(task(core)));
    }
    in_flight
}

/// Makes the watchdog's rounds between two times from now on.
fn watch(core: &Core, times: std::ops::Range<u64>) {
    const ROUND_NS: usize = 5_000_000;
    let (now, end) = (core.clock.now(), times.end);
    let rounds = times.step_by(ROUND_NS).chain([end]);
    rounds.for_each(|passed| core.revoke_overdue(now + passed));
}

#[test]
fn a_piece_on_a_new_lane_may_take_as_long_as_those_on_the_other_lanes() {
    let core = deep_core();
    let first = fill(&core, 0, DEPTH);
    let second = fill(&core, 1, 1);
    // The device does the pieces in the order of their submission, and those of the first lane have
    // completed.
    first.take().for_each(drop);
    watch(&core, 0..(DEPTH + 1) * PIECE_NS);
    assert_eq!(second.len(), 1, "it is just being done");
    watch(&core, 0..21 * (DEPTH + 1) * PIECE_NS);
    assert_eq!(second.len(), 0, "it hangs");
}

#[test]
fn a_piece_on_a_deep_lane_may_take_as_long_as_those_before_it() {
    let core = deep_core();
    let in_flight = fill(&core, 0, DEPTH);
    // All but the last one have completed.
    (1..DEPTH).for_each(|ticket| drop(in_flight.remove(ticket)));
    // With another lane that is as busy.
    let least = 2 * DEPTH * PIECE_NS;
    watch(&core, 0..least);
    assert_eq!(in_flight.len(), 1, "it is just being done");
    watch(&core, 0..21 * least);
    assert_eq!(in_flight.len(), 0, "it hangs");
}

#[test]
fn time_during_which_the_process_is_stopped_does_not_count() {
    let core = deep_core();
    let in_flight = fill(&core, 0, 1);
    let limit = core.time_limit(0, 2 * 16, core.clock.now());
    let stopped = 30 * limit;
    for passed in [10 * limit, 20 * limit, stopped] {
        core.revoke_overdue(core.clock.now() + passed);
    }
    watch(&core, stopped..stopped + limit / 4);
    assert_eq!(in_flight.len(), 1, "its rail had no time");
    watch(&core, stopped + limit / 4..stopped + limit);
    assert_eq!(in_flight.len(), 0, "it hangs");
}

#[test]
fn no_thread_waits_while_it_codes_for_others() {
    let helping_rail = |for_waiting_threads| {
        let capability = Capability {
            for_waiting_threads,
            ..Capability::synchronous()
        };
        let rail = Synchronous::new("synchronous", capability, Cpu::portable());
        let core = core(vec![std::sync::Arc::new(rail)], Options::default());
        core.expect("right options").helping_rail()
    };
    assert_eq!([true, false].map(helping_rail), [Some(0), None]);
}
