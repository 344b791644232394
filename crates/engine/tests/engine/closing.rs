// SPDX-License-Identifier: Apache-2.0
//! Engines that are closed while their rails work.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use crate::support::{LIMIT, engine, faulty, gated, gates, issue, stripe};
use stripeline_codec::Verdict;
use stripeline_engine::{Engine, ErrorKind, Issued, Options, Outcome, Request};
use stripeline_rail::owned::Units;
use stripeline_rail::{Capability, Detached, Done, Fault, Lane, Piece, Rail};
use stripeline_testkit::Gate;
use stripeline_testkit::faulty::{Failure, FaultyRail, Script};

const TASKS: usize = 6;

/// Pieces in flight.
const DEPTH: usize = 4;

/// Returns a rail whose lane has several pieces in flight, which hang until they are released.
fn deep() -> FaultyRail {
    faulty("deep", 1, Script::always(Failure::Hang)).deep(DEPTH)
}

/// Returns an engine over one rail with one lane, and a hang limit that no test reaches.
fn with_long_limit(rail: Arc<dyn Rail>) -> Engine {
    let options = Options {
        workers_max: 1,
        stall: LIMIT,
        check_every: 0,
        ..Options::default()
    };
    engine(vec![rail], options).0
}

/// Issues more tasks than fit in flight; the counter counts their call-backs.
fn issue_all(engine: &Engine) -> (Vec<Issued>, Arc<AtomicUsize>) {
    let (codec, stripe) = stripe(100);
    let told = Arc::new(AtomicUsize::new(0));
    let issue_one = |_| {
        let issued = issue(engine, &codec, &stripe, Request::default());
        let told = Arc::clone(&told);
        issued.ticket().on_end(move |_| {
            told.fetch_add(1, Ordering::SeqCst);
        });
        issued
    };
    ((0..TASKS).map(issue_one).collect(), told)
}

fn is_closed(outcome: &Outcome) -> bool {
    let error = outcome.as_ref().err();
    error.is_some_and(|error| error.kind() == ErrorKind::Closed)
}

#[test]
fn pieces_begun_on_a_deep_lane_end_once() {
    let rail = Arc::new(deep());
    let engine = with_long_limit(Arc::clone(&rail) as Arc<dyn Rail>);
    let (issued, told) = issue_all(&engine);
    assert!(rail.wait_for_hanging(DEPTH, LIMIT));
    let ender = std::thread::spawn(move || drop(engine));
    // Tasks that have not begun end first.
    assert!(is_closed(&issued[TASKS - 1].ticket().wait()));
    rail.release();
    ender.join().expect("no panic");
    for issued in &issued {
        let outcome = issued.ticket().test().expect("every task has ended");
        assert!(outcome == Ok(Verdict::Sound) || is_closed(&outcome));
    }
    assert_eq!(told.load(Ordering::SeqCst), TASKS, "told once of each");
}

#[test]
fn hung_pieces_of_a_deep_lane_end_as_closed_and_are_never_written_again() {
    let hanging = Arc::new(deep().detaching());
    let engine = with_long_limit(Arc::clone(&hanging) as Arc<dyn Rail>);
    let (issued, told) = issue_all(&engine);
    assert!(hanging.wait_for_hanging(DEPTH, LIMIT));
    drop(engine);
    for issued in &issued {
        let outcome = issued.ticket().test().expect("every task has ended");
        assert!(is_closed(&outcome));
    }
    assert_eq!(told.load(Ordering::SeqCst), TASKS, "told once of each");
    hanging.release();
    for issued in issued {
        let (_, units) = issued.wait();
        assert_eq!(units.outputs, vec![vec![0xa5; 100]; 3], "untouched");
    }
}

/// Closes an engine on a thread, which is returned; expects that the close waits for a thread that
/// is blocked at a gate, and opens the gate.
fn expect_close_waits(engine: Engine, gate: &Gate) -> std::thread::JoinHandle<()> {
    let (sender, receiver) = channel();
    let ender = std::thread::spawn(move || {
        drop(engine);
        sender.send(()).expect("awaited");
    });
    // Long enough for all but slow machines to detect a close that does not wait.
    let ended = receiver.recv_timeout(Duration::from_millis(200));
    assert_eq!(ended, Err(RecvTimeoutError::Timeout), "closed too early");
    gate.open();
    assert_eq!(receiver.recv(), Ok(()));
    ender
}

