// SPDX-License-Identifier: Apache-2.0
//! Pieces whose memory the device accesses itself.

use std::sync::Arc;

use stripeline_codec::Code;
use stripeline_rail::{Job, Piece, Region};
use stripeline_testkit::Stripe;

use crate::mock::Mock;
use crate::placement::{Memory, Unit, buffers, codec, regions};
use crate::program::Program;

/// An encoding of units in pinned or device memory, and what owns them.
pub struct InPlace<'a> {
    stripe: Stripe,
    data: Vec<Unit<'a>>,
    parity: Vec<Unit<'a>>,
}

impl<'a> InPlace<'a> {
    pub fn new(program: &'a Program) -> Self {
        Self::of(program, Memory::Pinned)
    }

    pub fn of(program: &'a Program, memory: Memory) -> Self {
        let stripe = Stripe::random(Code::Rs, 6, 3, 3_000);
        let unit = |bytes: &Vec<u8>| Unit::new(program, memory, bytes, 0);
        Self {
            data: stripe.data().iter().map(unit).collect(),
            parity: (0..3).map(|_| unit(&vec![0x44; 3_000])).collect(),
            stripe,
        }
    }

    /// Returns the piece, whose job drops `keep` when it ends.
    pub fn piece(&mut self, keep: Arc<()>) -> Piece {
        let data: Vec<Region> = regions(&mut self.data);
        let parity = regions(&mut self.parity);
        let mut buffers = buffers(&self.stripe);
        buffers.keep = Some(Box::new(keep));
        // SAFETY: the units live as long as the test, and it waits for the job.
        let piece = unsafe { Job::encode(&codec(&self.stripe), &data, &parity, buffers) };
        piece.expect("in order")
    }

    /// Lets the device go on, and expects that it writes nothing any more.
    pub fn expect_blank_after_hang(units: &[Self], mock: &Mock) {
        mock.set("hang", 0);
        mock.wait_for("kernels_running", 0);
        units.iter().for_each(Self::expect_blank);
    }

    pub fn expect_right(&self) {
        let parity: Vec<_> = self.parity.iter().map(Unit::read).collect();
        assert!(parity == self.stripe.parity(), "wrong bytes");
    }

    pub fn expect_blank(&self) {
        let mut bytes = self.parity.iter().flat_map(Unit::read);
        assert!(
            bytes.all(|byte| byte == 0x44),
            "written after it was given back"
        );
    }
}
