// SPDX-License-Identifier: Apache-2.0
//! A device that does not answer: work on copies is revoked, and work in place is returned only
//! when the device can no longer access it.

use std::time::Duration;

use stripeline_codec::Code;
use stripeline_rail::{FaultKind, Rail};
use stripeline_testkit::{Stripe, rail_suite};

use crate::in_place::InPlace;
use crate::mock::{LIMIT, Mock, until, wait_for_lane};
use crate::submission::{Encoding, expect_ended, expect_fault, expect_nothing, lose_context, reap};

#[test]
fn a_piece_is_revoked_and_the_late_device_writes_nothing() {
    let mock = Mock::new();
    let rail = mock.rail();
    let mut lane = rail.open_lane().expect("a lane");
    mock.set("hang", 1);
    mock.set("wrong", 1);
    let (encoding, handle) = Encoding::submit(&mut *lane, 5);
    mock.wait_for("kernels_running", 1);
    expect_nothing(&mut *lane);
    let piece = handle.revoke().expect("the device has copies");
    encoding.redo(piece);
    drop(handle);
    // The caller has the buffers back while the device still hangs.
    encoding.expect_right();
    mock.set("hang", 0);
    let done = reap(&mut *lane);
    assert_eq!((done.ticket, done.piece.is_none()), (5, true));
    let fault = done.outcome.expect_err("revoked");
    assert_eq!(fault.kind(), FaultKind::Revoked);
    mock.set("wrong", 0);
    let (encoding, handle) = Encoding::submit(&mut *lane, 6);
    assert!(reap(&mut *lane).outcome.is_ok(), "the lane goes on");
    drop(handle);
    encoding.expect_right();
}

#[test]
fn a_lane_sleeps_while_its_device_works_for_long() {
    let mock = Mock::new();
    let rail = mock.rail();
    let mut lane = rail.open_lane().expect("a lane");
    mock.set("hang", 1);
    let (encoding, handle) = Encoding::submit(&mut *lane, 5);
    assert!(lane.reap(Duration::from_millis(100)).is_none());
    // Sleeps of 200 us or more, after some shorter ones; without sleeps there would be 100,000
    // queries.
    let queries = mock.get("queries");
    assert!((1..2_000).contains(&queries), "{queries} queries");
    mock.set("hang", 0);
    assert!(reap(&mut *lane).outcome.is_ok());
    drop(handle);
    encoding.expect_right();
}

#[test]
fn a_late_device_that_ends_in_time_completes_the_piece() {
    let mock = Mock::new();
    let rail = mock.rail();
    let mut lane = rail.open_lane().expect("a lane");
    mock.set("hang", 1);
    let (encoding, handle) = Encoding::submit(&mut *lane, 5);
    mock.wait_for("kernels_running", 1);
    mock.set("hang", 0);
    assert!(reap(&mut *lane).outcome.is_ok());
    assert!(handle.revoke().is_none(), "given back");
    drop(handle);
    encoding.expect_right();
}

#[test]
fn dropping_a_lane_leaves_copies_to_a_hanging_device() {
    let mock = Mock::new();
    let rail = mock.short_limit_rail();
    let mut lane = rail.open_lane().expect("a lane");
    mock.set("hang", 1);
    let (encoding, handle) = Encoding::submit(&mut *lane, 1);
    mock.wait_for("kernels_running", 1);
    drop(lane);
    encoding.redo(handle.revoke().expect("the device has copies"));
    drop(handle);
    encoding.expect_right();
    assert_eq!(mock.get("resets"), 0, "others may use the device");
    // All its slots are kept, because the driver frees no memory while the device works.
    assert_eq!(
        (mock.get("streams"), mock.get("pinned_bytes")),
        (4, 8 << 20)
    );
    let fault = rail.open_lane().err().expect("it hangs");
    let text = "cannot use the device: 1 pieces of a closed lane have not ended on it";
    assert_eq!(
        (fault.kind(), fault.to_string().as_str()),
        (FaultKind::Failed, text)
    );
    mock.set("hang", 0);
    wait_for_lane(&rail);
    rail_suite::several_lanes(&rail);
    drop(rail);
    mock.expect_empty();
}

