// SPDX-License-Identifier: Apache-2.0
//! Jobs that own their buffers, for Rust callers that do not wait.
//!
//! The units move into the job and come back when it is dropped: nothing else can access them until
//! then, and a piece may be kept, sent or leaked without harm.
//!
//! There is no job for units of 0 bytes, which are refused (`LengthMismatch`).

use std::time::Duration;

use stripeline_codec::{Call, Codec, Error};

use crate::borrowed::one_length;
use crate::keep::{Receiver, keep};
use crate::{Buffers, Job, Piece, PinnedBuffer, Region};

/// A buffer that a job can own: `Vec<u8>`, or [`PinnedBuffer`].
pub trait UnitBuffer: AsRef<[u8]> + Send + Sync + sealed::Sealed + 'static {}

impl UnitBuffer for Vec<u8> {}
impl UnitBuffer for PinnedBuffer {}

/// Implemented only here, because jobs rely on the address.
mod sealed {
    use super::{PinnedBuffer, Region};

    pub trait Sealed {
        /// Returns where the bytes are, which stays the same when the buffer is moved.
        fn region(&mut self) -> Region;
    }

    impl Sealed for Vec<u8> {
        fn region(&mut self) -> Region {
            Region::host(self.as_mut_ptr())
        }
    }

    impl Sealed for PinnedBuffer {
        fn region(&mut self) -> Region {
            Self::region(self)
        }
    }
}

/// The buffers of a stripe: what is read, then what is written or compared.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Units<B = Vec<u8>> {
    /// Data units, survivors, or the old and the new bytes of a data unit.
    pub inputs: Vec<B>,
    /// Parity units, or the units to be computed.
    pub outputs: Vec<B>,
}

impl<B> Default for Units<B> {
    /// Returns no units.
    fn default() -> Self {
        Self {
            inputs: Vec::new(),
            outputs: Vec::new(),
        }
    }
}

/// Units of which no job was created, because the codec rejects them.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refused<B = Vec<u8>> {
    /// Why.
    pub error: Error,
    /// The units, untouched.
    pub units: Units<B>,
}

/// Computes all parity units (`outputs`) from all data units (`inputs`).
///
/// # Errors
/// As [`Codec::encode`].
pub fn encode<B: UnitBuffer>(
    codec: &Codec,
    units: Units<B>,
) -> Result<(Piece, Pending<B>), Refused<B>> {
    start(codec, Call::Encode, units, |inputs, outputs, buffers| {
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
pub fn decode<B: UnitBuffer>(
    codec: &Codec,
    present: &[usize],
    erased: &[usize],
    units: Units<B>,
) -> Result<(Piece, Pending<B>), Refused<B>> {
    let checked = codec.check_present(present, units.inputs.len());
    if let Err(error) = checked {
        return Err(Refused { error, units });
    }
    let total = codec.data_units() + codec.parity_units();
    start(codec, Call::Decode, units, |inputs, outputs, buffers| {
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
/// Unless there are two inputs.
pub fn update<B: UnitBuffer>(
    codec: &Codec,
    data_unit: usize,
    units: Units<B>,
) -> Result<(Piece, Pending<B>), Refused<B>> {
    assert_eq!(units.inputs.len(), 2, "old and new bytes");
    start(codec, Call::Update, units, |inputs, outputs, buffers| {
        // SAFETY: as in `encode`.
        unsafe { Job::update(codec, data_unit, inputs[0], inputs[1], outputs, buffers) }
    })
}

/// Compares the parity (`outputs`) with the data (`inputs`).
///
/// # Errors
/// As [`Codec::verify`].
pub fn verify<B: UnitBuffer>(
    codec: &Codec,
    units: Units<B>,
) -> Result<(Piece, Pending<B>), Refused<B>> {
    start(codec, Call::Verify, units, |inputs, outputs, buffers| {
        // SAFETY: as in `encode`.
        unsafe { Job::verify(codec, inputs, outputs, buffers) }
    })
}

fn start<B: UnitBuffer>(
    codec: &Codec,
    call: Call,
    mut units: Units<B>,
    job: impl FnOnce(&[Region], &[Region], Buffers) -> Result<Piece, Error>,
) -> Result<(Piece, Pending<B>), Refused<B>> {
    let bytes = match one_length(codec, call, &units.inputs, &units.outputs) {
        Ok(bytes) => bytes,
        Err(error) => return Err(Refused { error, units }),
    };
    let inputs: Vec<Region> = units.inputs.iter_mut().map(B::region).collect();
    let outputs: Vec<Region> = units.outputs.iter_mut().map(B::region).collect();
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
pub struct Pending<B = Vec<u8>>(Receiver<Units<B>>);

impl<B> Pending<B> {
    /// Waits until the job is dropped and returns the units; `None` if that takes longer than
    /// `limit`, or if they were returned already.
    #[must_use]
    pub fn wait(&self, limit: Duration) -> Option<Units<B>> {
        self.0.wait_for(limit)
    }
}
