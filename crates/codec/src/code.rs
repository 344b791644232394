// SPDX-License-Identifier: Apache-2.0
//! The codes and their names.

use std::fmt;
use std::str::FromStr;

use crate::error::{Error, Reason};

/// An erasure code, named as HDFS names its codecs.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[non_exhaustive]
pub enum Code {
    /// Reed-Solomon from a Cauchy matrix: the bytes of Hadoop's `rs_java` and `rs_native` and of
    /// ISA-L's `gf_gen_cauchy1_matrix`.
    Rs,
    /// Reed-Solomon from a generator polynomial: the bytes of Hadoop's `rs-legacy_java`.
    RsLegacy,
    /// One parity unit, the XOR of all data units: the bytes of Hadoop's `xor_java`.
    Xor,
}

impl Code {
    /// Every code.
    pub const ALL: [Self; 3] = [Self::Rs, Self::RsLegacy, Self::Xor];

    /// Returns the name that HDFS policies use.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Rs => "rs",
            Self::RsLegacy => "rs-legacy",
            Self::Xor => "xor",
        }
    }

    /// Returns the largest number of data and parity units together.
    ///
    /// `rs` and `xor`: 256, since a Cauchy matrix needs a distinct field element per unit.
    /// `rs-legacy`: 255, since it needs a distinct power of 2 per unit, and 2^255 = 1 again.
    #[must_use]
    pub const fn units_max(self) -> usize {
        match self {
            Self::Rs | Self::Xor => 256,
            Self::RsLegacy => 255,
        }
    }

    /// Checks that a codec of this shape can be built.
    pub(crate) fn check_shape(self, data_units: usize, parity_units: usize) -> Result<(), Error> {
        let total = data_units.saturating_add(parity_units);
        let invalid_xor = self == Self::Xor && parity_units != 1;
        if data_units == 0 || parity_units == 0 || total > self.units_max() || invalid_xor {
            return Err(Reason::Shape {
                code: self,
                data_units,
                parity_units,
            }
            .into());
        }
        Ok(())
    }
}

impl fmt::Display for Code {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(self.name())
    }
}

/// A name that is not one of a [`Code`].
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct ParseCodeError {
    name: String,
}

impl fmt::Display for ParseCodeError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "Cannot use code '{}': known are rs, rs-legacy and xor",
            self.name
        )
    }
}

impl std::error::Error for ParseCodeError {}

impl FromStr for Code {
    type Err = ParseCodeError;

    fn from_str(name: &str) -> Result<Self, Self::Err> {
        Self::ALL
            .into_iter()
            .find(|code| code.name() == name)
            .ok_or_else(|| ParseCodeError {
                name: name.to_owned(),
            })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_parse_back() {
        for code in Code::ALL {
            assert_eq!(code.name().parse(), Ok(code));
        }
        let error = "lrc".parse::<Code>().expect_err("lrc is not a code");
        assert_eq!(
            error.to_string(),
            "Cannot use code 'lrc': known are rs, rs-legacy and xor"
        );
    }
}
