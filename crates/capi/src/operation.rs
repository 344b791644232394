// SPDX-License-Identifier: Apache-2.0
//! The four operations of an engine as read from C: checks the arguments and creates a piece.

use std::any::Any;

use ::stripeline_codec::Codec;
use stripeline_rail::{Buffers, Job, Piece};

use crate::arguments::Call;
use crate::failure::Failure;
use crate::matrix::stripeline_matrix;

/// The arguments of one operation, except the handles.
#[derive(Clone, Copy)]
pub(crate) enum Operation {
    Encode {
        data: *const stripeline_matrix,
        parity: *const stripeline_matrix,
    },
    Decode {
        units: *const stripeline_matrix,
        erased: *const u32,
        count: usize,
        outputs: *const stripeline_matrix,
    },
    Update {
        data_unit: usize,
        changed: *const stripeline_matrix,
        parity: *const stripeline_matrix,
    },
    Verify {
        data: *const stripeline_matrix,
        parity: *const stripeline_matrix,
    },
}

impl Operation {
    pub(crate) fn call(self) -> Call {
        Call(match self {
            Self::Encode { .. } => "encode the stripe",
            Self::Decode { .. } => "decode the stripe",
            Self::Update { .. } => "update the stripe",
            Self::Verify { .. } => "verify the stripe",
        })
    }

    /// Checks the arguments and creates the piece; returns `None` if there is nothing to compute.
    ///
    /// # Safety
    /// Matrices and lists must be null or as large as their counts. Until the job is dropped, which
    /// drops `keep`, units must have `length` bytes of their kind of memory; units that are read
    /// must not be written, and units that are written must not be accessed by anything else.
    pub(crate) unsafe fn piece(
        self,
        codec: &Codec,
        length: usize,
        keep: Box<dyn Any + Send + Sync>,
    ) -> Result<Option<Piece>, Failure> {
        let call = self.call();
        let buffers = Buffers {
            bytes: length,
            keep: Some(keep),
        };
        let (k, m) = (codec.data_units(), codec.parity_units());
        // SAFETY: matrices and buffers as the caller guarantees; `check_memory` keeps outputs
        // apart.
        unsafe {
            match self {
                Self::Encode { data, parity } => {
                    let data = call.matrix("data", data, k, length)?;
                    let parity = call.matrix("parity", parity, m, length)?;
                    call.check_present(&data.list())?;
                    call.check_memory(&[data.list()], &parity.list())?;
                    let (data, parity) = (data.regions(), parity.regions());
                    Ok(Some(Job::encode(codec, &data, &parity, buffers)?))
                }
                Self::Decode {
                    units,
                    erased,
                    count,
                    outputs,
                } => {
                    let outputs = (outputs, count);
                    decode(call, codec, units, erased, outputs, buffers)
                }
                Self::Update {
                    data_unit,
                    changed,
                    parity,
                } => {
                    let changed = call.matrix("changed", changed, 2, length)?;
                    let parity = call.matrix("parity", parity, m, length)?;
                    call.check_present(&changed.list())?;
                    call.check_memory(&[changed.list()], &parity.list())?;
                    let (changed, parity) = (changed.regions(), parity.regions());
                    let [old, new] = [changed[0], changed[1]];
                    let piece = Job::update(codec, data_unit, old, new, &parity, buffers)?;
                    Ok(Some(piece))
                }
                Self::Verify { data, parity } => {
                    let data = call.matrix("data", data, k, length)?;
                    let parity = call.matrix("parity", parity, m, length)?;
                    call.check_present(&data.list())?;
                    call.check_present(&parity.list())?;
                    let (data, parity) = (data.regions(), parity.regions());
                    Ok(Some(Job::verify(codec, &data, &parity, buffers)?))
                }
            }
        }
    }
}

/// # Safety
/// As [`Operation::piece`].
unsafe fn decode(
    call: Call,
    codec: &Codec,
    units: *const stripeline_matrix,
    erased: *const u32,
    (outputs, count): (*const stripeline_matrix, usize),
    buffers: Buffers,
) -> Result<Option<Piece>, Failure> {
    if count == 0 {
        return Ok(None);
    }
    let total = codec.data_units() + codec.parity_units();
    // SAFETY: as the caller guarantees.
    let (numbers, mut units) = unsafe {
        (
            call.erased(codec, erased, count)?,
            call.matrix("units", units, total, buffers.bytes)?,
        )
    };
    if units.is_strided {
        // With a stride there are no null entries: the erased units are the absent ones.
        for unit in numbers.iter().filter(|unit| **unit < total) {
            units.pointers[*unit] = std::ptr::null();
        }
    }
    let present = units.present();
    // Checked before the outputs: a caller that lists a unit twice probably passes one output twice
    // too.
    codec.check_erasures(&present, &numbers)?;
    // SAFETY: as the caller guarantees.
    let outputs = unsafe { call.matrix("outputs", outputs, count, buffers.bytes) }?;
    call.check_memory(&[units.list()], &outputs.list())?;
    let outputs = outputs.regions();
    // SAFETY: as the caller guarantees; no output shares a byte with another buffer.
    let piece = unsafe { Job::decode(codec, &present, &numbers, &outputs, buffers) };
    Ok(Some(piece?))
}
