// SPDX-License-Identifier: Apache-2.0
//! The computation of a job: a shape and an operation determine a matrix, its source units and its
//! target units.

use std::fmt;
use std::str::FromStr;

use stripeline_reference::Code;

/// A code of `data` and `parity` units, written `6+3`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Data units of a stripe.
    pub data: usize,
    /// Parity units of a stripe.
    pub parity: usize,
}

impl fmt::Display for Shape {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{}+{}", self.data, self.parity)
    }
}

impl FromStr for Shape {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        let parsed = text.split_once('+').and_then(|(data, parity)| {
            Some(Self {
                data: data.trim().parse().ok()?,
                parity: parity.trim().parse().ok()?,
            })
        });
        match parsed {
            Some(shape) if shape.data >= 1 && shape.parity >= 1 && shape.units() <= 256 => {
                Ok(shape)
            }
            _ => Err(format!(
                "Cannot use shape '{text}': write data+parity, each at least 1, together at most \
                 256"
            )),
        }
    }
}

impl Shape {
    /// Returns the number of data and parity units together.
    pub fn units(self) -> usize {
        self.data + self.parity
    }
}

/// The operation that a coder performs.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Operation {
    /// All parity units from all data units.
    Encode,
    /// The first data units, as many as the number says, from the next surviving units.
    Decode(usize),
    /// As many lost data units as there are parity units.
    DecodeMost,
}

impl fmt::Display for Operation {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Encode => formatter.write_str("encode"),
            Self::Decode(lost) => write!(formatter, "decode-{lost}"),
            Self::DecodeMost => formatter.write_str("decode-m"),
        }
    }
}

impl FromStr for Operation {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match text {
            "encode" => Ok(Self::Encode),
            "decode-m" => Ok(Self::DecodeMost),
            _ => match text
                .strip_prefix("decode-")
                .and_then(|lost| lost.parse().ok())
            {
                Some(lost) if lost >= 1 => Ok(Self::Decode(lost)),
                _ => Err(format!(
                    "Cannot use operation '{text}': known are encode, decode-1, decode-2 ... and \
                     decode-m"
                )),
            },
        }
    }
}

/// One matrix to apply: `targets = coefficients x sources`, the units numbered as in the stripe.
#[derive(Clone, Debug)]
pub struct Job {
    /// The code.
    pub shape: Shape,
    /// The operation; `decode-m` is kept as requested.
    pub operation: Operation,
    /// Units that are read, one per matrix column.
    pub sources: Vec<usize>,
    /// Units that are written, one per matrix row.
    pub targets: Vec<usize>,
    /// The matrix in row-major order.
    pub coefficients: Vec<u8>,
}

impl Job {
    /// Builds the job; returns `None` if the shape cannot lose that many data units, or if
    /// `decode-m` is the same job.
    pub fn new(shape: Shape, operation: Operation) -> Option<Self> {
        let lost = match operation {
            Operation::Encode => 0,
            Operation::DecodeMost => shape.parity.min(shape.data),
            Operation::Decode(lost) if lost < shape.parity.min(shape.data) => lost,
            Operation::Decode(_) => return None,
        };
        let sources: Vec<usize> = (lost..lost + shape.data).collect();
        let targets: Vec<usize> = match operation {
            Operation::Encode => (shape.data..shape.units()).collect(),
            _ => (0..lost).collect(),
        };
        let coefficients = coefficients(shape, &sources, &targets);
        Some(Self {
            shape,
            operation,
            sources,
            targets,
            coefficients,
        })
    }

    /// Returns the number of units written.
    pub fn rows(&self) -> usize {
        self.targets.len()
    }

    /// Returns the number of units read, which equals the number of data units.
    pub fn columns(&self) -> usize {
        self.sources.len()
    }

    /// Returns the data bytes of one call at the given cell size, which all GB/s figures count.
    pub fn bytes_per_call(&self, cell_bytes: usize) -> u64 {
        (self.columns() * cell_bytes) as u64
    }
}

/// Computes the matrix from sources to targets with the oracle: decoding a stripe whose source s is
/// 1 at offset s and 0 elsewhere leaves the coefficient of s in target t at offset s of t.
fn coefficients(shape: Shape, sources: &[usize], targets: &[usize]) -> Vec<u8> {
    let mut units = vec![None; shape.units()];
    for (offset, &source) in sources.iter().enumerate() {
        let mut cell = vec![0; sources.len()];
        cell[offset] = 1;
        units[source] = Some(cell);
    }
    stripeline_reference::decode(Code::Rs, shape.data, shape.parity, &units, targets)
        .expect("k units are present")
        .concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn decode_m_replaces_the_count_that_equals_it() {
        let shape: Shape = "3+2".parse().expect("a shape");
        assert!(Job::new(shape, Operation::Decode(2)).is_none());
        let most = Job::new(shape, Operation::DecodeMost).expect("a job");
        assert_eq!((most.sources, most.targets), (vec![2, 3, 4], vec![0, 1]));
    }

    #[test]
    fn the_first_parity_row_of_six_plus_three_is_hadoop_s() {
        // RSUtil.genCauchyMatrix for 6+3: row 6 holds 1/6, 1/7, 1/4, 1/5, 1/2, 1/3.
        let job = Job::new("6+3".parse().expect("a shape"), Operation::Encode).expect("a job");
        assert_eq!(job.coefficients[..6], [122, 186, 71, 167, 142, 244]);
    }

    #[test]
    fn invalid_names_list_the_known_ones() {
        assert!(
            "6x3"
                .parse::<Shape>()
                .expect_err("not a shape")
                .contains("'6x3'")
        );
        assert!("0+3".parse::<Shape>().is_err());
        assert!(
            "decode-0"
                .parse::<Operation>()
                .expect_err("none lost")
                .contains("decode-m")
        );
    }
}
