// SPDX-License-Identifier: Apache-2.0
//! The rail on a real GPU. Skipped without one, unless `STRIPELINE_REQUIRE_GPU` is 1.
//!
//! A GPU on which another kernel occupies every multiprocessor does not answer, like one that
//! hangs, until that kernel is released.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use stripeline_codec::{Code, Verdict};
use stripeline_rail::{Cpu, Cuda, CudaSettings, FaultKind, Job, MemoryKind, Rail, Region};
use stripeline_testkit::gpu::{self, say};
use stripeline_testkit::{Stripe, rail_suite, rail_suite::Feeder};

use crate::batches;
use crate::in_place::InPlace;
use crate::mock::wait_for_lane;
use crate::pinned::{self, PinnedEncoding};
use crate::placement::{self, buffers};
use crate::program::Program;
use crate::spin::Spin;
use crate::submission::{Encoding, expect_ended, expect_nothing, reap};

/// Less than the 10 s after which the kernel of a [`Spin`] ends: what takes less does not wait for
/// it.
const AT_ONCE: Duration = Duration::from_secs(5);

/// A time limit after which a GPU counts as hanging.
const SHORT: Duration = Duration::from_millis(100);

/// All tests of this file share the GPU's primary context, which some of them end.
static DEVICE: Mutex<()> = Mutex::new(());

/// The first GPU, used by one test at a time.
struct Device {
    rail: Cuda,
    program: Program,
    _alone: MutexGuard<'static, ()>,
}

impl Device {
    fn open() -> Option<Self> {
        // These limits exceed the time that a GPU in order takes for any test.
        Self::open_with(&CudaSettings::default())
    }

    /// Opens the GPU with a short time limit for each way in which it can hang.
    fn open_with_short_limits() -> Option<Self> {
        Self::open_with(&CudaSettings {
            hang_limit: SHORT,
            drop_limit: SHORT,
            ..CudaSettings::default()
        })
    }

    fn open_with(settings: &CudaSettings) -> Option<Self> {
        let alone = DEVICE.lock().unwrap_or_else(PoisonError::into_inner);
        gpu::first(settings).map(|rail| Self {
            rail,
            program: Program::new(&settings.library),
            _alone: alone,
        })
    }
}

/// Reports how long an action took, and expects that it did not wait for a [`Spin`].
fn at_once<R>(what: &str, action: impl FnOnce() -> R) -> R {
    let begun = Instant::now();
    let result = action();
    let took = begun.elapsed();
    say(&format!("{what}: {took:?}"));
    assert!(took < AT_ONCE, "{what} waited for the GPU: {took:?}");
    result
}

#[test]
fn the_rail_suite_passes_on_a_gpu() {
    let Some(device) = Device::open() else { return };
    say(&device.rail.describe());
    rail_suite::all(&device.rail);
    placement::all(&device.program, &device.rail);
    for bytes in [4_096, 100_003, 1 << 20] {
        batches::encode_together(&device.program, &device.rail, bytes);
    }
}

#[test]
fn a_piece_is_revoked_from_an_occupied_gpu() {
    let Some(device) = Device::open() else { return };
    let mut lane = device.rail.open_lane().expect("a lane");
    let spin = Spin::start(&device.program);
    // The first work of this lane, for which the driver may still have to load the kernel.
    let submit = || Encoding::submit(&mut *lane, 5);
    let (encoding, handle) = at_once("submitting to an occupied GPU", submit);
    expect_nothing(&mut *lane);
    encoding.redo(handle.revoke().expect("the device has copies"));
    drop(handle);
    encoding.expect_right();
    drop(spin);
    let fault = reap(&mut *lane).outcome.expect_err("revoked");
    assert_eq!(fault.kind(), FaultKind::Revoked);
    let (encoding, handle) = Encoding::submit(&mut *lane, 6);
    assert!(reap(&mut *lane).outcome.is_ok(), "the lane goes on");
    drop(handle);
    encoding.expect_right();
}

#[test]
fn slots_grow_while_a_gpu_is_occupied() {
    let Some(device) = Device::open() else { return };
    let mut lane = device.rail.open_lane().expect("a lane");
    let spin = Spin::start(&device.program);
    let submit = || Encoding::submit_of(&mut *lane, 5, 4 << 20);
    let (encoding, handle) = at_once("submitting a piece for which a slot must grow", submit);
    drop(spin);
    assert!(reap(&mut *lane).outcome.is_ok());
    drop(handle);
    encoding.expect_right();
}

#[test]
fn lanes_close_and_open_again_around_an_occupied_gpu() {
    let Some(device) = Device::open_with_short_limits() else {
        return;
    };
    let mut lane = device.rail.open_lane().expect("a lane");
    let spin = Spin::start(&device.program);
    let (encoding, handle) = Encoding::submit(&mut *lane, 1);
    at_once("dropping the lane of an occupied GPU", || drop(lane));
    encoding.redo(handle.revoke().expect("the device has copies"));
    drop(handle);
    encoding.expect_right();
    let fault = device.rail.open_lane().err().expect("it is occupied");
    assert_eq!(fault.kind(), FaultKind::Failed, "{fault}");
    drop(spin);
    wait_for_lane(&device.rail);
    rail_suite::several_lanes(&device.rail);
}

