// SPDX-License-Identifier: Apache-2.0
//! Products by affine instruction (GFNI), in blocks and groups.
//!
//! A pass walks the cells in blocks of [`BLOCK_BYTES`]. Within a block it takes the inputs in
//! groups so small that their coefficients stay in registers and that the hardware prefetcher can
//! follow every stream; the sums of a group are kept in the outputs themselves (or in a scratch
//! block, when outputs are to bypass the cache) and stay in the first-level cache until the next
//! group adds to them. Without groups, cells that begin at equal offsets of a page, which is how
//! allocators place them, fill the ways of one cache set from about twelve streams on, and evict
//! each other.

use crate::pass::{Pass, ROWS_MAX, load, load_input, store};
use crate::vector::AffineVector;
use std::ops::Range;

/// Bytes of every cell that one block covers: eight outputs' blocks take half of a 32 KiB cache.
pub(crate) const BLOCK_BYTES: usize = 2048;

/// The distance between an output's prefetch for writing and its first use, in bytes. A store that
/// misses the first-level cache waits for its line, and stores retire in order, so a call with few
/// outputs in the second-level cache is limited by that wait.
pub(crate) const PREFETCH_WRITE_BYTES: usize = 256;

/// Where a group's sums start from and where they are stored; each is `bytes` long.
#[derive(Clone, Copy)]
pub(crate) struct Span<const M: usize> {
    from: [*mut u8; M],
    to: [*mut u8; M],
    bytes: usize,
}

#[repr(align(64))]
struct Scratch(std::mem::MaybeUninit<[[u8; BLOCK_BYTES]; ROWS_MAX]>);

/// Runs `pass` with affine products; `matrices` holds, input by input, one matrix per output.
///
/// # Safety
/// The machine has V's instruction set; `matrices` has inputs x outputs entries; there are
/// 1..=`ROWS_MAX` outputs and at least one input, and every slice contains the range.
#[inline(always)]
pub(crate) unsafe fn dot<V: AffineVector>(matrices: &[u64], pass: &mut Pass<'_, '_, '_>) {
    debug_assert_eq!(matrices.len(), pass.inputs.len() * pass.outputs.len());
    // SAFETY: the caller upholds the same contract.
    unsafe {
        match pass.outputs.len() {
            1 => rows::<V, 1>(matrices, pass),
            2 => rows::<V, 2>(matrices, pass),
            3 => rows::<V, 3>(matrices, pass),
            4 => rows::<V, 4>(matrices, pass),
            5 => rows::<V, 5>(matrices, pass),
            6 => rows::<V, 6>(matrices, pass),
            7 => rows::<V, 7>(matrices, pass),
            _ => rows::<V, 8>(matrices, pass),
        }
    }
}

/// Returns the number of inputs of one group: at most 24 coefficients, out of AVX-512's 32
/// registers.
const fn group_max(rows: usize) -> usize {
    if rows <= 4 {
        6
    } else if rows <= 6 {
        4
    } else {
        3
    }
}

#[inline(always)]
unsafe fn rows<V: AffineVector, const M: usize>(matrices: &[u64], pass: &mut Pass<'_, '_, '_>) {
    let stream = pass.streams::<V>();
    let rest = pass.range.len() % (2 * V::BYTES);
    let whole = pass.range.start..pass.range.end - rest;
    // SAFETY: the caller upholds the same contract.
    unsafe {
        blocks::<V, M>(matrices, pass, whole.clone(), stream);
        if rest > 0 {
            tail::<V, M>(matrices, pass, whole.end);
        }
        if stream {
            V::fence();
        }
    }
}

/// The part of a pass that is a whole number of double registers.
#[inline(always)]
unsafe fn blocks<V: AffineVector, const M: usize>(
    matrices: &[u64],
    pass: &mut Pass<'_, '_, '_>,
    range: Range<usize>,
    stream: bool,
) {
    let columns = pass.inputs.len();
    let groups = columns.div_ceil(group_max(M));
    let (size, larger) = (columns / groups, columns % groups);
    let mut scratch = Scratch(std::mem::MaybeUninit::uninit());
    let scratch = scratch.0.as_mut_ptr().cast::<u8>();
    let block_bytes = if groups == 1 {
        range.len()
    } else {
        BLOCK_BYTES
    };

    let mut offset = range.start;
    while offset < range.end {
        let bytes = block_bytes.min(range.end - offset);
        let outputs: [*mut u8; M] =
            // SAFETY: offset lies within every output.
            std::array::from_fn(|row| unsafe { pass.outputs[row].as_mut_ptr().add(offset) });
        let sums = if stream && groups > 1 {
            // SAFETY: the scratch has ROWS_MAX rows of BLOCK_BYTES.
            std::array::from_fn(|row| unsafe { scratch.add(row * BLOCK_BYTES) })
        } else {
            outputs
        };
        let mut first = 0;
        for index in 0..groups {
            let inputs = size + usize::from(index < larger);
            let last = index + 1 == groups;
            let span = Span {
                from: if index == 0 { outputs } else { sums },
                to: if last { outputs } else { sums },
                bytes,
            };
            let sources = &pass.inputs[first..first + inputs];
            let matrices = &matrices[first * M..(first + inputs) * M];
            // SAFETY: spans lie within outputs or scratch, sources within inputs.
            unsafe {
                match (pass.accumulate || index > 0, stream && last) {
                    (false, false) => group::<V, M, false, false>(matrices, sources, offset, &span),
                    (true, false) => group::<V, M, true, false>(matrices, sources, offset, &span),
                    (false, true) => group::<V, M, false, true>(matrices, sources, offset, &span),
                    (true, true) => group::<V, M, true, true>(matrices, sources, offset, &span),
                }
            }
            first += inputs;
        }
        offset += bytes;
    }
}

