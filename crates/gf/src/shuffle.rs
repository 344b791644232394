// SPDX-License-Identifier: Apache-2.0
//! Products from two 16-entry tables per coefficient, one for each nibble (the method of
//! "Screaming Fast Galois Field Arithmetic Using Intel SIMD Instructions", FAST 2013).
//!
//! Builds with the feature `no-shuffle-tables` leave this module out.

use crate::pass::{PREFETCH_BYTES, Pass, load, store};
use crate::vector::ShuffleVector;

/// Runs `pass`; `tables` holds, input by input, one low and one high table per output.
///
/// # Safety
/// The machine has V's instruction set; `tables` has inputs x outputs entries; there are
/// 1..=`ROWS_MAX` outputs and at least one input, and every slice contains the range.
#[inline(always)]
pub(crate) unsafe fn dot<V: ShuffleVector>(tables: &[[u8; 32]], pass: &mut Pass<'_, '_, '_>) {
    debug_assert_eq!(tables.len(), pass.inputs.len() * pass.outputs.len());
    // Two registers per step share each table load if the sums fit the 16 registers of AVX2.
    // SAFETY: the caller upholds the same contract.
    unsafe {
        match pass.outputs.len() {
            1 => rows::<V, 1, 4>(tables, pass),
            2 => rows::<V, 2, 2>(tables, pass),
            3 => rows::<V, 3, 2>(tables, pass),
            4 => rows::<V, 4, 2>(tables, pass),
            5 => rows::<V, 5, 1>(tables, pass),
            6 => rows::<V, 6, 1>(tables, pass),
            7 => rows::<V, 7, 1>(tables, pass),
            _ => rows::<V, 8, 1>(tables, pass),
        }
    }
}

#[inline(always)]
unsafe fn rows<V: ShuffleVector, const M: usize, const U: usize>(
    tables: &[[u8; 32]],
    pass: &mut Pass<'_, '_, '_>,
) {
    // SAFETY: the caller upholds the same contract.
    unsafe {
        match (pass.accumulate, pass.streams::<V>()) {
            (false, false) => walk::<V, M, U, false, false>(tables, pass),
            (false, true) => walk::<V, M, U, false, true>(tables, pass),
            (true, _) => walk::<V, M, U, true, false>(tables, pass),
        }
    }
}

#[inline(always)]
unsafe fn walk<
    V: ShuffleVector,
    const M: usize,
    const U: usize,
    const ADD: bool,
    const STREAM: bool,
>(
    tables: &[[u8; 32]],
    pass: &mut Pass<'_, '_, '_>,
) {
    // SAFETY: every step lies within the range, which every slice contains.
    unsafe {
        let mut at = pass.range.start;
        while at + U * V::BYTES <= pass.range.end {
            step::<V, M, U, ADD, STREAM>(tables, pass, at, V::BYTES);
            at += U * V::BYTES;
        }
        while at < pass.range.end {
            let bytes = V::BYTES.min(pass.range.end - at);
            step::<V, M, 1, ADD, STREAM>(tables, pass, at, bytes);
            at += bytes;
        }
        if STREAM {
            V::fence();
        }
    }
}

/// Computes U registers of every output; `bytes` is less than a register only in the last step,
/// with U = 1.
#[inline(always)]
unsafe fn step<
    V: ShuffleVector,
    const M: usize,
    const U: usize,
    const ADD: bool,
    const STREAM: bool,
>(
    tables: &[[u8; 32]],
    pass: &mut Pass<'_, '_, '_>,
    at: usize,
    bytes: usize,
) {
    // SAFETY: the caller keeps the step within the range and guarantees the instruction set.
    unsafe {
        let mut sums = [[V::zero(); U]; M];
        if ADD {
            for row in 0..M {
                let output = pass.outputs.get_unchecked(row).as_ptr().add(at);
                for part in 0..U {
                    sums[row][part] = load(output.add(part * V::BYTES), bytes);
                }
            }
        }
        let mut table = tables.as_ptr().cast::<u8>();
        for input in pass.inputs {
            let input = input.as_ptr().add(at);
            let mut low = [V::zero(); U];
            let mut high = [V::zero(); U];
            for part in 0..U {
                let input = input.add(part * V::BYTES);
                // With a dozen inputs there are more streams than the hardware prefetcher follows
                // across pages.
                V::prefetch(input.wrapping_add(PREFETCH_BYTES));
                let value: V = load(input, bytes);
                low[part] = value.low_nibbles();
                high[part] = value.high_nibbles();
            }
            for row in 0..M {
                let (lower, upper) = (V::table(table), V::table(table.add(16)));
                table = table.add(32);
                for part in 0..U {
                    sums[row][part] =
                        sums[row][part].xor3(lower.lookup(low[part]), upper.lookup(high[part]));
                }
            }
        }
        for row in 0..M {
            let output = pass.outputs.get_unchecked_mut(row).as_mut_ptr().add(at);
            for part in 0..U {
                store::<V, STREAM>(sums[row][part], output.add(part * V::BYTES), bytes);
            }
        }
    }
}
