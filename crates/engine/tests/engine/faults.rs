// SPDX-License-Identifier: Apache-2.0
//! Rails that refuse, fail, panic and write wrong bytes.

use std::sync::{Arc, Mutex};
use std::time::Duration;

use crate::support::{
    LIMIT, await_that, cpu, encode_right, engine, expect_right, faulty, faulty_cpu, issue, kinds,
    stripe, with_cpu,
};
use stripeline_codec::Verdict;
use stripeline_engine::{Engine, ErrorKind, Event, EventKind, Options, Request, Scheduling};
use stripeline_rail::{Rail, known_answers, owned};
use stripeline_testkit::faulty::{Failure, FaultyRail, Script};

/// Assigns everything to the first rail while it is in service; its quarantine does not end.
fn to_first(rails: &[Arc<dyn Rail>]) -> Options {
    Options {
        scheduling: Scheduling::Single(rails[0].name().to_owned()),
        quarantine: Duration::from_secs(1000),
        check_every: 0,
        ..Options::default()
    }
}

/// Returns the CPU and a rail before it with one lane, whose first piece fails.
fn first_fails(failure: Failure) -> Vec<Arc<dyn Rail>> {
    with_cpu(faulty("faulty", 1, Script::first(1, failure)))
}

#[test]
fn another_rail_does_pieces_that_a_rail_refuses() {
    let rails = first_fails(Failure::Refuse);
    let (engine, events) = engine(rails.clone(), to_first(&rails));
    let (codec, stripe) = stripe(1000);
    for _ in 0..3 {
        encode_right(&engine, &codec, &stripe);
    }
    assert!(kinds(&events, "faulty").is_empty(), "refusing is no fault");
    let rails = engine.statistics().rails;
    assert_eq!((rails[0].pieces, rails[1].pieces), (2, 1));
}

#[test]
fn another_rail_does_pieces_that_a_rail_fails_and_the_rail_is_quarantined() {
    let rails = first_fails(Failure::Fail);
    let (engine, events) = engine(rails.clone(), to_first(&rails));
    let (codec, stripe) = stripe(1000);
    for _ in 0..3 {
        encode_right(&engine, &codec, &stripe);
    }
    assert_eq!(kinds(&events, "faulty"), [EventKind::Quarantined]);
    let rails = engine.statistics().rails;
    assert_eq!(
        (rails[0].faults, rails[0].pieces, rails[1].pieces),
        (1, 0, 3)
    );
    assert_eq!(
        rails[0].out_of_service.as_deref(),
        Some("Cannot code on faulty: configured to fail")
    );
}

#[test]
fn a_rail_with_correct_results_returns_to_service() {
    let rails = first_fails(Failure::Fail);
    let options = Options {
        quarantine: Duration::from_millis(1),
        ..to_first(&rails)
    };
    let (engine, events) = engine(rails, options);
    let (codec, stripe) = stripe(1000);
    // The event is sent after the rail is in service again, so a piece may be done before it.
    await_that(|| {
        encode_right(&engine, &codec, &stripe);
        engine.statistics().rails[0].pieces > 0 && kinds(&events, "faulty").len() > 1
    });
    assert_eq!(
        kinds(&events, "faulty"),
        [EventKind::Quarantined, EventKind::Restored]
    );
}

#[test]
fn a_failed_update_is_not_done_twice() {
    let rails = first_fails(Failure::Fail);
    let (engine, _) = engine(rails.clone(), to_first(&rails));
    let (codec, stripe) = stripe(1000);
    let units = owned::Units {
        inputs: vec![stripe.units[0].clone(), vec![1; 1000]],
        outputs: stripe.parity().to_vec(),
    };
    let issued = engine.iupdate(&codec, 0, units, Request::default());
    let (outcome, _) = issued.expect("room").wait();
    let error = outcome.expect_err("it is not known what parity holds");
    assert_eq!(error.kind(), ErrorKind::Failed);
    assert_eq!(
        error.to_string(),
        "Cannot update parity: faulty failed while changing it (configured to fail)"
    );
}

#[test]
fn without_another_rail_the_task_fails() {
    let rails = first_fails(Failure::Fail)[..1].to_vec();
    let (engine, _) = engine(rails.clone(), to_first(&rails));
    let (codec, stripe) = stripe(1000);
    for _ in 0..2 {
        let (outcome, _) = issue(&engine, &codec, &stripe, Request::default()).wait();
        assert_eq!(
            outcome.expect_err("no other rail").kind(),
            ErrorKind::NoRail
        );
    }
}

