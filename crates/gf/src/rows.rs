// SPDX-License-Identifier: Apache-2.0
//! Weighted sums of many short rows: `sums[j] ^= sum over r of coefficient[r][j] * row[r]`.
//!
//! [`Kernels::dot`](crate::Kernels::dot) computes the same with one input per row, but reads an
//! address and a prepared matrix for every 64 bytes, which takes half of its time. Here rows follow
//! each other in memory, coefficients are bytes, and the products come from the tables of all 256
//! constants, which stay in the first-level cache.

#[cfg(target_arch = "x86_64")]
use crate::coefficients::AFFINE;
#[cfg(not(feature = "no-shuffle-tables"))]
use crate::coefficients::NIBBLES;
#[cfg(target_arch = "x86_64")]
use crate::vector::AffineVector;
#[cfg(not(feature = "no-shuffle-tables"))]
use crate::vector::ShuffleVector;
#[cfg(any(target_arch = "x86_64", not(feature = "no-shuffle-tables")))]
use crate::vector::Vector;

/// The bytes of one row of [`Kernels::add_rows`](crate::Kernels::add_rows): the widest register,
/// and a cache line.
pub const ROW_BYTES: usize = 64;

/// The most sums of [`Kernels::add_rows`](crate::Kernels::add_rows).
pub const ROW_SUMS_MAX: usize = 4;

/// One sum of rows.
pub(crate) type Sum = [u8; ROW_BYTES];

/// The weighted sums of all rows; unsafe because the machine must have the instruction set.
pub(crate) type AddRows = unsafe fn(coefficients: &[u8], rows: &[Sum], sums: &mut [Sum]);

/// Adds the rows by affine products; a row has P registers.
///
/// # Safety
/// The machine has V's instruction set.
#[cfg(target_arch = "x86_64")]
#[inline(always)]
pub(crate) unsafe fn affine<V: AffineVector, const P: usize>(
    coefficients: &[u8],
    rows: &[Sum],
    sums: &mut [Sum],
) {
    // SAFETY: the caller guarantees the instruction set.
    unsafe {
        match sums.len() {
            1 => affine_sums::<V, P, 1>(coefficients, rows, sums),
            2 => affine_sums::<V, P, 2>(coefficients, rows, sums),
            3 => affine_sums::<V, P, 3>(coefficients, rows, sums),
            _ => affine_sums::<V, P, 4>(coefficients, rows, sums),
        }
    }
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
unsafe fn affine_sums<V: AffineVector, const P: usize, const T: usize>(
    coefficients: &[u8],
    rows: &[Sum],
    sums: &mut [Sum],
) {
    // SAFETY: the caller guarantees the instruction set; registers are within a row.
    unsafe {
        let mut totals = load_sums::<V, P, T>(sums);
        for (row, coefficients) in rows.iter().zip(coefficients.as_chunks::<T>().0) {
            let row: [V; P] = load_row(row);
            for sum in 0..T {
                let matrix = V::broadcast(AFFINE[usize::from(coefficients[sum])]);
                for part in 0..P {
                    totals[sum][part] = totals[sum][part].xor(row[part].affine(matrix));
                }
            }
        }
        store_sums(&totals, sums);
    }
}

/// Adds the rows by products from nibble tables; a row has P registers.
///
/// # Safety
/// The machine has V's instruction set.
#[cfg(not(feature = "no-shuffle-tables"))]
#[inline(always)]
pub(crate) unsafe fn shuffle<V: ShuffleVector, const P: usize>(
    coefficients: &[u8],
    rows: &[Sum],
    sums: &mut [Sum],
) {
    // SAFETY: the caller guarantees the instruction set.
    unsafe {
        match sums.len() {
            1 => shuffle_sums::<V, P, 1>(coefficients, rows, sums),
            2 => shuffle_sums::<V, P, 2>(coefficients, rows, sums),
            3 => shuffle_sums::<V, P, 3>(coefficients, rows, sums),
            _ => shuffle_sums::<V, P, 4>(coefficients, rows, sums),
        }
    }
}

#[cfg(not(feature = "no-shuffle-tables"))]
#[inline(always)]
unsafe fn shuffle_sums<V: ShuffleVector, const P: usize, const T: usize>(
    coefficients: &[u8],
    rows: &[Sum],
    sums: &mut [Sum],
) {
    // SAFETY: the caller guarantees the instruction set; registers are within a row, and both
    // halves of a table within it.
    unsafe {
        let mut totals = load_sums::<V, P, T>(sums);
        for (row, coefficients) in rows.iter().zip(coefficients.as_chunks::<T>().0) {
            let row: [V; P] = load_row(row);
            for sum in 0..T {
                let table = NIBBLES[usize::from(coefficients[sum])].as_ptr();
                let (lower, upper) = (V::table(table), V::table(table.add(16)));
                for part in 0..P {
                    let low = lower.lookup(row[part].low_nibbles());
                    let high = upper.lookup(row[part].high_nibbles());
                    totals[sum][part] = totals[sum][part].xor3(low, high);
                }
            }
        }
        store_sums(&totals, sums);
    }
}

#[cfg(any(target_arch = "x86_64", not(feature = "no-shuffle-tables")))]
#[inline(always)]
unsafe fn load_row<V: Vector, const P: usize>(row: &Sum) -> [V; P] {
    const { assert!(P * V::BYTES == ROW_BYTES, "P registers are one row") };
    // SAFETY: part P ends with the row; the caller guarantees the instruction set.
    std::array::from_fn(|part| unsafe { V::load(row.as_ptr().add(part * V::BYTES)) })
}

#[cfg(any(target_arch = "x86_64", not(feature = "no-shuffle-tables")))]
#[inline(always)]
unsafe fn load_sums<V: Vector, const P: usize, const T: usize>(sums: &[Sum]) -> [[V; P]; T] {
    // SAFETY: the caller guarantees the instruction set.
    std::array::from_fn(|sum| unsafe { load_row(&sums[sum]) })
}

#[cfg(any(target_arch = "x86_64", not(feature = "no-shuffle-tables")))]
#[inline(always)]
unsafe fn store_sums<V: Vector, const P: usize, const T: usize>(
    totals: &[[V; P]; T],
    sums: &mut [Sum],
) {
    for (total, sum) in totals.iter().zip(sums) {
        for (part, register) in total.iter().enumerate() {
            // SAFETY: part P ends with the row; the caller guarantees the instruction set.
            unsafe { register.store(sum.as_mut_ptr().add(part * V::BYTES)) };
        }
    }
}
