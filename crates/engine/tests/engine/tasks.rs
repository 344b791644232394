// SPDX-License-Identifier: Apache-2.0
//! Issuing, waiting, cancelling, deadlines, priorities and bounds.

use std::future::Future;
use std::pin::pin;
use std::sync::mpsc::channel;
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll, Wake};
use std::thread::{Thread, current, park, yield_now};
use std::time::Duration;

use crate::support::{self, cpu, engine, gates, issue, stripe};
use stripeline_codec::{Code, Verdict};
use stripeline_engine::{
    Configuration, Engine, ErrorKind, Event, EventKind, Issued, Options, Priority, Request,
    Scheduling, Ticket, WhenFull,
};
use stripeline_rail::owned::{self, Units};
use stripeline_testkit::{Gate, Stripe, all_but, slices};

fn simple() -> Engine {
    engine(vec![cpu()], Options::default()).0
}

/// Returns an engine of one rail with one thread, whose first piece waits at a gate.
fn gated(options: Options) -> (Engine, Arc<Gate>) {
    let [gate] = gates();
    let rail = support::gated(std::slice::from_ref(&gate));
    let options = Options {
        waiting_threads_help: false,
        check_every: 0,
        ..options
    };
    (engine(vec![rail], options).0, gate)
}

fn background() -> Request {
    Request {
        priority: Priority::Background,
        ..Request::default()
    }
}

#[test]
fn a_window_of_stripes_has_right_bytes() {
    let engine = simple();
    for bytes in [1, 63, 4096, 65536, 3 << 20] {
        let (codec, stripe) = stripe(bytes);
        let window: Vec<_> = (0..8)
            .map(|_| issue(&engine, &codec, &stripe, Request::default()))
            .collect();
        for issued in window {
            let (outcome, units) = issued.wait();
            assert_eq!(outcome, Ok(Verdict::Sound));
            assert_eq!(units.outputs, stripe.parity(), "{bytes} bytes");
            assert_eq!(units.inputs, stripe.data());
        }
    }
    assert!(engine.wait_all(None) && engine.test_all());
}

#[test]
fn every_operation_in_both_forms() {
    let engine = simple();
    let (codec, stripe) = stripe(100_000);
    let request = Request::default();
    let (data, parity) = (slices(stripe.data()), slices(stripe.parity()));
    assert_eq!(
        engine.verify(&codec, &data, &parity, request),
        Ok(Verdict::Sound)
    );

    let mut lost = [vec![0; 100_000], vec![0; 100_000]];
    let [first, second] = &mut lost;
    let units = all_but(&stripe.units, &[1, 7]);
    let decoded = engine.decode(&codec, &units, &[7, 1], &mut [first, second], request);
    assert_eq!(decoded, Ok(()));
    assert!(lost[0] == stripe.units[7] && lost[1] == stripe.units[1]);

    let mut units = stripe.to_encode();
    units.outputs = stripe.parity().to_vec();
    units.outputs[2][77_777] ^= 4;
    let (outcome, _) = engine.iverify(&codec, units, request).expect("room").wait();
    let mismatch = Verdict::Mismatch {
        parity_unit: 2,
        offset: 77_777,
    };
    assert_eq!(outcome, Ok(mismatch));

    let mut data = stripe.data().to_vec();
    data[3].fill(9);
    let changed = Stripe::of(data, Code::Rs, 3);
    let units = Units {
        inputs: vec![stripe.units[3].clone(), changed.units[3].clone()],
        outputs: stripe.parity().to_vec(),
    };
    let (outcome, units) = engine
        .iupdate(&codec, 3, units, request)
        .expect("room")
        .wait();
    assert_eq!(outcome, Ok(Verdict::Sound));
    assert_eq!(units.outputs, changed.parity());
}

#[test]
fn wrong_input_is_refused_with_the_codecs_reason() {
    let engine = simple();
    let (codec, stripe) = stripe(64);
    let mut units = stripe.to_encode();
    units.outputs.pop();
    let error = engine
        .iencode(&codec, units, Request::default())
        .expect_err("two parity units")
        .error;
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert_eq!(
        error.codec_kind(),
        Some(stripeline_codec::ErrorKind::CountMismatch)
    );
    let units = Units {
        inputs: vec![vec![]; 6],
        outputs: vec![vec![]; 3],
    };
    let error = engine
        .iencode(&codec, units, Request::default())
        .expect_err("no bytes");
    assert_eq!(
        error.to_string(),
        "Cannot encode the stripe: the units have 0 bytes"
    );
    assert_eq!(
        engine.encode(
            &codec,
            &[&[][..]; 6],
            &mut [&mut [][..], &mut [], &mut []],
            Request::default()
        ),
        Ok(())
    );
}

