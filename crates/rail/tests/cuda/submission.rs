// SPDX-License-Identifier: Apache-2.0
//! Pieces submitted without an engine, for tests of the intermediate states.

use std::time::Duration;

use stripeline_codec::{Code, Verdict};
use stripeline_rail::owned::{self, Pending};
use stripeline_rail::{Cpu, Done, FaultKind, Lane, Piece, RevokeHandle};
use stripeline_testkit::{BLANK, Stripe, rail_suite::Feeder};

use crate::mock::{LIMIT, Mock};

/// A stripe whose parity is computed into buffers that are returned when the job is dropped.
pub struct Encoding {
    pub stripe: Stripe,
    pending: Pending,
}

impl Encoding {
    pub fn new(bytes: usize) -> (Self, Piece) {
        let stripe = Stripe::random(Code::Rs, 6, 3, bytes);
        let encoded = owned::encode(&stripe.codec(), stripe.to_encode());
        let (piece, pending) = encoded.expect("in order");
        (Self { stripe, pending }, piece)
    }

    /// Creates an encoding and submits it as a revocable piece.
    pub fn submit(lane: &mut dyn Lane, ticket: u64) -> (Self, RevokeHandle) {
        Self::submit_of(lane, ticket, 5_000)
    }

    /// As [`Encoding::submit`], with units of this many bytes.
    pub fn submit_of(lane: &mut dyn Lane, ticket: u64, bytes: usize) -> (Self, RevokeHandle) {
        let (encoding, piece) = Self::new(bytes);
        let (piece, handle) = piece.into_revocable();
        lane.submit(ticket, piece);
        (encoding, handle)
    }

    /// Returns the parity once the job has been dropped.
    pub fn parity(&self) -> Vec<Vec<u8>> {
        let units = self.pending.wait(LIMIT);
        units.expect("the job is gone").outputs
    }

    /// Expects that no byte was written.
    pub fn expect_blank(&self) {
        let mut bytes = self.parity().into_iter().flatten();
        assert!(bytes.all(|byte| byte == BLANK), "written by a failed piece");
    }

    /// Computes the piece on the CPU, as an engine would after a fault, and checks the bytes.
    pub fn redo(&self, piece: Piece) {
        let done = Feeder::new(&Cpu::rail(), 1).run(piece);
        assert_eq!(done, Ok(Verdict::Sound));
    }

    /// Expects that the piece failed for any reason, and redoes it.
    pub fn redo_failed(&self, done: Done) {
        assert!(done.outcome.is_err());
        let mut piece = done.piece.expect("given back");
        piece.make_irrevocable();
        self.redo(piece);
    }

    pub fn expect_right(&self) {
        assert!(self.parity() == self.stripe.parity(), "wrong bytes");
    }
}

/// Returns the next completed piece.
pub fn reap(lane: &mut dyn Lane) -> Done {
    lane.reap(LIMIT).expect("something comes back")
}

/// Expects a fault with this text, and returns the piece.
pub fn expect_fault(done: Done, kind: FaultKind, text: &str) -> Piece {
    let fault = done.outcome.expect_err("it failed");
    assert_eq!((fault.kind(), fault.to_string().as_str()), (kind, text));
    let mut piece = done.piece.expect("given back");
    piece.make_irrevocable();
    piece
}

/// Has a lane notice a lost device, beside a piece of another lane that hangs: it then continues in
/// another context.
pub fn lose_context(mock: &Mock, lane: &mut dyn Lane) {
    let (encoding, handle) = Encoding::submit(lane, 2);
    mock.wait_for("kernels_running", 2);
    mock.set("lost", 1);
    let done = reap(lane);
    mock.set("lost", 0);
    encoding.redo(expect_fault(
        done,
        FaultKind::Gone,
        "cannot enter the device's context: no CUDA-capable device is detected (CUDA error 100)",
    ));
    drop(handle);
    encoding.expect_right();
}

/// Expects that the context was ended under the piece, and returns it.
pub fn expect_ended(done: Done) -> Piece {
    let text = "the device did not finish in time and its context was ended";
    expect_fault(done, FaultKind::Gone, text)
}

/// Expects that no piece completes, and that a piece is in flight.
pub fn expect_nothing(lane: &mut dyn Lane) {
    assert!(lane.in_flight() > 0);
    assert!(
        lane.reap(Duration::ZERO).is_none(),
        "done without its device"
    );
}
