// SPDX-License-Identifier: Apache-2.0
//! Dot products over GF(2^8) with polynomial x^8+x^4+x^3+x^2+1 (0x11d), XOR, and CRC per chunk.
//!
//! All operations of an erasure code on data are one operation: `output[r] = sum over c of
//! coefficient[r][c] * input[c]`, byte by byte, where the sum is XOR and the product is in GF(2^8).
//! [`Kernels::dot`] is that operation, [`Kernels::dot_add`] adds to the outputs instead of
//! replacing them (a delta update), and [`Kernels::dot_with_checksums`] computes CRCs of inputs and
//! outputs in the same pass over memory. [`Kernels::add_rows`] is the same for many rows of 64
//! bytes that follow each other, which the fingerprints of blocks need.
//!
//! There is one implementation per instruction set ([`Isa`]). [`Kernels::active`] returns the
//! fastest one that this machine supports, chosen once, or the one that the environment variable
//! `STRIPELINE_ISA` names.
//!
//! This is the only crate with SIMD `unsafe`. Its public functions are safe: they check lengths,
//! slices enforce the aliasing rules, and a kernel for an unsupported instruction set cannot be
//! obtained.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]
// Rows and columns index several arrays of registers at once; iterators over one of them are harder
// to read.
#![allow(clippy::needless_range_loop)]
// Some items are used only by the kernels that this build leaves out; they have no condition of
// their own.
#![cfg_attr(
    all(target_arch = "aarch64", feature = "no-shuffle-tables"),
    allow(dead_code)
)]

#[cfg(target_arch = "aarch64")]
mod aarch64;
#[cfg(target_arch = "x86_64")]
mod affine;
mod checksum;
mod coefficients;
mod dispatch;
pub mod field;
mod isa;
mod kernel;
mod pass;
mod portable;
mod rows;
#[cfg(not(feature = "no-shuffle-tables"))]
mod shuffle;
mod vector;
#[cfg(target_arch = "x86_64")]
mod x86_64;
mod xor;

pub use coefficients::{Coefficients, CoefficientsError};
pub use isa::{Isa, ParseIsaError};
pub use kernel::{ChecksumKind, Checksums, Kernels, Selection, StorePolicy};
pub use rows::{ROW_BYTES, ROW_SUMS_MAX};
