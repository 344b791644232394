// SPDX-License-Identifier: Apache-2.0
//! Engines that are closed under load, while a rail fails, hangs, writes wrong bytes and recovers,
//! and tasks are cancelled or time out. `STRIPELINE_STRESS_SECONDS` sets the duration; the
//! sanitizers run for minutes.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::mpsc::{Receiver, channel};
use std::time::{Duration, Instant};

use crate::support::{engine, faulty_cpu, stripe, with_cpu};
use stripeline_codec::{Codec, Verdict};
use stripeline_engine::{Engine, ErrorKind, Issued, Options, Request};
use stripeline_testkit::Stripe;
use stripeline_testkit::faulty::{Failure, Script};

const TASKS: usize = 60;
const THREADS: usize = 3;

#[test]
fn closing_under_load_ends_every_task_once() {
    let seconds = std::env::var("STRIPELINE_STRESS_SECONDS");
    let seconds = seconds.map_or(1, |text| text.parse().expect("a whole number of seconds"));
    let until = Instant::now() + Duration::from_secs(seconds);
    let (codec, stripe) = stripe(20_000);
    let mut seed = 0;
    while seed == 0 || Instant::now() < until {
        round(seed, &codec, &stripe);
        seed += 1;
    }
}

fn round(seed: u64, codec: &Codec, stripe: &Stripe) {
    let failures = [
        Failure::Fail,
        Failure::Refuse,
        Failure::Hang,
        Failure::WrongBytes,
    ];
    let faulty = faulty_cpu("faulty", Script::random(seed, 10, &failures));
    let faulty = Arc::new(faulty.detaching());
    let options = Options {
        quarantine: Duration::from_millis(1),
        stall: Duration::from_millis(5),
        check_every: 1,
        tasks_max: TASKS / 2,
        waiting_threads_help: !seed.is_multiple_of(3),
        ..Options::default()
    };
    let (engine, _) = engine(with_cpu(Arc::clone(&faulty)), options);
    let told = Arc::new(AtomicUsize::new(0));
    std::thread::scope(|scope| {
        let (senders, receivers): (Vec<_>, Vec<_>) = (0..THREADS).map(|_| channel()).unzip();
        let waiters: Vec<_> = receivers
            .into_iter()
            .map(|issued| scope.spawn(|| wait_for(issued, stripe)))
            .collect();
        std::thread::scope(|scope| {
            for (thread, sender) in senders.into_iter().enumerate() {
                let (engine, told) = (&engine, &told);
                scope.spawn(move || {
                    for number in 0..TASKS {
                        let kind = number + thread;
                        let issued = issue(engine, codec, stripe, kind, told);
                        sender.send((kind, issued)).expect("somebody waits");
                    }
                });
            }
        });
        drop(engine);
        let told = told.load(Ordering::SeqCst);
        assert_eq!(told, THREADS * TASKS, "seed {seed}: told once of each");
        for waiter in waiters {
            waiter.join().expect("right outcomes");
        }
    });
    faulty.release();
}

fn issue(
    engine: &Engine,
    codec: &Codec,
    stripe: &Stripe,
    kind: usize,
    told: &Arc<AtomicUsize>,
) -> Issued {
    loop {
        let request = Request {
            deadline: kind.is_multiple_of(7).then_some(Duration::from_millis(2)),
            ..Request::default()
        };
        match engine.iencode(codec, stripe.to_encode(), request) {
            Ok(issued) => {
                let told = Arc::clone(told);
                issued.ticket().on_end(move |_| {
                    told.fetch_add(1, Ordering::SeqCst);
                });
                return issued;
            }
            // Its deadline passed before there was room.
            Err(refused) => assert_eq!(refused.error.kind(), ErrorKind::DeadlineExceeded),
        }
    }
}

/// Waits in several ways, also while the engine closes.
fn wait_for(issued: Receiver<(usize, Issued)>, stripe: &Stripe) {
    for (kind, issued) in issued {
        match kind % 5 {
            0 => {
                issued.ticket().cancel();
            }
            1 => {
                let _ = issued.ticket().wait_timeout(Duration::from_micros(100));
            }
            _ => {}
        }
        let (outcome, units) = issued.wait();
        match outcome {
            Ok(verdict) => {
                assert_eq!(verdict, Verdict::Sound);
                assert!(units.outputs == stripe.parity(), "right bytes");
            }
            Err(error) => {
                let known = [
                    ErrorKind::Closed,
                    ErrorKind::Cancelled,
                    ErrorKind::DeadlineExceeded,
                ];
                assert!(known.contains(&error.kind()), "{error}");
            }
        }
    }
}
