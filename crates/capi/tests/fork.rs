// SPDX-License-Identifier: Apache-2.0
//! Tests of a child that is forked while an engine works. Whatever locks the parent's threads held
//! at that moment, every call of the child on what it inherited ends at once. An engine that the
//! child opens works unless the parent was starting or ending a thread: the standard library holds
//! a lock for that.

use std::ffi::c_void;
use std::ptr::{null, null_mut};
use std::sync::Mutex;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::time::Duration;

use ::stripeline_codec::{Code, Codec};
use ::stripeline_engine::{Configuration, Engine, ErrorKind, Issued, Request};
use nix::sys::wait::{WaitStatus, waitpid};
use nix::unistd::{ForkResult, alarm, fork};
use stripeline_capi::stripeline_status::{self, *};
use stripeline_capi::*;
use stripeline_rail::owned::Units;
use stripeline_testkit::{slices, slices_mut};

const FORKS: usize = 100;

/// Seconds after which a hanging child is killed.
const CHILD_MAX: u32 = 120;

const LENGTH: usize = 256 << 10;

/// Held by a test, so that no other test starts threads during a fork.
static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

const CONFIGURATION: &str = "rails=cpu\ncheck-every=0";

/// The handles of the C interface that the child inherits.
struct Handles {
    engine: *mut stripeline_engine,
    codec: *mut stripeline_codec,
    memory: Vec<u8>,
    futures: Vec<*mut stripeline_future>,
}

// SAFETY: any number of threads may use an engine and a codec.
unsafe impl Sync for Handles {}

fn strided(memory: &[u8], first: usize, count: usize, length: usize) -> stripeline_matrix {
    stripeline_matrix {
        size: size_of::<stripeline_matrix>(),
        base: memory[first * length..].as_ptr().cast_mut(),
        stride: length,
        units: null(),
        count,
        memory: 0,
        device: 0,
    }
}

impl Handles {
    fn open() -> Self {
        let configuration = std::ffi::CString::new(CONFIGURATION).expect("no NUL");
        let mut handles = Self {
            engine: null_mut(),
            codec: null_mut(),
            memory: vec![7; 5 * LENGTH],
            futures: Vec::new(),
        };
        // SAFETY: a text and room for the handles.
        unsafe {
            let opened = stripeline_codec_open(0, 3, 2, &mut handles.codec);
            assert_eq!(opened, STRIPELINE_OK);
            let opened = stripeline_engine_open_with_listener(
                configuration.as_ptr(),
                Some(listen),
                null_mut(),
                &mut handles.engine,
            );
            assert_eq!(opened, STRIPELINE_OK);
        }
        handles
    }

    /// Issues a comparison; any number of comparisons may share the units.
    fn issue(&self, future: &mut *mut stripeline_future) -> stripeline_status {
        let (data, parity) = (
            strided(&self.memory, 0, 3, LENGTH),
            strided(&self.memory, 3, 2, LENGTH),
        );
        // More than the number of outstanding tasks, so that each task has its own verdict.
        static VERDICTS: [AtomicBool; 2048] = [const { AtomicBool::new(false) }; 2048];
        static ISSUED: AtomicUsize = AtomicUsize::new(0);
        let verdict = &VERDICTS[ISSUED.fetch_add(1, Ordering::Relaxed) % VERDICTS.len()];
        // SAFETY: open handles, units and a place for the verdict that outlive the task.
        unsafe {
            stripeline_iverify(
                self.engine,
                self.codec,
                &data,
                &parity,
                LENGTH,
                null(),
                verdict.as_ptr(),
                null_mut(),
                null_mut(),
                future,
            )
        }
    }

    /// Runs in threads of the parent during the forks: takes and releases all locks of the engine.
    fn use_until(&self, stop: &AtomicBool, rounds: &AtomicUsize) {
        while !stop.load(Ordering::Relaxed) {
            rounds.fetch_add(1, Ordering::Relaxed);
            let mut future = null_mut();
            assert_eq!(self.issue(&mut future), STRIPELINE_OK);
            // SAFETY: open handles; the future is released once.
            unsafe {
                assert!(stripeline_engine_describe(self.engine, null_mut(), 0) > 0);
                stripeline_future_cancel(future);
                stripeline_future_wait(future, -1);
                stripeline_future_release(future);
            }
        }
    }