#[test]
fn an_idle_lane_is_dropped_while_another_hangs() {
    let mock = Mock::new();
    let rail = mock.short_limit_rail();
    let mut lane = rail.open_lane().expect("a lane");
    let idle = rail.open_lane().expect("another");
    mock.set("hang", 1);
    let (encoding, handle) = Encoding::submit(&mut *lane, 1);
    mock.wait_for("kernels_running", 1);
    drop(idle);
    // The next lane gets what that one has left.
    let mut next = rail.open_lane().expect("a third");
    assert_eq!(
        (mock.get("streams"), mock.get("pinned_bytes")),
        (8, 16 << 20)
    );
    mock.set("hang", 0);
    for (lane, ticket) in [(&mut lane, 1), (&mut next, 2)] {
        let second = (ticket == 2).then(|| Encoding::submit(&mut **lane, ticket));
        let done = reap(&mut **lane);
        assert_eq!((done.ticket, done.outcome.is_ok()), (ticket, true));
        drop(done);
        if let Some((encoding, handle)) = second {
            drop(handle);
            encoding.expect_right();
        }
    }
    drop(handle);
    encoding.expect_right();
    drop((lane, next, rail));
    mock.expect_empty();
}

#[test]
fn a_rail_dropped_over_a_hanging_device_frees_nothing() {
    let mock = Mock::new();
    let rail = mock.short_limit_rail();
    let mut lane = rail.open_lane().expect("a lane");
    mock.set("hang", 1);
    let (_encoding, _hold) = Encoding::submit(&mut *lane, 1);
    mock.wait_for("kernels_running", 1);
    drop(lane);
    drop(rail);
    assert_eq!(
        (mock.get("contexts"), mock.get("pinned_bytes")),
        (1, 8 << 20)
    );
    mock.set("hang", 0);
    mock.wait_for("kernels_running", 0);
}

#[test]
fn work_in_place_returns_when_its_context_has_ended() {
    let mock = Mock::new();
    let rail = mock.short_limit_rail();
    let mut lane = rail.open_lane().expect("a lane");
    let mut other = rail.open_lane().expect("another");
    mock.set("hang", 1);
    let program = mock.program();
    let mut in_place = InPlace::new(&program);
    let (piece, handle) = in_place.piece().into_revocable();
    lane.submit(3, piece);
    let (encoding, other_handle) = Encoding::submit(&mut *other, 4);
    mock.wait_for("kernels_running", 2);
    assert!(handle.revoke().is_none(), "the device touches the buffers");
    drop(expect_ended(reap(&mut *lane)));
    assert_eq!(mock.get("resets"), 1);
    // The other lane shared the context.
    encoding.redo(expect_ended(reap(&mut *other)));
    drop((handle, other_handle));
    encoding.expect_right();
    InPlace::expect_blank_after_hang(std::slice::from_ref(&in_place), &mock);
    drop((lane, other));
    wait_for_lane(&rail);
    rail_suite::several_lanes(&rail);
    drop((rail, in_place));
    // The program has retained the context too.
    drop(program);
    mock.expect_empty();
}

#[test]
fn work_in_place_is_kept_while_its_context_does_not_end() {
    let mock = Mock::new();
    let rail = mock.short_limit_rail();
    let mut lane = rail.open_lane().expect("a lane");
    mock.set("hang", 1);
    mock.set("hang_reset", 1);
    let program = mock.program();
    let mut in_place = InPlace::new(&program);
    lane.submit(3, in_place.piece());
    mock.wait_for("kernels_running", 1);
    assert!(
        lane.reap(Duration::from_millis(100)).is_none(),
        "the device may still write"
    );
    assert_eq!(lane.in_flight(), 1);
    drop(lane);
    assert!(in_place.is_kept(), "the job is not gone");
    let fault = rail.open_lane().err().expect("the context has not ended");
    let text = "cannot use the device: its driver has not ended the context of a hung kernel";
    assert_eq!(
        (fault.kind(), fault.to_string().as_str()),
        (FaultKind::Gone, text)
    );
    mock.set("hang_reset", 0);
    wait_for_lane(&rail);
    until(|| !in_place.is_kept(), || "the job is kept".to_owned());
    InPlace::expect_blank_after_hang(std::slice::from_ref(&in_place), &mock);
    rail_suite::several_lanes(&rail);
}

#[test]
fn a_lane_that_lacks_memory_does_not_wait_for_a_hung_kernel() {
    let mock = Mock::new();
    let rail = mock.short_limit_rail();
    let mut lane = rail.open_lane().expect("a lane");
    mock.set("hang", 1);
    let program = mock.program();
    let mut in_place = InPlace::new(&program);
    lane.submit(1, in_place.piece());
    mock.wait_for("kernels_running", 1);
    let before = mock.get("device_bytes_max");
    mock.set("device_bytes_max", mock.get("device_bytes"));
    let fault = rail.open_lane().err().expect("memory lacks");
    assert_eq!(fault.kind(), FaultKind::Refused);
    drop(expect_ended(reap(&mut *lane)));
    InPlace::expect_blank_after_hang(std::slice::from_ref(&in_place), &mock);
    mock.set("device_bytes_max", before);
    drop(lane);
    wait_for_lane(&rail);
    drop((rail, in_place));
    drop(program);
    mock.expect_empty();
}

