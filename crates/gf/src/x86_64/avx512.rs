// SPDX-License-Identifier: Apache-2.0
//! AVX-512 (F, BW, VL) with GFNI: 64 bytes per register, 32 registers, masked tails.

use crate::affine::{self, PREFETCH_WRITE_BYTES, Span};
use crate::coefficients::Prepared;
use crate::pass::Pass;
use crate::vector::{AffineVector, Vector};
use crate::{rows, xor};
use std::arch::x86_64::*;

#[derive(Clone, Copy)]
struct Zmm(__m512i);

/// Returns the mask of the first `bytes` of 64 lanes; `bytes` is 1..64.
#[inline(always)]
fn mask(bytes: usize) -> u64 {
    u64::MAX >> (64 - bytes)
}

// SAFETY: each method executes the instruction that it is named after.
unsafe impl Vector for Zmm {
    const BYTES: usize = 64;

    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: the caller guarantees the instruction set, here and below.
        unsafe { Self(_mm512_setzero_si512()) }
    }
    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: the caller guarantees a valid pointer.
        unsafe { Self(_mm512_loadu_si512(from.cast())) }
    }
    #[inline(always)]
    unsafe fn load_partial(from: *const u8, bytes: usize) -> Self {
        // SAFETY: masked lanes are not read.
        unsafe { Self(_mm512_maskz_loadu_epi8(mask(bytes), from.cast())) }
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: the caller guarantees a valid pointer.
        unsafe { _mm512_storeu_si512(to.cast(), self.0) }
    }
    #[inline(always)]
    unsafe fn store_partial(self, to: *mut u8, bytes: usize) {
        // SAFETY: masked lanes are not written.
        unsafe { _mm512_mask_storeu_epi8(to.cast(), mask(bytes), self.0) }
    }
    #[inline(always)]
    unsafe fn stream(self, to: *mut u8) {
        // SAFETY: the caller guarantees a valid, aligned pointer.
        unsafe { _mm512_stream_si512(to.cast(), self.0) }
    }
    #[inline(always)]
    unsafe fn fence() {
        // SAFETY: every x86-64 has the instruction.
        unsafe { _mm_sfence() }
    }
    #[inline(always)]
    unsafe fn prefetch(at: *const u8) {
        // SAFETY: a prefetch of an unmapped address does nothing.
        unsafe { _mm_prefetch::<_MM_HINT_T0>(at.cast()) }
    }
    #[inline(always)]
    unsafe fn xor(self, other: Self) -> Self {
        // SAFETY: the instruction works on registers only.
        unsafe { Self(_mm512_xor_si512(self.0, other.0)) }
    }
    #[inline(always)]
    unsafe fn xor3(self, second: Self, third: Self) -> Self {
        // 0x96 is the truth table of a three-way XOR.
        // SAFETY: the instruction works on registers only.
        unsafe { Self(_mm512_ternarylogic_epi64::<0x96>(self.0, second.0, third.0)) }
    }
}

// SAFETY: each method executes the instruction that it is named after.
unsafe impl AffineVector for Zmm {
    #[inline(always)]
    unsafe fn broadcast(matrix: u64) -> Self {
        // SAFETY: the instruction works on registers only.
        unsafe { Self(_mm512_set1_epi64(matrix.cast_signed())) }
    }
    #[inline(always)]
    unsafe fn affine(self, matrix: Self) -> Self {
        // SAFETY: the instruction works on registers only.
        unsafe { Self(_mm512_gf2p8affine_epi64_epi8::<0>(self.0, matrix.0)) }
    }
    #[inline(always)]
    unsafe fn prefetch_write_double(output: *mut u8, at: usize) {
        super::prefetch_write::<PREFETCH_WRITE_BYTES>(output, at);
        super::prefetch_write::<{ PREFETCH_WRITE_BYTES + 64 }>(output, at);
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
#[target_feature(enable = "avx512f,avx512bw,avx512vl,gfni")]
unsafe fn block<const G: usize, const M: usize, const ADD: bool, const STREAM: bool>(
    matrices: &[u64],
    sources: &[&[u8]],
    offset: usize,
    span: &Span<M>,
) {
    // SAFETY: the caller upholds the same contract.
    unsafe { affine::block::<Zmm, G, M, ADD, STREAM>(matrices, sources, offset, span) }
}

/// See [`affine::dot`].
///
/// # Safety
/// The machine has AVX-512 F, BW, VL and GFNI; otherwise as [`affine::dot`].
#[target_feature(enable = "avx512f,avx512bw,avx512vl,gfni")]
pub(crate) unsafe fn dot(prepared: &Prepared, pass: &mut Pass<'_, '_, '_>) {
    // SAFETY: the caller upholds the same contract.
    unsafe { affine::dot::<Zmm>(&prepared.matrices, pass) }
}

/// See [`xor::sum`].
///
/// # Safety
/// The machine has AVX-512 F, BW and VL; otherwise as [`xor::sum`].
#[target_feature(enable = "avx512f,avx512bw,avx512vl")]
pub(crate) unsafe fn sum(inputs: &[&[u8]], output: &mut [u8], stream: bool) {
    // SAFETY: the caller upholds the same contract.
    unsafe { xor::sum::<Zmm>(inputs, output, stream) }
}

/// See [`rows::affine`].
///
/// # Safety
/// The machine has AVX-512 F, BW, VL and GFNI.
#[target_feature(enable = "avx512f,avx512bw,avx512vl,gfni")]
pub(crate) unsafe fn add_rows(coefficients: &[u8], sources: &[rows::Sum], sums: &mut [rows::Sum]) {
    // SAFETY: the caller upholds the same contract.
    unsafe { rows::affine::<Zmm, 1>(coefficients, sources, sums) }
}