    /// Makes the child's calls; returns the number of the first call with a wrong result.
    fn child(&mut self) -> Result<(), i32> {
        let mut number = 0;
        let mut closed = |status| {
            number += 1;
            match status {
                STRIPELINE_CLOSED => Ok(()),
                _ => Err(number),
            }
        };
        let (mut future, mut index) = (null_mut(), 0);
        closed(self.issue(&mut future))?;
        let (list, count) = (self.futures.as_ptr(), self.futures.len());
        // SAFETY: inherited handles, each closed or released once at the end.
        unsafe {
            closed(stripeline_wait_all(self.engine, -1))?;
            closed(stripeline_wait_any(list, count, -1, &mut index))?;
            closed(stripeline_wait_every(list, count, -1))?;
            for future in self.futures.drain(..) {
                closed(stripeline_future_test(future))?;
                closed(stripeline_future_wait(future, -1))?;
                closed(stripeline_future_cancel(future))?;
                stripeline_future_release(future);
            }
            if stripeline_engine_describe(self.engine, null_mut(), 0) != 0 {
                return Err(90);
            }
            stripeline_engine_close(self.engine);
        }
        *self = Self::open();
        // SAFETY: open handles.
        unsafe {
            if self.issue(&mut future) != STRIPELINE_OK
                || stripeline_future_wait(future, -1) != STRIPELINE_OK
            {
                return Err(91);
            }
            stripeline_future_release(future);
            stripeline_engine_close(self.engine);
        }
        Ok(())
    }
}

unsafe extern "C" fn listen(_context: *mut c_void, _event: *const stripeline_event) {}

/// Forks and runs `child` there; returns the wait status if the child did not succeed.
fn run_forked(child: impl FnOnce() -> Result<(), i32>) -> Result<(), WaitStatus> {
    // SAFETY: the child calls what is tested and ends without returning.
    match unsafe { fork() }.expect("a child") {
        ForkResult::Child => {
            alarm::set(CHILD_MAX);
            let called = std::panic::catch_unwind(std::panic::AssertUnwindSafe(child));
            let code = called.map_or(100, |result| result.err().unwrap_or(0));
            // SAFETY: ends the child at once, without the handlers of the test's process.
            unsafe { nix::libc::_exit(code) };
        }
        ForkResult::Parent { child } => {
            let ended = waitpid(child, None).expect("our child");
            match ended {
                WaitStatus::Exited(_, 0) => Ok(()),
                _ => Err(ended),
            }
        }
    }
}

#[test]
fn every_c_call_of_a_forked_child_ends() {
    let _alone = ONE_AT_A_TIME.lock();
    let handles = Handles::open();
    let (stop, rounds) = (AtomicBool::new(false), AtomicUsize::new(0));
    let ended: Result<Vec<()>, WaitStatus> = std::thread::scope(|scope| {
        for _ in 0..2 {
            scope.spawn(|| handles.use_until(&stop, &rounds));
        }
        // All threads have started by then: a child cannot start threads if it was forked during a
        // thread start.
        while rounds.load(Ordering::Relaxed) < 1000 {
            std::thread::yield_now();
        }
        let ended = (0..FORKS).map(|_| fork_with_tasks(&handles)).collect();
        stop.store(true, Ordering::Relaxed);
        ended
    });
    assert_eq!(ended.map(|children| children.len()), Ok(FORKS));
    // SAFETY: open until now.
    unsafe {
        stripeline_engine_close(handles.engine);
        stripeline_codec_close(handles.codec);
    }
}

/// Forks with tasks in flight, and waits for them in the parent.
fn fork_with_tasks(handles: &Handles) -> Result<(), WaitStatus> {
    let mut futures = vec![null_mut(); 20];
    for future in &mut futures {
        assert_eq!(handles.issue(future), STRIPELINE_OK);
    }
    let ended = run_forked(|| {
        let mut inherited = Handles {
            memory: handles.memory.clone(),
            futures: futures.clone(),
            ..*handles
        };
        inherited.child()
    });
    for future in futures {
        // SAFETY: the parent's futures, released once.
        unsafe {
            stripeline_future_wait(future, -1);
            stripeline_future_release(future);
        }
    }
    ended
}