#[test]
fn test_and_wait_for_one_for_any_and_for_all() {
    let (engine, gate) = gated(Options::default());
    let (codec, stripe) = stripe(100);
    let issued: Vec<_> = (0..3)
        .map(|_| issue(&engine, &codec, &stripe, Request::default()))
        .collect();
    let tickets: Vec<_> = issued
        .iter()
        .map(|issued| issued.ticket().clone())
        .collect();
    gate.await_arrivals(1);
    assert!(tickets.iter().all(|ticket| ticket.test().is_none()));
    assert!(tickets[0].wait_timeout(Duration::from_millis(1)).is_none());
    assert!(!engine.test_all() && !engine.wait_all(Some(Duration::from_millis(1))));
    gate.open();
    assert!(engine.wait_any(&tickets).is_some());
    engine.wait_every(&tickets);
    assert!(
        tickets
            .iter()
            .all(|ticket| ticket.test() == Some(Ok(Verdict::Sound)))
    );
    assert!(engine.wait_all(None) && engine.test_all());
    assert_eq!(engine.wait_any(&[]), None);
}

#[test]
fn any_timeout_is_accepted() {
    let (engine, gate) = gated(Options::default());
    let (codec, stripe) = stripe(100);
    let request = Request {
        deadline: Some(Duration::MAX),
        ..Request::default()
    };
    let issued = issue(&engine, &codec, &stripe, request);
    gate.open();
    let tickets = [issued.ticket().clone()];
    assert_eq!(engine.wait_any(&tickets), Some(0));
    assert_eq!(Ticket::wait_any(&tickets, Some(Duration::MAX)), Some(0));
    let outcome = issued.ticket().wait_timeout(Duration::MAX);
    assert_eq!(outcome, Some(Ok(Verdict::Sound)));
    assert!(engine.wait_all(Some(Duration::MAX)));
}

#[test]
fn a_short_wait_begins_no_long_piece() {
    let gates: [_; 10] = gates();
    let (engine, _) = engine(vec![support::gated(&gates)], Options::default());
    let (codec, stripe) = stripe(100);
    // A piece takes at least twenty milliseconds, which the engine believes after some.
    for gate in &gates[..8] {
        let _slow = issue(&engine, &codec, &stripe, Request::default());
        gate.await_arrivals(1);
        std::thread::sleep(Duration::from_millis(20));
        gate.open();
        assert!(engine.wait_all(None));
    }
    let second = issue(&engine, &codec, &stripe, Request::default());
    gates[8].await_arrivals(1);
    let third = issue(&engine, &codec, &stripe, Request::default());
    gates[9].open();
    let short = Duration::from_millis(1);
    assert!(third.ticket().wait_timeout(short).is_none());
    assert_eq!(gates[9].arrivals(), 0, "no time for a piece");
    let long = Duration::from_secs(3600);
    assert_eq!(third.ticket().wait_timeout(long), Some(Ok(Verdict::Sound)));
    gates[8].open();
    assert_eq!(second.wait().0, Ok(Verdict::Sound));
}

#[test]
fn call_backs_and_futures_are_notified_once() {
    struct Unpark(Thread);
    impl Wake for Unpark {
        fn wake(self: Arc<Self>) {
            self.0.unpark();
        }
    }
    let (engine, gate) = gated(Options::default());
    let (codec, stripe) = stripe(100);
    let issued = issue(&engine, &codec, &stripe, Request::default());
    let (sender, receiver) = channel();
    let again = sender.clone();
    issued
        .ticket()
        .on_end(move |outcome| sender.send(outcome.clone()).expect("awaited"));
    gate.open();
    let waker = Arc::new(Unpark(current())).into();
    let mut future = pin!(issued.ticket().clone());
    let outcome = loop {
        match future.as_mut().poll(&mut Context::from_waker(&waker)) {
            Poll::Ready(outcome) => break outcome,
            Poll::Pending => park(),
        }
    };
    assert_eq!(outcome, Ok(Verdict::Sound));
    assert_eq!(receiver.recv(), Ok(Ok(Verdict::Sound)));
    issued
        .ticket()
        .on_end(move |outcome| again.send(outcome.clone()).expect("awaited"));
    assert_eq!(
        receiver.recv(),
        Ok(Ok(Verdict::Sound)),
        "told at once when it has ended"
    );
    assert!(receiver.recv().is_err(), "and only once");
}

