// SPDX-License-Identifier: Apache-2.0
//! Pseudo-random numbers from a seed.

use stripeline_codec::hash::split_mix;

#[derive(Debug)]
pub(super) struct Random(u64);

impl Random {
    pub(super) fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// Returns a uniform number from 0 to less than `bound`, which must be much less than 2^64.
    pub(super) fn below(&mut self, bound: usize) -> usize {
        (split_mix(&mut self.0) % bound as u64) as usize
    }

    /// Returns a uniform number from 0 to less than 1.
    pub(super) fn unit(&mut self) -> f64 {
        (split_mix(&mut self.0) >> 11) as f64 / (1_u64 << 53) as f64
    }
}
