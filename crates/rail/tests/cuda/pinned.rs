// SPDX-License-Identifier: Apache-2.0
//! Memory that the rail allocates for callers: used in place while the driver has it registered,
//! ordinary memory after that, and never unregistered while the device may use it.

use stripeline_codec::{Code, Verdict};
use stripeline_rail::owned::{self, Pending, Units};
use stripeline_rail::{FaultKind, Job, MemoryKind, Piece, PinnedBuffer, Rail, Region, pinned};
use stripeline_testkit::{Stripe, rail_suite::Feeder};

use crate::mock::{LIMIT, Mock, wait_for_lane};
use crate::placement::{PAGE_BYTES, buffers, with_large_slots};
use crate::submission::{Encoding, expect_ended, expect_nothing, reap};

const CELL: usize = 3_072;

/// An encoding of 6+3 units in one allocation.
pub struct PinnedEncoding {
    stripe: Stripe,
    pending: Pending<PinnedBuffer>,
}

impl PinnedEncoding {
    /// Splits the buffer into the nine units of a stripe.
    pub fn new(buffer: PinnedBuffer) -> (Self, Piece) {
        let bytes = buffer.len() / 9;
        let stripe = Stripe::random(Code::Rs, 6, 3, bytes);
        let mut inputs = buffer.split(bytes);
        let outputs = inputs.split_off(6);
        for (unit, bytes) in inputs.iter_mut().zip(stripe.data()) {
            unit.copy_from_slice(bytes);
        }
        let units = Units { inputs, outputs };
        let (piece, pending) = owned::encode(&stripe.codec(), units).expect("in order");
        (Self { stripe, pending }, piece)
    }

    /// Returns the units once the job has been dropped, and checks the parity.
    pub fn expect_right(self) -> Units<PinnedBuffer> {
        let units = self.pending.wait(LIMIT).expect("the job is gone");
        for (unit, expected) in units.outputs.iter().zip(self.stripe.parity()) {
            assert!(**unit == **expected, "wrong bytes");
        }
        units
    }
}

/// Allocates the units of a stripe.
pub fn allocate(rail: &dyn Rail, cell: usize) -> PinnedBuffer {
    let allocated = rail.allocate_pinned(9 * cell).expect("a GPU locks memory");
    allocated.expect("room")
}

/// Encodes in memory of the rail and returns the units.
pub fn encode(rail: &dyn Rail, buffer: PinnedBuffer) -> Units<PinnedBuffer> {
    let (encoding, piece) = PinnedEncoding::new(buffer);
    assert_eq!(Feeder::new(rail, 1).run(piece), Ok(Verdict::Sound));
    encoding.expect_right()
}

#[test]
fn units_in_our_memory_are_copied_only_on_the_device() {
    let mock = Mock::new();
    let rail = mock.rail();
    let buffer = allocate(&rail, CELL);
    assert_eq!(mock.get("registered_bytes"), 9 * CELL as i64);
    assert_eq!(mock.get("contexts"), 1, "that of the memory");
    assert!(buffer.is_locked() && buffer.iter().all(|byte| *byte == 0));
    let start = buffer.as_ptr();
    assert_eq!(pinned::is_locked(start), Some(true));
    let (encoding, piece) = PinnedEncoding::new(buffer);
    let (piece, handle) = piece.into_revocable();
    let mut lane = rail.open_lane().expect("a lane");
    let before = mock.get("copies");
    lane.submit(1, piece);
    assert!(handle.revoke().is_none(), "the device accesses the units");
    assert!(reap(&mut *lane).outcome.is_ok());
    // The tables, the six inputs and the three outputs, each side without gaps.
    assert_eq!(mock.get("copies") - before, 3);
    drop(handle);
    let units = encoding.expect_right();
    drop((lane, rail));
    assert_eq!(mock.get("contexts"), 1, "the memory outlives the rail");
    drop(units);
    assert_eq!(pinned::is_locked(start), None);
    mock.expect_empty();
}

#[test]
fn units_that_follow_each_other_in_our_memory_are_copied_together() {
    let mock = Mock::new();
    let rail = with_large_slots(&mock);
    let mut feeder = Feeder::new(&rail, 1);
    // Slots hold buffers at multiples of 256 bytes. The tables, six inputs and three outputs.
    for (bytes, gap, copies) in [(4_096, 0, 3), (4_096, 256, 10), (4_000, 0, 10)] {
        let stripe = Stripe::random(Code::Rs, 6, 3, bytes);
        let pitch = bytes + gap;
        let buffer = rail.allocate_pinned(9 * pitch).expect("a GPU");
        let mut parts = buffer.expect("room").split(pitch);
        for (part, unit) in parts.iter_mut().zip(stripe.data()) {
            part[..bytes].copy_from_slice(unit);
        }
        let region =
            |part: &mut PinnedBuffer| Region::new(part.as_mut_ptr(), MemoryKind::HostPinned);
        let units: Vec<Region> = parts.iter_mut().map(region).collect();
        let (data, parity) = units.split_at(6);
        let before = mock.get("copies");
        // SAFETY: the parts outlive the job, which ends with `run`.
        let piece = unsafe { Job::encode(&stripe.codec(), data, parity, buffers(&stripe)) };
        let done = feeder.run(piece.expect("in order"));
        assert_eq!(done, Ok(Verdict::Sound));
        let what = format!("{bytes} bytes, {gap} apart");
        assert_eq!(mock.get("copies") - before, copies, "{what}");
        for (part, expected) in parts.iter().zip(&stripe.units) {
            assert!(part[..bytes] == **expected, "{what}");
            assert!(part[bytes..].iter().all(|byte| *byte == 0), "{what}");
        }
    }
}

