// SPDX-License-Identifier: Apache-2.0
//! Blocking calls that the calling thread codes without a task.

use std::sync::Arc;
use std::time::Duration;

use crate::support::{cpu, encode, engine, faulty, stripe};
use stripeline_engine::{ErrorKind, Options, Request};
use stripeline_rail::Rail;
use stripeline_testkit::faulty::Script;
use stripeline_testkit::{all_but, slices};

/// Encodes the stripe, decodes its first data unit, compares both, and returns how many pieces were
/// coded and how many of them by a task.
fn code_and_count(rails: &[&str], options: Options, request: Request) -> (u64, u64) {
    let rails = rails.iter().map(|name| match *name {
        "cpu" => cpu(),
        name => Arc::new(faulty(name, 1, Script::nothing())) as Arc<dyn Rail>,
    });
    let (engine, _events) = engine(rails.collect(), options);
    let (codec, stripe) = stripe(1000);
    assert_eq!(encode(&engine, &codec, &stripe, request), Ok(()));
    let units = all_but(&stripe.units, &[0]);
    let mut lost = vec![0; stripe.length()];
    let decoded = engine.decode(&codec, &units, &[0], &mut [&mut lost], request);
    assert_eq!(decoded, Ok(()));
    assert_eq!(lost, stripe.data()[0]);
    let statistics = engine.statistics();
    assert_eq!((statistics.issued, statistics.outstanding), (2, 0));
    let pieces = statistics.rails.iter().map(|rail| rail.pieces).sum();
    let timed = statistics.rails.iter();
    let timed = timed.map(|rail| rail.services.iter().sum::<u64>()).sum();
    (pieces, timed)
}

#[test]
fn small_stripes_of_one_rail_are_coded_without_a_task() {
    let unchecked = || Options {
        check_every: 0,
        ..Options::default()
    };
    let request = Request::default();
    assert_eq!(code_and_count(&["cpu"], unchecked(), request), (2, 0));
    // A coder that is not the codec's may fail.
    assert_eq!(code_and_count(&["other"], unchecked(), request), (2, 2));
    let two = code_and_count(&["cpu", "other"], unchecked(), request);
    assert_eq!(two, (2, 2));
    let deadline = Request {
        deadline: Some(Duration::from_secs(100)),
        ..request
    };
    assert_eq!(code_and_count(&["cpu"], unchecked(), deadline), (2, 2));
    let alone = Options {
        waiting_threads_help: false,
        ..unchecked()
    };
    assert_eq!(code_and_count(&["cpu"], alone, request), (2, 2));
}

#[test]
fn wrong_units_are_refused_as_by_the_codec() {
    let (engine, _events) = engine(vec![cpu()], Options::default());
    let (codec, stripe) = stripe(64);
    let data = slices(stripe.data());
    let mut short = [0; 64];
    let encoded = engine.encode(&codec, &data, &mut [&mut short], Request::default());
    let error = encoded.expect_err("a parity unit is missing");
    assert_eq!(error.kind(), ErrorKind::Invalid);
    assert_eq!(engine.statistics().issued, 0);
}
