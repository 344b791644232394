// SPDX-License-Identifier: Apache-2.0
//! The instruction sets that have kernels, and detection of those that this machine supports.

use std::fmt;
use std::str::FromStr;

/// An instruction set that a kernel is written for, from plainest to fastest on its architecture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Isa {
    /// Plain Rust without intrinsics: XOR and shifts on machine words, no lookup tables.
    Portable,
    /// x86-64 SSSE3: nibble tables with PSHUFB, 16 bytes per step.
    Ssse3,
    /// x86-64 AVX2: nibble tables with VPSHUFB, 32 bytes per step.
    Avx2,
    /// x86-64 AVX2 with GFNI: affine products, 32 bytes per step.
    Avx2Gfni,
    /// x86-64 AVX-512 (F, BW, VL) with GFNI: affine products, 64 bytes per step, masked tails.
    Avx512Gfni,
    /// AArch64 NEON: nibble tables with TBL, 16 bytes per step.
    Neon,
}

impl Isa {
    /// Every instruction set known to this build, whether or not this machine supports it.
    pub const ALL: [Self; 6] = [
        Self::Portable,
        Self::Ssse3,
        Self::Avx2,
        Self::Avx2Gfni,
        Self::Avx512Gfni,
        Self::Neon,
    ];

    /// Returns the name that `STRIPELINE_ISA` accepts and that logs print.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Portable => "portable",
            Self::Ssse3 => "ssse3",
            Self::Avx2 => "avx2",
            Self::Avx2Gfni => "avx2+gfni",
            Self::Avx512Gfni => "avx512+gfni",
            Self::Neon => "neon",
        }
    }
}

impl fmt::Display for Isa {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// A name that is not one of an [`Isa`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseIsaError {
    name: String,
}

impl fmt::Display for ParseIsaError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "Cannot use instruction set '{}': known are",
            self.name
        )?;
        for isa in Isa::ALL {
            write!(formatter, " {isa}")?;
        }
        Ok(())
    }
}

impl std::error::Error for ParseIsaError {}

impl FromStr for Isa {
    type Err = ParseIsaError;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|isa| isa.name().eq_ignore_ascii_case(name.trim()))
            .ok_or_else(|| ParseIsaError {
                name: name.to_owned(),
            })
    }
}
