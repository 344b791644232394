// SPDX-License-Identifier: Apache-2.0
//! Which results of rails are compared, and the consequences of wrong ones.

use std::sync::Arc;
use std::time::Duration;

use crate::support::{
    LIMIT, await_that, encode_right, engine, faulty, faulty_cpu, issue, kinds, stripe, with_cpu,
};
use stripeline_codec::{Codec, Verdict};
use stripeline_engine::{Engine, ErrorKind, EventKind, Options, Request, Scheduling};
use stripeline_rail::Rail;
use stripeline_rail::owned::Units;
use stripeline_testkit::Stripe;
use stripeline_testkit::faulty::{Failure, Script};

/// Returns a rail that fails by a script, and the CPU to compare with.
fn rails(script: Script) -> Vec<Arc<dyn Rail>> {
    with_cpu(faulty_cpu("faulty", script))
}

/// Assigns everything to the rail `faulty` while it is in service.
fn options(check_every: usize) -> Options {
    Options {
        scheduling: Scheduling::Single("faulty".to_owned()),
        quarantine: Duration::from_secs(1000),
        waiting_threads_help: false,
        check_every,
        ..Options::default()
    }
}

/// Verifies a stripe and returns the verdict.
fn verdict(engine: &Engine, codec: &Codec, stripe: &Stripe) -> Verdict {
    let units = Units {
        inputs: stripe.data().to_vec(),
        outputs: stripe.parity().to_vec(),
    };
    let issued = engine.iverify(codec, units, Request::default());
    issued.expect("room").wait().0.expect("no error")
}

/// Checks that `faulty` was detected, and the text of the event.
fn assert_found(engine: &Engine, did: &str) {
    let rails = engine.statistics().rails;
    assert_eq!((rails[0].wrong, rails[1].wrong), (1, 0));
    let why = rails[0].out_of_service.as_deref().expect("out of service");
    let (begin, end) = (
        format!("Cannot trust faulty: it {did} "),
        "since the engine started, it completed 0 pieces that were not compared",
    );
    assert!(why.starts_with(&begin) && why.ends_with(end), "{why}");
}

#[test]
fn a_wrong_update_is_corrected() {
    let script = Script::nothing().at(0, Failure::WrongBytes);
    let (engine, events) = engine(rails(script), options(1));
    let (codec, stripe) = stripe(1000);
    let new = vec![0x5a; 1000];
    let data = [std::slice::from_ref(&new), &stripe.data()[1..]].concat();
    let changed = Stripe::of(data, stripe.code, stripe.parity_units);
    let units = Units {
        inputs: vec![stripe.units[0].clone(), new],
        outputs: stripe.parity().to_vec(),
    };
    let issued = engine.iupdate(&codec, 0, units, Request::default());
    let (outcome, units) = issued.expect("room").wait();
    assert_eq!(outcome, Ok(Verdict::Sound));
    assert_eq!(units.outputs, changed.parity());
    assert_eq!(kinds(&events, "faulty"), [EventKind::WrongBytes]);
    assert_found(&engine, "updated");
}

#[test]
fn a_wrong_verification_result_is_corrected() {
    let script = Script::nothing().at(0, Failure::WrongBytes);
    let (engine, events) = engine(rails(script), options(1));
    let (codec, stripe) = stripe(1000);
    assert_eq!(verdict(&engine, &codec, &stripe), Verdict::Sound);
    assert_eq!(kinds(&events, "faulty"), [EventKind::WrongBytes]);
    assert_found(&engine, "verified");
}

/// Checks that a damaged stripe is reported as damaged, with the position.
fn verify_damaged(engine: &Engine, bytes: usize, offset: usize) {
    let (codec, mut stripe) = stripe(bytes);
    stripe.units[7][offset] ^= 1;
    let mismatch = Verdict::Mismatch {
        parity_unit: 1,
        offset,
    };
    assert_eq!(verdict(engine, &codec, &stripe), mismatch);
}

#[test]
fn damage_that_a_rail_overlooks_is_reported() {
    let script = Script::nothing().at(0, Failure::WrongBytes);
    verify_damaged(&engine(rails(script), options(1)).0, 1000, 7);
}

#[test]
fn damage_that_a_rail_misplaces_is_reported_at_its_place() {
    let rails = with_cpu(faulty("faulty", 1, Script::always(Failure::Misplace)));
    let (engine, events) = engine(rails, options(1));
    verify_damaged(&engine, 100_000, 77_777);
    assert_eq!(kinds(&events, "faulty"), [EventKind::WrongBytes]);
    assert_found(&engine, "verified");
}

#[test]
fn alternating_kinds_of_pieces_are_all_compared() {
    let (engine, events) = engine(rails(Script::nothing()), options(2));
    let (codec, stripe) = stripe(100);
    for _ in 0..100 {
        assert_eq!(verdict(&engine, &codec, &stripe), Verdict::Sound);
        encode_right(&engine, &codec, &stripe);
    }
    let checks = engine.statistics().rails[1].checks;
    // The selection depends only on the numbers of the pieces.
    assert!((30..=80).contains(&checks), "{checks} of 100 encodings");
    assert!(kinds(&events, "faulty").is_empty());
}

#[test]
fn the_first_pieces_are_compared_and_those_after_a_restore() {
    let options = Options {
        quarantine: Duration::from_millis(1),
        ..options(usize::MAX)
    };
    let script = Script::nothing().at(20, Failure::Fail);
    let (engine, events) = engine(rails(script), options);
    let (codec, stripe) = stripe(100);
    for _ in 0..20 {
        encode_right(&engine, &codec, &stripe);
    }
    assert_eq!(engine.statistics().rails[1].checks, 8);
    await_that(|| {
        encode_right(&engine, &codec, &stripe);
        kinds(&events, "faulty").len() >= 2
    });
    for _ in 0..20 {
        encode_right(&engine, &codec, &stripe);
    }
    assert_eq!(engine.statistics().rails[1].checks, 16);
}

/// A task whose bytes were not compared, because the engine was closed first, does not end as done.
#[test]
fn pieces_to_compare_end_as_closed_with_the_engine() {
    let checker = faulty_cpu("checker", Script::always(Failure::Hang)).detaching();
    let checker = Arc::new(checker);
    let wrong = Script::first(2, Failure::WrongBytes);
    let rails = vec![
        Arc::new(faulty_cpu("faulty", wrong)) as Arc<dyn Rail>,
        Arc::clone(&checker) as Arc<dyn Rail>,
    ];
    let options = Options {
        stall: LIMIT,
        ..options(1)
    };
    let (engine, _) = engine(rails, options);
    let (codec, stripe) = stripe(1000);
    let issue = |_| issue(&engine, &codec, &stripe, Request::default());
    // One hangs while it is compared; the other one waits for it.
    let issued: Vec<_> = (0..2).map(issue).collect();
    assert!(checker.wait_for_hanging(1, LIMIT));
    await_that(|| engine.statistics().rails[0].pieces == 2);
    drop(engine);
    for issued in issued {
        let error = issued.wait().0.expect_err("not compared");
        assert_eq!(error.kind(), ErrorKind::Closed);
    }
    checker.release();
}
