// SPDX-License-Identifier: Apache-2.0
//! The XOR of any number of inputs, for every register type.

use crate::pass::{load_input, store};
use crate::vector::Vector;

/// Writes the XOR of all inputs to `output`, past the cache if `stream` is set and the alignment
/// allows it.
///
/// # Safety
/// The machine has V's instruction set; there is an input, and every input is as long as `output`.
#[inline(always)]
pub(crate) unsafe fn sum<V: Vector>(inputs: &[&[u8]], output: &mut [u8], stream: bool) {
    // SAFETY: the caller upholds the same contract.
    unsafe {
        if stream && output.as_ptr().addr().is_multiple_of(V::BYTES) {
            walk::<V, true>(inputs, output);
            V::fence();
        } else {
            walk::<V, false>(inputs, output);
        }
    }
}

#[inline(always)]
unsafe fn walk<V: Vector, const STREAM: bool>(inputs: &[&[u8]], output: &mut [u8]) {
    // SAFETY: every step lies within the output, and so within every input.
    unsafe {
        let mut at = 0;
        while at + 4 * V::BYTES <= output.len() {
            step::<V, 4, STREAM>(inputs, output, at, V::BYTES);
            at += 4 * V::BYTES;
        }
        while at < output.len() {
            let bytes = V::BYTES.min(output.len() - at);
            step::<V, 1, STREAM>(inputs, output, at, bytes);
            at += bytes;
        }
    }
}

#[inline(always)]
unsafe fn step<V: Vector, const U: usize, const STREAM: bool>(
    inputs: &[&[u8]],
    output: &mut [u8],
    at: usize,
    bytes: usize,
) {
    // SAFETY: the caller keeps the step within the output and guarantees the instruction set.
    unsafe {
        let mut sums = [V::zero(); U];
        for input in inputs {
            let input = input.as_ptr().add(at);
            for part in 0..U {
                let value = load_input::<V, STREAM>(input.add(part * V::BYTES), bytes);
                sums[part] = sums[part].xor(value);
            }
        }
        let output = output.as_mut_ptr().add(at);
        for part in 0..U {
            store::<V, STREAM>(sums[part], output.add(part * V::BYTES), bytes);
        }
    }
}
