// SPDX-License-Identifier: Apache-2.0
//! The matrices of the operations, for devices that compute matrix products themselves.
//!
//! Encoding, decoding and verifying are `outputs = matrix x inputs` with the inputs of the
//! operation; an update adds `matrix x (old, new)` to parity. A device that can compute such a
//! product needs no other knowledge of a code.

use std::sync::Arc;

use arrayvec::ArrayVec;
use stripeline_gf::Coefficients;

use crate::decode::UNITS_MAX;
use crate::error::{Buffer, Call, Error, List, Reason};
use crate::plan::Plan;
use crate::shape::{check_count, check_length};
use crate::unit_set::UnitSet;
use crate::{Code, Codec};

impl Codec {
    /// Returns the m x k matrix that computes parity from data.
    #[must_use]
    pub fn encoding(&self) -> &Arc<Coefficients> {
        &self.parity
    }

    /// Checks that the numbers of data and parity units of a call are k and m.
    ///
    /// # Errors
    /// [`ErrorKind::CountMismatch`](crate::ErrorKind) unless there are k data and m parity units.
    pub fn check_units(&self, call: Call, data: usize, parity: usize) -> Result<(), Error> {
        check_count(call, List::DataUnits, data, self.data_units)?;
        check_count(call, List::ParityUnits, parity, self.parity_units)
    }

    /// Checks that the buffers of a call have equal lengths of at least 1 byte, and returns the
    /// length; 0 if there are no buffers.
    ///
    /// # Errors
    /// [`ErrorKind::LengthMismatch`](crate::ErrorKind) otherwise; the error names the buffer by its
    /// position among the inputs or outputs, from 0.
    pub fn check_lengths(
        &self,
        call: Call,
        inputs: impl Iterator<Item = usize>,
        outputs: impl Iterator<Item = usize>,
    ) -> Result<usize, Error> {
        let inputs = inputs
            .enumerate()
            .map(|(i, bytes)| (Buffer::Input(i), bytes));
        let outputs = outputs
            .enumerate()
            .map(|(i, bytes)| (Buffer::Output(i), bytes));
        let mut first = None;
        for (buffer, bytes) in inputs.chain(outputs) {
            check_length(call, buffer, bytes, *first.get_or_insert(bytes))?;
        }
        match first {
            Some(0) => Err(Reason::Empty { call }.into()),
            length => Ok(length.unwrap_or(0)),
        }
    }

    /// Checks the unit numbers of a decode call that passes `given` units and lists their numbers.
    ///
    /// # Errors
    /// [`ErrorKind`](crate::ErrorKind) `CountMismatch` unless there is a number for each unit,
    /// `InvalidUnit` for a number of k+m or more, `InvalidErasure` for a number that occurs twice.
    pub fn check_present(&self, numbers: &[usize], given: usize) -> Result<(), Error> {
        check_count(Call::Decode, List::Inputs, given, numbers.len())?;
        let (call, units) = (Call::Decode, self.data_units + self.parity_units);
        let mut seen = UnitSet::default();
        for &unit in numbers {
            if unit >= units {
                return Err(Reason::UnitRange { call, unit, units }.into());
            }
            if seen.contains(unit) {
                return Err(Reason::GivenTwice { unit }.into());
            }
            seen.insert(unit);
        }
        Ok(())
    }

    /// Checks that a decode can compute the units `erased` from the present ones of `units`.
    ///
    /// For callers with checks of their own on the outputs: they can report a wrong unit number
    /// before the errors that result from it.
    ///
    /// # Errors
    /// As [`Codec::decode`], except that lengths and the number of present units are not checked.
    pub fn check_erasures<T>(&self, units: &[Option<T>], erased: &[usize]) -> Result<(), Error> {
        let total = self.data_units + self.parity_units;
        check_count(Call::Decode, List::Units, units.len(), total)?;
        self.check_erased(units, erased)
    }

    /// Checks that the number of outputs equals the number of erased units.
    ///
    /// # Errors
    /// [`ErrorKind::CountMismatch`](crate::ErrorKind) unless it does.
    pub fn check_outputs(&self, outputs: usize, erased: usize) -> Result<(), Error> {
        check_count(Call::Decode, List::Outputs, outputs, erased)
    }

    /// Returns the matrix that computes the units `erased`, in that order, from k of `units`, and
    /// pushes those k into `inputs`; [`Codec::decode`] documents the choice.
    ///
    /// The matrix is taken from the plan cache if it is there.
    ///
    /// # Errors
    /// As [`Codec::decode`], except that lengths are not checked and `erased` must list at least
    /// one unit (`CountMismatch`).
    ///
    /// # Panics
    /// If `inputs` is not empty.
    pub fn decoding<T: Copy>(
        &self,
        units: &[Option<T>],
        erased: &[usize],
        inputs: &mut ArrayVec<T, UNITS_MAX>,
    ) -> Result<Arc<Coefficients>, Error> {
        assert!(inputs.is_empty(), "the list of inputs is filled here");
        check_count(
            Call::Decode,
            List::Outputs,
            erased.len(),
            erased.len().max(1),
        )?;
        self.check_erasures(units, erased)?;
        let survivors = self.choose_survivors(units, inputs)?;
        if self.code == Code::Xor {
            // One row of ones, for every lost unit.
            return Ok(Arc::clone(&self.parity));
        }
        let build = || Plan::build(self.parity_view(), &survivors, erased);
        Ok(self.plans.with_plan(&survivors, erased, build, |plan| {
            Arc::clone(plan.coefficients())
        }))
    }

    /// Returns the m x 2 matrix whose product with the old and the new bytes of a data unit, added
    /// to the parity, updates the parity.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidUnit`](crate::ErrorKind) for a data unit of k or more.
    /// `CountMismatch` unless there are m parity units.
    pub fn updating_matrix(
        &self,
        data_unit: usize,
        parity: usize,
    ) -> Result<Arc<Coefficients>, Error> {
        let matrix = self.updating(data_unit)?;
        check_count(Call::Update, List::ParityUnits, parity, self.parity_units)?;
        Ok(Arc::clone(matrix))
    }
}
