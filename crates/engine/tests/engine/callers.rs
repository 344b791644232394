// SPDX-License-Identifier: Apache-2.0
//! Faults of a program's call-backs, wakers and listeners: they panic, or drop the engine that
//! calls them.

use std::future::Future;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::pin::pin;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex};
use std::task::{Context, Wake, Waker};
use std::time::{Duration, Instant};

use crate::support::{self, LIMIT, cpu, faulty, faulty_cpu, gates, stripe, with_cpu};
use stripeline_codec::Verdict;
use stripeline_engine::{
    Engine, ErrorKind, Event, EventKind, Issued, Options, Outcome, Request, Scheduling,
};
use stripeline_rail::{Rail, owned};
use stripeline_testkit::Gate;
use stripeline_testkit::faulty::{Failure, Script};

/// Only the rail's own thread codes, and a failed rail stays out of service.
fn options() -> Options {
    Options {
        waiting_threads_help: false,
        check_every: 0,
        quarantine: Duration::from_secs(1000),
        ..Options::default()
    }
}

/// Returns an engine of one rail with one thread, where each piece waits at the gate of its number.
fn gated(gates: &[Arc<Gate>], options: Options) -> Engine {
    Engine::start(vec![support::gated(gates)], options).expect("right options")
}

fn issue(engine: &Engine, request: Request) -> Issued {
    let (codec, stripe) = stripe(100);
    support::issue(engine, &codec, &stripe, request)
}

fn within(deadline: Duration) -> Request {
    Request {
        deadline: Some(deadline),
        ..Request::default()
    }
}

/// An engine that another thread or a call-back drops.
type Shared = Arc<Mutex<Option<Engine>>>;

/// Returns a function that drops a shared engine, and a receiver that is notified of it.
fn ender(engine: &Shared) -> (impl FnOnce() + Send + 'static, Receiver<()>) {
    let (sender, receiver) = channel();
    let engine = Arc::clone(engine);
    let end = move || {
        let taken = engine.lock().expect("not poisoned").take();
        drop(taken.expect("ended once"));
        sender.send(()).expect("awaited");
    };
    (end, receiver)
}

#[test]
fn the_panic_of_a_call_back_or_waker_is_caught() {
    struct Panicking;
    impl Wake for Panicking {
        fn wake(self: Arc<Self>) {
            panic!("a waker's");
        }
    }
    let [gate] = gates();
    let engine = gated(&[Arc::clone(&gate)], options());
    let first = issue(&engine, Request::default());
    let (sender, told) = channel();
    first.ticket().on_end(|_| panic!("a call-back's"));
    let waker = Waker::from(Arc::new(Panicking));
    let polled = pin!(first.ticket().clone()).poll(&mut Context::from_waker(&waker));
    assert!(polled.is_pending());
    first
        .ticket()
        .on_end(move |outcome| sender.send(outcome.clone()).expect("awaited"));
    gate.open();
    assert_eq!(told.recv_timeout(LIMIT), Ok(Ok(Verdict::Sound)));
    // The rail's thread is still running.
    let second = issue(&engine, Request::default());
    let outcome = second.ticket().wait_timeout(LIMIT);
    assert_eq!(outcome, Some(Ok(Verdict::Sound)));
    assert!(engine.wait_all(Some(LIMIT)), "everything was accounted for");
}

#[test]
fn a_call_back_that_panics_at_a_deadline_does_not_stop_other_deadlines() {
    let [gate] = gates();
    let engine = gated(&[Arc::clone(&gate)], options());
    let _blocker = issue(&engine, Request::default());
    gate.await_arrivals(1);
    for _ in 0..2 {
        let late = issue(&engine, within(Duration::from_millis(1)));
        late.ticket().on_end(|_| panic!("a call-back's"));
        let outcome = late.ticket().wait_timeout(LIMIT).expect("its time is up");
        let error = outcome.expect_err("late");
        assert_eq!(error.kind(), ErrorKind::DeadlineExceeded);
    }
    gate.open();
}

#[test]
fn a_listener_that_panics_does_not_stop_tasks() {
    let rails = with_cpu(faulty("faulty", 1, Script::first(1, Failure::Fail)));
    let options = Options {
        scheduling: Scheduling::Single("faulty".to_owned()),
        listener: Arc::new(|_| panic!("a listener's")),
        ..options()
    };
    let engine = Engine::start(rails, options).expect("right options");
    let issued = issue(&engine, Request::default());
    let outcome = issued.ticket().wait_timeout(LIMIT);
    assert_eq!(outcome, Some(Ok(Verdict::Sound)));
}

