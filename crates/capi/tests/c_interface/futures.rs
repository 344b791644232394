// SPDX-License-Identifier: Apache-2.0
//! How tasks end and how the end is reported, as a program in C sees it.
//!
//! Where a task must not end too early, another task's callback blocks the engine's only worker.

use std::ffi::c_void;
use std::fs::File;
use std::io::Read;
use std::os::fd::{AsRawFd, OwnedFd};
use std::ptr::{null, null_mut};
use std::sync::Mutex;
use std::sync::atomic::{AtomicI32, AtomicUsize, Ordering};

use crate::c_codec::last_error;
use crate::engine_side::{Bench, OpenEngine, request, scattered, strided};
use stripeline_capi::stripeline_status::{self, *};
use stripeline_capi::*;
use stripeline_testkit::Gate;

/// One worker, and no other thread that codes.
const ONE_WORKER: &str = "rails=cpu\nworkers-max=1\nwaiting-threads-help=false";

const LENGTH: usize = 1000;

fn wait(future: *mut stripeline_future) -> stripeline_status {
    // SAFETY: the tests' futures, released after they have been waited for.
    unsafe { stripeline_future_wait(future, -1) }
}

fn release(future: *mut stripeline_future) {
    // SAFETY: once each.
    unsafe { stripeline_future_release(future) };
}

/// Returns a request whose callback waits at a gate.
fn request_at(gate: &Gate) -> stripeline_request {
    stripeline_request {
        callback: Some(wait_at),
        context: std::ptr::from_ref(gate).cast_mut().cast(),
        ..request()
    }
}

unsafe extern "C" fn wait_at(gate: *mut c_void, status: stripeline_status) {
    assert_eq!(status, STRIPELINE_OK);
    // SAFETY: a gate that the test keeps until the task has ended.
    unsafe { &*gate.cast::<Gate>() }.pass();
}

/// An engine whose only worker is blocked.
struct Held {
    gate: Box<Gate>,
    holding: Bench,
    future: *mut stripeline_future,
    engine: Option<OpenEngine>,
}

impl Held {
    fn new(more: &str) -> Self {
        let engine = OpenEngine::new(&format!("{ONE_WORKER}\n{more}"));
        let (gate, mut holding) = (Box::<Gate>::default(), Bench::new(LENGTH));
        let (status, future) = holding.issue(&engine, &request_at(&gate));
        assert_eq!(status, STRIPELINE_OK, "{}", last_error());
        gate.await_arrivals(1);
        Self {
            gate,
            holding,
            future,
            engine: Some(engine),
        }
    }

    fn engine(&self) -> &OpenEngine {
        self.engine.as_ref().expect("open")
    }

    fn let_go(mut self) {
        self.gate.open();
        assert_eq!(wait(self.future), STRIPELINE_OK);
        release(self.future);
        assert!(self.holding.is_encoded());
    }
}

#[test]
fn a_task_is_pending_until_all_notifications_are_sent() {
    let held = Held::new("");
    // SAFETY: open handles.
    unsafe {
        assert_eq!(stripeline_future_test(held.future), STRIPELINE_PENDING);
        assert_eq!(stripeline_future_wait(held.future, 0), STRIPELINE_PENDING);
        assert_eq!(
            stripeline_future_wait(held.future, 1000),
            STRIPELINE_PENDING
        );
        assert_eq!(stripeline_wait_all(held.engine().0, 0), STRIPELINE_PENDING);
        assert_eq!(
            stripeline_wait_all(held.engine().0, 1000),
            STRIPELINE_PENDING
        );
        let (futures, mut index) = ([null_mut(), held.future], 7);
        let any =
            |timeout, index: &mut usize| stripeline_wait_any(futures.as_ptr(), 2, timeout, index);
        assert_eq!(any(0, &mut index), STRIPELINE_PENDING);
        assert_eq!(
            stripeline_wait_every(futures.as_ptr(), 2, 1000),
            STRIPELINE_PENDING
        );
        assert_eq!(index, 7);
        held.gate.open();
        assert_eq!(any(-1, &mut index), STRIPELINE_OK);
        assert_eq!(index, 1);
        assert_eq!(
            stripeline_wait_every(futures.as_ptr(), 2, -1),
            STRIPELINE_OK
        );
        assert_eq!(stripeline_wait_all(held.engine().0, -1), STRIPELINE_OK);
        // It has ended: there is nothing to cancel.
        assert_eq!(stripeline_future_cancel(held.future), STRIPELINE_OK);
        assert_eq!(stripeline_future_test(held.future), STRIPELINE_OK);
    }
    held.let_go();
}

