// SPDX-License-Identifier: Apache-2.0
//! Interleavings that are rare between threads, constructed explicitly.

use std::time::{Duration, Instant};

use stripeline_codec::{Code, Codec, Isa, Kernels, Verdict};
use stripeline_rail::owned::{self, Units};
use stripeline_rail::{Capability, Cpu, Mode, Piece, Rail, Synchronous};

use super::shared::Core;
use crate::api::engine::{Engine, core};
use crate::api::options::{Options, Scheduling};
use crate::api::request::Priority;
use crate::core::queue::QueueEntry;
use crate::core::sync::Arc;
use crate::core::task::{Task, TaskSpec};
use crate::schedule::{COMMON, Class, RailSet};

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
