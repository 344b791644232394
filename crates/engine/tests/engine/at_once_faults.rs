// SPDX-License-Identifier: Apache-2.0
//! Faults of coders, and many threads, where blocking calls may code without a task.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use crate::support::{cpu, encode, engine, faulty, kinds, stripe};
use stripeline_codec::{Code, Codec, Verdict};
use stripeline_engine::{Engine, ErrorKind, EventKind, Options, Request};
use stripeline_rail::owned::Units;
use stripeline_rail::{Cpu, Rail};
use stripeline_testkit::faulty::{Failure, FaultyRail, Script};
use stripeline_testkit::{Random, all_but, slices, slices_mut};

pub const LIMIT: Duration = Duration::from_secs(100);

/// Runs a test on a thread of its own; fails if it takes too long.
pub fn within(limit: Duration, test: impl FnOnce() + Send + 'static) {
    let (sender, receiver) = channel::<()>();
    let thread = std::thread::spawn(move || {
        let _sender = sender;
        test();
    });
    let ended = receiver.recv_timeout(limit);
    assert_eq!(ended, Err(RecvTimeoutError::Disconnected), "it hangs");
    if let Err(panic) = thread.join() {
        std::panic::resume_unwind(panic);
    }
}

pub fn unchecked() -> Options {
    Options {
        check_every: 0,
        ..Options::default()
    }
}

/// A rail with which callers cannot use the codec instead of a task.
pub fn other() -> Arc<dyn Rail> {
    Arc::new(faulty("other", 1, Script::nothing()))
}

/// One of the calls on a stripe of random length, compared with the codec.
fn random_call(engine: &Engine, codec: &Codec, random: &mut Random) {
    let length = 1 + random.below(70_000);
    let data: Vec<Vec<u8>> = (0..6).map(|_| random.bytes(length)).collect();
    let mut parity = vec![vec![0; length]; 3];
    let encoded = codec.encode(&slices(&data), &mut slices_mut(&mut parity));
    encoded.expect("right units");
    let request = Request::default();
    match random.below(5) {
        0 => {
            let mut outputs = vec![vec![0xa5; length]; 3];
            let outcome = engine.encode(
                codec,
                &slices(&data),
                &mut slices_mut(&mut outputs),
                request,
            );
            assert_eq!(outcome, Ok(()));
            assert!(outputs == parity, "encode of {length}");
        }
        1 => {
            let erased = random.choose(1 + random.clone().below(3), 9);
            let all = [data, parity].concat();
            let mut outputs = vec![vec![0xa5; length]; erased.len()];
            let outcome = engine.decode(
                codec,
                &all_but(&all, &erased),
                &erased,
                &mut slices_mut(&mut outputs),
                request,
            );
            assert_eq!(outcome, Ok(()));
            let lost = erased.iter().map(|unit| &all[*unit]);
            assert!(lost.eq(&outputs), "decode of {length}");
        }
        2 => {
            let unit = random.below(6);
            let new = random.bytes(length);
            let mut updated = parity.clone();
            let mut outputs = slices_mut(&mut updated);
            let outcome = engine.update(codec, unit, &data[unit], &new, &mut outputs, request);
            assert_eq!(outcome, Ok(()));
            let mut expected = parity;
            let mut outputs = slices_mut(&mut expected);
            codec
                .update(unit, &data[unit], &new, &mut outputs)
                .expect("right units");
            assert!(updated == expected, "update of {length}");
        }
        3 => {
            let spoilt = random.below(2) == 1;
            parity[random.below(3)][random.clone().below(length)] ^= u8::from(spoilt);
            let verdict = engine.verify(codec, &slices(&data), &slices(&parity), request);
            let expected = codec.verify(&slices(&data), &slices(&parity));
            assert_eq!(verdict, Ok(expected.expect("right units")));
        }
        _ => {
            let issue = |_| {
                let units = Units {
                    inputs: data.clone(),
                    outputs: vec![vec![0; length]; 3],
                };
                engine.iencode(codec, units, request).expect("room")
            };
            let window: Vec<_> = (0..4).map(issue).collect();
            for issued in window {
                let (outcome, units) = issued.wait();
                assert_eq!(outcome, Ok(Verdict::Sound));
                assert!(units.outputs == parity, "window of {length}");
            }
        }
    }
}