#[test]
fn a_cancelled_task_is_not_begun() {
    let held = Held::new("");
    let mut bench = Bench::new(LENGTH);
    let (status, future) = bench.issue(held.engine(), &request());
    assert_eq!(status, STRIPELINE_OK);
    // SAFETY: a live future.
    unsafe { assert_eq!(stripeline_future_cancel(future), STRIPELINE_OK) };
    assert_eq!(wait(future), STRIPELINE_CANCELLED);
    assert_eq!(last_error(), "Cannot finish the task: it was cancelled");
    // SAFETY: a list of one live future.
    let every = unsafe { stripeline_wait_every([held.future, future][1..].as_ptr(), 1, -1) };
    assert_eq!(every, STRIPELINE_CANCELLED);
    release(future);
    held.let_go();
    assert!(!bench.is_encoded());
}

#[test]
fn a_deadline_ends_a_task_that_waits() {
    let held = Held::new("");
    let mut bench = Bench::new(LENGTH);
    let asked = stripeline_request {
        deadline_ns: 1_000_000,
        priority: 1,
        ..request()
    };
    let (status, future) = bench.issue(held.engine(), &asked);
    assert_eq!(status, STRIPELINE_OK);
    assert_eq!(wait(future), STRIPELINE_DEADLINE_EXCEEDED);
    release(future);
    held.let_go();
}

#[test]
fn a_full_engine_refuses_if_configured() {
    let held = Held::new("tasks-max=1\nwhen-full=refuse");
    // The task whose callback is running no longer counts as outstanding.
    let (mut waiting, mut bench) = (Bench::new(LENGTH), Bench::new(LENGTH));
    let (status, issued) = waiting.issue(held.engine(), &request());
    assert_eq!(status, STRIPELINE_OK, "{}", last_error());
    let (status, future) = bench.issue(held.engine(), &request());
    assert_eq!((status, future), (STRIPELINE_BUSY, null_mut()));
    let text = "Cannot issue a task: 1 are outstanding, the most allowed";
    assert_eq!(last_error(), text);
    held.gate.open();
    assert_eq!(wait(issued), STRIPELINE_OK);
    release(issued);
    held.let_go();
}

#[test]
fn closing_ends_waiting_tasks_and_futures_stay_valid() {
    let mut held = Held::new("");
    let mut bench = Bench::new(LENGTH);
    let (status, future) = bench.issue(held.engine(), &request());
    assert_eq!(status, STRIPELINE_OK);
    let engine = held.engine.take();
    std::thread::scope(|scope| {
        let closing = scope.spawn(move || drop(engine));
        assert_eq!(wait(future), STRIPELINE_CLOSED);
        held.gate.open();
        closing.join().expect("no panic");
    });
    let text = "Cannot finish the task: the engine is shutting down";
    assert_eq!(
        (wait(future), last_error().as_str()),
        (STRIPELINE_CLOSED, text)
    );
    release(future);
    held.let_go();
}

/// Counts the notifications that it receives.
#[derive(Default)]
struct Told {
    times: AtomicUsize,
    status: AtomicI32,
}

