// SPDX-License-Identifier: Apache-2.0
//! The faulty rail fails as its script says, and otherwise passes the suite.

use std::sync::Arc;
use std::time::Duration;

use stripeline_codec::{Code, Verdict};
use stripeline_rail::{Cpu, Done, FaultKind, Lane, Piece, Rail, known_answers, owned};
use stripeline_testkit::faulty::{Failure, FaultyRail, Script};
use stripeline_testkit::{Stripe, rail_suite};

const LIMIT: Duration = Duration::from_secs(60);
const BYTES: usize = 1_000;

fn failing(script: Script) -> FaultyRail {
    FaultyRail::new(Arc::new(Cpu::rail()), script)
}

fn stripe() -> Stripe {
    Stripe::random(Code::Rs, 3, 2, BYTES)
}

fn encoding() -> (Piece, owned::Pending) {
    owned::encode(&stripe().codec(), stripe().to_encode()).expect("in order")
}

fn run(lane: &mut dyn Lane, ticket: u64) -> (Result<Verdict, FaultKind>, bool) {
    let (piece, pending) = encoding();
    lane.submit(ticket, piece);
    let done = lane.reap(LIMIT).expect("an answer");
    assert_eq!(done.ticket, ticket);
    let outcome = done.outcome.map_err(|fault| fault.kind());
    drop(done.piece.expect("it was not taken away"));
    let units = pending.wait(LIMIT).expect("the job is gone");
    (outcome, units.outputs == stripe().parity())
}

#[test]
fn a_rail_without_a_script_passes_the_suite() {
    rail_suite::all(&failing(Script::nothing()));
    rail_suite::all(&failing(Script::nothing()).detaching());
}

#[test]
fn pieces_fail_by_number() {
    let script = Script::nothing()
        .at(1, Failure::Fail)
        .at(2, Failure::Refuse)
        .at(3, Failure::WrongBytes)
        .at(5, Failure::Vanish);
    let rail = failing(script);
    let mut lane = rail.open_lane().expect("a lane");
    assert_eq!(run(&mut *lane, 10), (Ok(Verdict::Sound), true));
    assert_eq!(run(&mut *lane, 11).0, Err(FaultKind::Failed));
    assert_eq!(run(&mut *lane, 12).0, Err(FaultKind::Refused));
    assert_eq!(
        run(&mut *lane, 13),
        (Ok(Verdict::Sound), false),
        "one byte is wrong"
    );
    assert_eq!(run(&mut *lane, 14), (Ok(Verdict::Sound), true));
    assert_eq!(run(&mut *lane, 15).0, Err(FaultKind::Gone));
    assert_eq!(run(&mut *lane, 16).0, Err(FaultKind::Gone), "and stays so");
    let refused = rail.open_lane().err().expect("no lane");
    assert_eq!(refused.kind(), FaultKind::Gone);
    assert_eq!(rail.pieces(), 7);
}

#[test]
fn known_answers_detect_every_failure() {
    for failure in [
        Failure::Fail,
        Failure::Refuse,
        Failure::WrongBytes,
        Failure::Vanish,
    ] {
        let rail = failing(Script::always(failure));
        assert!(known_answers::check(&rail).is_err(), "{failure:?}");
    }
    // A wrong verdict about a piece that compares, late in the list of answers.
    let rail = failing(Script::nothing());
    assert_eq!(known_answers::check(&rail), Ok(()));
    let last = rail.pieces() - 1;
    rail.set_script(Script::nothing().at(last + 1 + last, Failure::WrongBytes));
    let reason = known_answers::check(&rail).expect_err("a wrong verdict");
    assert!(reason.contains("verify: found"), "{reason}");
}

#[test]
fn the_same_seed_fails_the_same_pieces() {
    let failures = [Failure::Fail, Failure::Refuse, Failure::WrongBytes];
    let outcomes = |seed| -> Vec<_> {
        let rail = failing(Script::random(seed, 4, &failures));
        let mut lane = rail.open_lane().expect("a lane");
        (0..400).map(|ticket| run(&mut *lane, ticket)).collect()
    };
    let first = outcomes(7);
    assert_eq!(first, outcomes(7));
    assert_ne!(first, outcomes(8));
    let right = (Ok(Verdict::Sound), true);
    let failed = first.iter().filter(|outcome| **outcome != right).count();
    assert!((60..140).contains(&failed), "{failed} of 400, one in four");
}

#[test]
fn hung_pieces_continue_when_released() {
    let rail = failing(Script::nothing().at(0, Failure::Hang));
    let mut lane = rail.open_lane().expect("a lane");
    let (piece, pending) = encoding();
    lane.submit(1, piece);
    assert!(rail.wait_for_hanging(1, LIMIT));
    assert!(lane.reap(Duration::from_millis(1)).is_none());
    assert_eq!(lane.in_flight(), 1);
    std::thread::scope(|scope| {
        scope.spawn(|| rail.release());
        let done = lane.reap(LIMIT).expect("released");
        assert_eq!(done.outcome, Ok(Verdict::Sound));
    });
    let units = pending.wait(LIMIT).expect("the job is gone");
    assert_eq!(units.outputs, stripe().parity());
    assert!(!rail.wait_for_hanging(1, Duration::ZERO));
}

#[test]
fn hung_pieces_can_be_revoked_only_if_revocable() {
    let rail = failing(Script::always(Failure::Hang)).detaching();
    let mut lane = rail.open_lane().expect("a lane");
    let (piece, pending) = encoding();
    let (piece, handle) = piece.into_revocable();
    lane.submit(1, piece);
    let taken = handle.revoke().expect("detached while it hangs");
    rail.release();
    let Done { piece, outcome, .. } = lane.reap(LIMIT).expect("released");
    assert!(piece.is_none());
    assert_eq!(
        outcome.map_err(|fault| fault.kind()),
        Err(FaultKind::Revoked)
    );
    drop((taken, handle));
    assert!(pending.wait(LIMIT).is_some(), "nothing holds the job");

    // The rail keeps the buffers of an irrevocable piece, and dropping its lane waits.
    let (piece, pending) = encoding();
    lane.submit(2, piece);
    assert!(rail.wait_for_hanging(1, LIMIT));
    std::thread::scope(|scope| {
        scope.spawn(move || drop(lane));
        assert!(
            pending.wait(Duration::from_millis(1)).is_none(),
            "still held"
        );
        rail.release();
        assert!(pending.wait(LIMIT).is_some());
    });
}