#[test]
fn a_panic_ends_the_task_and_not_the_worker() {
    let rails = with_cpu(faulty("faulty", 1, Script::always(Failure::PanicAtOnce)));
    let options = Options {
        waiting_threads_help: false,
        ..to_first(&rails)
    };
    let (engine, events) = engine(rails, options);
    let (codec, stripe) = stripe(1000);
    let (outcome, _) = issue(&engine, &codec, &stripe, Request::default()).wait();
    assert_eq!(
        outcome.expect_err("the piece is gone").kind(),
        ErrorKind::Failed
    );
    assert_eq!(kinds(&events, "faulty"), [EventKind::Quarantined]);
    encode_right(&engine, &codec, &stripe);
}

#[test]
fn wrong_output_is_detected_and_the_stripe_computed_again() {
    let rails = with_cpu(faulty("liar", 1, Script::always(Failure::WrongBytes)));
    let options = Options {
        check_every: 1,
        ..to_first(&rails)
    };
    let (engine, events) = engine(rails, options);
    let (codec, stripe) = stripe(1000);
    for _ in 0..2 {
        encode_right(&engine, &codec, &stripe);
    }
    assert_eq!(kinds(&events, "liar"), [EventKind::WrongBytes]);
    assert!(kinds(&events, "cpu").is_empty());
    let rails = engine.statistics().rails;
    assert_eq!((rails[0].wrong, rails[1].checks), (1, 1));
}

/// Returns a rail that works on copies.
fn failing(name: &str, script: Script) -> Arc<FaultyRail> {
    Arc::new(faulty_cpu(name, script).detaching())
}

#[test]
fn a_piece_that_hangs_is_done_elsewhere_and_never_written_again() {
    let faulty = failing("faulty", Script::nothing().at(0, Failure::Hang));
    let rails = with_cpu(Arc::clone(&faulty));
    let options = Options {
        stall: Duration::from_millis(30),
        waiting_threads_help: false,
        ..to_first(&rails)
    };
    let (engine, events) = engine(rails, options);
    let (codec, stripe) = stripe(1000);
    let (outcome, mut units) = issue(&engine, &codec, &stripe, Request::default()).wait();
    assert_eq!(outcome, Ok(Verdict::Sound));
    assert_eq!(units.outputs, stripe.parity());
    assert_eq!(kinds(&events, "faulty"), [EventKind::Quarantined]);
    let seen = engine.statistics().rails;
    assert_eq!((seen[0].revoked, seen[0].pieces, seen[1].pieces), (1, 0, 1));
    assert!(
        seen[0]
            .out_of_service
            .as_ref()
            .is_some_and(|why| why.contains("no answer for"))
    );

    units.outputs.iter_mut().for_each(|unit| unit.fill(0x11));
    faulty.release();
    drop(engine);
    assert!(
        units.outputs.iter().flatten().all(|byte| *byte == 0x11),
        "the rail woke up and wrote nothing"
    );
}

/// Assigns everything to the first rail, which has one worker and comes back as soon as it answers
/// correctly.
fn short_quarantine(rails: &[Arc<dyn Rail>]) -> Options {
    Options {
        stall: Duration::from_millis(30),
        quarantine: Duration::from_millis(1),
        waiting_threads_help: false,
        workers_max: 1,
        ..to_first(rails)
    }
}

/// Returns an engine with these options over a rail and the CPU.
fn with_short_quarantine(faulty: &Arc<FaultyRail>) -> (Engine, Arc<Mutex<Vec<Event>>>) {
    let rails = with_cpu(Arc::clone(faulty));
    let options = short_quarantine(&rails);
    engine(rails, options)
}

/// Waits for the first `count` events of the rail.
fn await_events(events: &Mutex<Vec<Event>>, count: usize) {
    await_that(|| kinds(events, "faulty").len() >= count);
}

/// Waits until the rail is back in service, and expects that it then does some tasks itself.
fn expect_restored(engine: &Engine, events: &Mutex<Vec<Event>>) {
    let expected = [EventKind::Quarantined, EventKind::Restored];
    await_events(events, expected.len());
    let (codec, stripe) = stripe(1000);
    let done = engine.statistics().rails[0].pieces;
    for _ in 0..3 {
        let issued = issue(engine, &codec, &stripe, Request::default());
        assert!(engine.wait_all(Some(LIMIT)), "nothing is lost");
        expect_right(issued, &stripe);
    }
    assert_eq!(engine.statistics().rails[0].pieces, done + 3);
    assert_eq!(kinds(events, "faulty"), expected);
}

