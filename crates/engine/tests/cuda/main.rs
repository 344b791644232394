// SPDX-License-Identifier: Apache-2.0
//! The engine over a GPU rail, whose driver is a mock that runs the real kernel and behaves as
//! drivers do.

#[allow(dead_code, reason = "the rail's own tests use all of it")]
#[path = "../../../rail/tests/cuda/mock.rs"]
mod mock;
#[allow(dead_code, reason = "as above")]
#[path = "../../../rail/tests/cuda/program.rs"]
mod program;
mod streams;

use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};

use mock::{Mock, until};
use stripeline_codec::{Code, Verdict};
use stripeline_engine::tuning::{Machine, RailTuning, Table, TableFile};
use stripeline_engine::{Engine, ErrorKind, Options, Request, Scheduling};
use stripeline_rail::{
    Buffers, Cpu, CudaSettings, Job, MemoryKind, PinnedBuffer, Rail, Region, owned::Units,
};
use stripeline_testkit::gpu::{self, say};
use stripeline_testkit::{Random, Stripe};

/// A short time limit for hanging pieces.
const QUICK: Duration = Duration::from_millis(20);

/// Returns an engine with a GPU before the CPU, short retry intervals, and the given limit for
/// hanging pieces.
fn engine(mock: &Mock, limit: Duration) -> Engine {
    let settings = CudaSettings {
        drop_limit: limit,
        ..mock.settings()
    };
    engine_with(mock, &settings, limit)
}

/// As [`engine`], with other settings of the GPU.
fn engine_with(mock: &Mock, settings: &CudaSettings, limit: Duration) -> Engine {
    let rails: Vec<Arc<dyn Rail>> = vec![Arc::new(mock.rail_with(settings)), Arc::new(Cpu::rail())];
    let options = Options {
        scheduling: Scheduling::Single("cuda:0".to_owned()),
        quarantine: Duration::from_millis(1),
        stall: limit,
        check_every: 1,
        waiting_threads_help: false,
        ..Options::default()
    };
    Engine::start(rails, options).expect("right options")
}

/// Encodes some stripes at a time and compares every byte.
fn expect_right_bytes(engine: &Engine, stripe: &Stripe) {
    let codec = stripe.codec();
    let issue = |_| engine.iencode(&codec, stripe.to_encode(), Request::default());
    let issued: Vec<_> = (0..8).map(issue).collect();
    for issued in issued {
        let (outcome, units) = issued.expect("room").wait();
        assert_eq!(outcome, Ok(Verdict::Sound));
        assert!(units.outputs == stripe.parity(), "{}", stripe.name());
    }
}

/// Issues work until the GPU does some of it.
fn back_in_service(mock: &Mock, engine: &Engine, stripe: &Stripe) {
    let launches = mock.get("launches");
    until(
        || {
            expect_right_bytes(engine, stripe);
            let gpu = &engine.statistics().rails[0];
            gpu.out_of_service.is_none() && mock.get("launches") > launches
        },
        || format!("not back: {:?}", engine.statistics().rails[0]),
    );
}

#[test]
fn frequent_driver_faults_change_no_byte() {
    let mock = Mock::new();
    let engine = engine(&mock, QUICK);
    let mut random = Random::new(11);
    let stripe = Stripe::random(Code::Rs, 6, 3, 20_000);
    // The injections, and the values that end them.
    let injections = [
        ("launches_refused", 2, 0),
        ("launches_failed", 1, 0),
        ("hang", 1, 0),
        ("wrong", 1, 0),
        ("lost", 1, 0),
    ];
    for round in 0..3 * injections.len() {
        back_in_service(&mock, &engine, &stripe);
        let (name, value, end) = injections[(round + random.below(2)) % injections.len()];
        mock.set(name, value);
        expect_right_bytes(&engine, &stripe);
        mock.set(name, end);
        expect_right_bytes(&engine, &stripe);
    }
    back_in_service(&mock, &engine, &stripe);
    let gpu = &engine.statistics().rails[0];
    let seen = [gpu.pieces, gpu.faults, gpu.revoked, gpu.wrong];
    assert!(seen.iter().all(|count| *count > 0), "no storm: {gpu:?}");
}

#[test]
fn a_gpu_that_has_had_no_work_has_no_context() {
    let mock = Mock::new();
    // A slow machine, for example under a sanitizer, must not look hung.
    let limit = Duration::from_secs(60);
    let engine = engine(&mock, limit);
    let held = || ["contexts", "pinned_bytes", "device_bytes"].map(|what| mock.get(what));
    assert_eq!(held(), [0; 3]);
    expect_right_bytes(&engine, &Stripe::random(Code::Rs, 6, 3, 5_000));
    assert!(held().iter().all(|held| *held > 0), "{:?}", held());
    drop(engine);
    assert_eq!(held(), [0; 3]);
    // An engine that is only opened and closed.
    drop(self::engine(&mock, limit));
    assert_eq!(held(), [0; 3]);
}

