// SPDX-License-Identifier: Apache-2.0
//! Tasks that are given up while parts of them wait behind more urgent work.

use stripeline_codec::Verdict;
use stripeline_engine::{ErrorKind, Options, Priority, Request};
use stripeline_rail::owned::Units;

use crate::support::{LIMIT, engine, gated, gates, issue, stripe};

#[test]
fn parts_of_a_cancelled_background_task_do_not_wait_for_urgent_work() {
    let gates = gates::<2>();
    let options = Options {
        waiting_threads_help: false,
        check_every: 0,
        ..Options::default()
    };
    let (engine, _) = engine(vec![gated(&gates)], options);
    let (codec, stripe) = stripe(100);
    let background = Request {
        priority: Priority::Background,
        ..Request::default()
    };
    // More than the rail does as one piece.
    let units = Units {
        inputs: vec![vec![1; 2 << 20]; 6],
        outputs: vec![vec![0; 2 << 20]; 3],
    };
    let issued = engine.iencode(&codec, units, background).expect("room");
    gates[0].await_arrivals(1);
    let urgent = issue(&engine, &codec, &stripe, Request::default());
    assert!(issued.ticket().cancel());
    gates[0].open();
    let outcome = issued.ticket().wait_timeout(LIMIT);
    let error = outcome.expect("while the rail does the urgent task");
    let error = error.expect_err("it was cancelled");
    assert_eq!(error.kind(), ErrorKind::Cancelled);
    gates[1].open();
    assert_eq!(urgent.wait().0, Ok(Verdict::Sound));
}
