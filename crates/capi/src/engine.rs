// SPDX-License-Identifier: Apache-2.0
//! Opening, describing and closing an engine.

use std::ffi::{CStr, c_char, c_void};
use std::ptr::null_mut;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Duration;

use ::stripeline_engine::{Candidate, Configuration, Engine, Scheduling};
use stripeline_boundary::describe_engine;
use stripeline_rail::Process;

use crate::arguments::Call;
use crate::completion::Unended;
use crate::entry::{guard, guard_pending};
use crate::failure::{Failure, Mistake, stripeline_status};
use crate::library::copy_text;
use crate::listener::{Listening, stripeline_listener};

/// An asynchronous coder over all coding devices (rails) of a machine. Opaque; any number of
/// threads may use one engine at the same time.
#[allow(non_camel_case_types, reason = "the name in C")]
pub struct stripeline_engine {
    /// Unlike that of every other engine of the process.
    pub(crate) number: u64,
    /// The process that opened it.
    pub(crate) process: Process,
    pub(crate) engine: Engine,
    scheduling: Scheduling,
    candidates: Vec<Candidate>,
    listening: Listening,
    /// Closed with the engine. Every task that was issued holds it until it has ended.
    pub(crate) unended: Arc<Unended>,
}

impl Call {
    /// Reads a handle.
    ///
    /// # Safety
    /// `engine` must be null or come from `stripeline_engine_open` and not be closed for `'a`.
    pub(crate) unsafe fn engine<'a>(
        self,
        engine: *const stripeline_engine,
    ) -> Result<&'a stripeline_engine, Failure> {
        // SAFETY: null or a live handle, as the caller guarantees.
        let engine = unsafe { engine.as_ref() }.ok_or(self.refuse(Mistake::Null("engine")))?;
        self.check_process(engine.process)?;
        Ok(engine)
    }

    /// Refuses handles that belong to the parent process of a fork.
    pub(crate) fn check_process(self, process: Process) -> Result<(), Failure> {
        match process.is_current() {
            true => Ok(()),
            false => Err(self.refuse(Mistake::Inherited)),
        }
    }
}

/// Opens an engine, which starts a few threads. One engine for a whole process is enough.
///
/// A forked child process has none of these threads. In the child, every call on the engine and on
/// its futures fails immediately with STRIPELINE_CLOSED, except closing and releasing, which free
/// what they can. Its copies of the units of tasks that had not ended may hold anything. The child
/// may open another engine, which can hang if a thread of the parent was being started during the
/// fork.
///
/// The configuration is text with one `key=value` per line; empty lines and lines that begin with
/// `#` are ignored:
///
/// | key | value | default |
/// |---|---|---|
/// | rails | names, separated by commas: cpu, isal, cuda, plugin:PATH; auto for the CPU and every GPU | auto |
/// | scheduling | rate-aware, fcfs, single:NAME | rate-aware |
/// | tasks-max | maximum number of tasks outstanding | 1024 |
/// | bytes-max | maximum bytes of data outstanding | 1073741824 |
/// | when-full | wait or refuse (STRIPELINE_BUSY) | wait |
/// | stall-ms | milliseconds after which a rail counts as hung | 250 |
/// | quarantine-ms | milliseconds that a rail stays out of service after its first failure | 1000 |
/// | retry-ms | milliseconds within which a rail that did not raise the total rate is tried again | 10000 |
/// | check-every | N: for each rail and kind, one piece in N is compared, and the first 8; 0 for none | 1000 |
/// | waiting-threads-help | true or false: whether threads code while they wait | true |
/// | measure-only | true or false: whether the rail null is allowed, which does not write outputs | false |
/// | workers-max | maximum number of threads of a rail, 0 for the number that it requests | 0 |
/// | tuning | path of a table written by `stripeline tune` with sizes, rates and kinds of stores | built-in values |
/// | node | the processes that share CPUs: user (those of this user), off | user |
/// | node-weight | weight of this process in the division of CPUs, 1 to 1000 | 100 |
///
/// Encoded and decoded pieces are compared on a second rail, and not at all without one.
/// A rail that the machine lacks is not used; stripeline_engine_describe() returns the reason.
///
/// @param configuration  text in UTF-8, ended by a NUL; NULL for all defaults
/// @param engine         receives the engine, to be closed by stripeline_engine_close(); NULL on
///                       failure
/// @return               STRIPELINE_OK, STRIPELINE_CONFIGURATION, STRIPELINE_NULL_POINTER
///
/// # Safety
/// `configuration` must be null or end with a NUL; `engine` must be null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stripeline_engine_open(
    configuration: *const c_char,
    engine: *mut *mut stripeline_engine,
) -> stripeline_status {
    // SAFETY: as the caller guarantees.
    unsafe { stripeline_engine_open_with_listener(configuration, None, null_mut(), engine) }
}

