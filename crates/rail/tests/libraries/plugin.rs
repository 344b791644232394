// SPDX-License-Identifier: Apache-2.0
//! Plug-ins in C: correct ones of every kind pass the rail suite, faulty ones are detected and do
//! no harm.

use std::path::Path;
use std::time::{Duration, Instant};

use crate::compiled::{Strings, coder, compile, load};
use stripeline_codec::{Code, Codec, Verdict};
use stripeline_rail::{
    Cpu, Done, Fault, FaultKind, Lane, LoadError, Piece, Plugin, Rail, RevokeHandle, borrowed,
    owned,
};
use stripeline_testkit::{Stripe, rail_suite, slices, slices_mut};

const LIMIT: Duration = Duration::from_secs(60);
const IN_PLACE: &str =
    "(STRIPELINE_PLUGIN_IN_PLACE|STRIPELINE_PLUGIN_ADDS|STRIPELINE_PLUGIN_COMPARES)";

#[test]
fn good_plugins_of_every_kind_pass_the_suite() {
    let in_place = format!("FLAGS=({IN_PLACE}|STRIPELINE_PLUGIN_TAKES_TAILS)");
    let picky = format!("FLAGS={IN_PLACE}");
    let kinds: [(&str, &[&str]); 7] = [
        (
            "blocking-copies",
            &["GRANULE=64", "ALIGNMENT=64", "DEPTH=3"],
        ),
        ("blocking-in-place", &[&in_place, "DEPTH=3"]),
        ("blocking-picky", &[&picky, "GRANULE=32", "ALIGNMENT=4"]),
        (
            "async-copies",
            &["ASYNCHRONOUS", "GRANULE=64", "ALIGNMENT=64", "DEPTH=4"],
        ),
        ("async-in-place", &["ASYNCHRONOUS", &in_place, "DEPTH=2"]),
        (
            "async-set-only",
            &[
                "ASYNCHRONOUS",
                "FLAGS=STRIPELINE_PLUGIN_IN_PLACE",
                "GRANULE=8",
            ],
        ),
        (
            "async-data-only",
            &[
                "ASYNCHRONOUS",
                "DEPTH=2",
                "FLAGS=STRIPELINE_PLUGIN_RECOVERS_DATA_ONLY",
            ],
        ),
    ];
    for (name, macros) in kinds {
        let Some(path) = coder(name, macros) else {
            return;
        };
        let rail = load(&path);
        assert_eq!(rail.name(), "plugin:test");
        assert_eq!(rail.describe(), format!("for tests, {}", path.display()));
        println!("{name}");
        if name == "blocking-in-place" {
            assert_eq!(rail.capability().depth, 1, "within the call");
        }
        rail_suite::all(&rail);
        Strings::of(&path).wait_closed();
    }
}

#[test]
fn jerasure_passes_the_suite() {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../examples/plugin/jerasure.c");
    let lines = std::fs::read_to_string(&source)
        .expect("the example")
        .lines()
        .count();
    assert!(lines <= 60, "{lines} lines");
    let Some(path) = compile(&source, "jerasure", &[], &["-l:libJerasure.so.2"]) else {
        return;
    };
    let rail = load(&path);
    assert_eq!(rail.name(), "plugin:jerasure");
    rail_suite::all(&rail);
}

#[test]
fn libraries_that_are_not_plugins_report_the_reason() {
    let absent = Plugin::load(Path::new("/nowhere/libplugin.so")).expect_err("absent");
    assert!(matches!(&absent, LoadError::Absent(_)), "{absent}");
    assert!(
        absent.to_string().contains("/nowhere/libplugin.so"),
        "{absent}"
    );
    let Some(other_version) = coder("other-version", &["VERSION=7"]) else {
        return;
    };
    for (path, reason) in [
        (
            Path::new("libc.so.6"),
            "it does not export stripeline_plugin",
        ),
        (&*other_version, "it has version 7 of the interface, not 1"),
    ] {
        let invalid = Plugin::load(path).expect_err("no plug-in");
        assert_eq!(invalid, LoadError::Invalid(reason.to_owned()));
        assert_eq!(
            invalid.to_string(),
            format!("Cannot use the plug-in: {reason}")
        );
    }
}

/// A lane with a submitted piece, as an engine submits it: revocable if the rail detaches.
struct Given {
    lane: Box<dyn Lane>,
    handle: Option<RevokeHandle>,
    pending: owned::Pending,
    stripe: Stripe,
}

const TICKET: u64 = 77;

