// SPDX-License-Identifier: Apache-2.0
//! Hundreds of threads that issue to one engine over a GPU and the CPUs, as the streams of a server
//! do, also while another process that uses the GPU is killed.

use std::io::{BufRead, BufReader};
use std::ops::DerefMut;
use std::process::{Child, Command, Stdio};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use std::time::{Duration, Instant};

use stripeline_codec::{Code, Verdict};
use stripeline_engine::{Engine, ErrorKind, Options, Request, Scheduling};
use stripeline_rail::{
    Cpu, Rail,
    owned::{UnitBuffer, Units},
};
use stripeline_testkit::gpu::say;
use stripeline_testkit::{Random, Stripe};

use crate::mock::Mock;
use crate::{QUICK, back_in_service, engine, real_gpu};

/// The tasks that each stream has outstanding.
const WINDOW: usize = 4;

/// Shapes and lengths of units, which streams take in turn.
const SHAPES: [(usize, usize, usize); 4] = [
    (6, 3, 4_096),
    (10, 4, 20_011),
    (3, 2, 65_536),
    (6, 3, 1 << 20),
];

/// How many stripes streams coded, and how often the engine had no room.
#[derive(Default)]
struct Coded {
    stripes: AtomicU64,
    busy: AtomicU64,
}

/// Encodes and compares stripes in `streams` threads, every second of them in pinned memory, until
/// `goes_on` is false.
fn run_streams(
    engine: &Engine,
    streams: usize,
    largest: usize,
    goes_on: &(impl Fn() -> bool + Sync),
    coded: &Coded,
) {
    let shapes = SHAPES.iter().filter(|(.., bytes)| *bytes <= largest);
    let stripes: Vec<_> = shapes
        .map(|&(data, parity, bytes)| Stripe::random(Code::Rs, data, parity, bytes))
        .collect();
    thread::scope(|scope| {
        for stream in 0..streams {
            let stripe = &stripes[stream / 2 % stripes.len()];
            scope.spawn(move || {
                let mut random = Random::new(stream as u64);
                if stream % 2 == 0 {
                    let ordinary = |bytes: &[u8]| bytes.to_vec();
                    return run_stream(engine, stripe, ordinary, goes_on, coded);
                }
                run_stream(
                    engine,
                    stripe,
                    |bytes: &[u8]| {
                        let mut unit = engine.allocate_pinned(bytes.len()).expect("room");
                        unit.copy_from_slice(bytes);
                        // Released by another thread, as buffers of a pool are.
                        if random.below(16) == 0 {
                            let unused = engine.allocate_pinned(1 + random.below(9_000));
                            let unused = unused.expect("room");
                            scope.spawn(move || drop(unused));
                        }
                        unit
                    },
                    goes_on,
                    coded,
                );
            });
        }
    });
}

/// Encodes and compares one stripe again and again, with [`WINDOW`] tasks outstanding.
fn run_stream<B: UnitBuffer + DerefMut<Target = [u8]>>(
    engine: &Engine,
    stripe: &Stripe,
    mut unit: impl FnMut(&[u8]) -> B,
    goes_on: &impl Fn() -> bool,
    coded: &Coded,
) {
    let codec = stripe.codec();
    let poison = vec![0xa5; stripe.length()];
    let mut free: Vec<_> = (0..WINDOW)
        .map(|_| Units {
            inputs: stripe.data().iter().map(|bytes| unit(bytes)).collect(),
            outputs: (0..stripe.parity_units).map(|_| unit(&poison)).collect(),
        })
        .collect();
    while goes_on() {
        let mut issued = Vec::new();
        while let Some(units) = free.pop() {
            match engine.iencode(&codec, units, Request::default()) {
                Ok(ticket) => issued.push(ticket),
                Err(rejected) => {
                    assert_eq!(rejected.error.kind(), ErrorKind::Busy, "{}", rejected.error);
                    coded.busy.fetch_add(1, Ordering::Relaxed);
                    free.push(rejected.units);
                    break;
                }
            }
        }
        if issued.is_empty() {
            thread::yield_now();
        }
        for ticket in issued {
            let (outcome, mut units) = ticket.wait();
            assert_eq!(outcome, Ok(Verdict::Sound));
            for (output, expected) in units.outputs.iter_mut().zip(stripe.parity()) {
                assert!(**output == **expected, "{}", stripe.name());
                output.fill(0xa5);
            }
            coded.stripes.fetch_add(1, Ordering::Relaxed);
            free.push(units);
        }
    }
}