/// Opens an engine as stripeline_engine_open() does, and reports its events to a listener.
///
/// @param configuration  as for stripeline_engine_open()
/// @param listener       called for each event until stripeline_engine_close() has returned; NULL
///                       for none
/// @param context        passed to `listener`
/// @param engine         as for stripeline_engine_open()
/// @return               as stripeline_engine_open()
///
/// # Safety
/// As `stripeline_engine_open`; `listener` must be callable with `context` from any thread until
/// the engine is closed.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stripeline_engine_open_with_listener(
    configuration: *const c_char,
    listener: stripeline_listener,
    context: *mut c_void,
    engine: *mut *mut stripeline_engine,
) -> stripeline_status {
    static OPENED: AtomicU64 = AtomicU64::new(0);
    let call = Call("open an engine");
    guard(call.0, || {
        call.check_result("engine", engine)?;
        // SAFETY: not null, so writable as the caller guarantees; alignment is not relied on.
        unsafe { engine.write_unaligned(null_mut()) };
        // SAFETY: as the caller guarantees.
        let mut configuration = unsafe { read_configuration(call, configuration) }?;
        let listening = Listening::new(listener, context);
        configuration.options.listener = listening.listener();
        let (opened, candidates) = Engine::open(&configuration)?;
        let opened = stripeline_engine {
            number: OPENED.fetch_add(1, Ordering::Relaxed),
            process: Process::current(),
            engine: opened,
            scheduling: configuration.options.scheduling,
            candidates,
            listening,
            unended: Arc::default(),
        };
        // SAFETY: as above.
        unsafe { engine.write_unaligned(Box::into_raw(Box::new(opened))) };
        Ok(())
    })
}

/// # Safety
/// `configuration` must be null or end with a NUL.
unsafe fn read_configuration(
    call: Call,
    configuration: *const c_char,
) -> Result<Configuration, Failure> {
    if configuration.is_null() {
        return Ok(Configuration::default());
    }
    // SAFETY: not null, so ended by a NUL as the caller guarantees.
    let text = unsafe { CStr::from_ptr(configuration) };
    let text = text.to_str().map_err(|error| {
        let valid = error.valid_up_to();
        call.refuse(Mistake::NotText("configuration", valid))
    })?;
    Ok(text.parse()?)
}

/// Closes an engine. Pieces that its rails are working on are finished, and waiting tasks end with
/// STRIPELINE_CLOSED. To complete all tasks, call stripeline_wait_all() first. No call may use the
/// engine any more, including calls in progress on other threads, except those of callbacks, which
/// can issue no task any more: they get STRIPELINE_CLOSED. Its futures stay valid until they are
/// released.
///
/// This waits for callbacks that are running, and about 2 seconds for a device or plug-in that
/// hangs. If that works on units in place, their task has not ended: the units still belong to it,
/// and must be neither freed nor used until stripeline_future_test() of its future returns another
/// status than STRIPELINE_PENDING. Its end is not notified: after this call no callback and no
/// listener runs, no eventfd is written and no result of a comparison is stored.
///
/// @param engine  an engine from stripeline_engine_open(), or NULL, which does nothing
/// @return        STRIPELINE_OK if all tasks have ended, and all buffers are released;
///                STRIPELINE_PENDING if a task has not ended
///
/// # Safety
/// `engine` must be null or come from `stripeline_engine_open` and be closed once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stripeline_engine_close(
    engine: *mut stripeline_engine,
) -> stripeline_status {
    guard_pending("close an engine", || {
        if engine.is_null() {
            return Ok(Some(()));
        }
        // SAFETY: a live handle, as the caller guarantees.
        let closing = unsafe { &*engine };
        // In a forked child nothing of the engine runs, and a thread that the child lacks may hold
        // the listener's lock, or send a notification.
        let ended = !closing.process.is_current() || {
            closing.engine.close();
            closing.listening.stop();
            closing.unended.close()
        };
        // Last: until here a callback may use the handle.
        // SAFETY: made by `Box::into_raw` in `stripeline_engine_open` and given back once.
        drop(unsafe { Box::from_raw(engine) });
        Ok(ended.then_some(()))
    })
}

