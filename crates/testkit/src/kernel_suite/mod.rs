// SPDX-License-Identifier: Apache-2.0
//! Tests of the kernels of every instruction set, against products computed from the definition.
//!
//! Each function takes the kernels to test. All outputs lie between guard bytes, and have previous
//! contents that a kernel must replace ([`Operation::Dot`]) or add to ([`Operation::DotAdd`]).

mod checksums;
mod dots;
mod products;
mod rows;
mod xors;

pub(crate) use checksums::oracle as oracle_checksum;
pub use checksums::{chunk_checksums, fused_checksums, whole_checksums};
pub use dots::{every_alignment, every_length, every_shape, long_buffers, wrong_shapes};
pub use products::every_product;
pub use rows::row_sums;
pub use xors::xors;

/// A form of a dot product.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// Replaces the outputs by ordinary stores.
    Dot,
    /// Replaces the outputs by stores past the cache.
    DotPastCache,
    /// Adds to the outputs.
    DotAdd,
}

impl Operation {
    /// Every form.
    pub const ALL: [Self; 3] = [Self::Dot, Self::DotPastCache, Self::DotAdd];
}
