// SPDX-License-Identifier: Apache-2.0
//! A coefficient matrix in the forms that the kernels read.

use std::fmt;

/// A rows x columns matrix over GF(2^8), prepared once for every kernel and then shared by all calls.
///
/// Row r gives output r, column c belongs to input c. A prepared matrix takes 8 bytes per coefficient
/// for the affine kernels plus 32 for the nibble-table kernels, whichever this build contains.
#[derive(Clone)]
pub struct Coefficients {
    rows: usize,
    columns: usize,
    values: Box<[u8]>,
}

/// Why a matrix cannot be prepared.
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
            "Cannot prepare a {} x {} matrix from {} values: rows and columns must be at least 1 and rows x columns values given",
            self.rows, self.columns, self.values
        )
    }
}

impl std::error::Error for CoefficientsError {}

impl Coefficients {
    /// Prepares a matrix given row by row.
    ///
    /// # Errors
    /// If a dimension is 0 or `values` does not hold rows x columns bytes.
    pub fn new(rows: usize, columns: usize, values: &[u8]) -> Result<Self, CoefficientsError> {
        if rows == 0 || columns == 0 || rows.checked_mul(columns) != Some(values.len()) {
            return Err(CoefficientsError { rows, columns, values: values.len() });
        }
        Ok(Self { rows, columns, values: values.into() })
    }

    /// The number of outputs.
    #[must_use]
    pub fn rows(&self) -> usize {
        self.rows
    }

    /// The number of inputs.
    #[must_use]
    pub fn columns(&self) -> usize {
        self.columns
    }

    /// The coefficients, row by row.
    #[must_use]
    pub fn values(&self) -> &[u8] {
        &self.values
    }
}

impl fmt::Debug for Coefficients {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Coefficients({} x {})", self.rows, self.columns)
    }
}
