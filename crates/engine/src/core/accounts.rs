// SPDX-License-Identifier: Apache-2.0
//! What an engine counts is nothing again after storms of faults, cancelled tasks and deadlines.

use std::sync::Arc;
use std::time::{Duration, Instant};

use stripeline_codec::{Code, Codec, Isa, Kernels};
use stripeline_rail::{Capability, Cpu, Rail, Synchronous};
use stripeline_testkit::faulty::{Failure, FaultyRail, Script};
use stripeline_testkit::{Random, Stripe};

use crate::api::engine::Engine;
use crate::api::options::{Options, Scheduling};
use crate::api::request::{Priority, Request};
use crate::core::shared::Core;
use crate::schedule::COMMON;

/// Longer than any storm takes.
const LIMIT: Duration = Duration::from_secs(60);

const THREADS: u64 = 3;
const TASKS: usize = 40;

#[test]
fn storms_of_faults_leave_nothing_in_the_accounts() {
    let stripe = Stripe::random(Code::Rs, 6, 3, 100_000);
    let codec = stripe.codec();
    for seed in 0..9 {
        let ways = [
            Failure::Fail,
            Failure::BreakLane,
            Failure::Refuse,
            Failure::Panic,
            Failure::PanicAtOnce,
            Failure::Hang,
            Failure::WrongBytes,
        ];
        let capability = Capability {
            lanes: 2,
            ..Capability::synchronous()
        };
        let rail = Synchronous::new("faulty", capability, Cpu::portable());
        let faulty = FaultyRail::new(Arc::new(rail), Script::random(seed, 4, &ways));
        let faulty = Arc::new(faulty.detaching());
        let kernels = Kernels::for_isa(Isa::Portable).expect("runs everywhere");
        let rails = vec![
            Arc::clone(&faulty) as Arc<dyn Rail>,
            Arc::new(Cpu::with_kernels("cpu", kernels)),
        ];
        let options = Options {
            scheduling: match seed % 3 {
                0 => Scheduling::RateAware,
                1 => Scheduling::FirstCome,
                _ => Scheduling::Single("faulty".to_owned()),
            },
            quarantine: Duration::from_millis(1),
            stall: Duration::from_millis(5),
            check_every: 3,
            tasks_max: TASKS,
            waiting_threads_help: seed.is_multiple_of(2),
            ..Options::default()
        };
        let engine = Engine::start(rails, options).expect("right options");
        std::thread::scope(|scope| {
            for thread in 0..THREADS {
                let (engine, codec, stripe) = (&engine, &codec, &stripe);
                scope.spawn(move || issue(engine, codec, stripe, seed * THREADS + thread));
            }
        });
        faulty.release();
        assert!(engine.wait_all(Some(LIMIT)), "seed {seed}");
        // A worker may drop its part of a task just after its end.
        let until = Instant::now() + LIMIT;
        while left(&engine.core) != Left::default() && Instant::now() < until {
            std::thread::yield_now();
        }
        assert_eq!(left(&engine.core), Left::default(), "seed {seed}");
    }
}

/// Issues tasks of several lengths and priorities, of which some are cancelled or too late.
fn issue(engine: &Engine, codec: &Codec, stripe: &Stripe, seed: u64) {
    let mut random = Random::new(seed);
    let mut all = Vec::new();
    for _ in 0..TASKS {
        let longest = [100, 5_000, stripe.length()][random.below(3)];
        let bytes = 1 + random.below(longest);
        let request = Request {
            priority: Priority::ALL[random.below(2)],
            deadline: (random.below(7) == 0).then_some(Duration::from_millis(2)),
            ..Request::default()
        };
        let units = stripe.shortened(bytes).to_encode();
        // A deadline may pass before there is room.
        if let Ok(issued) = engine.iencode(codec, units, request) {
            all.push(issued);
        }
        if random.below(4) == 0 && !all.is_empty() {
            all[random.below(all.len())].ticket().cancel();
        }
    }
    all.into_iter().for_each(|issued| drop(issued.wait()));
}

/// What is left when no task is outstanding.
#[derive(Debug, Default, PartialEq)]
struct Left {
    backlogs: Vec<(usize, [i64; Priority::ALL.len()])>,
    queued: usize,
    in_flight: usize,
    deadlines: usize,
    tasks: usize,
    holds_bytes: bool,
    helpers: bool,
}

fn left(core: &Core) -> Left {
    let rails = (0..core.rail_states.len()).chain([COMMON]);
    let backlogs = rails.map(|rail| (rail, core.scheduler.signed_backlog(rail)));
    let states = &core.rail_states;
    let lanes = states.iter().flat_map(|state| &state.in_flight_pieces);
    Left {
        backlogs: backlogs
            .filter(|(_, bytes)| bytes.iter().any(|bytes| *bytes != 0))
            .collect(),
        queued: core.queues().map(|queues| queues.depth()).sum(),
        in_flight: lanes.map(|lane| lane.len()).sum(),
        deadlines: core.timers.len(),
        tasks: core.admission.taken() + core.admission.outstanding(),
        holds_bytes: !core.admission.has_room(usize::MAX),
        helpers: !states
            .iter()
            .all(|state| state.coding_threads.is_without_help()),
    }
}