#[test]
fn a_task_whose_preparation_panics_is_cancelled() {
    let engine = Engine::start(vec![cpu()], options()).expect("right options");
    let (codec, stripe) = stripe(100);
    let (piece, pending) = owned::encode(&codec, stripe.to_encode()).expect("well formed");
    let (sender, told) = channel();
    let issued = catch_unwind(AssertUnwindSafe(|| {
        engine.issue_with(piece, Request::default(), |ticket| {
            ticket.on_end(move |outcome| sender.send(outcome.clone()).expect("awaited"));
            panic!("the caller's");
        })
    }));
    assert!(issued.is_err());
    assert!(engine.test_all(), "its place is free");
    assert_eq!(pending.wait(Duration::ZERO), Some(stripe.to_encode()));
    let outcome = told.recv().expect("told").expect_err("not issued");
    assert_eq!(outcome.kind(), ErrorKind::Cancelled);
}

#[test]
fn a_rail_that_panics_when_it_is_tried_is_tried_again() {
    let events = Arc::new(Mutex::new(Vec::new()));
    let (sender, restored) = channel();
    let told = Arc::clone(&events);
    let listener = move |event: &Event| {
        told.lock().expect("not poisoned").push(event.kind);
        if event.kind == EventKind::Restored {
            sender.send(()).expect("awaited");
        }
    };
    let options = Options {
        scheduling: Scheduling::Single("faulty".to_owned()),
        quarantine: Duration::from_millis(1),
        listener: Arc::new(listener),
        ..options()
    };
    let panicking = faulty("faulty", 1, Script::first(2, Failure::PanicAtOnce));
    let engine = Engine::start(with_cpu(panicking), options).expect("right options");
    let error = issue(&engine, Request::default()).wait().0;
    assert_eq!(error.expect_err("it panicked").kind(), ErrorKind::Failed);
    assert_eq!(restored.recv_timeout(LIMIT), Ok(()));
    let events = events.lock().expect("not poisoned");
    assert_eq!(*events, [EventKind::Quarantined, EventKind::Restored]);
}

#[test]
fn a_rail_may_have_an_unlimited_duration() {
    let rail = Arc::new(faulty("hanging", 1, Script::always(Failure::Hang)).detaching());
    let options = Options {
        stall: Duration::MAX,
        workers_max: 1,
        ..options()
    };
    let rails = vec![Arc::clone(&rail) as Arc<dyn Rail>];
    let engine = Engine::start(rails, options).expect("right options");
    let slow = issue(&engine, Request::default());
    assert!(rail.wait_for_hanging(1, LIMIT));
    // Between two deadlines that pass, the watchdog examines the pieces in flight.
    for _ in 0..2 {
        let late = issue(&engine, within(Duration::from_millis(1)));
        assert!(late.ticket().wait_timeout(LIMIT).is_some());
    }
    assert_eq!(engine.statistics().rails[0].revoked, 0);
    rail.set_script(Script::nothing());
    rail.release();
    assert_eq!(slow.wait().0, Ok(Verdict::Sound));
}

#[test]
fn a_call_back_may_end_its_engine_on_the_thread_of_a_rail() {
    let [gate] = gates();
    let engine = Arc::new(Mutex::new(Some(gated(&[Arc::clone(&gate)], options()))));
    let issue = || {
        issue(
            engine.lock().expect("not poisoned").as_ref().expect("open"),
            Request::default(),
        )
    };
    let (first, second) = (issue(), issue());
    gate.await_arrivals(1);
    let (end, ended) = ender(&engine);
    first.ticket().on_end(move |_| end());
    gate.open();
    assert_eq!(ended.recv_timeout(LIMIT), Ok(()));
    assert_eq!(first.wait().0, Ok(Verdict::Sound));
    let outcome = second.ticket().wait_timeout(LIMIT).expect("it ends too");
    assert_eq!(outcome.expect_err("closed").kind(), ErrorKind::Closed);
}

#[test]
fn a_call_back_may_end_its_engine_on_the_watchdog_thread() {
    let [gate] = gates();
    let engine = gated(&[Arc::clone(&gate)], options());
    let blocker = issue(&engine, Request::default());
    gate.await_arrivals(1);
    let late = issue(&engine, within(Duration::from_millis(100)));
    let engine = Arc::new(Mutex::new(Some(engine)));
    let (end, ended) = ender(&engine);
    late.ticket().on_end(move |_| {
        gate.open();
        end();
    });
    assert_eq!(ended.recv_timeout(LIMIT), Ok(()));
    assert_eq!(blocker.wait().0, Ok(Verdict::Sound));
}