#[test]
fn threads_that_help_are_waited_for() {
    let gates: [_; 2] = gates();
    let (engine, _) = engine(vec![gated(&gates)], Options::default());
    let (codec, stripe) = stripe(100);
    let issue = || issue(&engine, &codec, &stripe, Request::default());
    let first = issue();
    gates[0].await_arrivals(1);
    let second = issue();
    let helper = std::thread::spawn(move || second.wait().0);
    gates[1].await_arrivals(1);
    gates[0].open();
    assert_eq!(first.wait().0, Ok(Verdict::Sound));
    let ender = expect_close_waits(engine, &gates[1]);
    assert_eq!(helper.join().expect("no panic"), Ok(Verdict::Sound));
    ender.join().expect("no panic");
}

#[test]
fn closing_waits_for_a_thread_that_cancels_a_task_and_notifies() {
    let [coding, telling] = gates();
    let rail = gated(std::slice::from_ref(&coding));
    let (engine, _) = engine(vec![rail], Options::default());
    let (codec, stripe) = stripe(100);
    let issue = || issue(&engine, &codec, &stripe, Request::default());
    let first = issue();
    coding.await_arrivals(1);
    let second = issue().ticket().clone();
    let told = Arc::clone(&telling);
    second.on_end(move |_| told.pass());
    let canceller = std::thread::spawn(move || second.cancel());
    telling.await_arrivals(1);
    coding.open();
    assert_eq!(first.wait().0, Ok(Verdict::Sound));
    let ender = expect_close_waits(engine, &telling);
    assert!(canceller.join().expect("no panic"));
    ender.join().expect("no panic");
}

#[test]
fn units_that_a_hung_device_still_accesses_do_not_come_back() {
    let rail = Arc::new(faulty("hung", 1, Script::always(Failure::Forget)));
    let engine = with_long_limit(Arc::clone(&rail) as Arc<dyn Rail>);
    let (codec, stripe) = stripe(100);
    let issued = issue(&engine, &codec, &stripe, Request::default());
    assert!(rail.wait_for_hanging(1, LIMIT));
    drop(engine);
    let (outcome, units) = issued.wait();
    assert!(is_closed(&outcome));
    assert_eq!(units, Units::default());
}

/// A rail whose lane releases the buffers of its piece, as one that works on copies does, and then
/// does not return from the call for its result until a gate opens.
#[derive(Debug)]
struct Stuck {
    capability: Capability,
    gate: Arc<Gate>,
}

struct StuckLane {
    gate: Arc<Gate>,
    piece: Option<(u64, Detached)>,
}

impl Rail for Stuck {
    fn name(&self) -> &str {
        "stuck"
    }

    fn describe(&self) -> String {
        "does not return".to_owned()
    }

    fn capability(&self) -> &Capability {
        &self.capability
    }

    fn open_lane(&self) -> Result<Box<dyn Lane>, Fault> {
        let gate = Arc::clone(&self.gate);
        Ok(Box::new(StuckLane { gate, piece: None }))
    }
}

impl Lane for StuckLane {
    fn submit(&mut self, ticket: u64, piece: Piece) {
        self.piece = Some((ticket, piece.detach()));
    }

    fn reap(&mut self, _limit: Duration) -> Option<Done> {
        self.gate.pass();
        let (ticket, piece) = self.piece.take()?;
        assert!(piece.attach().is_none(), "it was taken away");
        Some(Done::revoked(ticket))
    }

    fn in_flight(&self) -> usize {
        usize::from(self.piece.is_some())
    }
}

#[test]
fn copies_on_a_rail_that_does_not_return_do_not_keep_units() {
    let gate = Arc::new(Gate::default());
    let stuck = Stuck {
        capability: Capability {
            detaches: true,
            ..Capability::synchronous()
        },
        gate: Arc::clone(&gate),
    };
    let engine = with_long_limit(Arc::new(stuck));
    let (issued, told) = issue_all(&engine);
    gate.await_arrivals(1);
    drop(engine);
    assert_eq!(told.load(Ordering::SeqCst), TASKS, "told once of each");
    for issued in issued {
        let (outcome, units) = issued.wait();
        assert!(is_closed(&outcome));
        assert_eq!(units.outputs, vec![vec![0xa5; 100]; 3], "untouched");
    }
    gate.open();
}
