// SPDX-License-Identifier: Apache-2.0
//! Jobs that own their buffers, for Rust callers that do not wait.
//!
//! The units move into the job and come back when it is dropped: nothing else can access them until
//! then, and a piece may be kept, sent or leaked without harm.

use std::time::Duration;

use stripeline_codec::{Codec, Error};

use crate::borrowed::one_length;
use crate::keep::{Receiver, keep};
use crate::{Buffers, Job, Piece, Region};

/// The buffers of a stripe: what is read, then what is written or compared.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Units {
    /// Data units, survivors, or the old and the new bytes of a data unit.
    pub inputs: Vec<Vec<u8>>,
    /// Parity units, or the units to be computed.
    pub outputs: Vec<Vec<u8>>,
}

/// Units of which no job was created, because the codec rejects them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused {
    /// Why.
    pub error: Error,
    /// The units, untouched.
    pub units: Units,
}

/// Computes all parity units (`outputs`) from all data units (`inputs`).
///
/// # Errors
/// As [`Codec::encode`].
///
/// # Panics
/// If the units have 0 bytes.
pub fn encode(codec: &Codec, units: Units) -> Result<(Piece, Pending), Refused> {
    start(codec, units, |inputs, outputs, buffers| {
        // SAFETY: `start` made the regions from buffers of one length that the job owns and that
        // nothing else can access until it is dropped.
        unsafe { Job::encode(codec, inputs, outputs, buffers) }
    })
}

/// Computes the units `erased` (`outputs`) from the units numbered `present` (`inputs`), ascending.
///
/// # Errors
/// As [`Codec::decode`]; `CountMismatch` if no unit is asked for or numbers and inputs differ in
/// count; `InvalidUnit` for a number outside the stripe; `InvalidErasure` for one given twice.
///
/// # Panics
/// If the units have 0 bytes.
pub fn decode(
    codec: &Codec,
    present: &[usize],
    erased: &[usize],
    units: Units,
) -> Result<(Piece, Pending), Refused> {
    let checked = codec.check_present(present, units.inputs.len());
    if let Err(error) = checked {
        return Err(Refused { error, units });
    }
    let total = codec.data_units() + codec.parity_units();
    start(codec, units, |inputs, outputs, buffers| {
        let mut given = vec![None; total];
        for (unit, region) in present.iter().zip(inputs) {
            given[*unit] = Some(*region);
        }
        // SAFETY: as in `encode`.
        unsafe { Job::decode(codec, &given, erased, outputs, buffers) }
    })
}

/// Updates the parity (`outputs`) for one changed data unit; `inputs` are its old and its new
/// bytes.
///
/// # Errors
/// As [`Codec::update`].
///
/// # Panics
/// If the units have 0 bytes, or unless there are two inputs.
pub fn update(codec: &Codec, data_unit: usize, units: Units) -> Result<(Piece, Pending), Refused> {
    assert_eq!(units.inputs.len(), 2, "old and new bytes");
    start(codec, units, |inputs, outputs, buffers| {
        // SAFETY: as in `encode`.
        unsafe { Job::update(codec, data_unit, inputs[0], inputs[1], outputs, buffers) }
    })
}

/// Compares the parity (`outputs`) with the data (`inputs`).
///
/// # Errors
/// As [`Codec::verify`].
///
/// # Panics
/// If the units have 0 bytes.
pub fn verify(codec: &Codec, units: Units) -> Result<(Piece, Pending), Refused> {
    start(codec, units, |inputs, outputs, buffers| {
        // SAFETY: as in `encode`.
        unsafe { Job::verify(codec, inputs, outputs, buffers) }
    })
}

fn start(
    codec: &Codec,
    mut units: Units,
    job: impl FnOnce(&[Region], &[Region], Buffers) -> Result<Piece, Error>,
) -> Result<(Piece, Pending), Refused> {
    let bytes = match one_length(codec, &units.inputs, &units.outputs) {
        Ok(bytes) => bytes,
        Err(error) => return Err(Refused { error, units }),
    };
    let region = |unit: &mut Vec<u8>| Region::host(unit.as_mut_ptr());
    let inputs: Vec<Region> = units.inputs.iter_mut().map(region).collect();
    let outputs: Vec<Region> = units.outputs.iter_mut().map(region).collect();
    let (kept, receiver) = keep(units);
    let buffers = Buffers {
        bytes,
        keep: Some(Box::new(kept)),
    };
    let pending = Pending(receiver);
    match job(&inputs, &outputs, buffers) {
        Ok(piece) => Ok((piece, pending)),
        Err(error) => {
            let units = pending.wait(Duration::ZERO);
            let units = units.expect("without a job nothing holds the units");
            Err(Refused { error, units })
        }
    }
}

/// Receives the units when the job is dropped.
#[derive(Debug)]
pub struct Pending(Receiver<Units>);

impl Pending {
    /// Waits until the job is dropped and returns the units; `None` if that takes longer than
    /// `limit`, or if they were returned already.
    #[must_use]
    pub fn wait(&self, limit: Duration) -> Option<Units> {
        self.0.wait_for(limit)
    }
}
