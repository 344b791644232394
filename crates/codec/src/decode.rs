// SPDX-License-Identifier: Apache-2.0
//! Decoding: chooses the survivors, looks up the plan and runs it.

use arrayvec::ArrayVec;
use stripeline_gf::StorePolicy;

use crate::error::{Buffer, Call, Error, List, Reason};
use crate::plan::Plan;
use crate::shape::{check_count, check_length, check_lengths};
use crate::unit_set::UnitSet;
use crate::{Code, Codec};

/// The largest stripe of any code; see [`Code::units_max`].
pub const UNITS_MAX: usize = 256;

impl Codec {
    /// Computes the units `erased` into `outputs` from any k of the other units.
    ///
    /// `units` has one entry per unit of the stripe, data first; `None` is a unit that is lost or
    /// was not read. `erased` lists the units to compute, data or parity, in any order:
    /// `outputs[i]` becomes unit `erased[i]`. Absent units that are not listed in `erased` are not
    /// computed.
    ///
    /// If more than k units are present, the call reads all present data units and then the
    /// lowest-numbered parity units, the same choice as Hadoop's coders; it only checks the length
    /// of the others.
    ///
    /// A unit that is both in `erased` and present is an error. Hadoop's coders differ here:
    /// `rs_java` may copy the given unit to the output, `rs-legacy_java` refuses, `xor_java`
    /// ignores it. No caller in HDFS does this.
    ///
    /// # Errors
    /// [`ErrorKind`](crate::ErrorKind) `CountMismatch` unless there are k+m units and one output
    /// per erased unit, `InvalidUnit` for a unit number of k+m or more, `InvalidErasure` for an
    /// erased unit that is listed twice or is present, `TooManyErasures` for more than m erased
    /// units or fewer than k present units, `LengthMismatch` unless all buffers have the same
    /// length.
    pub fn decode(
        &self,
        units: &[Option<&[u8]>],
        erased: &[usize],
        outputs: &mut [&mut [u8]],
    ) -> Result<(), Error> {
        self.decode_stored(units, erased, outputs, StorePolicy::Temporal)
    }

    /// As [`Codec::decode`], with a choice of how outputs are stored.
    ///
    /// # Errors
    /// As [`Codec::decode`].
    pub fn decode_stored(
        &self,
        units: &[Option<&[u8]>],
        erased: &[usize],
        outputs: &mut [&mut [u8]],
        store: StorePolicy,
    ) -> Result<(), Error> {
        check_count(
            Call::Decode,
            List::Units,
            units.len(),
            self.data_units + self.parity_units,
        )?;
        check_count(Call::Decode, List::Outputs, outputs.len(), erased.len())?;
        self.check_erased(units, erased)?;
        check_unit_lengths(units, outputs)?;
        if erased.is_empty() {
            return Ok(());
        }
        let mut inputs = ArrayVec::new();
        let survivors = self.choose_survivors(units, &mut inputs)?;
        if inputs[0].is_empty() {
            return Ok(());
        }
        if self.code == Code::Xor {
            self.kernels.xor(&inputs, outputs[0], store);
            return Ok(());
        }
        let build = || Plan::build(self.parity_view(), &survivors, erased);
        self.plans.with_plan(&survivors, erased, build, |plan| {
            self.kernels
                .dot(plan.coefficients(), &inputs, outputs, store);
        });
        Ok(())
    }

    pub(crate) fn check_erased<T>(
        &self,
        units: &[Option<T>],
        erased: &[usize],
    ) -> Result<(), Error> {
        let mut seen = UnitSet::default();
        for unit in erased.iter().copied() {
            let Some(given) = units.get(unit) else {
                let call = Call::Decode;
                return Err(Reason::UnitRange {
                    call,
                    unit,
                    units: units.len(),
                }
                .into());
            };
            if seen.contains(unit) {
                return Err(Reason::ErasedTwice { unit }.into());
            }
            if given.is_some() {
                return Err(Reason::ErasedPresent { unit }.into());
            }
            seen.insert(unit);
        }
        if erased.len() > self.parity_units {
            let parity_units = self.parity_units;
            return Err(Reason::ErasedCount {
                erased: erased.len(),
                parity_units,
            }
            .into());
        }
        Ok(())
    }

    /// Pushes the first k units present, in ascending order, into `inputs`, which must be empty.
    ///
    /// The list is filled in place: returning it in a `Result` would copy all of its capacity.
    pub(crate) fn choose_survivors<T: Copy>(
        &self,
        units: &[Option<T>],
        inputs: &mut ArrayVec<T, UNITS_MAX>,
    ) -> Result<UnitSet, Error> {
        let mut survivors = UnitSet::default();
        for (number, unit) in units.iter().enumerate() {
            if let Some(unit) = unit {
                survivors.insert(number);
                inputs.push(*unit);
                if inputs.len() == self.data_units {
                    return Ok(survivors);
                }
            }
        }
        let (present, wanted) = (inputs.len(), self.data_units);
        Err(Reason::TooFewSurvivors {
            present,
            units: units.len(),
            wanted,
        }
        .into())
    }
}

/// Requires all buffers to have the same length.
fn check_unit_lengths(units: &[Option<&[u8]>], outputs: &[&mut [u8]]) -> Result<(), Error> {
    let Some(first) = units.iter().flatten().next() else {
        return Ok(());
    };
    for (number, unit) in units.iter().enumerate() {
        if let Some(unit) = unit {
            check_length(Call::Decode, Buffer::Unit(number), unit.len(), first.len())?;
        }
    }
    check_lengths(Call::Decode, outputs, first.len(), Buffer::Output)
}
