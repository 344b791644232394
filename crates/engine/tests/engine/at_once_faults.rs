// SPDX-License-Identifier: Apache-2.0
//! Faults of coders, and many threads, where blocking calls may code without a task.

use std::sync::Arc;
use std::sync::mpsc::{RecvTimeoutError, channel};
use std::time::Duration;

use crate::support::{CoderFault, FaultyCoder, cpu, engine, kinds, stripe};
use stripeline_codec::{Code, Codec, Verdict};
use stripeline_engine::{Engine, ErrorKind, EventKind, Options, Request};
use stripeline_rail::owned::Units;
use stripeline_rail::{Cpu, Rail};
use stripeline_testkit::faulty::{Failure, FaultyRail, Script};
use stripeline_testkit::{Random, Stripe};

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

pub fn slices(units: &[Vec<u8>]) -> Vec<&[u8]> {
    units.iter().map(Vec::as_slice).collect()
}

pub fn slices_mut(units: &mut [Vec<u8>]) -> Vec<&mut [u8]> {
    units.iter_mut().map(Vec::as_mut_slice).collect()
}

/// Encodes a stripe by a blocking call; the bytes must be right if it succeeds.
pub fn encode(
    engine: &Engine,
    codec: &Codec,
    stripe: &Stripe,
    request: Request,
) -> Result<(), ErrorKind> {
    let mut parity = vec![vec![0xa5; stripe.length()]; stripe.parity_units];
    let data = slices(stripe.data());
    let encoded = engine.encode(codec, &data, &mut slices_mut(&mut parity), request);
    if encoded.is_ok() {
        assert!(parity == stripe.parity(), "right bytes");
    }
    encoded.map_err(|error| error.kind())
}

pub fn unchecked() -> Options {
    Options {
        check_every: 0,
        ..Options::default()
    }
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
            let all: Vec<&[u8]> = data.iter().chain(&parity).map(Vec::as_slice).collect();
            let units = all.iter().enumerate();
            let units: Vec<_> = units
                .map(|(unit, bytes)| (!erased.contains(&unit)).then_some(*bytes))
                .collect();
            let mut outputs = vec![vec![0xa5; length]; erased.len()];
            let outcome = engine.decode(
                codec,
                &units,
                &erased,
                &mut slices_mut(&mut outputs),
                request,
            );
            assert_eq!(outcome, Ok(()));
            let lost = erased.iter().map(|unit| all[*unit]);
            assert!(lost.eq(slices(&outputs)), "decode of {length}");
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
        for rail in [cpu(), FaultyCoder::rail("other", CoderFault::Err(0))] {
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

/// Encodes until a success, and until the return of a rail that was out of service is reported;
/// returns the results and events.
fn outcomes(fault: CoderFault, request: Request) -> (Vec<Result<(), ErrorKind>>, Vec<EventKind>) {
    let options = Options {
        quarantine: Duration::from_millis(20),
        ..unchecked()
    };
    let (engine, events) = engine(vec![FaultyCoder::rail("only", fault)], options);
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
        let faults: [fn() -> CoderFault; 4] = [
            || CoderFault::Err(2),
            || CoderFault::Err(3),
            || CoderFault::PanicFirst(2),
            || CoderFault::PanicFirst(3),
        ];
        for fault in faults {
            for request in [Request::default(), deadline] {
                let (results, events) = outcomes(fault(), request);
                let text = format!("{:?} {request:?}: {results:?} {events:?}", fault());
                // A second panic, or failure, in a task.
                let first = [Err(ErrorKind::NoRail), Err(ErrorKind::Failed)];
                assert!(first.contains(&results[0]), "{text}");
                assert_eq!(results.last(), Some(&Ok(())), "{text}");
                assert_eq!(events[0], EventKind::Quarantined, "{text}");
                assert!(events.contains(&EventKind::Restored), "{text}");
            }
        }
        for count in 0..4 {
            let (results, events) = outcomes(CoderFault::Refuse(count), Request::default());
            assert_eq!(results.last(), Some(&Ok(())), "{count}: {results:?}");
            assert_eq!(events, [], "a refusal is no failure");
        }
    });
}

#[test]
fn a_single_failure_is_reported() {
    within(LIMIT, || {
        for fault in [CoderFault::Err(1), CoderFault::PanicFirst(1)] {
            let rail = FaultyCoder::rail("only", fault);
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