#[test]
fn a_notification_set_at_issue_comes_from_another_thread() {
    let options = Options {
        waiting_threads_help: false,
        ..Options::default()
    };
    let (engine, _) = engine(vec![cpu()], options);
    let (codec, stripe) = stripe(64);
    let (sender, receiver) = channel();
    for _ in 0..2000 {
        let (piece, _pending) = owned::encode(&codec, stripe.to_encode()).expect("well formed");
        let sender = sender.clone();
        let issued = engine.issue_with(piece, Request::default(), |ticket| {
            ticket.on_end(move |_| sender.send(current().id()).expect("awaited"));
            // Gives a task that had begun the time to end.
            yield_now();
        });
        let outcome = issued.expect("room for a task").wait();
        assert_eq!(outcome, Ok(Verdict::Sound));
        assert_ne!(receiver.recv(), Ok(current().id()));
    }
}

#[test]
fn a_cancelled_task_is_not_begun_and_frees_its_units() {
    let (engine, gate) = gated(Options::default());
    let (codec, stripe) = stripe(100);
    let first = issue(&engine, &codec, &stripe, Request::default());
    gate.await_arrivals(1);
    let second = issue(&engine, &codec, &stripe, Request::default());
    assert!(second.ticket().cancel());
    assert!(!second.ticket().cancel(), "it has ended");
    let (outcome, units) = second.wait();
    assert_eq!(outcome.expect_err("cancelled").kind(), ErrorKind::Cancelled);
    assert_eq!(units.outputs, vec![vec![0xa5; 100]; 3], "untouched");
    assert!(first.ticket().cancel(), "a rail works on it");
    assert!(first.ticket().test().is_none(), "and has not let go");
    gate.open();
    let (outcome, _) = first.wait();
    assert_eq!(outcome.expect_err("cancelled").kind(), ErrorKind::Cancelled);
    assert!(engine.wait_all(None));
    assert_eq!(engine.statistics().rails[0].pieces, 1);
}

#[test]
fn a_deadline_ends_a_waiting_task() {
    let (engine, gate) = gated(Options::default());
    let (codec, stripe) = stripe(100);
    let first = issue(&engine, &codec, &stripe, Request::default());
    gate.await_arrivals(1);
    let request = Request {
        deadline: Some(Duration::from_millis(20)),
        ..Request::default()
    };
    let second = issue(&engine, &codec, &stripe, request);
    let (outcome, units) = second.wait();
    assert_eq!(
        outcome.expect_err("late").kind(),
        ErrorKind::DeadlineExceeded
    );
    assert_eq!(units.outputs, vec![vec![0xa5; 100]; 3], "untouched");
    gate.open();
    assert_eq!(first.wait().0, Ok(Verdict::Sound));
}

#[test]
fn a_deadline_ends_the_wait_for_room() {
    let options = Options {
        tasks_max: 1,
        ..Options::default()
    };
    let (engine, gate) = gated(options);
    let (codec, stripe) = stripe(100);
    let first = issue(&engine, &codec, &stripe, Request::default());
    gate.await_arrivals(1);
    let request = Request {
        deadline: Some(Duration::from_millis(20)),
        ..Request::default()
    };
    std::thread::scope(|scope| {
        let (sender, receiver) = channel();
        let (engine, codec, stripe) = (&engine, &codec, &stripe);
        scope.spawn(move || sender.send(engine.iencode(codec, stripe.to_encode(), request)));
        // Longer than any machine takes; if the wait does not end, the gate still opens.
        let refused = receiver.recv_timeout(Duration::from_secs(30));
        gate.open();
        let refused = refused.expect("an answer").expect_err("the engine is full");
        assert_eq!(refused.error.kind(), ErrorKind::DeadlineExceeded);
    });
    assert_eq!(first.wait().0, Ok(Verdict::Sound));
    assert_eq!(engine.statistics().issued, 1);
}

