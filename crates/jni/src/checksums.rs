// SPDX-License-Identifier: Apache-2.0
//! Encoding direct buffers with a checksum per chunk into an `int[]`.

use arrayvec::ArrayVec;
use jni_sys::jint;
use stripeline_boundary::{Exclusive, Shared, UNITS_MAX, exclusive, shared};
use stripeline_codec::{ChecksumKind, Checksums, Codec, StorePolicy};

use crate::arguments::{Absence, Pointers, Units, checksum_kind};
use crate::direct::Memory;
use crate::env::{Env, IntArray};
use crate::failure::Failure;

/// The bytes of one unit per critical section on the `int[]`; see `SLICE_BYTES` in `heap`.
const SLICE_BYTES: usize = 256 << 10;

/// The destination of the checksums: one row per unit, one entry per chunk.
pub(crate) struct Sums {
    array: IntArray,
    kind: ChecksumKind,
    bytes_per_checksum: usize,
    per_unit: usize,
}

impl Sums {
    /// Checks that the arguments match `units` units of `length` bytes.
    pub(crate) fn new(
        env: Env,
        array: IntArray,
        kind: jint,
        bytes_per_checksum: jint,
        length: usize,
        units: usize,
    ) -> Result<Self, Failure> {
        let kind = checksum_kind(kind)?;
        let bytes_per_checksum = match usize::try_from(bytes_per_checksum) {
            Ok(bytes) if bytes > 0 => bytes,
            _ => {
                return Err(Failure::argument(format_args!(
                    "bytes per checksum is {bytes_per_checksum}, at least 1 needed"
                )));
            }
        };
        let per_unit = length.div_ceil(bytes_per_checksum);
        let (entries, wanted) = (env.length(array), per_unit * units);
        if entries < wanted {
            return Err(Failure::argument(format_args!(
                "sums has {entries} entries, {wanted} needed for {units} units of {per_unit}"
            )));
        }
        Ok(Self {
            array,
            kind,
            bytes_per_checksum,
            per_unit,
        })
    }
}

/// Encodes slice by slice; the critical section on the `int[]` covers one slice at a time.
///
/// # Safety
/// The entries of both lists must be `ByteBuffer`s.
pub(crate) unsafe fn encode(
    env: Env,
    codec: &Codec,
    inputs: &Units,
    outputs: &Units,
    length: usize,
    sums: &Sums,
) -> Result<(), Failure> {
    let mut memory = Memory {
        inputs: Pointers::new(),
        outputs: Pointers::new(),
    };
    // SAFETY: as the caller guarantees.
    unsafe { memory.resolve(env, inputs, Absence::Refused, outputs, length)? };
    let chunks_max = (SLICE_BYTES / sums.bytes_per_checksum).max(1);
    let mut chunk = 0;
    while chunk < sums.per_unit {
        let chunks = chunks_max.min(sums.per_unit - chunk);
        let offset = chunk * sums.bytes_per_checksum;
        let bytes = (chunks * sums.bytes_per_checksum).min(length - offset);
        let section = Section::enter(env, sums.array)?;
        let list = |unit: usize| {
            // SAFETY: rows lie within the array, which `Sums::new` has checked, and apart from each
            // other; the section outlives the lists.
            unsafe {
                let start = section.start.add(unit * sums.per_unit + chunk);
                std::slice::from_raw_parts_mut(start, chunks)
            }
        };
        let k = codec.data_units();
        let mut input_sums = ArrayVec::<&mut [u32], UNITS_MAX>::new();
        (0..k).for_each(|unit| input_sums.push(list(unit)));
        let mut output_sums = ArrayVec::<&mut [u32], UNITS_MAX>::new();
        (k..k + codec.parity_units()).for_each(|unit| output_sums.push(list(unit)));
        let (mut data, mut parity) = (Shared::new(), Exclusive::new());
        // SAFETY: `resolve` has found `length` bytes behind each pointer and no overlap.
        unsafe {
            shared(&memory.inputs, offset, bytes, &mut data);
            exclusive(&memory.outputs, offset, bytes, &mut parity);
        }
        codec.encode_with_checksums(
            &data,
            &mut parity,
            StorePolicy::Temporal,
            Checksums {
                kind: sums.kind,
                bytes_per_checksum: sums.bytes_per_checksum,
                inputs: &mut input_sums,
                outputs: &mut output_sums,
            },
        )?;
        chunk += chunks;
    }
    Ok(())
}

/// A critical section on the checksums' array, which ends when this value is dropped.
struct Section {
    env: Env,
    array: IntArray,
    start: *mut u32,
}

impl Section {
    fn enter(env: Env, array: IntArray) -> Result<Self, Failure> {
        // Copied or pinned makes no difference: a copy contains what earlier slices wrote, and is
        // written back whole.
        let (start, _) = env.critical(array);
        if start.is_null() {
            return Err(Failure::NoMemory);
        }
        Ok(Self {
            env,
            array,
            start: start.cast(),
        })
    }
}

impl Drop for Section {
    fn drop(&mut self) {
        // SAFETY: entered by `enter`, released once.
        unsafe {
            self.env
                .release_critical(self.array, self.start.cast(), true)
        };
    }
}