unsafe extern "C" fn count(told: *mut c_void, status: stripeline_status) {
    // SAFETY: what the test passes.
    let told = unsafe { &*told.cast::<Told>() };
    told.times.fetch_add(1, Ordering::SeqCst);
    told.status.store(status as i32, Ordering::SeqCst);
}

#[test]
fn callback_and_eventfd_are_done_when_the_wait_is_over() {
    let engine = OpenEngine::new("rails=cpu");
    let told = Told::default();
    let event_fd = eventfd();
    let mut benches: Vec<Bench> = (0..20).map(|round| Bench::new(round * 100)).collect();
    for (round, bench) in benches.iter_mut().enumerate() {
        let asked = stripeline_request {
            event_fd: event_fd.as_raw_fd(),
            callback: Some(count),
            context: (&raw const told).cast_mut().cast(),
            ..request()
        };
        let (status, future) = bench.issue(&engine, &asked);
        assert_eq!(status, STRIPELINE_OK, "{}", last_error());
        assert_eq!(wait(future), STRIPELINE_OK);
        release(future);
        assert_eq!(told.times.load(Ordering::SeqCst), round + 1);
        assert!(bench.is_encoded());
    }
    let mut count = [0; 8];
    let mut file = File::from(event_fd);
    assert_eq!(file.read(&mut count).expect("readable"), 8);
    assert_eq!(u64::from_ne_bytes(count), 20);
}

fn eventfd() -> OwnedFd {
    nix::sys::eventfd::EventFd::from_flags(nix::sys::eventfd::EfdFlags::EFD_NONBLOCK)
        .expect("an eventfd")
        .into()
}

#[test]
fn the_eventfd_may_be_descriptor_0() {
    let engine = OpenEngine::new("rails=cpu");
    let mut bench = Bench::new(LENGTH);
    let event_fd = eventfd();
    let before = nix::unistd::dup(std::io::stdin()).expect("standard input");
    nix::unistd::dup2_stdin(&event_fd).expect("descriptor 0");
    let asked = stripeline_request {
        flags: STRIPELINE_REQUEST_EVENT_FD,
        ..request()
    };
    let (status, future) = bench.issue(&engine, &asked);
    let ended = wait(future);
    nix::unistd::dup2_stdin(&before).expect("descriptor 0");
    assert_eq!((status, ended), (STRIPELINE_OK, STRIPELINE_OK));
    release(future);
    let mut count = [0; 8];
    // Non-blocking: without the write the test fails instead of waiting.
    assert_eq!(File::from(event_fd).read(&mut count).expect("written"), 8);
    // A request without the flag notifies nothing.
    let (status, future) = bench.issue(&engine, &request());
    assert_eq!((status, wait(future)), (STRIPELINE_OK, STRIPELINE_OK));
    release(future);
}

/// Keeps the text of this thread's last error; `context` is its destination.
unsafe extern "C" fn keep_reason(context: *mut c_void, status: stripeline_status) {
    // SAFETY: what the test passes.
    let reason = unsafe { &*context.cast::<Mutex<String>>() };
    *reason.lock().expect("no panic") = format!("{status:?}: {}", last_error());
}

#[test]
fn a_callback_can_read_why_its_task_failed() {
    let engine = OpenEngine::new("rails=cpu");
    let (reason, mut bench) = (Mutex::new(String::new()), Bench::new(LENGTH));
    let asked = stripeline_request {
        callback: Some(keep_reason),
        context: (&raw const reason).cast_mut().cast(),
        ..request()
    };
    let data = bench.data();
    // No rail of this engine accepts device memory.
    let parity = stripeline_matrix {
        memory: 2,
        ..bench.parity()
    };
    let mut future = null_mut();
    // SAFETY: open handles and a stripe that is waited for; null is refused.
    unsafe {
        assert_eq!(stripeline_future_test(null()), STRIPELINE_NULL_POINTER);
        let before = last_error();
        let status = stripeline_iencode(
            engine.0,
            bench.codec,
            &data,
            &parity,
            LENGTH,
            &asked,
            &mut future,
        );
        assert_eq!(status, STRIPELINE_OK, "{}", last_error());
        assert_eq!(stripeline_wait_all(engine.0, -1), STRIPELINE_OK);
        assert_eq!(last_error(), before, "the text of this thread's own calls");
    }
    assert_eq!(wait(future), STRIPELINE_NO_RAIL);
    let told = reason.lock().expect("no panic").clone();
    assert_eq!(told, format!("STRIPELINE_NO_RAIL: {}", last_error()));
    assert!(told.contains(": no rail takes such a task"), "{told}");
    release(future);
}