/// Seen on an H200 with hundreds of streams.
#[test]
fn units_that_follow_each_other_in_several_allocations_are_copied_one_by_one() {
    let mock = Mock::new();
    let (rail, program) = (with_large_slots(&mock), mock.program());
    let stripe = Stripe::random(Code::Rs, 6, 3, PAGE_BYTES);
    let mut storage = vec![0; 10 * PAGE_BYTES];
    let start = storage.as_ptr().align_offset(PAGE_BYTES);
    let mut pages: Vec<&mut [u8]> = storage[start..][..9 * PAGE_BYTES]
        .chunks_mut(PAGE_BYTES)
        .collect();
    for (page, unit) in pages.iter_mut().zip(stripe.data()) {
        page.copy_from_slice(unit);
    }
    pages.iter_mut().for_each(|page| program.register(page));
    let region = |page: &mut &mut [u8]| Region::new(page.as_mut_ptr(), MemoryKind::HostPinned);
    let units: Vec<Region> = pages.iter_mut().map(region).collect();
    let (data, parity) = units.split_at(6);
    // SAFETY: the pages outlive the job, which ends with `run`.
    let piece = unsafe { Job::encode(&stripe.codec(), data, parity, buffers(&stripe)) };
    let done = Feeder::new(&rail, 1).run(piece.expect("in order"));
    assert_eq!(done, Ok(Verdict::Sound));
    pages.iter_mut().for_each(|page| program.unregister(page));
    assert!(
        pages
            .iter()
            .zip(&stripe.units)
            .all(|(page, unit)| **page == **unit)
    );
}

#[test]
fn memory_that_the_driver_does_not_lock_is_refused_with_its_size() {
    let mock = Mock::new();
    let rail = mock.rail();
    mock.set("registered_bytes_max", 10_000);
    let refused = rail.allocate_pinned(10_001).expect("a GPU locks memory");
    let fault = refused.expect_err("too much");
    let text = "cannot lock 10001 bytes of memory: out of memory (CUDA error 2)";
    assert_eq!(
        (fault.kind(), fault.to_string().as_str()),
        (FaultKind::Refused, text)
    );
    let refused = rail.allocate_pinned(usize::MAX).expect("as above");
    assert_eq!(refused.expect_err("too much").kind(), FaultKind::Refused);
    mock.expect_empty();
    drop(
        rail.allocate_pinned(10_000)
            .expect("as above")
            .expect("room"),
    );
    mock.expect_empty();
}

#[test]
fn a_lost_device_allocates_nothing() {
    let mock = Mock::new();
    let rail = mock.rail();
    mock.set("lost", 1);
    let refused = rail.allocate_pinned(CELL).expect("a GPU locks memory");
    assert_eq!(refused.expect_err("lost").kind(), FaultKind::Gone);
    mock.set("lost", 0);
    let buffer = allocate(&rail, CELL);
    // It is lost again while the memory is released, and its registration must not outlive it.
    mock.set("lost", 1);
    drop(buffer);
    assert_eq!(mock.get("registered_bytes"), 9 * CELL as i64);
}

#[test]
fn memory_is_released_while_the_device_hangs_on_other_work() {
    let mock = Mock::new();
    let rail = mock.rail();
    let mut lane = rail.open_lane().expect("a lane");
    let (buffer, other) = (allocate(&rail, CELL), allocate(&rail, 2 * CELL));
    let start = buffer.as_ptr();
    mock.set("hang", 1);
    let (encoding, handle) = Encoding::submit(&mut *lane, 1);
    mock.wait_for("kernels_running", 1);
    // The driver would wait for the kernel.
    drop((buffer, other));
    assert_eq!(mock.get("registered_bytes"), 27 * CELL as i64);
    assert_eq!(pinned::is_locked(start), None);
    // Memory of the same size is used again.
    let again = allocate(&rail, CELL);
    assert_eq!((again.as_ptr(), again.is_locked()), (start, true));
    assert!(again.iter().all(|byte| *byte == 0));
    assert_eq!(mock.get("registered_bytes"), 27 * CELL as i64);
    mock.set("hang", 0);
    assert!(reap(&mut *lane).outcome.is_ok());
    drop(handle);
    encoding.expect_right();
    drop(again);
    assert_eq!(mock.get("registered_bytes"), 0, "what was left, too");
    drop((lane, rail));
    mock.expect_empty();
}