fn give(rail: &dyn Rail) -> Given {
    let stripe = Stripe::random(Code::Rs, 3, 2, 1_000);
    let encoded = owned::encode(&stripe.codec(), stripe.to_encode());
    let (piece, pending) = encoded.expect("in order");
    let (piece, handle) = piece.for_rail(rail.capability());
    let mut lane = rail.open_lane().expect("a lane");
    lane.submit(TICKET, piece);
    Given {
        lane,
        handle,
        pending,
        stripe,
    }
}

fn run_one(rail: &dyn Rail) -> (Done, Given) {
    let mut given = give(rail);
    let done = given.lane.reap(LIMIT).expect("an answer");
    assert_eq!(done.ticket, TICKET);
    (done, given)
}

fn expect_fault(rail: &dyn Rail, kind: FaultKind, text: &str) {
    let (done, given) = run_one(rail);
    assert_eq!(done.outcome, Err(Fault::new(kind, text.to_owned())));
    assert!(done.piece.is_some(), "the piece comes back");
    assert!(
        given.handle.is_none_or(|handle| handle.revoke().is_none()),
        "attached again"
    );
    assert_eq!(given.lane.in_flight(), 0);
}

#[test]
fn failures_are_returned_with_their_kind_and_reason() {
    let ways = [
        "ASYNCHRONOUS",
        "BLOCKING",
        "FLAGS=STRIPELINE_PLUGIN_IN_PLACE",
    ];
    for (number, way) in ways.into_iter().enumerate() {
        let Some(path) = coder(&format!("fails-{number}"), &[way]) else {
            return;
        };
        let strings = Strings::of(&path);
        for (kind, status) in [
            (FaultKind::Refused, 1),
            (FaultKind::Failed, 2),
            (FaultKind::Gone, 3),
            (FaultKind::Failed, -12_345),
        ] {
            strings.fail_with(status);
            let text = format!("status {status}: told to fail");
            expect_fault(&load(&path), kind, &text);
            strings.wait_closed();
        }
    }
    let Some(path) = coder("refuses", &["ASYNCHRONOUS", "REFUSE_SUBMIT=3"]) else {
        return;
    };
    expect_fault(&load(&path), FaultKind::Gone, "status 3: no room");
    let Some(path) = coder("no-lane", &["OPEN_FAILS"]) else {
        return;
    };
    let refused = load(&path).open_lane().err().expect("no lane");
    let expected = Fault::new(FaultKind::Gone, "status 3: no device today");
    assert_eq!(refused, expected);
}

#[test]
fn broken_rules_of_tickets_are_detected() {
    let cases = [
        (
            "unknown",
            "UNKNOWN",
            "it completed ticket 1001, which was never submitted",
        ),
        (
            "too-many",
            "TOO_MANY",
            "poll returned 33 completions, room was for 32",
        ),
        ("lost", "LOST", "poll returned -1: fell off the bus"),
    ];
    for (name, what, text) in cases {
        let Some(path) = coder(name, &["ASYNCHRONOUS", what]) else {
            return;
        };
        let rail = load(&path).with_grace(Duration::ZERO);
        expect_fault(&rail, FaultKind::Failed, text);
        // The lane stays broken.
        let (_, mut given) = run_one(&rail);
        drop(given.handle.take());
        let units = given.pending.wait(LIMIT).expect("the piece was dropped");
        let codec = Codec::new(Code::Rs, 3, 2).expect("a valid shape");
        let (piece, _pending) = owned::encode(&codec, units).expect("in order");
        given.lane.submit(5, piece);
        let done = given.lane.reap(LIMIT).expect("an answer");
        assert_eq!(done.outcome, Err(Fault::new(FaultKind::Failed, text)));
    }
    // The first completion counts; the second breaks the lane for later pieces.
    let Some(path) = coder("twice", &["ASYNCHRONOUS", "TWICE"]) else {
        return;
    };
    let rail = load(&path);
    let (done, mut given) = run_one(&rail);
    assert_eq!(done.outcome, Ok(Verdict::Sound));
    assert_eq!(given.lane.in_flight(), 0);
    assert!(given.lane.reap(Duration::ZERO).is_none());
    given.lane.submit(6, done.piece.expect("it came back"));
    let done = given.lane.reap(LIMIT).expect("an answer");
    let text = "it completed ticket 1, which has completed before";
    assert_eq!(done.outcome, Err(Fault::new(FaultKind::Failed, text)));
}

