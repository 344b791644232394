// SPDX-License-Identifier: Apache-2.0
//! Rails with costly lanes: the lanes are opened when there is work for them, and work that other
//! rails can do does not wait for them.

use std::sync::Arc;
use std::time::Duration;

use stripeline_engine::{Engine, EventKind, Options, Request, Scheduling};
use stripeline_testkit::Gate;
use stripeline_testkit::faulty::{Failure, FaultyRail, Script};

use crate::support::{
    await_that, cpu, engine, expect_right, faulty, gates, issue, kinds, stripe, with_cpu,
};

/// Returns the rail `costly`, whose two lanes finish opening when its gate is open.
fn costly(script: Script) -> (FaultyRail, Arc<Gate>) {
    let [gate] = gates();
    (faulty("costly", 2, script).costly(&gate), gate)
}

fn options(scheduling: Scheduling) -> Options {
    Options {
        scheduling,
        waiting_threads_help: false,
        // Every stripe would be compared, if comparisons opened lanes.
        check_every: 1,
        ..Options::default()
    }
}

const SMALL: usize = 100;
const LARGE: usize = 1 << 17;

/// Encodes `count` stripes at once.
fn encode(engine: &Engine, bytes: usize, count: usize) {
    let (codec, stripe) = stripe(bytes);
    let issue = |_| issue(engine, &codec, &stripe, Request::default());
    let issued: Vec<_> = (0..count).map(issue).collect();
    for issued in issued {
        expect_right(issued, &stripe);
    }
}

fn pieces(engine: &Engine, rail: &str) -> u64 {
    let rails = engine.statistics().rails;
    let found = rails.iter().find(|each| each.name == rail);
    found.expect("one of the rails").pieces
}

#[test]
fn lanes_are_opened_by_the_first_task_that_is_worth_them() {
    let (costly, gate) = costly(Script::nothing());
    let options = options(Scheduling::RateAware);
    let (engine, _) = engine(with_cpu(costly), options);
    encode(&engine, SMALL, 20);
    assert_eq!(gate.arrivals(), 0);
    // The engine does not wait for it.
    encode(&engine, LARGE, 1);
    gate.await_arrivals(2);
    encode(&engine, LARGE, 5);
    assert_eq!(pieces(&engine, "costly"), 0);
    gate.open();
    await_that(|| {
        // More than the CPU processes at once.
        encode(&engine, LARGE, 20);
        pieces(&engine, "costly") > 0
    });
}

#[test]
fn a_costly_rail_with_wrong_answers_is_detected_before_it_codes() {
    let (costly, gate) = costly(Script::always(Failure::WrongBytes));
    gate.open();
    let options = Options {
        check_every: 0,
        quarantine: Duration::from_secs(1000),
        ..options(Scheduling::Single("costly".to_owned()))
    };
    let (engine, events) = engine(with_cpu(costly), options);
    encode(&engine, LARGE, 20);
    assert_eq!(kinds(&events, "costly"), [EventKind::LeftOut]);
    assert_eq!(pieces(&engine, "costly"), 0);
    let why = engine.statistics().rails[0].out_of_service.clone();
    let why = why.expect("out of service");
    assert!(
        why.starts_with("Cannot use rail costly, using the others instead: "),
        "{why}"
    );
}

#[test]
fn the_only_suitable_rail_is_opened_for_any_task() {
    for scheduling in [
        Scheduling::RateAware,
        Scheduling::FirstCome,
        Scheduling::Single("costly".to_owned()),
    ] {
        let (costly, gate) = costly(Script::nothing());
        gate.open();
        let (engine, _) = engine(vec![Arc::new(costly)], options(scheduling));
        encode(&engine, SMALL, 1);
        assert!(gate.arrivals() > 0);
    }
}

#[test]
fn a_rail_that_is_not_to_be_used_is_not_opened() {
    let (costly, gate) = costly(Script::nothing());
    let single = Scheduling::Single("cpu".to_owned());
    let (engine, _) = engine(with_cpu(costly), options(single));
    encode(&engine, LARGE, 5);
    drop(engine);
    assert_eq!(gate.arrivals(), 0);
}

#[test]
fn first_come_tasks_end_while_lanes_open() {
    let (costly, gate) = costly(Script::nothing());
    let (engine, _) = engine(with_cpu(costly), options(Scheduling::FirstCome));
    encode(&engine, LARGE, 20);
    gate.await_arrivals(2);
    assert_eq!(pieces(&engine, "costly"), 0);
    gate.open();
}

/// Returns the signal mask in a thread's status file.
fn signals_blocked(status: &str) -> u64 {
    let line = status.lines().find_map(|line| line.strip_prefix("SigBlk:"));
    u64::from_str_radix(line.expect("Linux tells").trim(), 16).expect("a bitmap")
}

#[test]
fn threads_of_an_engine_leave_signals_to_those_of_the_process() {
    let own = || std::fs::read_to_string("/proc/thread-self/status").expect("Linux tells");
    let before = signals_blocked(&own());
    let (_engine, _) = engine(vec![cpu()], Options::default());
    assert_eq!(signals_blocked(&own()), before, "the caller's mask");
    // Threads of other tests may end during the loop, and this engine's new threads have no name
    // yet.
    let masks_of_threads = || -> Vec<u64> {
        let threads = std::fs::read_dir("/proc/self/task").expect("Linux tells");
        let statuses = threads.filter_map(|thread| {
            let path = thread.ok()?.path().join("status");
            std::fs::read_to_string(path).ok()
        });
        statuses
            .filter(|status| status.starts_with("Name:\tstripeline-"))
            .map(|status| signals_blocked(&status))
            .collect()
    };
    let mut masks = masks_of_threads();
    while masks.len() < 2 {
        std::thread::yield_now();
        masks = masks_of_threads();
    }
    for mask in masks {
        let is_blocked = |signal: u32| mask & 1 << (signal - 1) != 0;
        // SIGHUP, SIGINT, SIGUSR1, SIGALRM, SIGTERM, SIGCHLD; and SIGILL, SIGBUS, SIGFPE, SIGSEGV.
        assert!([1, 2, 10, 14, 15, 17].into_iter().all(is_blocked));
        assert!(![4, 7, 8, 11].into_iter().any(is_blocked));
    }
}