#[test]
fn bytes_of_64_threads_are_right() {
    within(LIMIT, || {
        for rail in [cpu(), other()] {
            let options = Options {
                check_every: 50,
                tasks_max: 40,
                ..Options::default()
            };
            let (engine, events) = engine(vec![rail], options);
            let codec = Codec::new(Code::Rs, 6, 3).expect("a shape of HDFS");
            std::thread::scope(|scope| {
                for seed in 0..64 {
                    let (engine, codec) = (&engine, &codec);
                    scope.spawn(move || {
                        let mut random = Random::new(seed);
                        for _ in 0..12 {
                            random_call(engine, codec, &mut random);
                        }
                    });
                }
            });
            assert!(engine.wait_all(Some(LIMIT)));
            let statistics = engine.statistics();
            assert_eq!(statistics.outstanding, 0);
            assert!(statistics.issued >= 64 * 12);
            assert_eq!(*events.lock().expect("not poisoned"), []);
        }
    });
}

/// Returns a rail that fails by a script.
fn only(script: Script) -> Arc<dyn Rail> {
    Arc::new(faulty("only", 1, script))
}

/// Encodes until a success, and until the return of a rail that was out of service is reported;
/// returns the results and events.
fn outcomes(script: Script, request: Request) -> (Vec<Result<(), ErrorKind>>, Vec<EventKind>) {
    let options = Options {
        quarantine: Duration::from_millis(20),
        ..unchecked()
    };
    let (engine, events) = engine(vec![only(script)], options);
    let (codec, stripe) = stripe(1000);
    let mut results = vec![encode(&engine, &codec, &stripe, request)];
    let until = std::time::Instant::now() + Duration::from_secs(20);
    // The rail is in service again shortly before that is reported.
    let is_over = |results: &[_]| {
        let is_out = kinds(&events, "only").last() == Some(&EventKind::Quarantined);
        results.last() == Some(&Ok(())) && !is_out
    };
    // The known answers of a retest are pieces, too.
    while std::time::Instant::now() < until && !is_over(&results) {
        std::thread::yield_now();
        results.push(encode(&engine, &codec, &stripe, request));
    }
    (results, kinds(&events, "only"))
}

#[test]
fn a_failing_coder_is_quarantined_as_before_and_returns() {
    within(LIMIT, || {
        let deadline = Request {
            deadline: Some(Duration::from_secs(50)),
            ..Request::default()
        };
        for (count, failure) in [
            (2, Failure::Fail),
            (3, Failure::Fail),
            (2, Failure::PanicAtOnce),
            (3, Failure::PanicAtOnce),
        ] {
            for request in [Request::default(), deadline] {
                let (results, events) = outcomes(Script::first(count, failure), request);
                let text = format!("{count} {failure:?} {request:?}: {results:?} {events:?}");
                // A second panic, or failure, in a task.
                let first = [Err(ErrorKind::NoRail), Err(ErrorKind::Failed)];
                assert!(first.contains(&results[0]), "{text}");
                assert_eq!(results.last(), Some(&Ok(())), "{text}");
                assert_eq!(events[0], EventKind::Quarantined, "{text}");
                assert!(events.contains(&EventKind::Restored), "{text}");
            }
        }
        for count in 0..4 {
            let refusing = Script::first(count, Failure::Refuse);
            let (results, events) = outcomes(refusing, Request::default());
            assert_eq!(results.last(), Some(&Ok(())), "{count}: {results:?}");
            assert_eq!(events, [], "a refusal is no failure");
        }
    });
}

#[test]
fn a_single_failure_is_reported() {
    within(LIMIT, || {
        for failure in [Failure::Fail, Failure::PanicAtOnce] {
            let rail = only(Script::first(1, failure));
            let (engine, events) = engine(vec![rail], unchecked());
            let (codec, stripe) = stripe(1000);
            let result = encode(&engine, &codec, &stripe, Request::default());
            assert!(result.is_err());
            assert_eq!(kinds(&events, "only"), [EventKind::Quarantined]);
        }
    });
}

#[test]
fn the_codec_is_not_used_instead_of_a_rail_around_that_of_the_cpus() {
    within(LIMIT, || {
        let faulty = FaultyRail::new(Arc::new(Cpu::rail()), Script::always(Failure::Fail));
        let (engine, events) = engine(vec![Arc::new(faulty) as Arc<dyn Rail>], unchecked());
        let (codec, stripe) = stripe(1000);
        let result = encode(&engine, &codec, &stripe, Request::default());
        assert_eq!(result, Err(ErrorKind::NoRail));
        assert_eq!(kinds(&events, "cpu"), [EventKind::Quarantined]);
    });
}