#[test]
fn background_waits_for_foreground() {
    let (engine, gate) = gated(Options::default());
    let (codec, stripe) = stripe(100);
    let order = Arc::new(Mutex::new(Vec::new()));
    let blocker = issue(&engine, &codec, &stripe, Request::default());
    gate.await_arrivals(1);
    let mut issued = Vec::new();
    for (name, request) in [("repair", background()), ("write", Request::default())] {
        let task = issue(&engine, &codec, &stripe, request);
        let order = Arc::clone(&order);
        task.ticket()
            .on_end(move |_| order.lock().expect("not poisoned").push(name));
        issued.push(task);
    }
    gate.open();
    for issued in issued.into_iter().chain([blocker]) {
        assert_eq!(issued.wait().0, Ok(Verdict::Sound));
    }
    assert_eq!(*order.lock().expect("not poisoned"), ["write", "repair"]);
}

#[test]
fn a_full_engine_refuses_or_waits() {
    let options = Options {
        tasks_max: 2,
        when_full: WhenFull::Refuse,
        ..Options::default()
    };
    let (engine, gate) = gated(options);
    let (codec, stripe) = stripe(100);
    let issued = [(); 2].map(|()| issue(&engine, &codec, &stripe, Request::default()));
    let error = engine.iencode(&codec, stripe.to_encode(), Request::default());
    let refused = error.expect_err("two are outstanding");
    assert_eq!(refused.units, stripe.to_encode(), "they come back");
    let error = refused.error;
    assert_eq!(error.kind(), ErrorKind::Busy);
    assert_eq!(
        error.to_string(),
        "Cannot issue a task: 2 are outstanding, the most allowed"
    );
    gate.open();
    assert!(
        issued
            .map(Issued::wait)
            .iter()
            .all(|(outcome, _)| outcome.is_ok())
    );

    let options = Options {
        bytes_max: 1000,
        ..Options::default()
    };
    let (engine, gate) = gated(options);
    std::thread::scope(|scope| {
        let second = scope.spawn(|| {
            let issued: Vec<_> = (0..3)
                .map(|_| issue(&engine, &codec, &stripe, Request::default()))
                .collect();
            issued.into_iter().all(|issued| issued.wait().0.is_ok())
        });
        gate.await_arrivals(1);
        gate.open();
        assert!(second.join().expect("no panic"), "600 bytes at a time");
    });
}

#[test]
fn a_notified_caller_can_issue_the_next_task_at_a_full_window() {
    let options = Options {
        tasks_max: 1,
        when_full: WhenFull::Refuse,
        waiting_threads_help: false,
        ..Options::default()
    };
    let engine = Arc::new(engine(vec![cpu()], options).0);
    let (codec, stripe) = stripe(100);
    for _ in 0..2000 {
        let issued = issue(&engine, &codec, &stripe, Request::default());
        assert_eq!(issued.wait().0, Ok(Verdict::Sound));
    }
    let [gate] = gates();
    let (sender, receiver) = channel();
    let (piece, _pending) = owned::encode(&codec, stripe.to_encode()).expect("well formed");
    let (of_call_back, units, told) = (Arc::clone(&engine), stripe.to_encode(), Arc::clone(&gate));
    let first = engine.issue_with(piece, Request::default(), |ticket| {
        ticket.on_end(move |_| {
            let next = of_call_back.iencode(&codec, units, Request::default());
            told.pass();
            // Dropped together with the engine, which must not end on its own thread.
            sender.send((next, of_call_back)).expect("awaited");
        });
    });
    let first = first.expect("room for a task");
    gate.await_arrivals(1);
    assert_eq!(first.test(), Some(Ok(Verdict::Sound)));
    // The next task may have ended by now.
    assert!(!engine.test_all(), "a task counts until its end was told");
    gate.open();
    let (next, _engine) = receiver.recv().expect("told");
    assert_eq!(next.expect("room for a task").wait().0, Ok(Verdict::Sound));
    assert!(engine.wait_all(None) && engine.test_all());
}

#[test]
fn an_engine_that_ends_fails_waiting_tasks() {
    let (engine, gate) = gated(Options::default());
    let (codec, stripe) = stripe(100);
    let first = issue(&engine, &codec, &stripe, Request::default());
    gate.await_arrivals(1);
    let second = issue(&engine, &codec, &stripe, Request::default());
    let ender = std::thread::spawn(move || drop(engine));
    let (outcome, _) = second.wait();
    assert_eq!(outcome.expect_err("closed").kind(), ErrorKind::Closed);
    gate.open();
    assert_eq!(
        first.wait().0,
        Ok(Verdict::Sound),
        "what a rail works on is finished"
    );
    ender.join().expect("the engine ends");
}