#[test]
fn an_engine_ends_while_its_gpu_hangs() {
    let mock = Mock::new();
    let engine = engine(&mock, QUICK);
    let stripe = Stripe::random(Code::Rs, 6, 3, 5_000);
    mock.set("hang", 1);
    expect_right_bytes(&engine, &stripe);
    drop(engine);
    assert!(mock.get("kernels_running") > 0, "it still hangs");
}

/// Returns an engine over a GPU with one lane, whose table may have a piece size.
fn tuned(mock: &Mock, piece_bytes: Option<usize>) -> Engine {
    let rail: Arc<dyn Rail> = Arc::new(mock.rail_with(&CudaSettings {
        lanes: 1,
        slot_bytes: 32 << 20,
        ..mock.settings()
    }));
    let built_in = RailTuning::built_in(&*rail);
    let mut file = TableFile::default();
    file.put(Machine {
        cpu: "one".to_owned(),
        cpus: 1,
        rails: vec![RailTuning {
            piece_bytes: piece_bytes.unwrap_or(built_in.piece_bytes),
            ..built_in
        }],
    });
    let options = Options {
        tuning: Arc::new(Table::choose(file, Path::new("table"), "one", 1)),
        // A slow machine must not look hung.
        stall: Duration::from_secs(60),
        check_every: 0,
        ..Options::default()
    };
    Engine::start(vec![rail], options).expect("right options")
}

#[test]
fn pieces_have_the_size_in_the_table() {
    let stripe = Stripe::random(Code::Rs, 6, 3, 3 << 20);
    // 2 MiB by default; 3.5 MiB of each of nine buffers fit.
    for (size, pieces) in [(None, 2), (Some(1 << 20), 3), (Some(3 << 20), 1)] {
        let mock = Mock::new();
        let engine = tuned(&mock, size);
        expect_right_bytes(&engine, &stripe);
        assert_eq!(engine.statistics().rails[0].pieces, 8 * pieces, "{size:?}");
    }
}

#[test]
fn units_in_device_memory_are_not_cut() {
    let mock = Mock::new();
    let engine = tuned(&mock, None);
    let program = mock.program();
    let stripe = Stripe::random(Code::Rs, 6, 3, 3 << 20);
    let units: Vec<u64> = stripe
        .units
        .iter()
        .map(|unit| program.allocate(unit))
        .collect();
    let regions: Vec<Region> = units
        .iter()
        .map(|address| {
            let start = std::ptr::without_provenance_mut(*address as usize);
            Region::new(start, MemoryKind::Device { ordinal: 0 })
        })
        .collect();
    let codec = stripe.codec();
    let buffers = Buffers {
        bytes: stripe.length(),
        ..Buffers::default()
    };
    let (data, parity) = regions.split_at(6);
    // SAFETY: the units are freed after the task, which `run` waits for.
    let piece = unsafe { Job::encode(&codec, data, parity, buffers) }.expect("in order");
    let outcome = engine.run(piece, Request::default());
    assert_eq!(outcome, Ok(Verdict::Sound));
    assert_eq!(engine.statistics().rails[0].pieces, 1);
    units.into_iter().for_each(|unit| program.free(unit));
}

/// Encodes a stripe in one allocation of the engine, and compares every byte.
fn encode_pinned(engine: &Engine, buffer: PinnedBuffer, stripe: &Stripe) {
    let mut inputs = buffer.split(stripe.length());
    let outputs = inputs.split_off(6);
    for (unit, bytes) in inputs.iter_mut().zip(stripe.data()) {
        unit.copy_from_slice(bytes);
    }
    let units = Units { inputs, outputs };
    let issued = engine.iencode(&stripe.codec(), units, Request::default());
    let (outcome, units) = issued.expect("room").wait();
    assert_eq!(outcome, Ok(Verdict::Sound));
    for (unit, expected) in units.outputs.iter().zip(stripe.parity()) {
        assert!(**unit == **expected, "{}", stripe.name());
    }
}

#[test]
fn an_engine_allocates_memory_that_its_gpu_uses_in_place() {
    let mock = Mock::new();
    let engine = engine(&mock, Duration::from_secs(60));
    let stripe = Stripe::random(Code::Rs, 6, 3, 20_000);
    let allocate = || engine.allocate_pinned(180_000);
    let buffer = allocate().expect("room");
    assert!(buffer.is_locked());
    encode_pinned(&engine, buffer, &stripe);
    assert!(mock.get("launches") > 0);
    // Nothing is locked for no bytes.
    assert!(!engine.allocate_pinned(0).expect("room").is_locked());

    mock.set("registered_bytes_max", 100_000);
    let error = allocate().expect_err("too much");
    assert_eq!(error.kind(), ErrorKind::OutOfMemory);
    let text = "Cannot allocate pinned memory: cannot lock 180000 bytes of memory: out of memory \
                (CUDA error 2)";
    assert_eq!(error.to_string(), text);

    mock.set("registered_bytes_max", 1 << 30);
    let kept = allocate().expect("room");
    drop(engine);
    assert!(
        kept.is_locked() && mock.get("contexts") > 0,
        "after the engine"
    );
    drop(kept);
    mock.expect_empty();
}

