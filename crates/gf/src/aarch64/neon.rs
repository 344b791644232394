// SPDX-License-Identifier: Apache-2.0
//! NEON: 16 bytes per register, products from nibble tables, or XOR only in builds without them.

use crate::coefficients::Prepared;
use crate::pass::Pass;
use crate::rows;
#[cfg(not(feature = "no-shuffle-tables"))]
use crate::vector::ShuffleVector;
use crate::vector::{Vector, load_through_stack, store_through_stack};
use crate::xor;
use std::arch::aarch64::*;

#[derive(Clone, Copy)]
struct Neon(uint8x16_t);

// SAFETY: each method executes the instruction that it is named after.
unsafe impl Vector for Neon {
    const BYTES: usize = 16;

    #[inline(always)]
    unsafe fn zero() -> Self {
        // SAFETY: the caller guarantees the instruction set, here and below.
        unsafe { Self(vdupq_n_u8(0)) }
    }
    #[inline(always)]
    unsafe fn load(from: *const u8) -> Self {
        // SAFETY: the caller guarantees a valid pointer.
        unsafe { Self(vld1q_u8(from)) }
    }
    #[inline(always)]
    unsafe fn load_partial(from: *const u8, bytes: usize) -> Self {
        // SAFETY: the caller upholds the same contract.
        unsafe { load_through_stack(from, bytes) }
    }
    #[inline(always)]
    unsafe fn store(self, to: *mut u8) {
        // SAFETY: the caller guarantees a valid pointer.
        unsafe { vst1q_u8(to, self.0) }
    }
    #[inline(always)]
    unsafe fn store_partial(self, to: *mut u8, bytes: usize) {
        // SAFETY: the caller upholds the same contract.
        unsafe { store_through_stack(self, to, bytes) }
    }
    /// An ordinary store: NEON has no streaming store that Rust exposes.
    #[inline(always)]
    unsafe fn stream(self, to: *mut u8) {
        // SAFETY: the caller upholds the same contract.
        unsafe { self.store(to) }
    }
    #[inline(always)]
    unsafe fn fence() {}
    /// Does nothing: the prefetch intrinsic is not stable, and AArch64 cores prefetch these streams
    /// themselves.
    #[inline(always)]
    unsafe fn prefetch(_at: *const u8) {}
    #[inline(always)]
    unsafe fn xor(self, other: Self) -> Self {
        // SAFETY: the instruction works on registers only.
        unsafe { Self(veorq_u8(self.0, other.0)) }
    }
}

// SAFETY: each method executes the instruction that it is named after.
#[cfg(not(feature = "no-shuffle-tables"))]
unsafe impl ShuffleVector for Neon {
    #[inline(always)]
    unsafe fn table(from: *const u8) -> Self {
        // SAFETY: the caller guarantees 16 bytes.
        unsafe { Self::load(from) }
    }
    #[inline(always)]
    unsafe fn low_nibbles(self) -> Self {
        // SAFETY: the instruction works on registers only.
        unsafe { Self(vandq_u8(self.0, vdupq_n_u8(0x0f))) }
    }
    #[inline(always)]
    unsafe fn high_nibbles(self) -> Self {
        // SAFETY: the instruction works on registers only.
        unsafe { Self(vshrq_n_u8::<4>(self.0)) }
    }
    #[inline(always)]
    unsafe fn lookup(self, indices: Self) -> Self {
        // SAFETY: the instruction works on registers only.
        unsafe { Self(vqtbl1q_u8(self.0, indices.0)) }
    }
}

/// See [`crate::shuffle::dot`].
///
/// # Safety
/// The machine has NEON; otherwise as [`crate::shuffle::dot`].
#[cfg(not(feature = "no-shuffle-tables"))]
#[target_feature(enable = "neon")]
pub(crate) unsafe fn dot(prepared: &Prepared, pass: &mut Pass<'_, '_, '_>) {
    // SAFETY: the caller upholds the same contract.
    unsafe { crate::shuffle::dot::<Neon>(&prepared.tables, pass) }
}

/// See [`crate::portable::dot`].
///
/// # Safety
/// The machine has NEON.
#[cfg(feature = "no-shuffle-tables")]
#[target_feature(enable = "neon")]
pub(crate) unsafe fn dot(prepared: &Prepared, pass: &mut Pass<'_, '_, '_>) {
    crate::portable::dot(prepared, pass);
}

/// See [`xor::sum`].
///
/// # Safety
/// The machine has NEON; otherwise as [`xor::sum`].
#[target_feature(enable = "neon")]
pub(crate) unsafe fn sum(inputs: &[&[u8]], output: &mut [u8], stream: bool) {
    // SAFETY: the caller upholds the same contract.
    unsafe { xor::sum::<Neon>(inputs, output, stream) }
}

/// See [`rows::shuffle`].
///
/// # Safety
/// The machine has NEON.
#[cfg(not(feature = "no-shuffle-tables"))]
#[target_feature(enable = "neon")]
pub(crate) unsafe fn add_rows(coefficients: &[u8], sources: &[rows::Sum], sums: &mut [rows::Sum]) {
    // SAFETY: the caller upholds the same contract.
    unsafe { rows::shuffle::<Neon, 4>(coefficients, sources, sums) }
}

/// See [`crate::portable::add_rows`].
///
/// # Safety
/// The machine has NEON.
#[cfg(feature = "no-shuffle-tables")]
#[target_feature(enable = "neon")]
pub(crate) unsafe fn add_rows(coefficients: &[u8], sources: &[rows::Sum], sums: &mut [rows::Sum]) {
    crate::portable::add_rows(coefficients, sources, sums);
}
