// SPDX-License-Identifier: Apache-2.0
//! Engines that are closed while their rails work.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use crate::support::{CoderFault, FaultyCoder, Gate, engine, stripe, to_encode};
use stripeline_codec::Verdict;
use stripeline_engine::{Engine, ErrorKind, Issued, Options, Outcome, Request};
use stripeline_rail::owned::Units;
use stripeline_rail::{Capability, Cpu, Done, Fault, Lane, Piece, Rail};
use stripeline_testkit::faulty::{Failure, FaultyRail, Script};

/// Longer than any operation here takes.
const LIMIT: Duration = Duration::from_secs(60);

const TASKS: usize = 6;

/// Pieces in flight.
const DEPTH: usize = 4;

/// Returns a rail whose lane has several pieces in flight, which hang until they are released.
fn deep() -> FaultyRail {
    FaultyRail::new(Arc::new(Cpu::rail()), Script::always(Failure::Hang)).deep(DEPTH)
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
    let issue = |_| {
        let issued = engine.iencode(&codec, to_encode(&stripe), Request::default());
        let issued = issued.expect("room");
        let told = Arc::clone(&told);
        issued.ticket().on_end(move |_| {
            told.fetch_add(1, Ordering::SeqCst);
        });
        issued
    };
    ((0..TASKS).map(issue).collect(), told)
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
    let gates = [(); 2].map(|()| Arc::new(Gate::default()));
    let rail = FaultyCoder::rail("gated", CoderFault::WaitInTurn(gates.to_vec()));
    let (engine, _) = engine(vec![rail], Options::default());
    let (codec, stripe) = stripe(100);
    let issue = || {
        let issued = engine.iencode(&codec, to_encode(&stripe), Request::default());
        issued.expect("room")
    };
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
    let (coding, telling) = (Arc::new(Gate::default()), Arc::new(Gate::default()));
    let rail = FaultyCoder::rail("gated", CoderFault::Wait(Arc::clone(&coding)));
    let (engine, _) = engine(vec![rail], Options::default());
    let (codec, stripe) = stripe(100);
    let issue = || {
        let issued = engine.iencode(&codec, to_encode(&stripe), Request::default());
        issued.expect("room")
    };
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

/// A rail whose device hangs on the caller's memory. Its lane leaves its pieces, which it counts,
/// to the device.
#[derive(Debug)]
struct HungInPlace(Capability, Arc<AtomicUsize>);

impl Rail for HungInPlace {
    fn name(&self) -> &str {
        "hung"
    }

    fn describe(&self) -> String {
        String::new()
    }

    fn capability(&self) -> &Capability {
        &self.0
    }

    fn open_lane(&self) -> Result<Box<dyn Lane>, Fault> {
        Ok(Box::new(HungLane(Arc::clone(&self.1))))
    }
}

struct HungLane(Arc<AtomicUsize>);

impl Lane for HungLane {
    fn submit(&mut self, _ticket: u64, piece: Piece) {
        std::mem::forget(piece);
        self.0.fetch_add(1, Ordering::SeqCst);
    }

    fn reap(&mut self, limit: Duration) -> Option<Done> {
        std::thread::sleep(limit);
        None
    }

    fn in_flight(&self) -> usize {
        self.0.load(Ordering::SeqCst)
    }
}

#[test]
fn units_that_a_hung_device_still_accesses_do_not_come_back() {
    let hung = Arc::new(AtomicUsize::new(0));
    let rail = HungInPlace(Capability::synchronous(), Arc::clone(&hung));
    let engine = with_long_limit(Arc::new(rail));
    let (codec, stripe) = stripe(100);
    let issued = engine.iencode(&codec, to_encode(&stripe), Request::default());
    while hung.load(Ordering::SeqCst) == 0 {
        std::thread::sleep(Duration::from_millis(1));
    }
    drop(engine);
    let (outcome, units) = issued.expect("room").wait();
    assert!(is_closed(&outcome));
    assert_eq!(units, Units::default());
}