#[test]
fn a_call_back_may_end_its_engine_on_a_thread_that_helps() {
    let [working, helping] = gates();
    let options = Options {
        waiting_threads_help: true,
        ..options()
    };
    let engine = gated(&[Arc::clone(&working), Arc::clone(&helping)], options);
    let first = issue(&engine, Request::default());
    working.await_arrivals(1);
    let second = issue(&engine, Request::default());
    let engine = Arc::new(Mutex::new(Some(engine)));
    let (end, ended) = ender(&engine);
    second.ticket().on_end(move |_| {
        working.open();
        end();
    });
    // The rail's thread is at its gate, so the waiting thread does this piece.
    let helper = std::thread::spawn(move || second.wait().0);
    helping.await_arrivals(1);
    helping.open();
    assert_eq!(ended.recv_timeout(LIMIT), Ok(()));
    assert_eq!(helper.join().expect("no panic"), Ok(Verdict::Sound));
    assert_eq!(first.wait().0, Ok(Verdict::Sound));
}

#[test]
fn a_call_back_may_end_its_engine_on_a_thread_of_the_program() {
    let [gate] = gates();
    let engine = gated(&[Arc::clone(&gate)], options());
    let blocker = issue(&engine, Request::default());
    gate.await_arrivals(1);
    let ended = issue(&engine, Request::default());
    assert!(ended.ticket().cancel());
    let queued = issue(&engine, Request::default());
    // The rail's thread is at its gate until this thread, which closes the engine, has ended the
    // queued task.
    let opener = std::thread::spawn(move || {
        let outcome = queued.ticket().wait();
        gate.open();
        outcome
    });
    let before = Instant::now();
    ended.ticket().on_end(move |_| drop(engine));
    // How long a closing engine waits for what never ends.
    assert!(
        before.elapsed() < Duration::from_secs(2),
        "it waits for itself"
    );
    let outcome = opener.join().expect("no panic");
    assert_eq!(outcome.expect_err("closed").kind(), ErrorKind::Closed);
    assert_eq!(blocker.wait().0, Ok(Verdict::Sound));
}

/// Issues a task; returns whether it was done, and whether the units were back when its call-back
/// ran.
fn end_of_task(engine: &Engine) -> (bool, bool) {
    let (codec, stripe) = stripe(100);
    let (piece, pending) = owned::encode(&codec, stripe.to_encode()).expect("well formed");
    let (sender, told) = channel();
    let call = move |outcome: &Outcome| {
        let are_back = pending.wait(Duration::ZERO).is_some();
        sender.send((outcome.is_ok(), are_back)).expect("awaited");
    };
    let issued = engine.issue_with(piece, Request::default(), |ticket| ticket.on_end(call));
    assert!(issued.is_ok());
    told.recv_timeout(LIMIT).expect("told")
}

#[test]
fn units_that_a_rail_copied_are_back_when_call_backs_run() {
    let on_copies = |script| Arc::new(faulty_cpu("copies", script).detaching()) as Arc<dyn Rail>;
    let start = |rails, options| Engine::start(rails, options).expect("right options");
    let coding = on_copies(Script::nothing());
    assert_eq!(end_of_task(&start(vec![coding], options())), (true, true));

    let hanging = on_copies(Script::always(Failure::Hang));
    let impatient = Options {
        stall: Duration::from_millis(30),
        ..options()
    };
    // Taken away, and there is no other rail.
    let engine = start(vec![hanging], impatient);
    assert_eq!(end_of_task(&engine), (false, true));

    let comparing = on_copies(Script::nothing());
    let compared = Options {
        scheduling: Scheduling::Single("cpu".to_owned()),
        check_every: 1,
        ..options()
    };
    let engine = start(vec![cpu(), comparing], compared);
    // Nothing is compared before the other rail has opened its lane.
    while engine.statistics().rails[1].checks == 0 {
        assert_eq!(end_of_task(&engine), (true, true));
    }
}

#[test]
fn a_task_is_outstanding_until_its_call_back_that_waits_for_another_has_run() {
    let [gate, ..] = &gates::<1>();
    let engine = Arc::new(gated(std::slice::from_ref(gate), options()));
    let at_work = issue(&engine, Request::default());
    gate.await_arrivals(1);
    let ended = issue(&engine, Request::default());
    assert!(ended.ticket().cancel());
    let waiting = issue(&engine, Request::default());
    let (sender, receiver) = channel();
    let (ticket, opened) = (waiting.ticket().clone(), Arc::clone(gate));
    let engine_of_call = Arc::clone(&engine);
    ended.ticket().on_end(move |_| {
        let told = sender.clone();
        ticket.on_end(move |_| told.send("told").expect("awaited"));
        assert!(ticket.cancel());
        opened.open();
        let all_ended = engine_of_call.wait_all(Some(Duration::from_millis(100)));
        assert!(!all_ended, "one call-back waits for this one");
        sender.send("counted").expect("awaited");
    });
    assert_eq!(receiver.iter().collect::<Vec<_>>(), ["counted", "told"]);
    assert_eq!(at_work.wait().0, Ok(Verdict::Sound));
    assert!(engine.wait_all(Some(LIMIT)));
}