/// Describes an engine as a JSON object: `scheduling` (as in the configuration), `candidates` (the
/// requested rails, each with `name`, `in`, `description` and `reason`, one of the latter two
/// null), `issued` and `outstanding` (tasks), `rails` (each rail in use with `name`,
/// `out_of_service` (null or the reason), `active` (whether it raises the total), `rate` (bytes
/// of data per second), `queued`, `pieces`, `data_bytes`, `busy_ns`, `cpu_ns`, `stolen`, `faults`,
/// `revoked`, `quarantines`, `checks`, `wrong`, and the histograms `waits` (issue to start) and
/// `services` (start to end), of which bucket b counts times from 2^b to 2^(b+1) - 1 nanoseconds).
///
/// @param engine  an open engine
/// @param text    the destination, always terminated by a NUL; may be NULL if size is 0
/// @param size    the size of `text` in bytes; a longer text is truncated
/// @return        the length of the whole text in bytes without the NUL; 0 on failure, and
///                stripeline_last_error() then returns the reason
///
/// # Safety
/// `engine` must be open; `text` must have `size` writable bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stripeline_engine_describe(
    engine: *const stripeline_engine,
    text: *mut c_char,
    size: usize,
) -> usize {
    let call = Call("describe the engine");
    let mut json = String::new();
    guard(call.0, || {
        // SAFETY: as the caller guarantees.
        let engine = unsafe { call.engine(engine) }?;
        let statistics = engine.engine.statistics();
        json = describe_engine(&engine.scheduling, &engine.candidates, &statistics);
        Ok(())
    });
    // SAFETY: as the caller guarantees.
    unsafe { copy_text(&json, text, size) }
}

/// Waits until no task of an engine is outstanding, including tasks that other threads issued. The
/// calling thread helps to code while it waits.
///
/// @param engine      an open engine
/// @param timeout_ns  maximum time to wait in nanoseconds; negative for no limit, 0 to return
///                    immediately
/// @return            STRIPELINE_OK, STRIPELINE_PENDING if the time passed first,
///                    STRIPELINE_NULL_POINTER
///
/// # Safety
/// `engine` must be open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stripeline_wait_all(
    engine: *const stripeline_engine,
    timeout_ns: i64,
) -> stripeline_status {
    let call = Call("wait for all tasks");
    guard_pending(call.0, || {
        // SAFETY: as the caller guarantees.
        let engine = unsafe { call.engine(engine) }?;
        let ended = match timeout(timeout_ns) {
            Some(Duration::ZERO) => engine.engine.test_all(),
            timeout => engine.engine.wait_all(timeout),
        };
        Ok(ended.then_some(()))
    })
}

/// Converts a timeout of the interface; `None` means no limit.
pub(crate) fn timeout(timeout_ns: i64) -> Option<Duration> {
    u64::try_from(timeout_ns).ok().map(Duration::from_nanos)
}

#[cfg(test)]
mod tests {
    use std::sync::Mutex;
    use std::sync::atomic::AtomicUsize;
    use std::sync::mpsc::{Receiver, Sender, channel};

