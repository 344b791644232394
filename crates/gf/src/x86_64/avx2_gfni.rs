// SPDX-License-Identifier: Apache-2.0
//! AVX2 with GFNI: 32 bytes per register, affine products.

use super::avx2::Ymm;
use crate::affine::{self, PREFETCH_WRITE_BYTES, Span};
use crate::coefficients::Prepared;
use crate::pass::Pass;
use crate::rows;
use crate::vector::AffineVector;
use std::arch::x86_64::*;

// SAFETY: each method executes the instruction that it is named after.
unsafe impl AffineVector for Ymm {
    #[inline(always)]
    unsafe fn broadcast(matrix: u64) -> Self {
        // SAFETY: the instruction works on registers only.
        unsafe { Self(_mm256_set1_epi64x(matrix.cast_signed())) }
    }
    #[inline(always)]
    unsafe fn affine(self, matrix: Self) -> Self {
        // SAFETY: the instruction works on registers only.
        unsafe { Self(_mm256_gf2p8affine_epi64_epi8::<0>(self.0, matrix.0)) }
    }
    #[inline(always)]
    unsafe fn prefetch_write_double(output: *mut u8, at: usize) {
        super::prefetch_write::<PREFETCH_WRITE_BYTES>(output, at);
    }
    #[inline(always)]
    unsafe fn block<const G: usize, const M: usize, const ADD: bool, const STREAM: bool>(
        matrices: &[u64],
        sources: &[&[u8]],
        offset: usize,
        span: &Span<M>,
    ) {
        // SAFETY: the caller upholds the same contract.
        unsafe { block::<G, M, ADD, STREAM>(matrices, sources, offset, span) }
    }
}

/// See [`affine::block`].
#[target_feature(enable = "avx2,gfni")]
unsafe fn block<const G: usize, const M: usize, const ADD: bool, const STREAM: bool>(
    matrices: &[u64],
    sources: &[&[u8]],
    offset: usize,
    span: &Span<M>,
) {
    // SAFETY: the caller upholds the same contract.
    unsafe { affine::block::<Ymm, G, M, ADD, STREAM>(matrices, sources, offset, span) }
}

/// See [`affine::dot`].
///
/// # Safety
/// The machine has AVX2 and GFNI; otherwise as [`affine::dot`].
#[target_feature(enable = "avx2,gfni")]
pub(crate) unsafe fn dot(prepared: &Prepared, pass: &mut Pass<'_, '_, '_>) {
    // SAFETY: the caller upholds the same contract.
    unsafe { affine::dot::<Ymm>(&prepared.matrices, pass) }
}

/// See [`rows::affine`].
///
/// # Safety
/// The machine has AVX2 and GFNI.
#[target_feature(enable = "avx2,gfni")]
pub(crate) unsafe fn add_rows(coefficients: &[u8], sources: &[rows::Sum], sums: &mut [rows::Sum]) {
    // SAFETY: the caller upholds the same contract.
    unsafe { rows::affine::<Ymm, 2>(coefficients, sources, sums) }
}
