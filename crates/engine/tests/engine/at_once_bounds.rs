// SPDX-License-Identifier: Apache-2.0
//! Closing, waits, arguments and bounds where blocking calls may code without a task.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::sync_channel;
use std::sync::{Arc, Mutex, RwLock};
use std::time::Duration;

use crate::at_once_faults::{LIMIT, other, unchecked, within};
use crate::support::{cpu, encode, engine, gated, gates, issue, stripe};
use stripeline_codec::Verdict;
use stripeline_engine::{ErrorKind, Options, Priority, Request, Scheduling, WhenFull};
use stripeline_rail::owned::Units;
use stripeline_rail::{Rail, borrowed, owned};
use stripeline_testkit::{Random, all_but, slices, slices_mut};

fn rails() -> [Arc<dyn Rail>; 2] {
    [cpu(), other()]
}

#[test]
fn an_engine_closed_by_another_thread_or_a_callback_ends() {
    within(LIMIT, || {
        for round in 0..8 {
            for rail in rails() {
                let (engine, _) = engine(vec![rail], unchecked());
                let shared = RwLock::new(Some(engine));
                let own = Mutex::new(None);
                std::thread::scope(|scope| {
                    for _ in 0..4 {
                        scope.spawn(|| {
                            let (codec, stripe) = stripe(3000);
                            while let Some(engine) = &*shared.read().expect("no panic") {
                                let encoded = encode(engine, &codec, &stripe, Request::default());
                                assert_eq!(encoded, Ok(()));
                            }
                        });
                    }
                    for _ in 0..100 * (round % 8) {
                        std::thread::yield_now();
                    }
                    *own.lock().expect("no panic") = shared.write().expect("no panic").take();
                });
            }
        }
    });
}

/// Call-backs code at once, and the last of them, or of the callers, drops the engine.
#[test]
fn an_engine_dropped_by_whoever_is_last_ends() {
    within(LIMIT, || {
        for _ in 0..60 {
            for rail in rails() {
                let engine = Arc::new(engine(vec![rail], unchecked()).0);
                let told = Arc::new(AtomicUsize::new(0));
                let threads: Vec<_> = (0..4)
                    .map(|_| {
                        let (engine, told) = (Arc::clone(&engine), Arc::clone(&told));
                        std::thread::spawn(move || {
                            let (codec, stripe) = stripe(2000);
                            let request = Request::default();
                            assert_eq!(encode(&engine, &codec, &stripe, request), Ok(()));
                            let issued = issue(&engine, &codec, &stripe, request);
                            let mine = Arc::clone(&engine);
                            issued.ticket().on_end(move |outcome| {
                                assert_eq!(*outcome, Ok(Verdict::Sound));
                                assert_eq!(encode(&mine, &codec, &stripe, request), Ok(()));
                                drop(mine);
                                told.fetch_add(1, Ordering::SeqCst);
                            });
                            drop(engine);
                        })
                    })
                    .collect();
                drop(engine);
                for thread in threads {
                    thread.join().expect("no panic");
                }
                while told.load(Ordering::SeqCst) < 4 {
                    std::thread::yield_now();
                }
            }
        }
    });
}

const ROUNDS: usize = 100_000;

/// A thread drops pieces while this one waits for them.
#[test]
fn no_wake_up_is_lost() {
    within(LIMIT, || {
        let (codec, _) = stripe(1);
        let (sender, receiver) = sync_channel::<(stripeline_rail::Piece, usize)>(1);
        let dropper = std::thread::spawn(move || {
            for (piece, pause) in receiver {
                for _ in 0..pause {
                    std::hint::spin_loop();
                }
                drop(piece);
            }
        });
        let mut random = Random::new(7);
        for round in 0..ROUNDS {
            let pause = random.below(300);
            if round % 2 == 0 {
                let data = [[1_u8]; 6];
                let data = data.each_ref().map(|unit| &unit[..]);
                let mut parity = vec![vec![0_u8]; 3];
                let mut parity = slices_mut(&mut parity);
                let send = |piece| sender.send((piece, pause)).expect("a receiver");
                borrowed::encode(&codec, &data, &mut parity, send).expect("right units");
                continue;
            }
            let units = Units {
                inputs: vec![vec![1]; 6],
                outputs: vec![vec![0]; 3],
            };
            let (piece, pending) = owned::encode(&codec, units).expect("right units");
            sender.send((piece, pause)).expect("a receiver");
            let short = Duration::from_nanos(random.below(3000) as u64);
            let mut back = None;
            for _ in 0..round % 5 {
                back = back.or_else(|| pending.wait(short));
            }
            let back = back.or_else(|| pending.wait(LIMIT));
            assert_eq!(back.expect("dropped").inputs.len(), 6);
            assert_eq!(pending.wait(Duration::ZERO), None, "taken once");
        }
        drop(sender);
        dropper.join().expect("no panic");
    });
}