#[inline(always)]
unsafe fn group<V: AffineVector, const M: usize, const ADD: bool, const STREAM: bool>(
    matrices: &[u64],
    sources: &[&[u8]],
    offset: usize,
    span: &Span<M>,
) {
    // SAFETY: the caller upholds the same contract; each arm's G is the number of sources.
    unsafe {
        match sources.len() {
            1 => V::block::<1, M, ADD, STREAM>(matrices, sources, offset, span),
            2 => V::block::<2, M, ADD, STREAM>(matrices, sources, offset, span),
            3 => V::block::<3, M, ADD, STREAM>(matrices, sources, offset, span),
            4 if const { group_max(M) >= 4 } => {
                V::block::<4, M, ADD, STREAM>(matrices, sources, offset, span)
            }
            5 if const { group_max(M) >= 5 } => {
                V::block::<5, M, ADD, STREAM>(matrices, sources, offset, span)
            }
            6 if const { group_max(M) >= 6 } => {
                V::block::<6, M, ADD, STREAM>(matrices, sources, offset, span)
            }
            other => unreachable!("a group of {other} inputs for {M} outputs"),
        }
    }
}

/// The inner loop: G inputs, M outputs, G x M coefficients held in registers, two registers a step.
///
/// # Safety
/// The machine has V's instruction set; there are G sources, which contain `offset + span.bytes`,
/// and G x M matrices; `span.bytes` is a multiple of two registers.
#[inline(always)]
pub(crate) unsafe fn block<
    V: AffineVector,
    const G: usize,
    const M: usize,
    const ADD: bool,
    const STREAM: bool,
>(
    matrices: &[u64],
    sources: &[&[u8]],
    offset: usize,
    span: &Span<M>,
) {
    debug_assert!(matrices.len() == G * M && sources.len() == G);
    // SAFETY: lengths as asserted; every step lies within the span.
    unsafe {
        let mut coefficients = [[V::zero(); M]; G];
        let mut inputs = [std::ptr::null::<u8>(); G];
        for column in 0..G {
            for row in 0..M {
                coefficients[column][row] = V::broadcast(*matrices.get_unchecked(column * M + row));
            }
            inputs[column] = sources.get_unchecked(column).as_ptr().add(offset);
        }
        // A copy, because the stores below could alias the referenced value.
        let span = *span;
        let mut at = 0;
        while at < span.bytes {
            if !ADD && !STREAM {
                for row in 0..M {
                    V::prefetch_write_double(span.to[row], at);
                }
            }
            step::<V, G, M, ADD, STREAM>(&coefficients, &inputs, &span, at);
            step::<V, G, M, ADD, STREAM>(&coefficients, &inputs, &span, at + V::BYTES);
            at += 2 * V::BYTES;
        }
    }
}

/// Computes one register of every output, two inputs at a time to use the three-way XOR.
#[inline(always)]
unsafe fn step<
    V: AffineVector,
    const G: usize,
    const M: usize,
    const ADD: bool,
    const STREAM: bool,
>(
    coefficients: &[[V; M]; G],
    inputs: &[*const u8; G],
    span: &Span<M>,
    at: usize,
) {
    // SAFETY: the caller keeps the step within the span and guarantees the instruction set.
    unsafe {
        let mut sums = [V::zero(); M];
        if ADD {
            for row in 0..M {
                sums[row] = V::load(span.from[row].add(at));
            }
        }
        let mut column = 0;
        while column + 1 < G {
            let left: V = load_input::<V, STREAM>(inputs[column].add(at), V::BYTES);
            let right: V = load_input::<V, STREAM>(inputs[column + 1].add(at), V::BYTES);
            for row in 0..M {
                let left = left.affine(coefficients[column][row]);
                let right = right.affine(coefficients[column + 1][row]);
                sums[row] = if ADD || column > 0 {
                    sums[row].xor3(left, right)
                } else {
                    left.xor(right)
                };
            }
            column += 2;
        }
        if column < G {
            let last: V = load_input::<V, STREAM>(inputs[column].add(at), V::BYTES);
            for row in 0..M {
                let product = last.affine(coefficients[column][row]);
                sums[row] = if ADD || column > 0 {
                    sums[row].xor(product)
                } else {
                    product
                };
            }
        }
        for row in 0..M {
            store::<V, STREAM>(sums[row], span.to[row].add(at), V::BYTES);
        }
    }
}

/// Computes the end of a pass, less than two registers, from all inputs at once; loads each
/// coefficient when it is used.
#[inline(always)]
unsafe fn tail<V: AffineVector, const M: usize>(
    matrices: &[u64],
    pass: &mut Pass<'_, '_, '_>,
    start: usize,
) {
    let mut at = start;
    while at < pass.range.end {
        let bytes = V::BYTES.min(pass.range.end - at);
        // SAFETY: `at + bytes` lies within every input and output.
        unsafe {
            let mut sums = [V::zero(); M];
            if pass.accumulate {
                for row in 0..M {
                    sums[row] = load(pass.outputs.get_unchecked(row).as_ptr().add(at), bytes);
                }
            }
            for (input, matrices) in pass.inputs.iter().zip(matrices.chunks_exact(M)) {
                let input: V = load(input.as_ptr().add(at), bytes);
                for row in 0..M {
                    let product = input.affine(V::broadcast(matrices[row]));
                    sums[row] = sums[row].xor(product);
                }
            }
            for row in 0..M {
                let output = pass.outputs.get_unchecked_mut(row).as_mut_ptr().add(at);
                store::<V, false>(sums[row], output, bytes);
            }
        }
        at += bytes;
    }
}
