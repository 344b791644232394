// SPDX-License-Identifier: Apache-2.0
//! Kernels without intrinsics and without lookup tables indexed by data.
//!
//! A product by a constant is a sum of products by powers of x, so an output is
//! `sum over b of x^b * (XOR of the inputs whose coefficient has bit b)`, evaluated by Horner's
//! rule: XOR whole chunks, then multiply the chunk by x (one shift and one conditional XOR per
//! byte). All of it is plain word arithmetic, which compilers translate to the vector instructions
//! of the target.

use crate::coefficients::Prepared;
use crate::pass::Pass;
use crate::rows::Sum;

/// The number of bytes that are summed at a time: few enough to stay in 128-bit registers.
const CHUNK_BYTES: usize = 64;
const WORDS: usize = CHUNK_BYTES / 8;

/// For every output and every bit from the highest to the lowest: the inputs whose coefficient has
/// the bit set.
#[derive(Clone, Debug, Default)]
pub(crate) struct BitColumns {
    /// Where each (output, bit) list ends in `columns`.
    ends: Box<[u32]>,
    columns: Box<[u16]>,
}

impl BitColumns {
    /// Builds the lists of `rows` (coefficients in row-major order, `columns` per row).
    pub fn new(values: &[u8], columns: usize) -> Self {
        let mut ends = Vec::with_capacity(values.len() / columns * 8);
        let mut list = Vec::new();
        for row in values.chunks_exact(columns) {
            for bit in (0..8).rev() {
                list.extend(
                    (0..columns)
                        .filter(|&column| row[column] >> bit & 1 == 1)
                        .map(|c| c as u16),
                );
                ends.push(list.len() as u32);
            }
        }
        Self {
            ends: ends.into(),
            columns: list.into(),
        }
    }

    fn of(&self, row: usize, step: usize) -> &[u16] {
        let list = row * 8 + step;
        let start = if list == 0 {
            0
        } else {
            self.ends[list - 1] as usize
        };
        &self.columns[start..self.ends[list] as usize]
    }
}

/// Runs `pass`.
#[inline(always)]
pub(crate) fn dot(prepared: &Prepared, pass: &mut Pass<'_, '_, '_>) {
    let range = pass.range.clone();
    for (row, output) in pass.outputs.iter_mut().enumerate() {
        for start in range.clone().step_by(CHUNK_BYTES) {
            let bytes = CHUNK_BYTES.min(range.end - start);
            let mut sum = [0u64; WORDS];
            for step in 0..8 {
                if step > 0 {
                    for word in &mut sum {
                        *word = double(*word);
                    }
                }
                for &column in prepared.bits.of(row, step) {
                    let input = chunk(&pass.inputs[usize::from(column)][start..start + bytes]);
                    for (word, more) in sum.iter_mut().zip(input) {
                        *word ^= more;
                    }
                }
            }
            let output = &mut output[start..start + bytes];
            if pass.accumulate {
                let old = chunk(output);
                for (word, more) in sum.iter_mut().zip(old) {
                    *word ^= more;
                }
            }
            put(&sum, output);
        }
    }
}

/// Computes the XOR of all inputs, each as long as `output`.
pub(crate) fn sum(inputs: &[&[u8]], output: &mut [u8]) {
    for start in (0..output.len()).step_by(CHUNK_BYTES) {
        let end = output.len().min(start + CHUNK_BYTES);
        let mut sum = [0u64; WORDS];
        for input in inputs {
            for (word, more) in sum.iter_mut().zip(chunk(&input[start..end])) {
                *word ^= more;
            }
        }
        put(&sum, &mut output[start..end]);
    }
}

/// Adds weighted rows to `sums`; see [`Kernels::add_rows`](crate::Kernels::add_rows).
///
/// For every bit of the coefficients it sums the rows whose coefficient has the bit, and then
/// combines these eight sums as [`dot`] does.
#[inline(always)]
pub(crate) fn add_rows(coefficients: &[u8], rows: &[Sum], sums: &mut [Sum]) {
    let count = sums.len();
    for (index, sum) in sums.iter_mut().enumerate() {
        let mut by_bit = [[0u64; WORDS]; 8];
        let own = coefficients.iter().skip(index).step_by(count);
        for (row, coefficient) in rows.iter().zip(own) {
            let row = chunk(row);
            for (bit, total) in by_bit.iter_mut().enumerate() {
                let mask = u64::from(coefficient >> bit & 1).wrapping_neg();
                for (word, more) in total.iter_mut().zip(row) {
                    *word ^= more & mask;
                }
            }
        }
        let mut total = [0; WORDS];
        for of_bit in by_bit.iter().rev() {
            for (word, more) in total.iter_mut().zip(of_bit) {
                *word = double(*word) ^ more;
            }
        }
        for (word, old) in total.iter_mut().zip(chunk(sum)) {
            *word ^= old;
        }
        put(&total, sum);
    }
}

/// Multiplies eight field elements by x.
#[inline(always)]
fn double(elements: u64) -> u64 {
    const LOW_BITS: u64 = 0x0101_0101_0101_0101;
    let carried = elements >> 7 & LOW_BITS;
    ((elements & !(LOW_BITS << 7)) << 1) ^ (carried * 0x1d)
}

/// Returns up to 64 bytes as words, padded with zeros; the byte order is the machine's, the same as
/// in `put`.
#[inline(always)]
fn chunk(bytes: &[u8]) -> [u64; WORDS] {
    let mut whole = [0u8; CHUNK_BYTES];
    whole[..bytes.len()].copy_from_slice(bytes);
    let mut words = [0; WORDS];
    for (word, bytes) in words.iter_mut().zip(whole.chunks_exact(8)) {
        *word = u64::from_ne_bytes(bytes.try_into().expect("chunks of eight"));
    }
    words
}

#[inline(always)]
fn put(words: &[u64; WORDS], to: &mut [u8]) {
    let mut whole = [0u8; CHUNK_BYTES];
    for (bytes, word) in whole.chunks_exact_mut(8).zip(words) {
        bytes.copy_from_slice(&word.to_ne_bytes());
    }
    to.copy_from_slice(&whole[..to.len()]);
}
