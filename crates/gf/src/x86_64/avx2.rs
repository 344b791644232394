// SPDX-License-Identifier: Apache-2.0
//! AVX2: 32 bytes per register, products from nibble tables, or XOR only in builds without them.

use crate::coefficients::Prepared;
use crate::pass::Pass;
use crate::rows;
#[cfg(not(feature = "no-shuffle-tables"))]
use crate::vector::ShuffleVector;
use crate::vector::{Vector, load_through_stack, store_through_stack};
use crate::xor;
use std::arch::x86_64::*;

#[derive(Clone, Copy)]
pub(super) struct Ymm(pub(super) __m256i);

// SAFETY: each method executes the instruction that it is named after.
unsafe impl Vector for Ymm {
    const BYTES: usize = 32;

    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: the caller guarantees the instruction set, here and below.
        unsafe { Self(_mm256_setzero_si256()) }
    }
    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: the caller guarantees a valid pointer.
        unsafe { Self(_mm256_loadu_si256(from.cast())) }
    }
    #[inline(always)]
    unsafe fn load_partial(from: *const u8, bytes: usize) -> Self {
        // SAFETY: the caller upholds the same contract.
        unsafe { load_through_stack(from, bytes) }
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: the caller guarantees a valid pointer.
        unsafe { _mm256_storeu_si256(to.cast(), self.0) }
    }
    #[inline(always)]
    unsafe fn store_partial(self, to: *mut u8, bytes: usize) {
        // SAFETY: the caller upholds the same contract.
        unsafe { store_through_stack(self, to, bytes) }
    }
    #[inline(always)]
    unsafe fn stream(self, to: *mut u8) {
        // SAFETY: the caller guarantees a valid, aligned pointer.
        unsafe { _mm256_stream_si256(to.cast(), self.0) }
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
        unsafe { Self(_mm256_xor_si256(self.0, other.0)) }
    }
}

// SAFETY: each method executes the instruction that it is named after.
#[cfg(not(feature = "no-shuffle-tables"))]
unsafe impl ShuffleVector for Ymm {
    #[inline(always)]
    unsafe fn table(from: *const u8) -> Self {
        // SAFETY: the caller guarantees 16 bytes.
        unsafe { Self(_mm256_broadcastsi128_si256(_mm_loadu_si128(from.cast()))) }
    }
    #[inline(always)]
    unsafe fn low_nibbles(self) -> Self {
        // SAFETY: the instruction works on registers only.
        unsafe { Self(_mm256_and_si256(self.0, _mm256_set1_epi8(0x0f))) }
    }
    #[inline(always)]
    unsafe fn high_nibbles(self) -> Self {
        // SAFETY: the instruction works on registers only.
        unsafe {
            Self(_mm256_and_si256(
                _mm256_srli_epi64::<4>(self.0),
                _mm256_set1_epi8(0x0f),
            ))
        }
    }
    #[inline(always)]
    unsafe fn lookup(self, indices: Self) -> Self {
        // SAFETY: the instruction works on registers only.
        unsafe { Self(_mm256_shuffle_epi8(self.0, indices.0)) }
    }
}

/// See [`crate::shuffle::dot`].
///
/// # Safety
/// The machine has AVX2; otherwise as [`crate::shuffle::dot`].
#[cfg(not(feature = "no-shuffle-tables"))]
#[target_feature(enable = "avx2")]
pub(crate) unsafe fn dot(prepared: &Prepared, pass: &mut Pass<'_, '_, '_>) {
    // SAFETY: the caller upholds the same contract.
    unsafe { crate::shuffle::dot::<Ymm>(&prepared.tables, pass) }
}

/// See [`crate::portable::dot`]: the same code, compiled for wider registers.
///
/// # Safety
/// The machine has AVX2.
#[cfg(feature = "no-shuffle-tables")]
#[target_feature(enable = "avx2")]
pub(crate) unsafe fn dot(prepared: &Prepared, pass: &mut Pass<'_, '_, '_>) {
    crate::portable::dot(prepared, pass);
}

/// See [`xor::sum`].
///
/// # Safety
/// The machine has AVX2; otherwise as [`xor::sum`].
#[target_feature(enable = "avx2")]
pub(crate) unsafe fn sum(inputs: &[&[u8]], output: &mut [u8], stream: bool) {
    // SAFETY: the caller upholds the same contract.
    unsafe { xor::sum::<Ymm>(inputs, output, stream) }
}

/// See [`rows::shuffle`].
///
/// # Safety
/// The machine has AVX2.
#[cfg(not(feature = "no-shuffle-tables"))]
#[target_feature(enable = "avx2")]
pub(crate) unsafe fn add_rows(coefficients: &[u8], sources: &[rows::Sum], sums: &mut [rows::Sum]) {
    // SAFETY: the caller upholds the same contract.
    unsafe { rows::shuffle::<Ymm, 2>(coefficients, sources, sums) }
}

/// See [`crate::portable::add_rows`]: the same code, compiled for wider registers.
///
/// # Safety
/// The machine has AVX2.
#[cfg(feature = "no-shuffle-tables")]
#[target_feature(enable = "avx2")]
pub(crate) unsafe fn add_rows(coefficients: &[u8], sources: &[rows::Sum], sums: &mut [rows::Sum]) {
    crate::portable::add_rows(coefficients, sources, sums);
}
