// SPDX-License-Identifier: Apache-2.0
//! Jobs over borrowed slices, for Rust callers that wait.
//!
//! Each function creates the job, calls `run` with its piece and returns only when the job is
//! dropped, also when `run` panics: the buffers are borrowed until then. A leaked piece therefore
//! makes the function wait forever.
//!
//! There is no job for units of 0 bytes, which are refused (`LengthMismatch`).

use stripeline_codec::{Call, Codec, Error};

use crate::keep::{Receiver, keep};
use crate::{Buffers, Job, Piece, Region};

/// Computes all parity units from all data units.
///
/// # Errors
/// As [`Codec::encode`].
pub fn encode<R>(
    codec: &Codec,
    data: &[&[u8]],
    parity: &mut [&mut [u8]],
    run: impl FnOnce(Piece) -> R,
) -> Result<R, Error> {
    codec.check_units(Call::Encode, data.len(), parity.len())?;
    let bytes = one_length(codec, Call::Encode, data, parity)?;
    let (inputs, outputs) = (read_only(data), writable(parity));
    scoped(bytes, run, |buffers| {
        // SAFETY: all slices have `bytes` bytes; inputs are shared and outputs are exclusive
        // borrows that outlast the job, because `scoped` returns after it is gone.
        unsafe { Job::encode(codec, &inputs, &outputs, buffers) }
    })
}

/// Computes the units `erased` from the available ones.
///
/// # Errors
/// As [`Codec::decode`], and `CountMismatch` if no unit is asked for.
pub fn decode<R>(
    codec: &Codec,
    units: &[Option<&[u8]>],
    erased: &[usize],
    outputs: &mut [&mut [u8]],
    run: impl FnOnce(Piece) -> R,
) -> Result<R, Error> {
    codec.check_outputs(outputs.len(), erased.len())?;
    let given: Vec<&[u8]> = units.iter().flatten().copied().collect();
    let bytes = one_length(codec, Call::Decode, &given, outputs)?;
    let region = |unit: &Option<&[u8]>| unit.map(|unit| Region::host(unit.as_ptr().cast_mut()));
    let units: Vec<Option<Region>> = units.iter().map(region).collect();
    let outputs = writable(outputs);
    scoped(bytes, run, |buffers| {
        // SAFETY: as in `encode`.
        unsafe { Job::decode(codec, &units, erased, &outputs, buffers) }
    })
}

/// Updates the parity in place after data unit `data_unit` changed from `old` to `new`.
///
/// # Errors
/// As [`Codec::update`].
pub fn update<R>(
    codec: &Codec,
    data_unit: usize,
    (old, new): (&[u8], &[u8]),
    parity: &mut [&mut [u8]],
    run: impl FnOnce(Piece) -> R,
) -> Result<R, Error> {
    codec.updating_matrix(data_unit, parity.len())?;
    let bytes = one_length(codec, Call::Update, &[old, new], parity)?;
    let [old, new] = [old, new].map(|unit| Region::host(unit.as_ptr().cast_mut()));
    let parity = writable(parity);
    scoped(bytes, run, |buffers| {
        // SAFETY: as in `encode`.
        unsafe { Job::update(codec, data_unit, old, new, &parity, buffers) }
    })
}

/// Returns whether the parity matches the data.
///
/// # Errors
/// As [`Codec::verify`].
pub fn verify<R>(
    codec: &Codec,
    data: &[&[u8]],
    parity: &[&[u8]],
    run: impl FnOnce(Piece) -> R,
) -> Result<R, Error> {
    codec.check_units(Call::Verify, data.len(), parity.len())?;
    let bytes = one_length(codec, Call::Verify, data, parity)?;
    let (inputs, outputs) = (read_only(data), read_only(parity));
    scoped(bytes, run, |buffers| {
        // SAFETY: all slices have `bytes` bytes; they are shared borrows that outlast the job.
        unsafe { Job::verify(codec, &inputs, &outputs, buffers) }
    })
}

/// Returns the length that all buffers have; 0 if there are none, of which no job is created.
pub(crate) fn one_length<I, O>(
    codec: &Codec,
    call: Call,
    inputs: &[I],
    outputs: &[O],
) -> Result<usize, Error>
where
    I: AsRef<[u8]>,
    O: AsRef<[u8]>,
{
    let inputs = inputs.iter().map(|unit| unit.as_ref().len());
    let outputs = outputs.iter().map(|unit| unit.as_ref().len());
    codec.check_lengths(call, inputs, outputs)
}

fn read_only(units: &[&[u8]]) -> Vec<Region> {
    let region = |unit: &&[u8]| Region::host(unit.as_ptr().cast_mut());
    units.iter().map(region).collect()
}

fn writable(units: &mut [&mut [u8]]) -> Vec<Region> {
    let region = |unit: &mut &mut [u8]| Region::host(unit.as_mut_ptr());
    units.iter_mut().map(region).collect()
}

/// Creates a job over buffers of `bytes` bytes, runs it and returns only when the job is dropped,
/// also when `run` panics: no rail accesses the buffers any more then.
///
/// # Errors
/// As `job`.
pub fn scoped<R>(
    bytes: usize,
    run: impl FnOnce(Piece) -> R,
    job: impl FnOnce(Buffers) -> Result<Piece, Error>,
) -> Result<R, Error> {
    let (kept, end) = keep(());
    let piece = job(Buffers {
        bytes,
        keep: Some(Box::new(kept)),
    });
    // Created before `run`, so that it waits also if `run` panics.
    let _guard = WaitGuard(end);
    Ok(run(piece?))
}

/// Waits for the job when dropped.
struct WaitGuard(Receiver<()>);

impl Drop for WaitGuard {
    fn drop(&mut self) {
        self.0.wait();
    }
}
