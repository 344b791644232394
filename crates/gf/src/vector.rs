// SPDX-License-Identifier: Apache-2.0
//! The operations that the kernels need from a vector register; each architecture file implements
//! them.

#[cfg(target_arch = "x86_64")]
use crate::affine::Span;

/// A vector register of bytes.
///
/// # Safety
/// Every method may only run on a machine with the implementing type's instruction set, which the
/// dispatch table checks before it returns a kernel. Pointers must be valid for the stated number
/// of bytes.
pub(crate) unsafe trait Vector: Copy {
    /// Bytes in one register.
    const BYTES: usize;

    unsafe fn zero() -> Self;
    /// Loads `BYTES` bytes at any alignment.
    unsafe fn load(from: *const u8) -> Self;
    /// Loads 1..BYTES bytes and sets the other lanes to zero; accesses no byte past them.
    unsafe fn load_partial(from: *const u8, bytes: usize) -> Self;
    /// Stores `BYTES` bytes at any alignment.
    unsafe fn store(self, to: *mut u8);
    /// Stores the first 1..BYTES bytes; accesses no byte past them.
    unsafe fn store_partial(self, to: *mut u8, bytes: usize);
    /// Stores past the cache; `to` must be aligned to `BYTES`.
    unsafe fn stream(self, to: *mut u8);
    /// Orders streamed stores before later stores.
    unsafe fn fence();
    /// Prefetches the cache line at `at`, which need not be mapped.
    unsafe fn prefetch(at: *const u8);
    unsafe fn xor(self, other: Self) -> Self;
    /// The XOR of three registers, one instruction where the set has it.
    #[inline(always)]
    unsafe fn xor3(self, second: Self, third: Self) -> Self {
        // SAFETY: the caller guarantees the instruction set.
        unsafe { self.xor(second.xor(third)) }
    }
}

/// A register that multiplies by a constant with one affine instruction (GFNI).
///
/// # Safety
/// As [`Vector`].
#[cfg(target_arch = "x86_64")]
pub(crate) unsafe trait AffineVector: Vector {
    /// Repeats the 8x8 bit matrix in every 64-bit lane.
    unsafe fn broadcast(matrix: u64) -> Self;
    /// Multiplies every byte by the bit matrix.
    unsafe fn affine(self, matrix: Self) -> Self;
    /// Prefetches, for writing, the two registers that are [`PREFETCH_WRITE_BYTES`] past `output +
    /// at`.
    ///
    /// [`PREFETCH_WRITE_BYTES`]: crate::affine::PREFETCH_WRITE_BYTES
    unsafe fn prefetch_write_double(output: *mut u8, at: usize);
    /// Calls [`block`](crate::affine::block) in a separate function with the instruction set
    /// enabled: inlining all shapes into one dispatching function takes minutes to compile.
    unsafe fn block<const G: usize, const M: usize, const ADD: bool, const STREAM: bool>(
        matrices: &[u64],
        sources: &[&[u8]],
        offset: usize,
        span: &Span<M>,
    );
}

/// A register that multiplies by looking up nibbles in 16-byte tables (PSHUFB, TBL).
///
/// # Safety
/// As [`Vector`].
#[cfg(not(feature = "no-shuffle-tables"))]
pub(crate) unsafe trait ShuffleVector: Vector {
    /// Loads 16 bytes of table and repeats them over the register.
    unsafe fn table(from: *const u8) -> Self;
    unsafe fn low_nibbles(self) -> Self;
    unsafe fn high_nibbles(self) -> Self;
    /// Looks every byte of `indices` (0..16) up in this table.
    unsafe fn lookup(self, indices: Self) -> Self;
}

/// Loads the first `bytes` bytes for sets without masks, through a register-sized buffer on the
/// stack.
#[inline(always)]
pub(crate) unsafe fn load_through_stack<V: Vector>(from: *const u8, bytes: usize) -> V {
    let mut buffer = [0u8; 64];
    debug_assert!(bytes < V::BYTES && V::BYTES <= buffer.len());
    // SAFETY: the caller guarantees `bytes` bytes at `from`; the buffer holds a whole register.
    unsafe {
        std::ptr::copy_nonoverlapping(from, buffer.as_mut_ptr(), bytes);
        V::load(buffer.as_ptr())
    }
}

#[inline(always)]
pub(crate) unsafe fn store_through_stack<V: Vector>(vector: V, to: *mut u8, bytes: usize) {
    let mut buffer = [0u8; 64];
    debug_assert!(bytes < V::BYTES && V::BYTES <= buffer.len());
    // SAFETY: the buffer holds a whole register; the caller guarantees `bytes` bytes at `to`.
    unsafe {
        vector.store(buffer.as_mut_ptr());
        std::ptr::copy_nonoverlapping(buffer.as_ptr(), to, bytes);
    }
}
