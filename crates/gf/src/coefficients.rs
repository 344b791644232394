// SPDX-License-Identifier: Apache-2.0
//! A coefficient matrix in the forms that the kernels read.

#[cfg(any(target_arch = "x86_64", not(feature = "no-shuffle-tables")))]
use crate::field;
use crate::pass::ROWS_MAX;
use crate::portable::BitColumns;
use std::fmt;

/// A rows x columns matrix over GF(2^8), prepared once for every kernel and then shared by all
/// calls.
///
/// Row r computes output r, column c multiplies input c. A prepared coefficient takes 8 bytes for
/// the affine kernels, 32 for the nibble-table kernels and about 8 for the portable one, for each
/// of these kernels that this build contains.
#[derive(Clone)]
pub struct Coefficients {
    rows: usize,
    columns: usize,
    values: Box<[u8]>,
    passes: Box<[Prepared]>,
}

/// The rows of one pass, input by input, in the form of every kernel of this build.
#[derive(Clone)]
pub(crate) struct Prepared {
    pub rows: usize,
    #[cfg(target_arch = "x86_64")]
    pub matrices: Box<[u64]>,
    #[cfg(not(feature = "no-shuffle-tables"))]
    pub tables: Box<[[u8; 32]]>,
    pub bits: BitColumns,
}

/// The reason why a matrix cannot be prepared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CoefficientsError {
    rows: usize,
    columns: usize,
    values: usize,
}

impl fmt::Display for CoefficientsError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "Cannot prepare a {} x {} matrix from {} values: needs at least 1 row, 1 to 65535 \
             columns and rows x columns values",
            self.rows, self.columns, self.values
        )
    }
}

impl std::error::Error for CoefficientsError {}

impl Coefficients {
    /// Prepares a matrix given row by row.
    ///
    /// # Errors
    /// If `rows` is 0, `columns` is not 1 to 65535, or `values` does not hold rows x columns bytes.
    pub fn new(rows: usize, columns: usize, values: &[u8]) -> Result<Self, CoefficientsError> {
        if rows == 0
            || columns == 0
            || columns > usize::from(u16::MAX)
            || rows.checked_mul(columns) != Some(values.len())
        {
            return Err(CoefficientsError {
                rows,
                columns,
                values: values.len(),
            });
        }
        // Passes of nearly equal size: 9 outputs are 5 + 4, not 8 + 1.
        let passes = rows.div_ceil(ROWS_MAX);
        let mut rest = values;
        let passes = (0..passes)
            .map(|pass| {
                let of_pass = rows / passes + usize::from(pass < rows % passes);
                let (values, more) = rest.split_at(of_pass * columns);
                rest = more;
                Prepared::new(of_pass, columns, values)
            })
            .collect();
        Ok(Self {
            rows,
            columns,
            values: values.into(),
            passes,
        })
    }

    /// Returns the number of outputs.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// Returns the number of inputs.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// Returns the coefficients in row-major order.
    #[must_use]
    pub fn values(&self) -> &[u8] {
        &self.values
    }

    pub(crate) fn passes(&self) -> &[Prepared] {
        &self.passes
    }
}

impl fmt::Debug for Coefficients {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Coefficients({} x {})", self.rows, self.columns)
    }
}

impl Prepared {
    fn new(rows: usize, columns: usize, values: &[u8]) -> Self {
        #[cfg(any(target_arch = "x86_64", not(feature = "no-shuffle-tables")))]
        let input_by_input = (0..columns).flat_map(|column| {
            (0..rows).map(move |row| usize::from(values[row * columns + column]))
        });
        Self {
            rows,
            #[cfg(target_arch = "x86_64")]
            matrices: input_by_input.clone().map(|value| AFFINE[value]).collect(),
            #[cfg(not(feature = "no-shuffle-tables"))]
            tables: input_by_input.map(|value| NIBBLES[value]).collect(),
            bits: BitColumns::new(values, columns),
        }
    }
}

/// Multiplication by every constant as the 8x8 bit matrix that GF2P8AFFINEQB takes: byte 7 - i of
/// the matrix selects the input bits that make output bit i.
#[cfg(target_arch = "x86_64")]
pub(crate) static AFFINE: [u64; 256] = affine_matrices();

#[cfg(target_arch = "x86_64")]
const fn affine_matrices() -> [u64; 256] {
    let mut matrices = [0; 256];
    let mut value = 0;
    while value < 256 {
        let mut input_bit = 0;
        while input_bit < 8 {
            let product = field::multiply(value as u8, 1 << input_bit);
            let mut output_bit = 0;
            while output_bit < 8 {
                if product >> output_bit & 1 == 1 {
                    matrices[value] |= 1 << (8 * (7 - output_bit) + input_bit);
                }
                output_bit += 1;
            }
            input_bit += 1;
        }
        value += 1;
    }
    matrices
}

/// The products of every constant with the 16 low nibbles, then with the 16 high ones.
#[cfg(not(feature = "no-shuffle-tables"))]
pub(crate) static NIBBLES: [[u8; 32]; 256] = nibble_tables();

#[cfg(not(feature = "no-shuffle-tables"))]
const fn nibble_tables() -> [[u8; 32]; 256] {
    let mut tables = [[0; 32]; 256];
    let mut value = 0;
    while value < 256 {
        let mut nibble = 0;
        while nibble < 16 {
            tables[value][nibble] = field::multiply(value as u8, nibble as u8);
            tables[value][16 + nibble] = field::multiply(value as u8, (nibble << 4) as u8);
            nibble += 1;
        }
        value += 1;
    }
    tables
}