#[test]
fn device_memory_that_has_ended_with_its_context_is_not_used() {
    let mock = Mock::new();
    let rail = mock.rail();
    let mut lane = rail.open_lane().expect("a lane");
    let program = mock.program();
    let stripe = Stripe::random(Code::Rs, 6, 3, 3_000);
    let mut freed = InPlace::on_device(&program, stripe.clone());
    mock.set("launches_failed", 1);
    let (encoding, handle) = Encoding::submit(&mut *lane, 1);
    encoding.redo_failed(reap(&mut *lane));
    drop(handle);
    let launches = mock.get("launches");
    lane.submit(2, freed.piece());
    let text = "its device memory has ended with the device's context, which was ended after an \
                error";
    drop(expect_fault(reap(&mut *lane), FaultKind::Refused, text));
    assert_eq!((mock.get("resets"), mock.get("launches")), (1, launches));
    let mut new = InPlace::on_device(&program, stripe);
    lane.submit(3, new.piece());
    assert!(reap(&mut *lane).outcome.is_ok());
    new.expect_right();
}

/// All contexts of a device are one context of the driver.
#[test]
fn work_in_place_in_each_of_two_contexts_is_kept_until_both_have_ended() {
    let mock = Mock::new();
    let rail = mock.short_limit_rail();
    let (mut first, mut second) = (
        rail.open_lane().expect("a lane"),
        rail.open_lane().expect("another"),
    );
    let program = mock.program();
    let mut in_place = [InPlace::new(&program), InPlace::new(&program)];
    let [one, two] = &mut in_place;
    mock.set("hang_reset", 1);
    mock.set("hang", 1);
    first.submit(1, one.piece());
    lose_context(&mock, &mut *second);
    second.submit(3, two.piece());
    mock.wait_for("kernels_running", 3);
    assert_eq!(mock.get("contexts"), 3, "of both lanes and the program");

    let enough = Duration::from_millis(100);
    assert!(first.reap(enough).is_none(), "the device may still write");
    assert!(second.reap(enough).is_none(), "here, too");
    mock.set("hang_reset", 0);
    for (lane, ticket) in [(&mut first, 1), (&mut second, 3)] {
        let done = reap(&mut **lane);
        assert_eq!(done.ticket, ticket);
        drop(expect_ended(done));
    }
    assert_eq!(mock.get("resets"), 1);
    InPlace::expect_blank_after_hang(&in_place, &mock);
    drop((first, second));
    wait_for_lane(&rail);
    rail_suite::several_lanes(&rail);
    drop((rail, in_place));
    drop(program);
    mock.expect_empty();
}

#[test]
fn a_context_that_the_driver_does_not_end_at_first_is_ended_later() {
    // With a pause between attempts: two that failed, and the last.
    expect_resets_of_work_in_place("resets_failed", 2, 3);
}

#[test]
fn work_in_place_is_kept_if_the_driver_does_not_say_whether_it_goes_on() {
    expect_resets_of_work_in_place("queries_failed", 1, 1);
    expect_resets_of_work_in_place("pushes_failed", 1, 1);
}

/// Makes work in place hang by an injection, and expects `resets` resets before it returns.
fn expect_resets_of_work_in_place(knob: &str, value: i64, resets: i64) {
    let mock = Mock::new();
    let rail = mock.short_limit_rail();
    let mut lane = rail.open_lane().expect("a lane");
    let program = mock.program();
    let mut in_place = InPlace::new(&program);
    mock.set("hang", 1);
    lane.submit(1, in_place.piece());
    mock.wait_for("kernels_running", 1);
    mock.set(knob, value);
    let done = reap(&mut *lane);
    let counted = mock.get("resets");
    mock.set(knob, 0);
    drop(expect_ended(done));
    assert_eq!(counted, resets, "before the memory came back");
    InPlace::expect_blank_after_hang(std::slice::from_ref(&in_place), &mock);
    drop(lane);
    wait_for_lane(&rail);
    rail_suite::several_lanes(&rail);
}