#[test]
fn a_forked_child_lacks_pinned_memory() {
    let _alone = ONE_AT_A_TIME.lock();
    let handles = Handles::open();
    let (engine, _) = Engine::open(&configuration()).expect("the CPU is there");
    let mut buffer = engine.allocate_pinned(LENGTH).expect("room");
    let mut address = null_mut();
    // SAFETY: an open engine, and room for the address.
    let allocated = unsafe { stripeline_pinned_allocate(handles.engine, LENGTH, &mut address) };
    assert_eq!(allocated, STRIPELINE_OK);
    let ended = run_forked(|| {
        let check = |number, right: bool| if right { Ok(()) } else { Err(number) };
        check(1, buffer.is_empty() && buffer.iter_mut().next().is_none())?;
        // SAFETY: the child has its own copy of this value.
        drop(unsafe { std::ptr::read(&buffer) });
        check(2, !stripeline_pinned_is_locked(address))?;
        let refused = engine.allocate_pinned(1).err().map(|error| error.kind());
        check(3, refused == Some(ErrorKind::Closed))?;
        let mut other = null_mut();
        // SAFETY: an inherited engine, and room for the address; nothing uses the memory.
        unsafe {
            let allocated = stripeline_pinned_allocate(handles.engine, 1, &mut other);
            check(4, allocated == STRIPELINE_CLOSED && other.is_null())?;
            check(
                5,
                stripeline_pinned_release(address) == STRIPELINE_INVALID_ARGUMENT,
            )?;
        }
        let (engine, _) = Engine::open(&configuration()).map_err(|_| 6)?;
        let mut own = engine.allocate_pinned(LENGTH).map_err(|_| 7)?;
        own.fill(7);
        check(8, own.iter().all(|byte| *byte == 7))
    });
    assert_eq!(ended, Ok(()));
    buffer.fill(7);
    assert!(buffer.iter().all(|byte| *byte == 7));
    // SAFETY: open and allocated until now.
    unsafe {
        assert_eq!(stripeline_pinned_release(address), STRIPELINE_OK);
        stripeline_engine_close(handles.engine);
        stripeline_codec_close(handles.codec);
    }
}

fn units() -> Units {
    Units {
        inputs: vec![vec![7; LENGTH]; 3],
        outputs: vec![vec![0; LENGTH]; 2],
    }
}

fn rust_child(engine: Engine, codec: &Codec, issued: Vec<Issued>) -> Result<(), i32> {
    let check = |number, right: bool| if right { Ok(()) } else { Err(number) };
    let kind =
        |outcome: Result<_, ::stripeline_engine::Error>| outcome.err().map(|error| error.kind());
    let closed = Some(ErrorKind::Closed);
    let refused = engine.iencode(codec, units(), Request::default());
    check(1, refused.is_err_and(|refused| refused.units == units()))?;
    let (data, mut parity) = (units().inputs, units().outputs);
    let (data, mut parity) = (slices(&data), slices_mut(&mut parity));
    let encoded = engine.encode(codec, &data, &mut parity, Request::default());
    check(2, kind(encoded) == closed)?;
    check(3, engine.test_all() && engine.wait_all(None))?;
    check(4, engine.statistics().rails.is_empty())?;
    let tickets: Vec<_> = issued
        .iter()
        .map(|issued| issued.ticket().clone())
        .collect();
    check(5, engine.wait_any(&tickets) == Some(0))?;
    engine.wait_every(&tickets);
    for ticket in &tickets {
        check(
            6,
            ticket.test().and_then(|outcome| kind(outcome.map(|_| ()))) == closed,
        )?;
        check(7, !ticket.cancel())?;
        let waited = ticket.wait_timeout(Duration::MAX);
        check(
            8,
            waited.and_then(|outcome| kind(outcome.map(|_| ()))) == closed,
        )?;
        let (sender, receiver) = std::sync::mpsc::channel();
        ticket.on_end(move |outcome| sender.send(outcome.is_err()).expect("it is received"));
        check(9, receiver.try_recv() == Ok(true))?;
    }
    for issued in issued {
        let (outcome, units) = issued.wait();
        check(
            10,
            kind(outcome.map(|_| ())) == closed && units == Units::default(),
        )?;
    }
    drop((tickets, engine));
    Ok(())
}

fn configuration() -> Configuration {
    CONFIGURATION.parse().expect("right")
}

#[test]
fn every_rust_call_of_a_forked_child_ends() {
    let _alone = ONE_AT_A_TIME.lock();
    let codec = Codec::new(Code::Rs, 3, 2).expect("a right shape");
    for _ in 0..FORKS / 4 {
        let (engine, _) = Engine::open(&configuration()).expect("the CPU is there");
        let issue = |_| {
            engine
                .iencode(&codec, units(), Request::default())
                .expect("room")
        };
        let issued: Vec<_> = (0..20).map(issue).collect();
        // The child has its own copies of values that also stay in the parent.
        // SAFETY: each process drops them once.
        let (theirs, tasks) = unsafe { (std::ptr::read(&engine), std::ptr::read(&issued)) };
        let mut inherited = Some((theirs, tasks));
        let ended = run_forked(|| {
            let (engine, issued) = inherited.take().expect("there");
            rust_child(engine, &codec, issued)
        });
        std::mem::forget(inherited);
        assert_eq!(ended, Ok(()));
        assert!(issued.into_iter().all(|issued| issued.wait().0.is_ok()));
    }
}
