// SPDX-License-Identifier: Apache-2.0
//! One pass of a dot product: up to [`ROWS_MAX`] outputs from any number of inputs.

use crate::vector::Vector;
use std::ops::Range;

/// The most outputs of one pass: eight accumulators leave registers for coefficients and inputs.
pub(crate) const ROWS_MAX: usize = 8;

/// The prefetch distance of inputs, in bytes. Inputs are prefetched only when the outputs bypass
/// the cache, because the inputs then come from memory.
pub(crate) const PREFETCH_BYTES: usize = 1024;

/// The arguments of one pass.
pub(crate) struct Pass<'a, 'b, 'c> {
    pub inputs: &'a [&'b [u8]],
    pub outputs: &'a mut [&'c mut [u8]],
    /// The range of bytes of every input and output to process.
    pub range: Range<usize>,
    /// Whether to add to the outputs instead of replacing them.
    pub accumulate: bool,
    /// Whether to store outputs past the cache if their alignment allows it.
    pub stream: bool,
}

impl Pass<'_, '_, '_> {
    /// Returns whether to use streaming stores, which fault on an address that is not a multiple of
    /// the register size.
    #[inline(always)]
    pub fn streams<V: Vector>(&self) -> bool {
        self.stream
            && self.outputs.iter().all(|output| {
                output
                    .as_ptr()
                    .addr()
                    .wrapping_add(self.range.start)
                    .is_multiple_of(V::BYTES)
            })
    }
}

/// Loads a whole register, or its first `bytes` bytes.
#[inline(always)]
pub(crate) unsafe fn load<V: Vector>(from: *const u8, bytes: usize) -> V {
    // SAFETY: the caller guarantees `bytes` bytes at `from`.
    unsafe {
        if bytes == V::BYTES {
            V::load(from)
        } else {
            V::load_partial(from, bytes)
        }
    }
}

/// As [`load`], and prefetches later input if the outputs are streamed.
#[inline(always)]
pub(crate) unsafe fn load_input<V: Vector, const STREAM: bool>(from: *const u8, bytes: usize) -> V {
    // SAFETY: as `load`; a prefetch may name any address.
    unsafe {
        if STREAM {
            V::prefetch(from.wrapping_add(PREFETCH_BYTES));
        }
        load(from, bytes)
    }
}

/// Stores a whole register, streamed or not, or its first `bytes` bytes.
#[inline(always)]
pub(crate) unsafe fn store<V: Vector, const STREAM: bool>(vector: V, to: *mut u8, bytes: usize) {
    // SAFETY: the caller guarantees `bytes` bytes at `to`, and for its alignment if STREAM.
    unsafe {
        if bytes != V::BYTES {
            vector.store_partial(to, bytes);
        } else if STREAM {
            vector.stream(to);
        } else {
            vector.store(to);
        }
    }
}