/// A product in place ends when the plug-in reports it, but what it reports then is not trusted.
#[test]
fn a_broken_lane_completes_no_product_in_place() {
    let flags = format!("FLAGS={IN_PLACE}");
    let Some(path) = coder(
        "twice-in-place",
        &["ASYNCHRONOUS", "TWICE", "DEPTH=2", &flags],
    ) else {
        return;
    };
    let rail = load(&path);
    let mut given = give(&rail);
    let encoded = owned::encode(&given.stripe.codec(), given.stripe.to_encode());
    let (piece, _pending) = encoded.expect("in order");
    let (piece, _handle) = piece.for_rail(rail.capability());
    given.lane.submit(TICKET + 1, piece);
    // The one that was submitted last is reported first, and twice.
    let last = given.lane.reap(LIMIT).expect("an answer");
    assert_eq!(last.ticket, TICKET + 1);
    assert_eq!(last.outcome, Ok(Verdict::Sound));
    let first = given.lane.reap(LIMIT).expect("an answer");
    assert_eq!(first.ticket, TICKET);
    let text = "it completed ticket 2, which has completed before";
    assert_eq!(first.outcome, Err(Fault::new(FaultKind::Failed, text)));
}

#[test]
fn mismatches_outside_the_product_are_detected() {
    let flags = format!("FLAGS={IN_PLACE}");
    let Some(path) = coder("bad-mismatch", &[&flags, "BAD_MISMATCH"]) else {
        return;
    };
    let rail = load(&path);
    let stripe = Stripe::random(Code::Rs, 3, 2, 100);
    let codec = Codec::new(Code::Rs, 3, 2).expect("a valid shape");
    let (data, parity) = (slices(stripe.data()), slices(stripe.parity()));
    let outcome = borrowed::verify(&codec, &data, &parity, |piece: Piece| {
        let mut lane = rail.open_lane().expect("a lane");
        lane.submit(1, piece);
        lane.reap(LIMIT).expect("an answer").outcome
    });
    let offset = u64::MAX;
    let text = format!("mismatch reported at row 2 of 2, offset {offset} of 100 bytes");
    assert_eq!(outcome, Ok(Err(Fault::new(FaultKind::Failed, text))));
}

#[test]
fn wrong_bytes_are_written_and_can_be_seen() {
    let Some(path) = coder("wrong-bytes", &["WRONG_BYTES"]) else {
        return;
    };
    assert!(rail_suite::writes_wrong_bytes(&load(&path)));
}

/// A hang on copies costs only time: the piece is revoked and computed elsewhere while the plug-in
/// hangs, and the plug-in's late result is discarded.
#[test]
fn hung_products_are_revoked() {
    for (name, ways) in [
        ("hangs-blocking", &["BLOCKING"][..]),
        ("hangs-async", &["ASYNCHRONOUS"]),
        ("hangs-without-poll-wait", &["ASYNCHRONOUS", "NO_POLL_WAIT"]),
    ] {
        let macros = [ways, &["HANG_AT=0", "DEPTH=2"]].concat();
        let Some(path) = coder(name, &macros) else {
            return;
        };
        let strings = Strings::of(&path);
        let mut given = give(&load(&path));
        strings.wait_hanging();
        assert!(
            given.lane.reap(Duration::from_millis(1)).is_none(),
            "it hangs"
        );
        assert_eq!(given.lane.in_flight(), 1);
        let handle = given.handle.take().expect("it detaches");
        let piece = handle.revoke().expect("the plug-in has copies");
        drop(handle);
        assert_eq!(run_elsewhere(piece), Ok(Verdict::Sound));
        let units = given.pending.wait(LIMIT).expect("nothing holds the job");
        assert_eq!(units.outputs, given.stripe.parity());
        strings.release();
        let done = given.lane.reap(LIMIT).expect("the plug-in woke up");
        assert!(done.piece.is_none());
        assert_eq!(
            done.outcome.map_err(|fault| fault.kind()),
            Err(FaultKind::Revoked)
        );
        drop(given.lane);
        strings.wait_closed();
    }
}

fn run_elsewhere(piece: Piece) -> Result<Verdict, Fault> {
    rail_suite::Feeder::new(&Cpu::rail(), 1).run(piece)
}

/// A lane can be dropped while its plug-in hangs; the piece can still be revoked, and all memory is
/// freed when the plug-in resumes.
#[test]
fn lanes_of_hung_plugins_can_be_dropped() {
    let path = coder("dropped-blocking", &["HANG_AT=0"]);
    let Some(path) = path else { return };
    let strings = Strings::of(&path);
    let given = give(&load(&path).with_grace(Duration::from_millis(1)));
    strings.wait_hanging();
    drop(given.lane);
    let piece = given
        .handle
        .expect("it detaches")
        .revoke()
        .expect("left detached");
    assert_eq!(run_elsewhere(piece), Ok(Verdict::Sound));
    assert_eq!(
        given.pending.wait(LIMIT).expect("free").outputs,
        given.stripe.parity()
    );
    strings.release();
    // The detached thread closes its lane, so it has finished its work.
    strings.wait_closed();
}