#[test]
fn nothing_comes_back_while_the_driver_refuses_to_end_the_context() {
    let mock = Mock::new();
    let rail = mock.short_limit_rail();
    let mut lanes = [(); 2].map(|()| rail.open_lane().expect("a lane"));
    let program = mock.program();
    let mut in_place = [InPlace::new(&program), InPlace::new(&program)];
    mock.set("hang", 1);
    mock.set("resets_failed", 1_000_000);
    for (lane, units) in lanes.iter_mut().zip(&mut in_place) {
        lane.submit(1, units.piece());
    }
    let [first, second] = &mut lanes;
    let (encoding, handle) = Encoding::submit(&mut **first, 2);
    mock.wait_for("kernels_running", 3);
    // Two threads whose attempts meet.
    std::thread::scope(|scope| {
        for lane in [first, second] {
            scope.spawn(|| {
                while mock.get("resets") < 20 {
                    assert!(
                        lane.reap(Duration::ZERO).is_none(),
                        "the device still works"
                    );
                }
            });
        }
    });
    // Copies can be taken away all the time.
    encoding.redo(handle.revoke().expect("the device has copies"));
    drop(handle);
    encoding.expect_right();

    // The jobs are kept after the lanes, too, and the next request for a lane tries again.
    drop(lanes);
    assert!(rail.open_lane().is_err());
    assert!(in_place.iter().all(InPlace::is_kept), "the jobs are kept");
    mock.set("resets_failed", 0);
    wait_for_lane(&rail);
    assert!(!in_place.iter().any(InPlace::is_kept), "they are gone");
    InPlace::expect_blank_after_hang(&in_place, &mock);
    rail_suite::several_lanes(&rail);
    drop((rail, in_place));
    drop(program);
    mock.expect_empty();
}

#[test]
fn a_context_that_ends_late_is_released_although_nothing_uses_it() {
    let mock = Mock::new();
    let rail = mock.short_limit_rail();
    let mut lane = rail.open_lane().expect("a lane");
    let idle = rail.open_lane().expect("another");
    let (failing, piece) = Encoding::new(5_000);
    mock.set("launches_failed", 1);
    mock.set("hang_reset", 1);
    lane.submit(1, piece);
    failing.redo_failed(reap(&mut *lane));
    // It needs another context, for which the driver must end this one.
    let (failing, piece) = Encoding::new(5_000);
    lane.submit(2, piece);
    failing.redo_failed(reap(&mut *lane));
    drop((lane, idle, rail));
    assert!(mock.get("contexts") > 0);
    mock.set("hang_reset", 0);
    mock.wait_for("contexts", 0);
    mock.expect_empty();
}

/// A device that hangs keeps memory and jobs. They are freed when it answers, without another call.
#[test]
fn a_late_end_of_a_context_frees_what_a_closed_rail_has_left() {
    let mock = Mock::new();
    let rail = mock.short_limit_rail();
    let mut lane = rail.open_lane().expect("a lane");
    let program = mock.program();
    let mut in_place = InPlace::new(&program);
    mock.set("hang", 1);
    mock.set("hang_reset", 1);
    lane.submit(1, in_place.piece());
    mock.wait_for("kernels_running", 1);
    drop((lane, rail));
    assert!(in_place.is_kept(), "the job is not gone");
    mock.set("hang_reset", 0);
    until(|| !in_place.is_kept(), || "the job is kept".to_owned());
    InPlace::expect_blank_after_hang(std::slice::from_ref(&in_place), &mock);
    drop(in_place);
    drop(program);
    until(
        || mock.get("contexts") == 0,
        || "a context is kept".to_owned(),
    );
    mock.expect_empty();
}

/// Engines have rails of their own over one device.
#[test]
fn another_rail_over_the_device_sees_that_its_context_has_ended() {
    let mock = Mock::new();
    let (rail, other) = (mock.short_limit_rail(), mock.short_limit_rail());
    let mut lane = rail.open_lane().expect("a lane");
    let mut idle = other.open_lane().expect("a lane of the other");
    let program = mock.program();
    let mut in_place = InPlace::new(&program);
    mock.set("hang", 1);
    lane.submit(1, in_place.piece());
    mock.wait_for("kernels_running", 1);
    drop(expect_ended(reap(&mut *lane)));
    mock.set("hang", 0);
    mock.wait_for("kernels_running", 0);
    let (encoding, handle) = Encoding::submit(&mut *idle, 2);
    assert!(reap(&mut *idle).outcome.is_ok(), "in another context");
    drop(handle);
    encoding.expect_right();
    drop((lane, idle, rail, other, in_place));
    drop(program);
    mock.expect_empty();
}

#[test]
fn dropping_a_lane_ends_the_context_of_work_in_place() {
    let mock = Mock::new();
    let settings = stripeline_rail::CudaSettings {
        // Enough time for the driver to end the context on a busy machine.
        drop_limit: Duration::from_millis(500),
        hang_limit: LIMIT,
        ..mock.settings()
    };
    let rail = mock.rail_with(&settings);
    let mut lane = rail.open_lane().expect("a lane");
    mock.set("hang", 1);
    let program = mock.program();
    let mut in_place = InPlace::new(&program);
    lane.submit(3, in_place.piece());
    mock.wait_for("kernels_running", 1);
    drop(lane);
    assert!(!in_place.is_kept(), "the job is gone");
    assert_eq!(mock.get("resets"), 1);
    mock.set("hang", 0);
    in_place.expect_blank();
}