/// Calls with wrong arguments give the error of the codec, on either path.
#[test]
fn wrong_arguments_are_refused_as_by_the_codec_and_not_counted() {
    within(LIMIT, || {
        let (codec, stripe) = stripe(100);
        let data = stripe.data().to_vec();
        let mut shorter = data.clone();
        shorter[3].pop();
        let datas = [
            data.clone(),
            data[1..].to_vec(),
            vec![vec![1; 100]; 400],
            shorter,
            vec![vec![]; 6],
            [&[vec![]][..], &data[1..]].concat(),
            vec![],
        ];
        let outputs = [
            vec![vec![0; 100]; 3],
            vec![vec![0; 100]; 2],
            vec![vec![0; 100]; 400],
            vec![vec![0; 100], vec![0; 100], vec![0; 99]],
            vec![vec![0; 101]; 3],
            vec![vec![]; 3],
            vec![],
        ];
        let erasures: [&[usize]; 8] = [
            &[0, 1, 2],
            &[0, 0, 1],
            &[0, 1, 9],
            &[usize::MAX, 1, 2],
            &[2, 1, 0],
            &[0, 1],
            &[],
            &[0, 1, 2, 3],
        ];
        let deadline = Some(Duration::from_secs(90));
        for rail in rails() {
            let (engine, _) = engine(vec![rail], unchecked());
            let mut right = 0;
            let by_task = Request {
                deadline,
                ..Request::default()
            };
            for request in [Request::default(), by_task] {
                for (inputs, outputs) in datas
                    .iter()
                    .flat_map(|i| outputs.iter().map(move |o| (i, o)))
                {
                    let (mut own, mut theirs) = (outputs.clone(), outputs.clone());
                    let input = slices(inputs);
                    let result = engine.encode(&codec, &input, &mut slices_mut(&mut own), request);
                    let expected = codec.encode(&input, &mut slices_mut(&mut theirs));
                    right += u64::from(result.is_ok() && own != *outputs);
                    assert_eq!(result, expected.map_err(Into::into));
                    assert!(own == theirs, "same bytes, untouched if refused");
                    for erased in erasures {
                        let units = [inputs, stripe.parity()].concat();
                        let units = all_but(&units, &[0, 1, 2]);
                        let (mut own, mut theirs) = (outputs.clone(), outputs.clone());
                        let mut to = slices_mut(&mut own);
                        let result = engine.decode(&codec, &units, erased, &mut to, request);
                        let mut to = slices_mut(&mut theirs);
                        let expected = codec.decode(&units, erased, &mut to);
                        right += u64::from(result.is_ok() && own != *outputs);
                        assert_eq!(result, expected.map_err(Into::into), "{erased:?}");
                        assert!(own == theirs, "same bytes, untouched if refused");
                    }
                }
            }
            let statistics = engine.statistics();
            assert!(right > 2);
            assert_eq!((statistics.issued, statistics.outstanding), (right, 0));
            assert_eq!(statistics.rails[0].pieces, right);
        }
    });
}

/// The data of an encoded and a decoded stripe are counted as by a task.
#[test]
fn data_are_counted_as_by_a_task() {
    let count = |request: Request| {
        let (engine, _) = engine(vec![cpu()], unchecked());
        let (codec, stripe) = stripe(1000);
        assert_eq!(encode(&engine, &codec, &stripe, request), Ok(()));
        let mut out = vec![vec![0; 1000]; 2];
        for erased in [[7, 8], [0, 8]] {
            let units = all_but(&stripe.units, &erased);
            let outcome =
                engine.decode(&codec, &units, &erased, &mut slices_mut(&mut out), request);
            assert_eq!(outcome, Ok(()));
        }
        engine.statistics().rails[0].data_bytes
    };
    let by_task = Request {
        deadline: Some(LIMIT),
        ..Request::default()
    };
    assert_eq!(count(Request::default()), count(by_task));
}

