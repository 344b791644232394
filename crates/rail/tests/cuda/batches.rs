// SPDX-License-Identifier: Apache-2.0
//! Pieces in device memory that one launch codes, and their common end.

use std::time::Duration;

use stripeline_codec::{Code, Verdict};
use stripeline_rail::{FaultKind, Job, Lane, Rail};
use stripeline_testkit::{Random, Stripe};

use crate::in_place::InPlace;
use crate::mock::Mock;
use crate::placement::{Memory, Unit, buffers, regions};
use crate::program::Program;
use crate::submission::{expect_ended, expect_fault, expect_nothing, reap};

fn stripes<'a>(program: &'a Program, count: usize, bytes: usize) -> Vec<InPlace<'a>> {
    (0..count)
        .map(|_| InPlace::on_device(program, Stripe::random(Code::Rs, 6, 3, bytes)))
        .collect()
}

/// Submits the stripes, with their numbers as tickets.
fn submit(lane: &mut dyn Lane, stripes: &mut [InPlace<'_>]) {
    let codec = stripes[0].stripe.codec();
    for (ticket, placed) in stripes.iter_mut().enumerate() {
        let (piece, _) = placed.piece_with(&codec).into_revocable();
        lane.submit(ticket as u64, piece);
    }
}

/// Encodes as many stripes at a time as a lane takes.
pub fn encode_together(program: &Program, rail: &dyn Rail, bytes: usize) {
    let mut lane = rail.open_lane().expect("a lane");
    let count = rail.capability().depth;
    let mut stripes = stripes(program, count, bytes);
    submit(&mut *lane, &mut stripes);
    assert_eq!(lane.in_flight(), count);
    for _ in 0..count {
        assert_eq!(reap(&mut *lane).outcome, Ok(Verdict::Sound));
    }
    assert_eq!(lane.in_flight(), 0);
    stripes.iter().for_each(InPlace::expect_right);
}

#[test]
fn pieces_of_one_code_and_length_share_launches() {
    let mock = Mock::new();
    let (rail, program) = (mock.rail(), mock.program());
    // With and without a tail.
    for bytes in [4_096, 100_003] {
        let before = mock.get("launches");
        encode_together(&program, &rail, bytes);
        assert_eq!(mock.get("launches") - before, 2, "{bytes} bytes");
    }
    // The last of three does not wait for a fourth.
    let mut lane = rail.open_lane().expect("a lane");
    let mut stripes = stripes(&program, 3, 5_000);
    let before = mock.get("launches");
    submit(&mut *lane, &mut stripes);
    assert_eq!(mock.get("launches") - before, 1);
    for _ in 0..3 {
        assert_eq!(reap(&mut *lane).outcome, Ok(Verdict::Sound));
    }
    assert_eq!(mock.get("launches") - before, 2);
    stripes.iter().for_each(InPlace::expect_right);
}

#[test]
fn updates_share_launches_too() {
    let mock = Mock::new();
    let (rail, program) = (mock.rail(), mock.program());
    let mut lane = rail.open_lane().expect("a lane");
    let codec = Stripe::random(Code::Rs, 6, 3, 3_000).codec();
    let unit = |contents: &[u8]| Unit::new(&program, Memory::Device, contents, 0);
    let mut updates = Vec::new();
    for ticket in 0..2 {
        let stripe = Stripe::random(Code::Rs, 6, 3, 3_000);
        let mut data = stripe.data().to_vec();
        data[4] = Random::new(ticket).bytes(3_000);
        let mut changed = [unit(&stripe.data()[4]), unit(&data[4])];
        let parity = stripe.parity().iter();
        let mut parity: Vec<Unit<'_>> = parity.map(|parity| unit(parity)).collect();
        let (inputs, outputs) = (regions(&mut changed), regions(&mut parity));
        // SAFETY: the units live as long as the test, and it waits for the job.
        let piece =
            unsafe { Job::update(&codec, 4, inputs[0], inputs[1], &outputs, buffers(&stripe)) };
        lane.submit(ticket, piece.expect("in order"));
        updates.push((changed, parity, Stripe::of(data, Code::Rs, 3)));
    }
    for _ in 0..2 {
        assert_eq!(reap(&mut *lane).outcome, Ok(Verdict::Sound));
    }
    assert_eq!(mock.get("launches"), 1);
    for (_, parity, after) in &updates {
        let parity: Vec<_> = parity.iter().map(Unit::read).collect();
        assert!(parity == after.parity(), "wrong bytes");
    }
}

#[test]
fn pieces_that_differ_have_launches_of_their_own() {
    let mock = Mock::new();
    let (rail, program) = (mock.rail(), mock.program());
    let mut lane = rail.open_lane().expect("a lane");
    let random =
        |data_units, parity_units, bytes| Stripe::random(Code::Rs, data_units, parity_units, bytes);
    let placed = |stripe| InPlace::on_device(&program, stripe);
    let pinned = |memory, offset| InPlace::of(&program, memory, offset, random(6, 3, 1_000));
    for [first, second] in [
        // Another length, and another code.
        [placed(random(6, 3, 1_000)), placed(random(6, 3, 1_016))],
        [placed(random(6, 3, 1_000)), placed(random(5, 3, 1_000))],
        // More buffers than a launch has.
        [placed(random(127, 3, 100)), placed(random(127, 3, 100))],
        // Kept for a moment only if that is worth it.
        [placed(random(6, 3, 2 << 20)), placed(random(6, 3, 2 << 20))],
        // Other memory, and addresses that are processed slowly.
        [pinned(Memory::Pinned, 0), pinned(Memory::Device, 0)],
        [pinned(Memory::Device, 3), pinned(Memory::Device, 3)],
    ] {
        let before = mock.get("launches");
        let mut pair = [first, second];
        let codecs = pair.each_ref().map(|placed| placed.stripe.codec());
        for (ticket, placed) in pair.iter_mut().enumerate() {
            let same = codecs[0].data_units() == codecs[ticket].data_units();
            let piece = placed.piece_with(&codecs[if same { 0 } else { ticket }]);
            lane.submit(ticket as u64, piece);
        }
        for _ in 0..2 {
            assert_eq!(reap(&mut *lane).outcome, Ok(Verdict::Sound));
        }
        let name = pair[1].stripe.name();
        assert_eq!(mock.get("launches") - before, 2, "{name}");
        pair.iter().for_each(InPlace::expect_right);
    }
}

#[test]
fn a_launch_that_fails_fails_all_its_pieces_and_no_other() {
    let mock = Mock::new();
    let (rail, program) = (mock.rail(), mock.program());
    let mut lane = rail.open_lane().expect("a lane");
    let mut stripes = stripes(&program, 4, 3_000);
    mock.set("launches_refused", 1);
    submit(&mut *lane, &mut stripes);
    for _ in 0..4 {
        let done = reap(&mut *lane);
        if done.ticket >= 2 {
            assert_eq!(done.outcome, Ok(Verdict::Sound));
            continue;
        }
        let text = "cannot launch the kernel: out of memory (CUDA error 2)";
        drop(expect_fault(done, FaultKind::Refused, text));
    }
    assert_eq!(lane.in_flight(), 0);
    stripes[..2].iter().for_each(InPlace::expect_blank);
    stripes[2..].iter().for_each(InPlace::expect_right);
    // While it runs.
    mock.set("launches_failed", 1);
    submit(&mut *lane, &mut stripes[..2]);
    for _ in 0..2 {
        let text = "cannot code on the device: unspecified launch failure (CUDA error 719)";
        drop(expect_fault(reap(&mut *lane), FaultKind::Failed, text));
    }
    assert!(!stripes.iter().any(InPlace::is_kept), "a job is kept");
}

#[test]
fn pieces_of_a_launch_that_hangs_return_when_its_context_has_ended() {
    let mock = Mock::new();
    let rail = mock.short_limit_rail();
    let mut lane = rail.open_lane().expect("a lane");
    let program = mock.program();
    // A launch of two, and a piece that is started when the lane waits.
    let mut stripes = stripes(&program, 3, 3_000);
    mock.set("hang", 1);
    submit(&mut *lane, &mut stripes);
    mock.wait_for("kernels_running", 1);
    for _ in 0..3 {
        drop(expect_ended(reap(&mut *lane)));
    }
    assert_eq!((lane.in_flight(), mock.get("resets")), (0, 1));
    assert!(!stripes.iter().any(InPlace::is_kept), "a job is kept");
    mock.set("hang", 0);
    mock.wait_for("kernels_running", 0);
}

#[test]
fn pieces_of_a_launch_are_kept_while_its_context_does_not_end() {
    let mock = Mock::new();
    let rail = mock.short_limit_rail();
    let mut lane = rail.open_lane().expect("a lane");
    let program = mock.program();
    let mut stripes = stripes(&program, 2, 3_000);
    mock.set("hang", 1);
    mock.set("hang_reset", 1);
    submit(&mut *lane, &mut stripes);
    mock.wait_for("kernels_running", 1);
    assert!(lane.reap(Duration::from_millis(100)).is_none());
    expect_nothing(&mut *lane);
    assert_eq!(lane.in_flight(), 2);
    drop(lane);
    assert!(stripes.iter().all(InPlace::is_kept), "a job is gone");
    mock.set("hang_reset", 0);
    crate::mock::wait_for_lane(&rail);
    crate::mock::until(
        || !stripes.iter().any(InPlace::is_kept),
        || "the jobs are kept".to_owned(),
    );
    mock.set("hang", 0);
    mock.wait_for("kernels_running", 0);
}

#[test]
fn a_lane_drops_pieces_that_it_has_not_started() {
    let mock = Mock::new();
    let (rail, program) = (mock.rail(), mock.program());
    let mut lane = rail.open_lane().expect("a lane");
    let mut stripes = stripes(&program, 1, 3_000);
    submit(&mut *lane, &mut stripes);
    assert_eq!((lane.in_flight(), mock.get("launches")), (1, 0));
    drop(lane);
    assert_eq!(mock.get("launches"), 0);
    assert!(!stripes[0].is_kept(), "the job is kept");
    stripes[0].expect_blank();
}
