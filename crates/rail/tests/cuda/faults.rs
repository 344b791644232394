// SPDX-License-Identifier: Apache-2.0
//! A device that lacks memory, fails, disappears or writes wrong bytes.

use std::time::Duration;

use stripeline_codec::{Code, Verdict};
use stripeline_rail::owned::{self, Units};
use stripeline_rail::{CudaSettings, FaultKind, Null, Rail, discover::Candidate, known_answers};
use stripeline_testkit::{Stripe, rail_suite};

use crate::in_place::InPlace;
use crate::mock::{LIMIT, Mock};
use crate::submission::{Encoding, expect_fault, lose_context, reap};

#[test]
fn no_room_for_a_lane_is_refused_and_leaves_nothing() {
    for (knob, text) in [
        (
            "pinned_bytes_max",
            "cannot allocate 2097152 bytes of pinned memory: out of memory",
        ),
        (
            "device_bytes_max",
            "cannot allocate 2097152 bytes on the device: out of memory",
        ),
    ] {
        let mock = Mock::new();
        let rail = mock.rail();
        // Room for three of four slots.
        mock.set(knob, 7 << 20);
        let fault = rail.open_lane().err().expect("no room");
        assert_eq!(fault.kind(), FaultKind::Refused);
        assert_eq!(fault.to_string(), format!("{text} (CUDA error 2)"));
        mock.wait_for("streams", 0);
        assert_eq!((mock.get("pinned_bytes"), mock.get("device_bytes")), (0, 0));
        mock.set(knob, 8 << 20);
        drop(rail.open_lane().expect("room again"));
        drop(rail);
        mock.expect_empty();
    }
}

#[test]
fn a_launch_without_memory_refuses_its_piece_only() {
    let mock = Mock::new();
    let rail = mock.rail();
    let mut lane = rail.open_lane().expect("a lane");
    mock.set("launches_refused", 1);
    let (refused, _first) = Encoding::submit(&mut *lane, 7);
    let (sound, _second) = Encoding::submit(&mut *lane, 8);
    for _ in 0..2 {
        let done = reap(&mut *lane);
        if done.ticket == 8 {
            assert!(done.outcome.is_ok());
            continue;
        }
        let text = "cannot launch the kernel: out of memory (CUDA error 2)";
        drop(expect_fault(done, FaultKind::Refused, text));
    }
    assert_eq!(lane.in_flight(), 0);
    drop((_first, _second));
    refused.expect_blank();
    sound.expect_right();
}

#[test]
fn a_failed_launch_writes_nothing_and_lanes_go_on() {
    let mock = Mock::new();
    let rail = mock.rail();
    let mut lane = rail.open_lane().expect("a lane");
    let mut idle = rail.open_lane().expect("another");
    mock.set("launches_failed", 1);
    mock.set("hang", 1);
    let submitted: Vec<_> = (0..4)
        .map(|ticket| Encoding::submit(&mut *lane, ticket))
        .collect();
    mock.wait_for("kernels_running", 4);
    mock.set("hang", 0);
    let mut failed = 0;
    for _ in 0..4 {
        let done = reap(&mut *lane);
        let (encoding, _) = &submitted[done.ticket as usize];
        if done.outcome.is_ok() {
            continue;
        }
        failed += 1;
        // The context fails with the launch, and with it everything in the context.
        let fault = done.outcome.as_ref().expect_err("failed").to_string();
        assert!(
            fault.ends_with(": unspecified launch failure (CUDA error 719)"),
            "{fault}"
        );
        let kind = done.outcome.as_ref().expect_err("failed").kind();
        let piece = expect_fault(done, kind, &fault);
        assert_eq!(kind, FaultKind::Failed);
        encoding.redo(piece);
    }
    assert!(failed > 0);
    for (encoding, handle) in submitted {
        drop(handle);
        encoding.expect_right();
    }
    // The lane continues in a new context, and so does another lane that was idle.
    assert_eq!(mock.get("resets"), 0);
    for lane in [&mut lane, &mut idle] {
        let (again, handle) = Encoding::submit(&mut **lane, 9);
        assert!(reap(&mut **lane).outcome.is_ok());
        drop(handle);
        again.expect_right();
    }
    assert_eq!(mock.get("resets"), 1, "the context was lost to all already");
    drop((lane, idle));
    mock.expect_empty();
    rail_suite::several_lanes(&rail);
}

#[test]
fn a_revoked_piece_that_fails_does_not_fail_the_next_one() {
    let mock = Mock::new();
    let rail = mock.rail();
    let mut lane = rail.open_lane().expect("a lane");
    mock.set("launches_failed", 1);
    mock.set("hang", 1);
    let (revoked, handle) = Encoding::submit(&mut *lane, 1);
    mock.wait_for("kernels_running", 1);
    revoked.redo(handle.revoke().expect("the device has copies"));
    mock.set("hang", 0);
    assert!(reap(&mut *lane).piece.is_none(), "revoked");
    // The lane continues in a new context.
    let (next, handle) = Encoding::submit(&mut *lane, 2);
    assert_eq!(reap(&mut *lane).outcome, Ok(Verdict::Sound));
    drop(handle);
    next.expect_right();
}