/// An engine for one task, which is at a gate, or queued behind it.
fn full(scheduling: Scheduling, priority: Priority) -> Result<(), ErrorKind> {
    let [gate] = gates();
    let rail = gated(std::slice::from_ref(&gate));
    let options = Options {
        tasks_max: 1,
        when_full: WhenFull::Refuse,
        scheduling,
        ..unchecked()
    };
    let (engine, _) = engine(vec![rail], options);
    let (codec, stripe) = stripe(100);
    let request = Request {
        priority,
        ..Request::default()
    };
    let issued = issue(&engine, &codec, &stripe, request);
    gate.await_arrivals(1);
    let zero = Request {
        deadline: Some(Duration::ZERO),
        ..Request::default()
    };
    let late = encode(&engine, &codec, &stripe, zero);
    assert_eq!(late, Err(ErrorKind::Busy));
    let result = encode(&engine, &codec, &stripe, Request::default());
    gate.open();
    assert_eq!(issued.wait().0, Ok(Verdict::Sound));
    let late = encode(&engine, &codec, &stripe, zero);
    assert_eq!(late, Err(ErrorKind::DeadlineExceeded));
    result
}

#[test]
fn a_full_engine_refuses() {
    within(LIMIT, || {
        let busy = Err(ErrorKind::Busy);
        let rate = full(Scheduling::RateAware, Priority::Foreground);
        let single = full(Scheduling::Single("gated".to_owned()), Priority::Foreground);
        let common = full(Scheduling::FirstCome, Priority::Foreground);
        let behind = full(Scheduling::RateAware, Priority::Background);
        assert_eq!([rate, single, common, behind], [busy; 4]);
    });
}

/// First-come scheduling: a call must not code at once while tasks are queued.
#[test]
fn nothing_overtakes_the_common_queue() {
    within(LIMIT, || {
        let [gate] = gates();
        let options = Options {
            scheduling: Scheduling::FirstCome,
            ..unchecked()
        };
        let rail = gated(std::slice::from_ref(&gate));
        let (engine, _) = engine(vec![rail], options);
        let (codec, stripe) = stripe(100);
        let issue = || issue(&engine, &codec, &stripe, Request::default());
        let first = issue();
        gate.await_arrivals(1);
        let queued: Vec<_> = (0..3).map(|_| issue()).collect();
        assert_eq!(encode(&engine, &codec, &stripe, Request::default()), Ok(()));
        let ended = queued.iter().filter(|task| task.ticket().test().is_some());
        let ended = ended.count();
        gate.open();
        assert_eq!(first.wait().0, Ok(Verdict::Sound));
        assert_eq!(ended, 3, "tasks issued before, ended before");
    });
}

/// How often a call succeeds on a full engine whose task is not coded yet.
fn overtaken(scheduling: Scheduling) -> usize {
    let options = Options {
        tasks_max: 1,
        when_full: WhenFull::Refuse,
        workers_max: 1,
        scheduling,
        ..unchecked()
    };
    let (engine, _) = engine(vec![cpu()], options);
    let (codec, large) = stripe(1 << 18);
    let small = large.shortened(8);
    let data = 6 << 18;
    let coded = || engine.statistics().rails[0].data_bytes;
    let round = |_| {
        let before = coded();
        let issued = issue(&engine, &codec, &large, Request::default());
        let encoded = encode(&engine, &codec, &small, Request::default());
        // What is coded is queued no more, but has room until its ticket tells its end: a call may
        // succeed in between.
        let is_coded = coded() - before >= data;
        let overtaken = encoded.is_ok() && !is_coded && issued.ticket().test().is_none();
        assert_eq!(issued.wait().0, Ok(Verdict::Sound));
        usize::from(overtaken)
    };
    (0..300).map(round).sum()
}

#[test]
fn calls_on_a_full_first_come_engine_are_refused_as_by_others() {
    within(LIMIT, || {
        let others = overtaken(Scheduling::RateAware);
        let first_come = overtaken(Scheduling::FirstCome);
        assert_eq!((others, first_come), (0, 0), "rate-aware, first-come");
    });
}