#[test]
fn invalid_configurations_are_refused() {
    let refused = |rails, options| {
        Engine::start(rails, options)
            .expect_err("refused")
            .to_string()
    };
    assert_eq!(
        refused(vec![], Options::default()),
        "Cannot start the engine: 0 rails given, 1 to 16 allowed"
    );
    assert_eq!(
        refused(vec![cpu(), cpu()], Options::default()),
        "Cannot start the engine: two rails are named cpu"
    );
    let options = Options {
        scheduling: Scheduling::Single("gpu".to_owned()),
        ..Options::default()
    };
    assert_eq!(
        refused(vec![cpu()], options),
        "Cannot start the engine: no rail is named gpu, there are cpu"
    );
}

#[test]
fn a_rail_that_codes_nothing_is_only_for_measurements_and_alone() {
    let open = |text: &str| {
        let configuration: Configuration = text.parse().expect("right");
        Engine::open(&configuration)
            .map(|(engine, _)| engine.statistics().rails[0].name.clone())
            .map_err(|error| (error.kind(), error.to_string()))
    };
    let refused = |text: &str| Err((ErrorKind::Configuration, text.to_owned()));
    assert_eq!(
        open("rails=null\nnode=off"),
        refused(
            "Cannot start the engine: rail null codes nothing, so outputs would be wrong: name \
             other rails, or set measure-only=true in a measurement"
        )
    );
    for measure_only in [false, true] {
        assert_eq!(
            open(&format!(
                "rails=cpu,null\nmeasure-only={measure_only}\nnode=off"
            )),
            refused(
                "Cannot start the engine: rail null of rails=cpu,null codes nothing and cannot be \
                 used with others: remove it"
            )
        );
    }
    assert_eq!(
        open("rails=null\nmeasure-only=true\nnode=off"),
        Ok("null".to_owned())
    );
}

#[test]
fn a_requested_rail_that_cannot_be_used_is_reported() {
    let told = Arc::new(Mutex::new(Vec::new()));
    let mut configuration: Configuration = "rails=cpu,plugin:/no/such/coder.so\nnode=off"
        .parse()
        .expect("right");
    let listener = Arc::clone(&told);
    configuration.options.listener =
        Arc::new(move |event: &Event| listener.lock().expect("not poisoned").push(event.clone()));
    let (engine, candidates) = Engine::open(&configuration).expect("the CPU is there");
    let told = told.lock().expect("not poisoned");
    assert_eq!(told.len(), 1, "{told:?}");
    assert_eq!(told[0].kind, EventKind::LeftOut);
    assert!(
        told[0].text.contains("/no/such/coder.so"),
        "{}",
        told[0].text
    );
    assert!(candidates[1].reason().is_some() && candidates[0].rail().is_some());
    assert_eq!(engine.statistics().rails.len(), 1);
}

#[test]
fn an_engine_that_cannot_start_without_a_rail_reports_why_it_is_not_used() {
    for scheduling in [
        "",
        "scheduling=single:plugin:coder\nrails=cpu,plugin:/no/such/coder.so",
    ] {
        let configuration: Configuration =
            format!("rails=plugin:/no/such/coder.so\nnode=off\n{scheduling}")
                .parse()
                .expect("right");
        let error = Engine::open(&configuration).expect_err("the plug-in is missing");
        assert_eq!(error.kind(), ErrorKind::Configuration);
        let reason = "; rail plugin:/no/such/coder.so is not used: Cannot load the plug-in: ";
        assert!(error.to_string().contains(reason), "{error}");
    }
}

#[test]
fn call_backs_that_cancel_other_tasks_do_not_run_within_each_other() {
    let (engine, gate) = gated(Options::default());
    let (codec, stripe) = stripe(100);
    let window: Vec<_> = (0..4)
        .map(|_| issue(&engine, &codec, &stripe, Request::default()))
        .collect();
    gate.await_arrivals(1);
    let told = Arc::new(Mutex::new(Vec::new()));
    for (index, issued) in window.iter().enumerate() {
        let told = Arc::clone(&told);
        let next = window.get(index + 1).map(|next| next.ticket().clone());
        issued.ticket().on_end(move |_| {
            told.lock().expect("no panic").push((index, "begins"));
            assert_eq!(next.map(|next| next.cancel()), (index < 3).then_some(true));
            told.lock().expect("no panic").push((index, "ends"));
        });
    }
    gate.open();
    assert!(engine.wait_all(None));
    let expected: Vec<_> = (0..4)
        .flat_map(|index| [(index, "begins"), (index, "ends")])
        .collect();
    assert_eq!(*told.lock().expect("no panic"), expected);
}
