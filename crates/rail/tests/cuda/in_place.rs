// SPDX-License-Identifier: Apache-2.0
//! Pieces whose memory the device accesses itself.

use std::sync::Arc;

use stripeline_codec::{Code, Codec};
use stripeline_rail::{Job, Piece, Region};
use stripeline_testkit::{BLANK, Stripe};

use crate::mock::Mock;
use crate::placement::{Memory, Unit, buffers, regions};
use crate::program::Program;

/// An encoding of units in pinned or device memory, and what owns them.
pub struct InPlace<'a> {
    pub stripe: Stripe,
    data: Vec<Unit<'a>>,
    parity: Vec<Unit<'a>>,
    /// Held by its jobs, too.
    job: Arc<()>,
}

impl<'a> InPlace<'a> {
    /// Places a stripe in pinned memory.
    pub fn new(program: &'a Program) -> Self {
        let stripe = Stripe::random(Code::Rs, 6, 3, 3_000);
        Self::of(program, Memory::Pinned, 0, stripe)
    }

    /// Places a stripe in device memory.
    pub fn on_device(program: &'a Program, stripe: Stripe) -> Self {
        Self::of(program, Memory::Device, 0, stripe)
    }

    /// Places a stripe, at this offset from the start of a page.
    pub fn of(program: &'a Program, memory: Memory, offset: usize, stripe: Stripe) -> Self {
        let unit = |bytes: &Vec<u8>| Unit::new(program, memory, bytes, offset);
        let units = stripe.to_encode();
        Self {
            data: units.inputs.iter().map(unit).collect(),
            parity: units.outputs.iter().map(unit).collect(),
            stripe,
            job: Arc::default(),
        }
    }

    /// Returns the piece of a new job.
    pub fn piece(&mut self) -> Piece {
        let codec = self.stripe.codec();
        self.piece_with(&codec)
    }

    /// As [`InPlace::piece`], with a codec that other pieces have too.
    pub fn piece_with(&mut self, codec: &Codec) -> Piece {
        let data: Vec<Region> = regions(&mut self.data);
        let parity = regions(&mut self.parity);
        let mut buffers = buffers(&self.stripe);
        buffers.keep = Some(Box::new(Arc::clone(&self.job)));
        // SAFETY: the units live as long as the test, and it waits for the job.
        unsafe { Job::encode(codec, &data, &parity, buffers) }.expect("in order")
    }

    /// Returns whether one of its jobs has not ended.
    pub fn is_kept(&self) -> bool {
        Arc::strong_count(&self.job) > 1
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
            bytes.all(|byte| byte == BLANK),
            "written by a piece that was not done"
        );
    }
}
