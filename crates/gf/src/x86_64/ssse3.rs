// SPDX-License-Identifier: Apache-2.0
//! SSSE3: 16 bytes per register, products from nibble tables.

use crate::coefficients::Prepared;
use crate::pass::Pass;
use crate::vector::{ShuffleVector, Vector, load_through_stack, store_through_stack};
use crate::{rows, shuffle, xor};
use std::arch::x86_64::*;

#[derive(Clone, Copy)]
struct Xmm(__m128i);

// SAFETY: each method executes the instruction that it is named after.
unsafe impl Vector for Xmm {
    const BYTES: usize = 16;

    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: the caller guarantees the instruction set, here and below.
        unsafe { Self(_mm_setzero_si128()) }
    }
    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: the caller guarantees a valid pointer.
        unsafe { Self(_mm_loadu_si128(from.cast())) }
    }
    #[inline(always)]
    unsafe fn load_partial(from: *const u8, bytes: usize) -> Self {
        // SAFETY: the caller upholds the same contract.
        unsafe { load_through_stack(from, bytes) }
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: the caller guarantees a valid pointer.
        unsafe { _mm_storeu_si128(to.cast(), self.0) }
    }
    #[inline(always)]
    unsafe fn store_partial(self, to: *mut u8, bytes: usize) {
        // SAFETY: the caller upholds the same contract.
        unsafe { store_through_stack(self, to, bytes) }
    }
    #[inline(always)]
    unsafe fn stream(self, to: *mut u8) {
        // SAFETY: the caller guarantees a valid, aligned pointer.
        unsafe { _mm_stream_si128(to.cast(), self.0) }
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
        unsafe { Self(_mm_xor_si128(self.0, other.0)) }
    }
}

// SAFETY: each method executes the instruction that it is named after.
unsafe impl ShuffleVector for Xmm {
    #[inline(always)]
    unsafe fn table(from: *const u8) -> Self {
        // SAFETY: the caller guarantees 16 bytes.
        unsafe { Self::load(from) }
    }
    #[inline(always)]
    unsafe fn low_nibbles(self) -> Self {
        // SAFETY: the instruction works on registers only.
        unsafe { Self(_mm_and_si128(self.0, _mm_set1_epi8(0x0f))) }
    }
    #[inline(always)]
    unsafe fn high_nibbles(self) -> Self {
        // SAFETY: the instruction works on registers only.
        unsafe {
            Self(_mm_and_si128(
                _mm_srli_epi64::<4>(self.0),
                _mm_set1_epi8(0x0f),
            ))
        }
    }
    #[inline(always)]
    unsafe fn lookup(self, indices: Self) -> Self {
        // SAFETY: the instruction works on registers only.
        unsafe { Self(_mm_shuffle_epi8(self.0, indices.0)) }
    }
}

/// See [`shuffle::dot`].
///
/// # Safety
/// The machine has SSSE3; otherwise as [`shuffle::dot`].
#[target_feature(enable = "ssse3")]
pub(crate) unsafe fn dot(prepared: &Prepared, pass: &mut Pass<'_, '_, '_>) {
    // SAFETY: the caller upholds the same contract.
    unsafe { shuffle::dot::<Xmm>(&prepared.tables, pass) }
}

/// See [`xor::sum`].
///
/// # Safety
/// The machine has SSSE3; otherwise as [`xor::sum`].
#[target_feature(enable = "ssse3")]
pub(crate) unsafe fn sum(inputs: &[&[u8]], output: &mut [u8], stream: bool) {
    // SAFETY: the caller upholds the same contract.
    unsafe { xor::sum::<Xmm>(inputs, output, stream) }
}

/// See [`rows::shuffle`].
///
/// # Safety
/// The machine has SSSE3.
#[target_feature(enable = "ssse3")]
pub(crate) unsafe fn add_rows(coefficients: &[u8], sources: &[rows::Sum], sums: &mut [rows::Sum]) {
    // SAFETY: the caller upholds the same contract.
    unsafe { rows::shuffle::<Xmm, 4>(coefficients, sources, sums) }
}
