// SPDX-License-Identifier: Apache-2.0
//! Delta update: recomputes parity after a change to one data unit.

use std::sync::Arc;

use stripeline_gf::Coefficients;

use crate::Codec;
use crate::error::{Buffer, Call, Error, List, Reason};
use crate::shape::{check_count, check_length, check_lengths};

impl Codec {
    /// Updates all parity units in place after data unit `data_unit` changed from `old` to `new`.
    ///
    /// The codes are linear: each parity unit changes by its coefficient times (old + new). One
    /// pass over the parity multiplies both, so the sum is never stored in memory.
    ///
    /// # Errors
    /// [`ErrorKind`](crate::ErrorKind) `InvalidUnit` for a data unit of k or more, `CountMismatch`
    /// unless m parity units are given, `LengthMismatch` unless all buffers have one length.
    pub fn update(
        &self,
        data_unit: usize,
        old: &[u8],
        new: &[u8],
        parity: &mut [&mut [u8]],
    ) -> Result<(), Error> {
        let coefficients = self.updating(data_unit)?;
        check_count(
            Call::Update,
            List::ParityUnits,
            parity.len(),
            self.parity_units,
        )?;
        check_length(Call::Update, Buffer::New, new.len(), old.len())?;
        check_lengths(Call::Update, parity, old.len(), Buffer::Parity)?;
        if old.is_empty() {
            return Ok(());
        }
        self.kernels.dot_add(coefficients, &[old, new], parity);
        Ok(())
    }

    /// Returns the matrix of a delta update, which the unit's first update prepares.
    pub(crate) fn updating(&self, data_unit: usize) -> Result<&Arc<Coefficients>, Error> {
        let Some(prepared) = self.updates.get(data_unit) else {
            let (call, units) = (Call::Update, self.data_units);
            return Err(Reason::UnitRange {
                call,
                unit: data_unit,
                units,
            }
            .into());
        };
        Ok(prepared.get_or_init(|| self.update_coefficients(data_unit).into()))
    }

    /// Prepares the data unit's column of the parity matrix twice: once for the old bytes, once for
    /// the new ones.
    fn update_coefficients(&self, data_unit: usize) -> Coefficients {
        let rows = self.parity.values().chunks_exact(self.data_units);
        let values: Vec<_> = rows.flat_map(|row| [row[data_unit]; 2]).collect();
        Coefficients::new(self.parity_units, 2, &values).expect("two columns per parity unit")
    }
}