/// Lets hundreds of streams work while these faults begin and end.
fn survive(mock: &Mock, faults: &[(&str, i64)]) {
    let engine = engine(mock, QUICK);
    let first = Stripe::random(Code::Rs, 6, 3, 20_000);
    back_in_service(mock, &engine, &first);
    let coded = Coded::default();
    let ended = AtomicBool::new(false);
    let goes_on = || !ended.load(Ordering::Relaxed);
    thread::scope(|scope| {
        let streams = scope.spawn(|| run_streams(&engine, 200, 65_536, &goes_on, &coded));
        for (name, value) in faults {
            for value in [*value, 0] {
                mock.set(name, value);
                let enough = coded.stripes.load(Ordering::Relaxed) + 100;
                while coded.stripes.load(Ordering::Relaxed) < enough && !streams.is_finished() {
                    thread::yield_now();
                }
            }
        }
        ended.store(true, Ordering::Relaxed);
    });
    back_in_service(mock, &engine, &first);
    let statistics = engine.statistics();
    let gpu = &statistics.rails[0];
    assert!(gpu.pieces > 0 && gpu.quarantines > 0, "{gpu:?}");
    assert_eq!(statistics.outstanding, 0);
}

#[test]
fn hundreds_of_streams_over_a_gpu_with_faults() {
    let faults = [
        ("launches_refused", 2),
        ("launches_failed", 1),
        ("hang", 1),
        ("wrong", 1),
    ];
    let mock = Mock::new();
    survive(&mock, &faults.repeat(2));
    mock.expect_empty();
    // What is released while a device is lost stays in the driver.
    let mock = Mock::new();
    survive(&mock, &[&faults[..], &[("lost", 1)]].concat().repeat(2));
}

/// Returns an engine that prefers the GPU, which on its own is not worth it for such short units.
fn real_engine(rail: Arc<dyn Rail>) -> Engine {
    let options = Options {
        scheduling: Scheduling::Single("cuda:0".to_owned()),
        // The GPU's threads may wait for a CPU while hundreds of others run.
        stall: Duration::from_secs(30),
        ..Options::default()
    };
    Engine::start(vec![rail, Arc::new(Cpu::rail())], options).expect("right options")
}

/// Runs 400 streams for some seconds.
fn run_on_a_real_gpu(engine: &Engine, time: Duration) -> u64 {
    let (coded, begun) = (Coded::default(), Instant::now());
    run_streams(engine, 400, 1 << 20, &|| begun.elapsed() < time, &coded);
    let statistics = engine.statistics();
    let busy = coded.busy.into_inner();
    for rail in &statistics.rails {
        say(&format!("{}: {} pieces so far", rail.name, rail.pieces));
    }
    say(&format!("no room {busy} times"));
    assert_eq!(statistics.outstanding, 0);
    coded.stripes.into_inner()
}

#[test]
fn hundreds_of_streams_over_a_real_gpu() {
    let Some(rail) = real_gpu() else {
        return;
    };
    let engine = real_engine(rail);
    let time = Duration::from_secs(10);
    let coded = run_on_a_real_gpu(&engine, time);
    say(&format!("{coded} stripes by 400 streams in {time:?}"));
    let gpu = &engine.statistics().rails[0];
    assert!(gpu.pieces > 0, "no work for the GPU: {gpu:?}");
    let faults = [gpu.faults, gpu.wrong, gpu.revoked];
    assert_eq!(faults, [0; 3], "{gpu:?}");
}

/// The test runs itself as the process that is killed.
#[test]
fn a_killed_process_leaves_a_real_gpu_to_others() {
    const CHILD: &str = "STRIPELINE_TEST_KILLED";
    let Some(rail) = real_gpu() else {
        return;
    };
    let engine = real_engine(Arc::clone(&rail));
    if std::env::var_os(CHILD).is_some() {
        // Longer than the parent lets it live.
        println!("running");
        run_on_a_real_gpu(&engine, Duration::from_secs(600));
        return;
    }
    let program = std::env::current_exe().expect("this test");
    let test = "streams::a_killed_process_leaves_a_real_gpu_to_others";
    for after in [0, 300, 3_000].map(Duration::from_millis) {
        let mut child = Killed(
            Command::new(&program)
                .args(["--exact", test, "--nocapture"])
                .env(CHILD, "1")
                .stdout(Stdio::piped())
                .spawn()
                .expect("this test starts"),
        );
        let output = child.0.stdout.take().expect("piped");
        let mut lines = BufReader::new(output).lines();
        // The harness may have begun the line.
        let running = |line: Result<String, _>| line.is_ok_and(|line| line.ends_with("running"));
        assert!(lines.any(running), "it ended");
        let before = engine.statistics().rails[0].pieces;
        // This process uses the GPU before the other one is killed, and afterwards.
        let coded = thread::scope(|scope| {
            scope.spawn(|| {
                thread::sleep(after);
                drop(child);
            });
            run_on_a_real_gpu(&engine, after + Duration::from_secs(2))
        });
        say(&format!("killed after {after:?}; {coded} stripes"));
        let gpu = &engine.statistics().rails[0];
        assert!(
            gpu.pieces > before && gpu.out_of_service.is_none(),
            "{gpu:?}"
        );
        assert_eq!([gpu.faults, gpu.wrong, gpu.revoked], [0; 3], "{gpu:?}");
    }
}

/// A process that is killed when this is dropped.
struct Killed(Child);

impl Drop for Killed {
    fn drop(&mut self) {
        self.0.kill().expect("it runs");
        self.0.wait().expect("killed");
    }
}