#[test]
fn memory_is_ordinary_while_the_gpu_is_out_of_service() {
    let mock = Mock::new();
    let engine = engine(&mock, QUICK);
    let stripe = Stripe::random(Code::Rs, 6, 3, 20_000);
    back_in_service(&mock, &engine, &stripe);
    // Not only in quarantine: a lost device is noticed when it is asked for memory, too.
    mock.set("lost", 1);
    let buffer = engine.allocate_pinned(180_000).expect("room");
    assert!(!buffer.is_locked());
    encode_pinned(&engine, buffer, &stripe);
    until(
        || {
            expect_right_bytes(&engine, &stripe);
            engine.statistics().rails[0].out_of_service.is_some()
        },
        || "the GPU is in service".to_owned(),
    );
    let buffer = engine.allocate_pinned(180_000).expect("room");
    mock.set("lost", 0);
    back_in_service(&mock, &engine, &stripe);
    // The GPU takes it as ordinary memory; the mock counts copies of memory that is not pinned.
    encode_pinned(&engine, buffer, &stripe);
    // On a slow machine the GPU may be out of service again.
    until(
        || {
            expect_right_bytes(&engine, &stripe);
            engine.allocate_pinned(180_000).expect("room").is_locked()
        },
        || "no memory is locked".to_owned(),
    );
}

#[test]
fn frequent_driver_faults_change_no_byte_in_pinned_memory() {
    let mock = Mock::new();
    let settings = CudaSettings {
        hang_limit: QUICK,
        drop_limit: QUICK,
        ..mock.settings()
    };
    let engine = engine_with(&mock, &settings, QUICK);
    let stripe = Stripe::random(Code::Rs, 6, 3, 20_000);
    let allocate = || engine.allocate_pinned(180_000).expect("room");
    for (name, value) in [
        ("launches_failed", 1),
        ("hang", 1),
        ("wrong", 1),
        ("lost", 1),
    ] {
        back_in_service(&mock, &engine, &stripe);
        let (before, during) = (allocate(), allocate());
        mock.set(name, value);
        encode_pinned(&engine, during, &stripe);
        mock.set(name, 0);
        encode_pinned(&engine, before, &stripe);
    }
}

#[test]
fn an_update_that_failed_in_pinned_memory_is_not_done_again() {
    let mock = Mock::new();
    let engine = engine(&mock, Duration::from_secs(60));
    let stripe = Stripe::random(Code::Rs, 6, 3, 20_000);
    let codec = stripe.codec();
    for fault in ["copies_out_failed", "copies_out_refused"] {
        back_in_service(&mock, &engine, &stripe);
        let mut inputs = engine.allocate_pinned(100_000).expect("room").split(20_000);
        let outputs = inputs.split_off(2);
        // A second update would make the parity that of the old data again.
        inputs[1].fill(1);
        mock.set(fault, 2);
        let issued = engine.iupdate(&codec, 0, Units { inputs, outputs }, Request::default());
        let (outcome, _) = issued.expect("room").wait();
        let kind = outcome.map_err(|error| error.kind());
        assert_eq!(kind, Err(ErrorKind::Failed), "{fault}");
    }
}

/// Returns the first GPU, or none if there is none and `STRIPELINE_REQUIRE_GPU` is not 1.
fn real_gpu() -> Option<Arc<dyn Rail>> {
    Some(Arc::new(gpu::first(&CudaSettings::default())?))
}

#[test]
fn engines_over_a_real_gpu_end_while_it_works() {
    let Some(rail) = real_gpu() else { return };
    for bytes in [5_000, 1 << 20, 5 << 20] {
        let options = Options {
            scheduling: Scheduling::Single("cuda:0".to_owned()),
            waiting_threads_help: false,
            ..Options::default()
        };
        let engine = Engine::start(vec![Arc::clone(&rail)], options).expect("right options");
        let stripe = Stripe::random(Code::Rs, 6, 3, bytes);
        expect_right_bytes(&engine, &stripe);
        let codec = stripe.codec();
        let issue = |_| {
            let issued = engine.iencode(&codec, stripe.to_encode(), Request::default());
            issued.expect("room")
        };
        let issued: Vec<_> = (0..32).map(issue).collect();
        let begun = Instant::now();
        drop(engine);
        say(&format!("closed in {:?}", begun.elapsed()));
        for issued in issued {
            match issued.wait() {
                (Ok(verdict), units) => {
                    assert_eq!(verdict, Verdict::Sound);
                    assert!(units.outputs == stripe.parity(), "{}", stripe.name());
                }
                (Err(error), _) => assert_eq!(error.kind(), ErrorKind::Closed, "{error}"),
            }
        }
    }
}
