// SPDX-License-Identifier: Apache-2.0
//! Rails that refuse, fail, panic and lie.

use std::sync::Arc;
use std::time::Duration;

use crate::support::{Fail, Sick, cpu, engine, kinds, stripe, to_encode};
use stripeline_codec::Verdict;
use stripeline_engine::{ErrorKind, EventKind, Options, Request, Scheduling};
use stripeline_rail::Rail;

/// Everything goes to the first rail as long as it serves, and its quarantine does not end.
fn to_first(rails: &[Arc<dyn Rail>]) -> Options {
    Options {
        scheduling: Scheduling::Single(rails[0].name().to_owned()),
        quarantine: Duration::from_secs(1000),
        check_every: 0,
        ..Options::default()
    }
}

#[test]
fn what_a_rail_refuses_another_does() {
    let rails = vec![Sick::rail("sick", Fail::Refuse(1)), cpu()];
    let (engine, events) = engine(rails.clone(), to_first(&rails));
    let (codec, stripe) = stripe(10_000);
    for _ in 0..3 {
        let issued = engine.iencode(&codec, to_encode(&stripe), Request::default());
        let (outcome, units) = issued.expect("room").wait();
        assert_eq!(outcome, Ok(Verdict::Sound));
        assert_eq!(units.outputs, stripe.parity());
    }
    assert!(kinds(&events, "sick").is_empty(), "refusing is no fault");
    let rails = engine.statistics().rails;
    assert_eq!((rails[0].pieces, rails[1].pieces), (2, 1));
}

#[test]
fn what_a_rail_fails_another_does_and_the_rail_is_left_alone() {
    let rails = vec![Sick::rail("sick", Fail::Err(1)), cpu()];
    let (engine, events) = engine(rails.clone(), to_first(&rails));
    let (codec, stripe) = stripe(10_000);
    for _ in 0..3 {
        let issued = engine.iencode(&codec, to_encode(&stripe), Request::default());
        let (outcome, units) = issued.expect("room").wait();
        assert_eq!(outcome, Ok(Verdict::Sound));
        assert_eq!(units.outputs, stripe.parity());
    }
    assert_eq!(kinds(&events, "sick"), [EventKind::Quarantined]);
    let rails = engine.statistics().rails;
    assert_eq!(
        (rails[0].faults, rails[0].pieces, rails[1].pieces),
        (1, 0, 3)
    );
    assert_eq!(
        rails[0].out_of_service.as_deref(),
        Some("Cannot code on sick: injected")
    );
}

#[test]
fn a_rail_that_answers_rightly_again_is_taken_back() {
    let rails = vec![Sick::rail("sick", Fail::Err(1)), cpu()];
    let options = Options {
        quarantine: Duration::from_millis(1),
        ..to_first(&rails)
    };
    let (engine, events) = engine(rails, options);
    let (codec, stripe) = stripe(10_000);
    let before = std::time::Instant::now();
    while engine.statistics().rails[0].pieces == 0 {
        let issued = engine.iencode(&codec, to_encode(&stripe), Request::default());
        let (outcome, units) = issued.expect("room").wait();
        assert_eq!(outcome, Ok(Verdict::Sound));
        assert_eq!(units.outputs, stripe.parity());
        assert!(
            before.elapsed() < Duration::from_secs(20),
            "taken back by then"
        );
    }
    assert_eq!(
        kinds(&events, "sick"),
        [EventKind::Quarantined, EventKind::Restored]
    );
}

#[test]
fn a_failed_update_is_not_done_twice() {
    let rails = vec![Sick::rail("sick", Fail::Err(1)), cpu()];
    let (engine, _) = engine(rails.clone(), to_first(&rails));
    let (codec, stripe) = stripe(1000);
    let units = stripeline_rail::owned::Units {
        inputs: vec![stripe.units[0].clone(), vec![1; 1000]],
        outputs: stripe.parity().to_vec(),
    };
    let issued = engine.iupdate(&codec, 0, units, Request::default());
    let (outcome, _) = issued.expect("room").wait();
    let error = outcome.expect_err("nobody knows what parity holds");
    assert_eq!(error.kind(), ErrorKind::Failed);
    assert_eq!(
        error.to_string(),
        "Cannot update parity: sick failed while changing it (injected)"
    );
}

#[test]
fn without_another_rail_the_task_fails() {
    let rails = vec![Sick::rail("sick", Fail::Err(1))];
    let (engine, _) = engine(rails.clone(), to_first(&rails));
    let (codec, stripe) = stripe(1000);
    for _ in 0..2 {
        let issued = engine.iencode(&codec, to_encode(&stripe), Request::default());
        let (outcome, _) = issued.expect("room").wait();
        assert_eq!(
            outcome.expect_err("no other rail").kind(),
            ErrorKind::NoRail
        );
    }
}

#[test]
fn a_panic_ends_the_task_and_not_the_worker() {
    let rails = vec![Sick::rail("sick", Fail::Panic), cpu()];
    let options = Options {
        waiting_threads_help: false,
        ..to_first(&rails)
    };
    let (engine, events) = engine(rails, options);
    let (codec, stripe) = stripe(1000);
    let issued = engine.iencode(&codec, to_encode(&stripe), Request::default());
    let (outcome, _) = issued.expect("room").wait();
    assert_eq!(
        outcome.expect_err("the piece is gone").kind(),
        ErrorKind::Failed
    );
    assert_eq!(kinds(&events, "sick"), [EventKind::Quarantined]);
    let issued = engine.iencode(&codec, to_encode(&stripe), Request::default());
    let (outcome, units) = issued.expect("room").wait();
    assert_eq!(outcome, Ok(Verdict::Sound));
    assert_eq!(units.outputs, stripe.parity());
}

#[test]
fn a_liar_is_caught_and_its_stripe_computed_anew() {
    let rails = vec![Sick::rail("liar", Fail::Lie), cpu()];
    let options = Options {
        check_every: 1,
        ..to_first(&rails)
    };
    let (engine, events) = engine(rails, options);
    let (codec, stripe) = stripe(10_000);
    for _ in 0..2 {
        let issued = engine.iencode(&codec, to_encode(&stripe), Request::default());
        let (outcome, units) = issued.expect("room").wait();
        assert_eq!(outcome, Ok(Verdict::Sound));
        assert_eq!(units.outputs, stripe.parity());
    }
    assert_eq!(kinds(&events, "liar"), [EventKind::WrongBytes]);
    assert!(kinds(&events, "cpu").is_empty());
    let rails = engine.statistics().rails;
    assert_eq!((rails[0].wrong, rails[1].checks), (1, 1));
}