#[test]
fn a_callback_works_without_a_future() {
    let engine = OpenEngine::new("rails=cpu");
    let (told, mut bench) = (Told::default(), Bench::new(LENGTH));
    let asked = stripeline_request {
        callback: Some(count),
        context: (&raw const told).cast_mut().cast(),
        ..request()
    };
    let (data, parity) = (bench.data(), bench.parity());
    // SAFETY: open handles and a stripe that is waited for.
    unsafe {
        let issue = |parity: &stripeline_matrix| {
            stripeline_iencode(
                engine.0,
                bench.codec,
                &data,
                parity,
                LENGTH,
                &asked,
                null_mut(),
            )
        };
        assert_eq!(issue(&parity), STRIPELINE_OK);
        assert_eq!(stripeline_wait_all(engine.0, -1), STRIPELINE_OK);
        assert_eq!(told.times.load(Ordering::SeqCst), 1);
        // No rail of this engine accepts device memory.
        let on_device = stripeline_matrix {
            memory: 2,
            ..parity
        };
        assert_eq!(issue(&on_device), STRIPELINE_OK);
        assert_eq!(stripeline_wait_all(engine.0, -1), STRIPELINE_OK);
        assert_eq!(
            told.status.load(Ordering::SeqCst),
            STRIPELINE_NO_RAIL as i32
        );
        // A refused call sends no notification.
        assert_eq!(issue(&data), STRIPELINE_COUNT_MISMATCH);
        assert_eq!(told.times.load(Ordering::SeqCst), 2);
    }
    assert!(bench.is_encoded());
}

/// Releases its own future; each callback of a window of futures does this.
unsafe extern "C" fn release_own(slot: *mut c_void, _status: stripeline_status) {
    // SAFETY: the place where the call stored the future before any notification.
    unsafe {
        let slot = slot.cast::<*mut stripeline_future>();
        assert!(!(*slot).is_null());
        stripeline_future_release(*slot);
    }
}

#[test]
fn a_callback_may_release_its_future() {
    let engine = OpenEngine::new("rails=cpu");
    let mut bench = Bench::new(LENGTH);
    let (data, parity) = (bench.data(), bench.parity());
    let mut slot: Box<*mut stripeline_future> = Box::new(null_mut());
    let place = &raw mut *slot;
    let asked = stripeline_request {
        callback: Some(release_own),
        context: place.cast(),
        ..request()
    };
    for length in [0, LENGTH] {
        // SAFETY: open handles and a stripe that is waited for.
        unsafe {
            let status =
                stripeline_iencode(engine.0, bench.codec, &data, &parity, length, &asked, place);
            assert_eq!(status, STRIPELINE_OK, "{}", last_error());
            assert_eq!(stripeline_wait_all(engine.0, -1), STRIPELINE_OK);
        }
    }
    assert!(bench.is_encoded());
}

/// A callback that issues the next task of 0 bytes until `left` is 0.
struct Again {
    engine: OpenEngine,
    bench: Bench,
    left: usize,
    is_running: bool,
}

