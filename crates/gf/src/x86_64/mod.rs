// SPDX-License-Identifier: Apache-2.0
//! x86-64: one file per instruction set, each with the same functions in the same order.

pub(crate) mod avx2;
pub(crate) mod avx2_gfni;
pub(crate) mod avx512;
pub(crate) mod crc32c;
#[cfg(not(feature = "no-shuffle-tables"))]
pub(crate) mod ssse3;
