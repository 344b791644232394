// SPDX-License-Identifier: Apache-2.0
//! Engines that share a node's CPUs.

use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use stripeline_engine::node::{Cpus, Place};
use stripeline_engine::{Engine, EventKind, Options, Request, node};

use crate::support::{
    await_that, cpu, encode, encode_right, engine, expect_right, faulty, gated, gates, issue,
    kinds, stripe,
};
use stripeline_testkit::Gate;
use stripeline_testkit::faulty::Script;

/// Returns an engine whose only task waits at a gate, so that it is busy until the gate opens.
fn busy(place: &Place) -> (Engine, Arc<Gate>) {
    let [gate] = gates();
    let rail = gated(std::slice::from_ref(&gate));
    let options = Options {
        node: Some(node::Options {
            place: place.clone(),
            cpus: Some(Cpus {
                node: 4,
                own: 4,
                domain: 1,
            }),
            ..node::Options::default()
        }),
        waiting_threads_help: false,
        ..Options::default()
    };
    (engine(vec![rail], options).0, gate)
}

fn await_allowed(engine: &Engine, wanted: usize) {
    await_that(|| engine.statistics().threads_allowed == Some(wanted));
}

#[test]
fn a_second_engine_halves_the_threads_of_the_first_until_it_closes() {
    let name = format!("stripeline-engine-test-{}", std::process::id());
    let path = std::env::temp_dir().join(name);
    let place = Place(path.clone());
    let (codec, stripe) = stripe(100);
    let (first, gate) = busy(&place);
    let issued = issue(&first, &codec, &stripe, Request::default());
    await_allowed(&first, 4);

    let (second, other_gate) = busy(&place);
    let other = issue(&second, &codec, &stripe, Request::default());
    await_allowed(&first, 2);
    await_allowed(&second, 2);

    other_gate.open();
    expect_right(other, &stripe);
    drop(second);
    await_allowed(&first, 4);
    gate.open();
    expect_right(issued, &stripe);
    drop(first);
    std::fs::remove_file(path).expect("the table stays until someone removes it");
}

#[test]
fn an_engine_that_cannot_share_cpus_reports_it_once_and_reports_the_end() {
    let name = format!("stripeline-engine-alone-{}", std::process::id());
    let path = std::env::temp_dir().join(name);
    std::fs::write(&path, b"somebody's configuration").expect("a temporary file");
    let options = Options {
        node: Some(node::Options {
            place: Place(path.clone()),
            ..node::Options::default()
        }),
        ..Options::default()
    };
    let (engine, events) = engine(vec![cpu()], options);
    let (codec, stripe) = stripe(100);
    let encode = || encode_right(&engine, &codec, &stripe);
    (0..100).for_each(|_| encode());
    assert_eq!(kinds(&events, "node"), [EventKind::Alone]);
    let text = events.lock().expect("not poisoned")[0].text.clone();
    assert!(text.contains(&*path.to_string_lossy()), "{text}");
    std::fs::remove_file(&path).expect("ours");
    // The node's table is examined while there is work.
    await_that(|| {
        encode();
        kinds(&events, "node").len() >= 2
    });
    let expected = [EventKind::Alone, EventKind::Shared];
    assert_eq!(kinds(&events, "node"), expected);
    assert_eq!(expected.map(EventKind::is_good_news), [false, true]);
    drop(engine);
    std::fs::remove_file(path).expect("the table stays until someone removes it");
}

/// Returns an engine whose share of the node is one thread, over a rail that waits at a gate; and
/// the path of the node's table.
fn of_one_cpu(name: &str, gate: &Arc<Gate>, waiting_threads_help: bool) -> (Engine, PathBuf) {
    let name = format!("stripeline-engine-{name}-{}", std::process::id());
    let path = std::env::temp_dir().join(name);
    // More than the pieces of a test.
    let gates = vec![Arc::clone(gate); 100];
    let rail = Arc::new(faulty("gated", 4, Script::nothing()).gated(&gates));
    let options = Options {
        node: Some(node::Options {
            place: Place(path.clone()),
            threads_max: Some(1),
            ..node::Options::default()
        }),
        waiting_threads_help,
        check_every: 0,
        ..Options::default()
    };
    (engine(vec![rail], options).0, path)
}

#[test]
fn workers_beyond_the_share_sleep_while_work_waits() {
    let [gate] = gates();
    let (engine, path) = of_one_cpu("park", &gate, false);
    let (codec, stripe) = stripe(100);
    let issue = |_| issue(&engine, &codec, &stripe, Request::default());
    let issued: Vec<_> = (0..50).map(issue).collect();
    gate.await_arrivals(1);
    let waited = issued[0].ticket().wait_timeout(Duration::from_millis(50));
    assert!(waited.is_none(), "the gate is shut");
    let rail = &engine.statistics().rails[0];
    assert_eq!(rail.queued, 49, "one worker has one task");
    // A worker that did not sleep would wake for each of the others.
    assert!(rail.wake_ups < 10, "{} times", rail.wake_ups);
    gate.open();
    assert!(issued.into_iter().all(|issued| issued.wait().0.is_ok()));
    drop(engine);
    std::fs::remove_file(path).expect("the table stays until someone removes it");
}

#[test]
fn threads_that_help_are_within_the_share() {
    let [gate] = gates();
    let (engine, path) = of_one_cpu("help", &gate, true);
    let (codec, stripe) = stripe(100);
    let encode = || {
        let encoded = encode(&engine, &codec, &stripe, Request::default());
        assert_eq!(encoded, Ok(()));
    };
    std::thread::scope(|scope| {
        scope.spawn(encode);
        gate.await_arrivals(1);
        scope.spawn(encode);
        scope.spawn(encode);
        await_that(|| engine.statistics().outstanding == 3);
        let issued = issue(&engine, &codec, &stripe, Request::default());
        // Without a blocking wait, which would help to code.
        let start = Instant::now();
        while start.elapsed() < Duration::from_millis(50) {
            assert!(issued.ticket().test().is_none(), "the gate is shut");
            std::thread::yield_now();
        }
        let begun = gate.arrivals();
        gate.open();
        assert_eq!(begun, 1, "one thread may code");
        assert!(issued.wait().0.is_ok());
    });
    drop(engine);
    std::fs::remove_file(path).expect("the table stays until someone removes it");
}