    use ::stripeline_codec::Verdict;
    use ::stripeline_engine::Options;
    use stripeline_rail::{Capability, Coder, Cpu, Fault, Piece, Rail, Synchronous};

    use super::*;
    use crate::codec::{stripeline_codec, stripeline_codec_close, stripeline_codec_open};
    use crate::future::{
        stripeline_future, stripeline_future_release, stripeline_future_test,
        stripeline_future_wait,
    };
    use crate::issue::{stripeline_iencode, stripeline_iverify};
    use crate::matrix::stripeline_matrix;
    use crate::request::stripeline_request;
    use crate::stripeline_status::{STRIPELINE_CLOSED, STRIPELINE_OK, STRIPELINE_PENDING};

    /// Reports that it has a piece, and then waits until the other end of `go` is gone.
    #[derive(Debug)]
    struct Blocked {
        arrived: Sender<()>,
        go: Mutex<Receiver<()>>,
    }

    impl Coder for Blocked {
        type Memory = ();

        fn describe(&self) -> String {
            String::new()
        }

        fn run(&self, piece: &mut Piece, (): &mut ()) -> Result<Verdict, Fault> {
            self.arrived.send(()).expect("awaited");
            assert!(self.go.lock().expect("one piece").recv().is_err());
            Ok(Cpu::portable().code(piece))
        }
    }

    /// Returns an engine with one worker.
    fn over(rail: Arc<dyn Rail>) -> *mut stripeline_engine {
        let options = Options {
            workers_max: 1,
            waiting_threads_help: false,
            ..Options::default()
        };
        Box::into_raw(Box::new(stripeline_engine {
            number: u64::MAX,
            process: Process::current(),
            engine: Engine::start(vec![rail], options).expect("right options"),
            scheduling: Scheduling::RateAware,
            candidates: Vec::new(),
            listening: Listening::new(None, null_mut()),
            unended: Arc::default(),
        }))
    }

    /// Returns an engine over a [`Blocked`] coder, a message for each piece that it has, and what
    /// keeps it from computing until it is dropped.
    fn over_blocked() -> (*mut stripeline_engine, Receiver<()>, Sender<()>) {
        let (arrived, arrivals) = channel();
        let (blocker, go) = channel();
        let go = Mutex::new(go);
        let coder = Blocked { arrived, go };
        let rail = Synchronous::new("blocked", Capability::synchronous(), coder);
        (over(Arc::new(rail)), arrivals, blocker)
    }

    fn matrix(units: &[*mut u8]) -> stripeline_matrix {
        stripeline_matrix {
            size: size_of::<stripeline_matrix>(),
            base: null_mut(),
            stride: 0,
            units: units.as_ptr(),
            count: units.len(),
            memory: 0,
            device: 0,
        }
    }

    fn request(
        callback: unsafe extern "C" fn(*mut c_void, stripeline_status),
        context: *mut c_void,
    ) -> stripeline_request {
        stripeline_request {
            size: size_of::<stripeline_request>(),
            priority: 0,
            event_fd: 0,
            deadline_ns: 0,
            callback: Some(callback),
            context,
            flags: 0,
        }
    }

    unsafe extern "C" fn count(context: *mut c_void, _status: stripeline_status) {
        // SAFETY: the test passes a counter that it keeps.
        let counter = unsafe { &*context.cast::<AtomicUsize>() };
        counter.fetch_add(1, Ordering::SeqCst);
    }