#[test]
fn memory_is_ordinary_after_its_context_has_ended() {
    let mock = Mock::new();
    let rail = mock.short_limit_rail();
    let mut lane = rail.open_lane().expect("a lane");
    let (encoding, piece) = PinnedEncoding::new(allocate(&rail, CELL));
    mock.set("hang", 1);
    lane.submit(3, piece);
    mock.wait_for("kernels_running", 1);
    let piece = expect_ended(reap(&mut *lane));
    assert_eq!((mock.get("resets"), mock.get("registered_bytes")), (1, 0));
    mock.set("hang", 0);
    mock.wait_for("kernels_running", 0);
    let redone = Feeder::new(&stripeline_rail::Cpu::rail(), 1).run(piece);
    assert_eq!(redone, Ok(Verdict::Sound));
    let units = encoding.expect_right();
    assert!(units.inputs.iter().all(|unit| !unit.is_locked()));
    drop(lane);
    // The device copies from its own pinned memory instead, so that the piece can be revoked; the
    // mock counts copies of memory that is not pinned.
    wait_for_lane(&rail);
    let mut lane = rail.open_lane().expect("another context");
    let first = units.inputs[0].as_ptr();
    assert_eq!(pinned::is_locked(first), Some(false));
    let codec = Stripe::random(Code::Rs, 6, 3, CELL).codec();
    let (piece, pending) = owned::encode(&codec, units).expect("in order");
    lane.submit(4, piece);
    assert!(reap(&mut *lane).outcome.is_ok());
    drop(pending.wait(LIMIT).expect("the job is gone"));
    assert_eq!(pinned::is_locked(first), None);
    // New memory is locked again; a rail that is patient on a slow machine uses it in place.
    let buffer = allocate(&rail, CELL);
    assert!(buffer.is_locked());
    drop(encode(&mock.rail(), buffer));
    drop((lane, rail));
    mock.expect_empty();
}

#[test]
fn a_piece_declared_pinned_is_staged_after_its_context_has_ended() {
    let mock = Mock::new();
    let rail = mock.rail();
    let (encoding, piece) = PinnedEncoding::new(allocate(&rail, CELL));
    let mut lane = rail.open_lane().expect("a lane");
    // The piece was made before this fault, so it says that its units are pinned.
    mock.set("launches_failed", 1);
    let (failing, handle) = Encoding::submit(&mut *lane, 1);
    let fault = reap(&mut *lane);
    assert!(fault.outcome.is_err());
    failing.redo(fault.piece.map_or_else(
        || handle.revoke().expect("attached again"),
        |mut piece| {
            piece.make_irrevocable();
            piece
        },
    ));
    drop(handle);
    lane.submit(2, piece);
    assert!(reap(&mut *lane).outcome.is_ok(), "in another context");
    drop(encoding.expect_right());
    drop((lane, rail));
    mock.expect_empty();
}

#[test]
fn a_context_that_only_memory_keeps_open_is_ended_after_a_fault() {
    let mock = Mock::new();
    let rail = mock.rail();
    let memory = allocate(&rail, CELL);
    // A device that is lost while it works leaves the memory's context broken, and a launch fails
    // in the next one.
    for faults in [["hang", "lost"], ["launches_failed", "launches_failed"]] {
        let mut lane = rail.open_lane().expect("a lane");
        let (failing, piece) = Encoding::new(5_000);
        mock.set(faults[0], 1);
        lane.submit(1, piece);
        if faults[0] == "hang" {
            expect_nothing(&mut *lane);
            mock.wait_for("kernels_running", 1);
        }
        mock.set(faults[1], 1);
        let failed = reap(&mut *lane);
        faults.iter().for_each(|fault| mock.set(fault, 0));
        mock.wait_for("kernels_running", 0);
        failing.redo_failed(failed);
    }
    assert!(!memory.is_locked() && mock.get("contexts") > 0);
    drop(encode(&rail, allocate(&rail, CELL)));
    assert_eq!(mock.get("resets"), 1);
    drop((memory, rail));
    mock.expect_empty();
}

#[test]
fn memory_is_kept_while_its_context_does_not_end() {
    let mock = Mock::new();
    let rail = mock.short_limit_rail();
    let mut lane = rail.open_lane().expect("a lane");
    let (_encoding, piece) = PinnedEncoding::new(allocate(&rail, CELL));
    let idle = allocate(&rail, CELL);
    mock.set("hang", 1);
    mock.set("hang_reset", 1);
    lane.submit(3, piece);
    mock.wait_for("kernels_running", 1);
    assert!(lane.reap(std::time::Duration::from_millis(100)).is_none());
    drop(idle);
    assert_eq!(mock.get("registered_bytes"), 18 * CELL as i64);
    let refused = rail.allocate_pinned(CELL).expect("a GPU locks memory");
    assert_eq!(refused.expect_err("it hangs").kind(), FaultKind::Gone);
    drop(lane);
    mock.set("hang_reset", 0);
    mock.set("hang", 0);
    wait_for_lane(&rail);
    drop(encode(&mock.rail(), allocate(&rail, CELL)));
}