#[test]
fn work_in_place_on_an_occupied_gpu_ends_with_its_context() {
    let Some(device) = Device::open_with_short_limits() else {
        return;
    };
    let mut lane = device.rail.open_lane().expect("a lane");
    let spin = Spin::start(&device.program);
    let mut in_place = InPlace::new(&device.program);
    let (piece, handle) = in_place.piece().into_revocable();
    lane.submit(3, piece);
    assert!(handle.revoke().is_none(), "the device accesses the buffers");
    // A driver either ends the kernels of a context, or waits for them. The lane then keeps the
    // piece, whose buffers the device may still access.
    let early = at_once("waiting for the context of an occupied GPU", || {
        lane.reap(10 * SHORT)
    });
    let ended = early.is_some();
    say(&format!("ended with kernels at work: {ended}"));
    drop(spin);
    let done = early.unwrap_or_else(|| reap(&mut *lane));
    drop(expect_ended(done));
    drop((handle, lane));
    wait_for_lane(&device.rail);
    rail_suite::several_lanes(&device.rail);
}

#[test]
fn a_gpu_uses_our_memory_in_place_until_its_context_ends() {
    let Some(device) = Device::open_with_short_limits() else {
        return;
    };
    let cell = 1 << 20;
    let allocate = || pinned::allocate(&device.rail, cell);
    let buffer = at_once("allocating 9 MiB of pinned memory", allocate);
    assert!(buffer.is_locked());
    let units = pinned::encode(&device.rail, buffer);
    at_once("releasing it", || drop(units));
    let refused = device.rail.allocate_pinned(1 << 50);
    let fault = refused.expect("a GPU").expect_err("no machine has 1 PiB");
    say(&format!("1 PiB: {fault}"));
    assert_eq!(fault.kind(), FaultKind::Refused);

    // Released and allocated while the device is occupied.
    let mut lane = device.rail.open_lane().expect("a lane");
    let (left, buffer) = (allocate(), allocate());
    let spin = Spin::start(&device.program);
    let (encoding, handle) = Encoding::submit(&mut *lane, 1);
    at_once("releasing memory of an occupied GPU", || drop(left));
    drop(at_once("allocating memory of an occupied GPU", allocate));
    drop(spin);
    assert!(reap(&mut *lane).outcome.is_ok());
    drop(handle);
    encoding.expect_right();

    let spin = Spin::start(&device.program);
    let (encoding, piece) = PinnedEncoding::new(buffer);
    lane.submit(2, piece);
    let early = at_once("waiting for the context of an occupied GPU", || {
        lane.reap(10 * SHORT)
    });
    drop(spin);
    let done = early.unwrap_or_else(|| reap(&mut *lane));
    let mut piece = done.piece.expect("given back");
    assert_eq!(done.outcome.expect_err("it hung").kind(), FaultKind::Gone);
    piece.make_irrevocable();
    // The process still has the memory.
    let redone = Feeder::new(&Cpu::rail(), 1).run(piece);
    assert_eq!(redone, Ok(Verdict::Sound));
    let units = encoding.expect_right();
    assert!(!units.inputs[0].is_locked());
    drop((units, lane));
    wait_for_lane(&device.rail);
    drop(pinned::encode(&device.rail, allocate()));
}

/// In a process of its own, because drivers may refuse all work of a process that has used a wrong
/// address.
#[test]
fn a_wrong_address_fails_its_piece_and_is_reported_afterwards() {
    const CHILD: &str = "STRIPELINE_TEST_WRONG_ADDRESS";
    if std::env::var_os(CHILD).is_some() {
        return use_a_wrong_address();
    }
    let program = std::env::current_exe().expect("this test");
    let test = "real::a_wrong_address_fails_its_piece_and_is_reported_afterwards";
    let status = std::process::Command::new(program)
        .args(["--exact", test, "--nocapture"])
        .env(CHILD, "1")
        .status();
    assert!(status.expect("this test starts").success());
}

fn use_a_wrong_address() {
    let Some(device) = Device::open() else { return };
    let mut lane = device.rail.open_lane().expect("a lane");
    let (before, handle) = Encoding::submit(&mut *lane, 1);
    assert!(reap(&mut *lane).outcome.is_ok());
    drop(handle);
    before.expect_right();
    let stripe = Stripe::random(Code::Rs, 6, 3, 4_096);
    let nowhere = Region::new(
        std::ptr::without_provenance_mut(4_096),
        MemoryKind::Device { ordinal: 0 },
    );
    // SAFETY: none of these addresses is mapped on the device, which reports them.
    let piece = unsafe {
        Job::encode(
            &stripe.codec(),
            &[nowhere; 6],
            &[nowhere; 3],
            buffers(&stripe),
        )
    };
    lane.submit(2, piece.expect("in order"));
    let fault = reap(&mut *lane).outcome.expect_err("a wrong address");
    say(&format!("a wrong address: {fault}"));
    assert_eq!(fault.kind(), FaultKind::Failed);
    let (after, handle) = Encoding::submit(&mut *lane, 3);
    let done = at_once("the first piece after a fault", || reap(&mut *lane));
    match &done.outcome {
        Ok(_) => say("another context works"),
        Err(fault) => {
            say(&format!("no context works: {fault}"));
            assert_eq!(fault.kind(), FaultKind::Failed);
            let mut piece = done.piece.expect("given back");
            piece.make_irrevocable();
            after.redo(piece);
            assert!(device.rail.open_lane().is_err(), "no lane opens either");
        }
    }
    drop(handle);
    after.expect_right();
}