    #[test]
    fn a_task_that_ends_after_its_engine_was_closed_sends_no_notification() {
        let (engine, arrivals, blocker) = over_blocked();
        let (mut codec, mut future) = (null_mut(), null_mut::<stripeline_future>());
        let mut units = [[0_u8; 100]; 3];
        let [first, second, parity] = units.each_mut().map(|unit| unit.as_mut_ptr());
        let (data, parity) = ([first, second], [parity]);
        let told = AtomicUsize::new(0);
        let request = request(count, (&raw const told).cast_mut().cast());
        let mut sound = false;
        // SAFETY: open handles, 100 bytes in each unit; all is kept until the task has ended.
        unsafe {
            assert_eq!(stripeline_codec_open(2, 2, 1, &mut codec), STRIPELINE_OK);
            let issued = stripeline_iverify(
                engine,
                codec,
                &matrix(&data),
                &matrix(&parity),
                100,
                &request,
                &mut sound,
                null_mut(),
                null_mut(),
                &mut future,
            );
            assert_eq!(issued, STRIPELINE_OK);
            arrivals.recv().expect("the piece arrives");
            assert_eq!(stripeline_engine_close(engine), STRIPELINE_PENDING);
            assert_eq!(stripeline_future_test(future), STRIPELINE_PENDING);
            drop(blocker);
            assert_eq!(stripeline_future_wait(future, -1), STRIPELINE_OK);
            stripeline_future_release(future);
            stripeline_codec_close(codec);
        }
        assert_eq!((told.load(Ordering::SeqCst), sound), (0, false));
    }

    /// Tasks of one codec, of which the first one is with the rail.
    struct Issuer {
        engine: *mut stripeline_engine,
        codec: *mut stripeline_codec,
        /// A unit for each task.
        parity: Vec<*mut u8>,
        /// Its end lets the first task go on.
        blocker: Option<Sender<()>>,
        told: Vec<[stripeline_status; 2]>,
    }

    impl Issuer {
        /// # Safety
        /// The handles must be open; issuer and parity must stay until the task has ended.
        unsafe fn issue(&mut self) -> stripeline_status {
            static DATA: [u8; 100] = [7; 100];
            let data = [DATA.as_ptr().cast_mut(); 2];
            let parity = self.parity.pop().expect("a unit for each task");
            let request = request(issue_again, (&raw mut *self).cast());
            // SAFETY: as the caller guarantees.
            unsafe {
                stripeline_iencode(
                    self.engine,
                    self.codec,
                    &matrix(&data),
                    &matrix(&[parity]),
                    100,
                    &request,
                    null_mut(),
                )
            }
        }
    }

    unsafe extern "C" fn issue_again(context: *mut c_void, status: stripeline_status) {
        // SAFETY: the test passes an issuer, and the task with the rail ends after the other.
        let issuer = unsafe { &mut *context.cast::<Issuer>() };
        // SAFETY: the handles are open while a callback runs.
        let issued = unsafe { issuer.issue() };
        issuer.told.push([status, issued]);
        issuer.blocker = None;
    }

    #[test]
    fn a_callback_cannot_issue_a_task_while_its_engine_is_closed() {
        let (engine, arrivals, blocker) = over_blocked();
        let mut parity = [[0_u8; 100]; 4];
        let mut issuer = Issuer {
            engine,
            codec: null_mut(),
            parity: parity.each_mut().map(|unit| unit.as_mut_ptr()).to_vec(),
            blocker: Some(blocker),
            told: Vec::new(),
        };
        // SAFETY: issuer and parity are kept until the engine is closed, and no task is left then.
        unsafe {
            let opened = stripeline_codec_open(2, 2, 1, &mut issuer.codec);
            assert_eq!(opened, STRIPELINE_OK);
            assert_eq!(issuer.issue(), STRIPELINE_OK);
            arrivals.recv().expect("the piece arrives");
            assert_eq!(issuer.issue(), STRIPELINE_OK);
            assert_eq!(stripeline_engine_close(engine), STRIPELINE_OK);
            stripeline_codec_close(issuer.codec);
        }
        // The task that was queued, then the one with the rail.
        let told = [[STRIPELINE_CLOSED; 2], [STRIPELINE_OK, STRIPELINE_CLOSED]];
        assert_eq!(issuer.told, told);
    }

    #[test]
    fn an_engine_without_tasks_is_closed_at_once() {
        let engine = over(Arc::new(Cpu::rail()));
        // SAFETY: opened above; null does nothing.
        let closed = unsafe { [engine, null_mut()].map(|engine| stripeline_engine_close(engine)) };
        assert_eq!(closed, [STRIPELINE_OK; 2]);
    }
}