#[test]
fn a_rail_works_again_although_its_lane_still_hangs() {
    let faulty = failing("faulty", Script::nothing().at(0, Failure::Hang));
    let (engine, events) = with_short_quarantine(&faulty);
    let (codec, stripe) = stripe(1000);
    encode_right(&engine, &codec, &stripe);
    expect_restored(&engine, &events);
    assert_eq!(engine.statistics().rails[0].revoked, 1);
}

#[test]
fn a_rail_works_again_although_its_lane_is_broken() {
    let faulty = failing("faulty", Script::nothing().at(0, Failure::BreakLane));
    let (engine, events) = with_short_quarantine(&faulty);
    let (codec, stripe) = stripe(1000);
    encode_right(&engine, &codec, &stripe);
    expect_restored(&engine, &events);
}

#[test]
fn a_lane_that_panics_when_asked_for_results_is_replaced() {
    let script = || Script::nothing().at(0, Failure::Panic);
    let (codec, stripe) = stripe(1000);
    let faulty = failing("faulty", script());
    let (engine, events) = with_short_quarantine(&faulty);
    let issued = issue(&engine, &codec, &stripe, Request::default());
    assert!(engine.wait_all(Some(LIMIT)), "nothing is lost");
    assert_eq!(issued.wait().0, Ok(Verdict::Sound), "redone");
    expect_restored(&engine, &events);

    // How much of a piece on the caller's memory was done is unknown, so it is not done again.
    let (engine, events) = with_short_quarantine(&Arc::new(faulty_cpu("faulty", script())));
    let issued = issue(&engine, &codec, &stripe, Request::default());
    assert!(engine.wait_all(Some(LIMIT)), "nothing is lost");
    let error = issued.wait().0.expect_err("it panicked");
    assert_eq!(
        (error.kind(), error.to_string().as_str()),
        (
            ErrorKind::Failed,
            "Cannot code on faulty: its coder panicked"
        )
    );
    expect_restored(&engine, &events);
}

#[test]
fn a_rail_stays_out_of_service_while_its_only_worker_waits_for_its_device() {
    let script = Script::nothing().at(0, Failure::Hang).at(1, Failure::Fail);
    let faulty = Arc::new(faulty_cpu("faulty", script).deep(2));
    let (engine, events) = with_short_quarantine(&faulty);
    let (codec, stripe) = stripe(1000);
    let hung = issue(&engine, &codec, &stripe, Request::default());
    assert!(faulty.wait_for_hanging(1, LIMIT));
    encode_right(&engine, &codec, &stripe);
    std::thread::sleep(Duration::from_millis(200));
    assert_eq!(kinds(&events, "faulty"), [EventKind::Quarantined]);
    encode_right(&engine, &codec, &stripe);
    faulty.release();
    assert_eq!(hung.wait().0, Ok(Verdict::Sound));
    expect_restored(&engine, &events);
}

#[test]
fn a_rail_works_again_while_a_piece_in_place_hangs_beside_which_there_is_room() {
    let script = Script::nothing()
        .at(0, Failure::Hang)
        .at(1, Failure::WrongBytes);
    let faulty = Arc::new(faulty_cpu("faulty", script).deep(2));
    let rails = with_cpu(Arc::clone(&faulty));
    let options = Options {
        check_every: 1,
        ..short_quarantine(&rails)
    };
    let (engine, events) = engine(rails, options);
    let (codec, stripe) = stripe(1000);
    let hung = issue(&engine, &codec, &stripe, Request::default());
    assert!(faulty.wait_for_hanging(1, LIMIT));
    encode_right(&engine, &codec, &stripe);
    await_events(&events, 2);
    encode_right(&engine, &codec, &stripe);
    assert_eq!(engine.statistics().rails[0].pieces, 2);
    faulty.release();
    assert_eq!(hung.wait().0, Ok(Verdict::Sound));
}

#[test]
fn pieces_that_a_panicking_lane_drops_are_not_waited_for() {
    let script = Script::nothing()
        .at(0, Failure::Hang)
        .at(1, Failure::PanicAtOnce);
    let faulty = Arc::new(faulty_cpu("faulty", script).deep(2));
    let (engine, events) = with_short_quarantine(&faulty);
    let (codec, stripe) = stripe(1000);
    let issued = [(); 2].map(|()| issue(&engine, &codec, &stripe, Request::default()));
    assert!(engine.wait_all(Some(LIMIT)), "nothing is lost");
    for issued in issued {
        let error = issued.wait().0.expect_err("dropped");
        assert_eq!(error.kind(), ErrorKind::Failed);
    }
    expect_restored(&engine, &events);
}

