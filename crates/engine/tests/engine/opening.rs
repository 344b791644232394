// SPDX-License-Identifier: Apache-2.0
//! Rails with costly lanes: the lanes are opened when there is work for them, and work that other
//! rails can do does not wait for them.

use std::sync::Arc;
use std::time::{Duration, Instant};

use stripeline_codec::Verdict;
use stripeline_engine::{Engine, EventKind, Options, Request, Scheduling};
use stripeline_rail::{Capability, Cpu, Fault, Lane, Rail, Synchronous};

use crate::support::{CoderFault, FaultyCoder, Gate, cpu, engine, kinds, stripe, to_encode};

/// A device whose lanes finish opening when its gate is open.
#[derive(Debug)]
struct Costly {
    rail: Arc<dyn Rail>,
    capability: Capability,
    gate: Arc<Gate>,
}

impl Costly {
    fn rail() -> (Arc<dyn Rail>, Arc<Gate>) {
        let capability = Capability::synchronous();
        Self::over(Arc::new(Synchronous::new(
            "costly",
            capability,
            Cpu::portable(),
        )))
    }

    /// Returns the same device, with the coder of another rail under that rail's name.
    fn over(rail: Arc<dyn Rail>) -> (Arc<dyn Rail>, Arc<Gate>) {
        let gate = Arc::new(Gate::default());
        let capability = Capability {
            lanes: 2,
            costly_lanes: true,
            ..rail.capability().clone()
        };
        let costly = Self {
            rail,
            capability,
            gate: Arc::clone(&gate),
        };
        (Arc::new(costly), gate)
    }
}

impl Rail for Costly {
    fn name(&self) -> &str {
        self.rail.name()
    }

    fn describe(&self) -> String {
        self.rail.describe()
    }

    fn capability(&self) -> &Capability {
        &self.capability
    }

    fn open_lane(&self) -> Result<Box<dyn Lane>, Fault> {
        self.gate.pass();
        self.rail.open_lane()
    }
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
    let issue = |_| engine.iencode(&codec, to_encode(&stripe), Request::default());
    let issued: Vec<_> = (0..count).map(issue).collect();
    for issued in issued {
        let (outcome, units) = issued.expect("room").wait();
        assert_eq!(outcome, Ok(Verdict::Sound));
        assert_eq!(units.outputs, stripe.parity());
    }
}

fn pieces(engine: &Engine, rail: &str) -> u64 {
    let rails = engine.statistics().rails;
    let found = rails.iter().find(|each| each.name == rail);
    found.expect("one of the rails").pieces
}

#[test]
fn lanes_are_opened_by_the_first_task_that_is_worth_them() {
    let (costly, gate) = Costly::rail();
    let options = options(Scheduling::RateAware);
    let (engine, _) = engine(vec![costly, cpu()], options);
    encode(&engine, SMALL, 20);
    assert_eq!(gate.arrivals(), 0);
    // The engine does not wait for it.
    encode(&engine, LARGE, 1);
    gate.await_arrivals(2);
    encode(&engine, LARGE, 5);
    assert_eq!(pieces(&engine, "costly"), 0);
    gate.open();
    let start = Instant::now();
    while pieces(&engine, "costly") == 0 {
        assert!(start.elapsed() < Duration::from_secs(20), "not used");
        // More than the CPU processes at once.
        encode(&engine, LARGE, 20);
    }
}

#[test]
fn a_costly_rail_with_wrong_answers_is_detected_before_it_codes() {
    let (costly, gate) = Costly::over(FaultyCoder::rail("costly", CoderFault::Lie));
    gate.open();
    let options = Options {
        check_every: 0,
        quarantine: Duration::from_secs(1000),
        ..options(Scheduling::Single("costly".to_owned()))
    };
    let (engine, events) = engine(vec![costly, cpu()], options);
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
        let (costly, gate) = Costly::rail();
        gate.open();
        let (engine, _) = engine(vec![costly], options(scheduling));
        encode(&engine, SMALL, 1);
        assert!(gate.arrivals() > 0);
    }
}

#[test]
fn a_rail_that_is_not_to_be_used_is_not_opened() {
    let (costly, gate) = Costly::rail();
    let single = Scheduling::Single("cpu".to_owned());
    let (engine, _) = engine(vec![costly, cpu()], options(single));
    encode(&engine, LARGE, 5);
    drop(engine);
    assert_eq!(gate.arrivals(), 0);
}

#[test]
fn first_come_tasks_end_while_lanes_open() {
    let (costly, gate) = Costly::rail();
    let (engine, _) = engine(vec![costly, cpu()], options(Scheduling::FirstCome));
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