impl Again {
    /// Issues a task in the way of a program that keeps only a pointer to this.
    unsafe fn issue(again: *mut Self) {
        // SAFETY: open handles and a stripe that no other task uses.
        unsafe {
            let (data, parity) = ((*again).bench.data(), (*again).bench.parity());
            let asked = stripeline_request {
                callback: Some(Self::next),
                context: again.cast(),
                ..request()
            };
            let (engine, codec) = ((*again).engine.0, (*again).bench.codec);
            let status = stripeline_iencode(engine, codec, &data, &parity, 0, &asked, null_mut());
            assert_eq!(status, STRIPELINE_OK, "{}", last_error());
        }
    }

    unsafe extern "C" fn next(again: *mut c_void, _status: stripeline_status) {
        let again = again.cast::<Self>();
        // SAFETY: what the test keeps until nothing is left; all of it runs on one thread.
        unsafe {
            assert!(!(*again).is_running, "within another callback");
            (*again).is_running = true;
            if (*again).left > 0 {
                (*again).left -= 1;
                Self::issue(again);
            }
            (*again).is_running = false;
        }
    }
}

#[test]
fn callbacks_that_end_the_next_task_do_not_run_within_each_other() {
    let mut again = Box::new(Again {
        engine: OpenEngine::new("rails=cpu\nwhen-full=refuse"),
        bench: Bench::new(LENGTH),
        left: 3,
        is_running: false,
    });
    let place = &raw mut *again;
    // SAFETY: the box stays until every task has ended, which they have when the call returns.
    unsafe {
        Again::issue(place);
        assert_eq!((*place).left, 0);
    }
}

#[test]
fn a_stride_works_for_inputs_and_outputs_and_decodes_in_place() {
    let engine = OpenEngine::new("rails=cpu\ncheck-every=0");
    let mut bench = Bench::new(LENGTH);
    let (data, parity) = (bench.data(), bench.parity());
    let (erased, lost) = ([4_u32, 1], [bench.unit(4), bench.unit(1)]);
    // SAFETY: open handles and the units of one stripe.
    unsafe {
        let status =
            stripeline_engine_encode(engine.0, bench.codec, &data, &parity, LENGTH, null());
        assert_eq!(status, STRIPELINE_OK, "{}", last_error());
        let whole = bench.memory.clone();
        lost.iter().for_each(|unit| unit.write_bytes(0, LENGTH));
        let (units, outputs) = (strided(bench.unit(0), LENGTH, 5), scattered(&lost));
        let status = stripeline_engine_decode(
            engine.0,
            bench.codec,
            &units,
            erased.as_ptr(),
            2,
            &outputs,
            LENGTH,
            null(),
        );
        assert_eq!(status, STRIPELINE_OK, "{}", last_error());
        assert_eq!(bench.memory, whole);
        let status = stripeline_engine_decode(
            engine.0,
            bench.codec,
            &units,
            null(),
            0,
            &scattered(&[]),
            LENGTH,
            null(),
        );
        assert_eq!(status, STRIPELINE_OK, "{}", last_error());
    }
}

#[test]
fn many_threads_share_an_engine() {
    let engine = OpenEngine::new("rails=cpu\ntasks-max=8");
    std::thread::scope(|scope| {
        for _ in 0..4 {
            scope.spawn(|| {
                let mut benches: Vec<Bench> = (1..30).map(|n| Bench::new(n * 37)).collect();
                let futures: Vec<_> = benches
                    .iter_mut()
                    .map(|bench| bench.issue(&engine, &request()))
                    .map(|(status, future)| {
                        assert_eq!(status, STRIPELINE_OK, "{}", last_error());
                        future
                    })
                    .collect();
                // SAFETY: live futures, released once.
                let every = unsafe { stripeline_wait_every(futures.as_ptr(), futures.len(), -1) };
                assert_eq!(every, STRIPELINE_OK);
                futures.into_iter().for_each(release);
                assert!(benches.iter_mut().all(Bench::is_encoded));
            });
        }
    });
}
