// SPDX-License-Identifier: Apache-2.0
//! The matrix that computes erased units from surviving units.
//!
//! Survivors are all data units present, then as many parity units as data units are absent.
//! Writing P = A x for the parity matrix A, with absent data D and the surviving parity S that
//! stands in:
//!
//! ```text
//! P[S] = A[S][present] x[present] + A[S][D] x[D]
//! x[D] = inverse(A[S][D]) (P[S] + A[S][present] x[present])
//! ```
//!
//! so only a |D| x |D| matrix is inverted, not the k x k one of the textbook. An erased parity unit
//! is its row of A with x[D] replaced by the above.

use std::sync::Arc;

use stripeline_gf::Coefficients;
use stripeline_gf::field::multiply;

use crate::matrix;
use crate::unit_set::UnitSet;

/// The matrix that computes a given list of erased units from a given set of survivors.
#[derive(Debug)]
pub(crate) struct Plan {
    survivors: UnitSet,
    erased: Box<[u8]>,
    coefficients: Arc<Coefficients>,
}

/// The parity matrix and its shape.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ParityMatrix<'a> {
    pub(crate) values: &'a [u8],
    pub(crate) data_units: usize,
    pub(crate) parity_units: usize,
}

impl ParityMatrix<'_> {
    fn at(&self, parity_unit: usize, data_unit: usize) -> u8 {
        self.values[parity_unit * self.data_units + data_unit]
    }
}

impl Plan {
    /// Returns the approximate memory of a plan with the given number of outputs and inputs, in
    /// bytes.
    ///
    /// A prepared coefficient takes 1 byte for its value, 8 bytes for affine kernels, 32 for nibble
    /// tables and up to 15 for the portable kernel. A test compares this estimate with the bytes
    /// allocated.
    pub(crate) const fn bytes(outputs: usize, inputs: usize) -> usize {
        256 + outputs + 56 * outputs * inputs
    }

    /// Builds the plan; `erased` lists units that are not survivors, each once.
    pub(crate) fn build(parity: ParityMatrix<'_>, survivors: &UnitSet, erased: &[usize]) -> Self {
        let inputs = parity.data_units;
        let absent = AbsentData::solve(parity, survivors);
        let mut rows = Vec::with_capacity(erased.len() * inputs);
        for unit in erased {
            if *unit < inputs {
                let position = absent.units.iter().position(|data| data == unit);
                rows.extend_from_slice(
                    absent.row(position.expect("erased data is absent"), inputs),
                );
            } else {
                rows.extend(absent.parity_row(parity, survivors, unit - inputs));
            }
        }
        Self {
            survivors: *survivors,
            erased: erased.iter().map(|unit| *unit as u8).collect(),
            coefficients: Coefficients::new(erased.len(), inputs, &rows)
                .expect("a plan has a row per erased unit and a column per survivor")
                .into(),
        }
    }

    pub(crate) fn answers(&self, survivors: &UnitSet, erased: &[usize]) -> bool {
        self.survivors == *survivors
            && self.erased.len() == erased.len()
            && self
                .erased
                .iter()
                .zip(erased)
                .all(|(ours, asked)| usize::from(*ours) == *asked)
    }

    /// Returns the matrix: one row per erased unit in the order requested, one column per survivor
    /// in ascending order.
    pub(crate) fn coefficients(&self) -> &Arc<Coefficients> {
        &self.coefficients
    }
}

/// The absent data units as linear combinations of the survivors.
struct AbsentData {
    units: Vec<usize>,
    /// One row of k coefficients per absent unit; columns are survivors in ascending order.
    rows: Vec<u8>,
}

impl AbsentData {
    fn solve(parity: ParityMatrix<'_>, survivors: &UnitSet) -> Self {
        let k = parity.data_units;
        let (present, units): (Vec<_>, Vec<_>) = (0..k).partition(|unit| survivors.contains(*unit));
        let standing_in: Vec<_> = (0..parity.parity_units)
            .filter(|unit| survivors.contains(k + unit))
            .collect();
        let square = standing_in
            .iter()
            .flat_map(|row| units.iter().map(|column| parity.at(*row, *column)))
            .collect();
        // A square submatrix of a parity matrix is invertible exactly if the stripe is decodable,
        // and these codes decode any m erasures.
        let inverted = matrix::invert(square, units.len()).expect("any k units determine the rest");

        let mut rows = vec![0; units.len() * k];
        for (row, weights) in rows
            .chunks_exact_mut(k)
            .zip(inverted.chunks_exact(units.len().max(1)))
        {
            let (from_data, from_parity) = row.split_at_mut(present.len());
            for (coefficient, data) in from_data.iter_mut().zip(&present) {
                *coefficient = standing_in
                    .iter()
                    .zip(weights)
                    .fold(0, |sum, (unit, weight)| {
                        sum ^ multiply(*weight, parity.at(*unit, *data))
                    });
            }
            from_parity.copy_from_slice(weights);
        }
        Self { units, rows }
    }

    fn row(&self, position: usize, inputs: usize) -> &[u8] {
        &self.rows[position * inputs..(position + 1) * inputs]
    }

    /// Returns an erased parity unit as a linear combination of the survivors.
    fn parity_row(&self, parity: ParityMatrix<'_>, survivors: &UnitSet, unit: usize) -> Vec<u8> {
        let k = parity.data_units;
        let mut row: Vec<_> = (0..k)
            .filter(|data| survivors.contains(*data))
            .map(|data| parity.at(unit, data))
            .collect();
        row.resize(k, 0);
        for (position, data) in self.units.iter().enumerate() {
            let weight = parity.at(unit, *data);
            for (coefficient, value) in row.iter_mut().zip(self.row(position, k)) {
                *coefficient ^= multiply(weight, *value);
            }
        }
        row
    }
}
