// SPDX-License-Identifier: Apache-2.0
//! Verification: recomputes parity block by block and compares.

use std::cell::Cell;

use arrayvec::ArrayVec;
use stripeline_gf::{Coefficients, Kernels, StorePolicy};

use crate::error::{Call, Error};
use crate::{Codec, UNITS_MAX};

/// The result of [`Codec::verify`].
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[must_use]
pub enum Verdict {
    /// All parity bytes match the data.
    Sound,
    /// At least one parity byte differs. One stripe alone does not show which unit is wrong; it may
    /// be any data unit.
    Mismatch {
        /// The lowest parity unit (0..m) that differs at `offset`.
        parity_unit: usize,
        /// The first byte at which any parity unit differs.
        offset: usize,
    },
}

/// The bytes of recomputed parity: large enough that a block amortises the kernel's call, small
/// enough to stay in the first-level cache together with the units.
const SCRATCH_BYTES: usize = 16 << 10;

thread_local! {
    /// The buffer for recomputed parity, kept from call to call. It is not on the stack: a JVM
    /// thread may have no more than 80 KiB of stack left, which the frames above and below this one
    /// share.
    static SCRATCH: Cell<Vec<u8>> = const { Cell::new(Vec::new()) };
}

/// Block lengths are multiples of this, so that vector kernels run without tails.
const BLOCK_ALIGNMENT: usize = 64;

impl Codec {
    /// Returns whether the parity units match the data units.
    ///
    /// Processes the stripe in blocks and stops at the first block with a difference. Each thread
    /// keeps a buffer of 16 KiB for this.
    ///
    /// # Errors
    /// As [`Codec::encode`].
    pub fn verify(&self, data: &[&[u8]], parity: &[&[u8]]) -> Result<Verdict, Error> {
        self.check_stripe(Call::Verify, data, parity)?;
        Ok(Verdict::of(self.kernels, &self.parity, data, parity))
    }
}

impl Verdict {
    /// Returns whether the outputs of a product equal the bytes given, as [`Codec::verify`] does.
    ///
    /// # Panics
    /// Unless there are one input per column and one given output per row, at most 255 rows, all of
    /// one length.
    pub fn of(
        kernels: &Kernels,
        coefficients: &Coefficients,
        inputs: &[&[u8]],
        given: &[&[u8]],
    ) -> Self {
        let rows = coefficients.rows();
        assert!(rows == given.len() && rows <= 255, "a given output per row");
        let length = given[0].len();
        // At least 64 bytes, since m <= 255 and 16384 / 255 = 64.
        let block = SCRATCH_BYTES / rows / BLOCK_ALIGNMENT * BLOCK_ALIGNMENT;
        let product = Product {
            kernels,
            coefficients,
            inputs,
            given,
        };
        let mut scratch = SCRATCH.try_with(Cell::take).unwrap_or_default();
        scratch.resize(SCRATCH_BYTES, 0);
        let starts = (0..length).step_by(block);
        let first = starts
            .map(|start| start..length.min(start + block))
            .find_map(|range| product.find_mismatch(range, &mut scratch));
        // A thread that is exiting has destroyed the thread-local; the buffer is then dropped.
        let _ = SCRATCH.try_with(|kept| kept.set(scratch));
        match first {
            None => Self::Sound,
            Some((offset, parity_unit)) => Self::Mismatch {
                parity_unit,
                offset,
            },
        }
    }
}

/// A product and its expected outputs.
struct Product<'a> {
    kernels: &'a Kernels,
    coefficients: &'a Coefficients,
    inputs: &'a [&'a [u8]],
    given: &'a [&'a [u8]],
}

impl Product<'_> {
    /// Returns the first differing (offset, output) in a range, ordered by offset and then by
    /// output.
    fn find_mismatch(
        &self,
        range: std::ops::Range<usize>,
        scratch: &mut [u8],
    ) -> Option<(usize, usize)> {
        let (data, parity) = (self.inputs, self.given);
        // Filled in place: each list takes 4 KiB, which `collect` would copy.
        let mut inputs = ArrayVec::<&[u8], UNITS_MAX>::new();
        inputs.extend(data.iter().map(|unit| &unit[range.clone()]));
        let mut expected = ArrayVec::<&mut [u8], UNITS_MAX>::new();
        let blocks = scratch.chunks_exact_mut(range.len());
        expected.extend(blocks.take(parity.len()));
        self.kernels.dot(
            self.coefficients,
            &inputs,
            &mut expected,
            StorePolicy::Temporal,
        );
        let mut first = None;
        for (unit, (expected, parity)) in expected.iter().zip(parity).enumerate() {
            let given = &parity[range.clone()];
            if **expected != *given {
                let differing = expected
                    .iter()
                    .zip(given)
                    .position(|(left, right)| left != right);
                let found = differing.map(|position| (range.start + position, unit));
                first = match (first, found) {
                    (Some(earlier), Some(found)) => Some(std::cmp::min(earlier, found)),
                    (earlier, found) => earlier.or(found),
                };
            }
        }
        first
    }
}