#[test]
fn a_lane_that_cannot_be_replaced_does_not_stop_the_others_of_its_rail() {
    let script = Script::nothing()
        .at(0, Failure::Hang)
        .at(1, Failure::Hang)
        .at(2, Failure::BreakLane);
    // Those of two workers, and that of the test that puts the rail back into service.
    let faulty = Arc::new(faulty("faulty", 2, script).opening_only(3));
    let rails = with_cpu(Arc::clone(&faulty));
    let options = Options {
        workers_max: 2,
        ..short_quarantine(&rails)
    };
    let (engine, events) = engine(rails, options);
    let (codec, stripe) = stripe(1000);
    let hung = [(); 2].map(|()| issue(&engine, &codec, &stripe, Request::default()));
    assert!(faulty.wait_for_hanging(2, LIMIT), "both lanes are open");
    faulty.release();
    for hung in hung {
        assert_eq!(hung.wait().0, Ok(Verdict::Sound));
    }
    encode_right(&engine, &codec, &stripe);
    // The worker whose lane is broken tries again and again.
    await_that(|| faulty.openings() > 5);
    expect_restored(&engine, &events);
}

#[test]
fn a_rail_without_a_lane_is_left_alone_until_its_quarantine_ends() {
    let faulty = failing("faulty", Script::always(Failure::Vanish));
    assert!(known_answers::check(&*faulty).is_err());
    let before = faulty.openings();
    let rails = with_cpu(Arc::clone(&faulty));
    let options = Options {
        workers_max: 1,
        ..to_first(&rails)
    };
    let (engine, events) = engine(rails, options);
    await_events(&events, 1);
    std::thread::sleep(Duration::from_millis(500));
    assert_eq!(kinds(&events, "faulty"), [EventKind::Quarantined]);
    assert_eq!(faulty.openings(), before + 1);
    let (codec, stripe) = stripe(1000);
    encode_right(&engine, &codec, &stripe);
}

#[test]
fn tasks_end_without_a_rail_that_disappears() {
    let faulty = failing("faulty", Script::nothing().at(2, Failure::Vanish));
    let rails = with_cpu(faulty);
    let (engine, events) = engine(rails.clone(), to_first(&rails));
    let (codec, stripe) = stripe(1000);
    let issue = |_| issue(&engine, &codec, &stripe, Request::default());
    let issued: Vec<_> = (0..20).map(issue).collect();
    for issued in issued {
        expect_right(issued, &stripe);
    }
    assert_eq!(kinds(&events, "faulty"), [EventKind::Quarantined]);
}

#[test]
fn frequent_faults_change_no_byte() {
    for seed in 0..6 {
        println!("seed {seed}");
        // With two wrong rails, a check by one would confirm the other.
        let ways = [
            Failure::Fail,
            Failure::Refuse,
            Failure::Hang,
            Failure::WrongBytes,
        ];
        let faulty = [
            failing("first", Script::random(seed, 5, &ways)),
            failing("second", Script::random(seed, 5, &ways[..3])),
        ];
        let mut rails: Vec<_> = faulty
            .iter()
            .map(|rail| Arc::clone(rail) as Arc<dyn Rail>)
            .collect();
        rails.push(cpu());
        let options = Options {
            quarantine: Duration::from_millis(1),
            stall: Duration::from_millis(5),
            check_every: 1,
            waiting_threads_help: seed % 2 == 0,
            scheduling: if seed % 3 == 0 {
                Scheduling::FirstCome
            } else {
                Scheduling::RateAware
            },
            ..Options::default()
        };
        let (engine, _) = engine(rails, options);
        let (codec, stripe) = stripe(20_000 + seed as usize);
        let present: Vec<usize> = [0, 2, 3, 4, 5, 8].into();
        for _ in 0..10 {
            let encoding: Vec<_> = (0..8)
                .map(|_| issue(&engine, &codec, &stripe, Request::default()))
                .collect();
            let units = owned::Units {
                inputs: present
                    .iter()
                    .map(|unit| stripe.units[*unit].clone())
                    .collect(),
                outputs: vec![vec![0; stripe.length()]; 2],
            };
            let decoding = engine.idecode(&codec, &present, &[7, 1], units, Request::default());
            for issued in encoding {
                expect_right(issued, &stripe);
            }
            let (outcome, units) = decoding.expect("room").wait();
            assert_eq!(outcome, Ok(Verdict::Sound));
            assert!(units.outputs[0] == stripe.units[7] && units.outputs[1] == stripe.units[1]);
        }
        assert!(engine.wait_all(Some(LIMIT)), "nothing is lost");
        faulty.iter().for_each(|rail| rail.release());
    }
}