#[test]
fn asynchronous_lanes_leak_only_buffers_that_may_still_be_written() {
    // Without a final cancel the copies are leaked to the device.
    let Some(path) = coder("left-behind", &["ASYNCHRONOUS", "HANG_AT=0"]) else {
        return;
    };
    let given = give(&load(&path).with_grace(Duration::from_millis(1)));
    drop(given.lane);
    let piece = given
        .handle
        .expect("it detaches")
        .revoke()
        .expect("left detached");
    assert_eq!(run_elsewhere(piece), Ok(Verdict::Sound));
    // With a final cancel the lane closes at once, also if it works in place.
    let cancels = "STRIPELINE_PLUGIN_CANCEL_IS_FINAL";
    for (name, flags) in [
        ("cancelled-copies", format!("FLAGS={cancels}")),
        (
            "cancelled-in-place",
            format!("FLAGS=({cancels}|STRIPELINE_PLUGIN_IN_PLACE)"),
        ),
    ] {
        let Some(path) = coder(name, &["ASYNCHRONOUS", "HANG_AT=0", &flags]) else {
            return;
        };
        let begin = Instant::now();
        let given = give(&load(&path).with_grace(LIMIT));
        drop(given.lane);
        Strings::of(&path).wait_closed();
        assert!(begin.elapsed() < LIMIT, "no grace was needed");
        drop(given.handle);
        let units = given.pending.wait(LIMIT).expect("nothing holds the job");
        assert_eq!(units.inputs, given.stripe.data());
    }
}

/// A cancelled ticket never completes; unless a cancel is final, the plug-in may still access the
/// buffers.
#[test]
fn work_in_place_is_not_cancelled_unless_that_is_final() {
    let flags = format!("FLAGS={IN_PLACE}");
    let macros = ["ASYNCHRONOUS", "HANG_AT=0", "CANCELS", &flags];
    let Some(path) = coder("cancels-in-place", &macros) else {
        return;
    };
    let strings = Strings::of(&path);
    let Given {
        lane,
        pending,
        stripe,
        ..
    } = give(&load(&path));
    strings.wait_hanging();
    let dropping = std::thread::spawn(move || drop(lane));
    strings.release();
    let units = pending.wait(LIMIT).expect("the lane ends");
    assert_eq!(units.outputs, stripe.parity());
    dropping.join().expect("no panic");
}

#[test]
fn hung_lanes_are_not_replaced_without_bound() {
    for (name, ways) in [
        ("bounded-blocking", &["BLOCKING"][..]),
        ("bounded-async", &["ASYNCHRONOUS"]),
        // Opening a lane must not wait for the last one of these completions.
        ("bounded-repeating", &["ASYNCHRONOUS", "REPEATS"]),
    ] {
        let macros = [ways, &["HANG_AT=0", "LANES=1"]].concat();
        let Some(path) = coder(name, &macros) else {
            return;
        };
        let strings = Strings::of(&path);
        let rail = load(&path).with_grace(Duration::from_millis(1));
        let given = give(&rail);
        strings.wait_hanging();
        drop(given.lane);
        let refused = rail.open_lane().err().expect("no lane");
        let text = "cannot use the plug-in: 1 closed lanes hang in it";
        assert_eq!(refused, Fault::new(FaultKind::Failed, text));
        strings.release();
        // The thread of a blocking plug-in ends by itself.
        let begin = Instant::now();
        while rail.open_lane().is_err() {
            assert!(begin.elapsed() < LIMIT, "it has ended by then");
            std::thread::yield_now();
        }
    }
}

#[test]
fn a_lane_dropped_with_work_in_place_waits_for_it() {
    let flags = format!("FLAGS=({IN_PLACE}|STRIPELINE_PLUGIN_TAKES_TAILS)");
    let Some(path) = coder("waited-for", &["ASYNCHRONOUS", "HANG_AT=0", &flags]) else {
        return;
    };
    let strings = Strings::of(&path);
    let rail = load(&path).with_grace(Duration::ZERO);
    let stripe = Stripe::random(Code::Rs, 3, 2, 500);
    let codec = Codec::new(Code::Rs, 3, 2).expect("a valid shape");
    let mut parity = vec![vec![0; 500]; 2];
    let (data, mut outputs) = (slices(stripe.data()), slices_mut(&mut parity));
    let ran = std::thread::scope(|scope| {
        let (strings, rail) = (&strings, &rail);
        scope.spawn(move || {
            strings.wait_hanging();
            strings.release();
        });
        borrowed::encode(&codec, &data, &mut outputs, |piece| {
            let mut lane = rail.open_lane().expect("a lane");
            lane.submit(1, piece);
            drop(lane);
        })
    });
    ran.expect("in order");
    assert_eq!(
        parity,
        stripe.parity(),
        "the device had the buffers until it was done"
    );
    strings.wait_closed();
}
