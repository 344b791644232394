// SPDX-License-Identifier: Apache-2.0
//! x86-64: one file per instruction set, each with the same functions in the same order.

pub(crate) mod avx2;
pub(crate) mod avx2_gfni;
pub(crate) mod avx512;
pub(crate) mod crc32c;
#[cfg(not(feature = "no-shuffle-tables"))]
pub(crate) mod ssse3;

/// Prefetches the cache line at `output + at + AHEAD` for writing.
///
/// Written in assembly because the intrinsic becomes a read prefetch unless the whole function is
/// compiled for PRFCHW; processors without PRFCHW execute the instruction as a no-op.
#[inline(always)]
fn prefetch_write<const AHEAD: usize>(output: *mut u8, at: usize) {
    // SAFETY: a prefetch reads and writes no memory and faults on no address.
    unsafe {
        std::arch::asm!(
            "prefetchw [{output} + {at} + {ahead}]",
            output = in(reg) output,
            at = in(reg) at,
            ahead = const AHEAD,
            options(nostack, preserves_flags, readonly)
        );
    }
}
