// SPDX-License-Identifier: Apache-2.0
//! AArch64: the same functions in the same order as the x86-64 files.

pub(crate) mod crc32c;
pub(crate) mod neon;
