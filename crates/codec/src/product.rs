// SPDX-License-Identifier: Apache-2.0
//! The matrices behind the operations, for devices that run products of their own.
//!
//! Encoding, decoding and verifying are `outputs = matrix x inputs` with the inputs of the
//! operation; an update adds `matrix x (old, new)` to parity. A device that can do such a product
//! needs to know nothing else of a code.

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
    /// The m x k matrix that gives parity from data.
    #[must_use]
    pub fn encoding(&self) -> &Arc<Coefficients> {
        &self.parity
    }

    /// Checks that there are as many units as a stripe has.
    ///
    /// # Errors
    /// [`ErrorKind::CountMismatch`](crate::ErrorKind) unless there are k data and m parity units.
    pub fn check_units(&self, data: usize, parity: usize) -> Result<(), Error> {
        check_count(Call::Encode, List::DataUnits, data, self.data_units)?;
        check_count(Call::Encode, List::ParityUnits, parity, self.parity_units)
    }

    /// Checks that buffers of these lengths in bytes have one length, and returns it.
    ///
    /// # Errors
    /// [`ErrorKind::LengthMismatch`](crate::ErrorKind) unless they have, named by their position.
    pub fn check_lengths(&self, lengths: impl IntoIterator<Item = usize>) -> Result<usize, Error> {
        let mut lengths = lengths.into_iter();
        let first = lengths.next().unwrap_or(0);
        for (index, length) in lengths.enumerate() {
            check_length(Call::Encode, Buffer::Unit(index + 1), length, first)?;
        }
        Ok(first)
    }

    /// Checks that these are the numbers of so many units of the stripe that are given for a decode.
    ///
    /// # Errors
    /// [`ErrorKind`](crate::ErrorKind) `CountMismatch` unless there is a number for each unit,
    /// `InvalidUnit` for a number of k+m or more, `InvalidErasure` for one given twice.
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

    /// Checks that a decode can produce the units `erased` from those of `units` that are there.
    ///
    /// For callers with checks of their own on the outputs: a wrong number is told before what follows
    /// from it.
    ///
    /// # Errors
    /// As [`Codec::decode`], except that lengths and the number of those present are not looked at.
    pub fn check_erasures<T>(&self, units: &[Option<T>], erased: &[usize]) -> Result<(), Error> {
        let total = self.data_units + self.parity_units;
        check_count(Call::Decode, List::Units, units.len(), total)?;
        self.check_erased(units, erased)
    }

    /// Checks that there is an output for every unit asked for.
    ///
    /// # Errors
    /// [`ErrorKind::CountMismatch`](crate::ErrorKind) unless there is.
    pub fn check_outputs(&self, outputs: usize, erased: usize) -> Result<(), Error> {
        check_count(Call::Decode, List::Outputs, outputs, erased)
    }

    /// The matrix that gives the units `erased`, in that order, from the k of `units` that it
    /// pushes into `inputs`; see [`Codec::decode`] for which those are.
    ///
    /// The matrix comes out of the cache of plans if it is there.
    ///
    /// # Errors
    /// As [`Codec::decode`], except that lengths are not looked at and at least one unit must be
    /// asked for (`CountMismatch`).
    ///
    /// # Panics
    /// Unless `inputs` comes in empty.
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
            // One row of ones, whichever unit is lost.
            return Ok(Arc::clone(&self.parity));
        }
        let build = || Plan::build(self.parity_view(), &survivors, erased);
        Ok(self.plans.with_plan(&survivors, erased, build, |plan| {
            Arc::clone(plan.coefficients())
        }))
    }

    /// The m x 2 matrix whose product with the old and the new bytes of a data unit, added to
    /// parity, updates it.
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