#[test]
fn a_lost_device_is_gone_until_it_returns() {
    let mock = Mock::new();
    let rail = mock.rail();
    let mut lane = rail.open_lane().expect("a lane");
    mock.set("hang", 1);
    let (encoding, handle) = Encoding::submit(&mut *lane, 1);
    mock.wait_for("kernels_running", 1);
    mock.set("lost", 1);
    let text =
        "cannot enter the device's context: no CUDA-capable device is detected (CUDA error 100)";
    let piece = expect_fault(reap(&mut *lane), FaultKind::Gone, text);
    encoding.redo(piece);
    drop(handle);
    encoding.expect_right();
    drop(lane);
    let fault = rail.open_lane().err().expect("no device");
    assert_eq!(fault.kind(), FaultKind::Gone);
    mock.set("hang", 0);
    mock.set("lost", 0);
    rail_suite::several_lanes(&rail);
}

#[test]
fn a_rail_is_in_only_if_its_device_answers_right() {
    let mock = Mock::new();
    let sound = Candidate::verified(mock.rail());
    assert!(sound.rail().is_some(), "{sound}");
    mock.expect_empty();
    mock.set("wrong", 1);
    assert!(rail_suite::writes_wrong_bytes(&mock.rail()));
    let wrong = Candidate::verified(mock.rail());
    assert!(wrong.rail().is_none(), "{wrong}");
    mock.set("wrong", 0);
    mock.set("hang", 1);
    let hanging = known_answers::check_within(&mock.short_limit_rail(), Duration::from_millis(50));
    assert!(hanging.is_err(), "it hangs");
}

#[test]
fn a_gpu_that_an_engine_only_opens_is_not_touched() {
    let mock = Mock::new();
    mock.set("wrong", 1);
    let unverified = Candidate::unverified(mock.rail());
    let rail = unverified.rail().expect("it has not been tried");
    assert_eq!((mock.get("launches"), mock.get("contexts")), (0, 0));
    assert!(known_answers::check(&**rail).is_err());
    // Rails that are cheap to verify are verified.
    let null = Candidate::unverified(Null::rail());
    assert!(null.rail().is_none(), "{null}");
}

#[test]
fn adding_in_chunks_is_refused_for_revocable_pieces() {
    let mock = Mock::new();
    let rail = mock.rail_with(&CudaSettings {
        slots: 1,
        ..mock.settings()
    });
    let stripe = Stripe::random(Code::Rs, 6, 3, 500_000);
    let codec = stripe.codec();
    let units = || Units {
        inputs: vec![stripe.units[0].clone(), vec![1; 500_000]],
        outputs: stripe.parity().to_vec(),
    };
    let (piece, pending) = owned::update(&codec, 0, units()).expect("in order");
    let (piece, handle) = piece.into_revocable();
    let mut lane = rail.open_lane().expect("a lane");
    lane.submit(1, piece);
    let text = "cannot add to 3 outputs of 500000 bytes: 419328 of each fit";
    drop(expect_fault(reap(&mut *lane), FaultKind::Refused, text));
    drop(handle);
    let units = pending.wait(crate::mock::LIMIT).expect("the job is gone");
    assert!(units.outputs == stripe.parity(), "untouched");

    let (piece, pending) = owned::update(&codec, 0, units).expect("in order");
    lane.submit(2, piece);
    drop(reap(&mut *lane));
    let units = pending.wait(crate::mock::LIMIT).expect("the job is gone");
    let mut data = stripe.data().to_vec();
    data[0] = vec![1; 500_000];
    assert!(units.outputs == Stripe::of(data, Code::Rs, 3).parity());
}

#[test]
fn a_lane_does_not_wait_for_a_thread_that_opens_a_context() {
    let mock = Mock::new();
    let rail = mock.short_limit_rail();
    let mut lane = rail.open_lane().expect("a lane");
    let mut other = rail.open_lane().expect("another");
    let program = mock.program();
    let mut in_place = InPlace::new(&program);
    mock.set("hang", 1);
    lane.submit(1, in_place.piece());
    lose_context(&mock, &mut *other);
    // The other lane opens another context, and the driver does not answer because of the kernel.
    mock.set("hang_load", 1);
    let answer = std::thread::scope(|scope| {
        scope.spawn(|| {
            let (_encoding, _handle) = Encoding::submit(&mut *other, 3);
            drop(reap(&mut *other));
        });
        mock.wait_for("contexts", 3);
        let (sender, receiver) = std::sync::mpsc::channel();
        scope.spawn(move || sender.send(lane.reap(Duration::from_millis(100)).is_none()));
        let answer = receiver.recv_timeout(LIMIT);
        mock.set("hang_load", 0);
        mock.set("hang", 0);
        answer
    });
    assert_eq!(answer, Ok(true), "the lane waits for the other one");
}
