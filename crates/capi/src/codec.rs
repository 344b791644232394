// SPDX-License-Identifier: Apache-2.0
//! Opening, using and closing a codec.

use std::sync::Arc;

use ::stripeline_codec::{ChecksumKind, Checksums, Code, Codec, StorePolicy};
use arrayvec::ArrayVec;
use stripeline_boundary::{
    Exclusive, List, Optional, Shared, UNITS_MAX, exclusive, optional, shared,
};

use crate::arguments::{Call, Pointers, list};
use crate::entry::guard;
use crate::failure::{Failure, Mistake, stripeline_status};

/// The erasure codes. Values are never reused.
#[allow(non_camel_case_types, reason = "the name in C")]
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum stripeline_code {
    /// Reed-Solomon, k+m <= 256: the bytes of HDFS's `rs` and of ISA-L's gf_gen_cauchy1_matrix.
    STRIPELINE_RS = 0,
    /// Reed-Solomon, k+m <= 255: the bytes of HDFS's `rs-legacy`.
    STRIPELINE_RS_LEGACY = 1,
    /// One parity unit, the XOR of up to 255 data units: the bytes of HDFS's `xor`.
    STRIPELINE_XOR = 2,
}

/// The checksums that HDFS keeps per chunk of a unit. Values are never reused.
#[allow(non_camel_case_types, reason = "the name in C")]
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum stripeline_checksum {
    /// CRC-32C (Castagnoli), the default of HDFS.
    STRIPELINE_CRC32C = 0,
    /// CRC-32 as in zlib and gzip.
    STRIPELINE_CRC32 = 1,
}

/// An erasure code of one shape. Opaque; any number of threads may use one codec at the same time.
#[allow(non_camel_case_types, reason = "the name in C")]
pub struct stripeline_codec {
    pub(crate) codec: Arc<Codec>,
}

/// Opens a codec. Takes less than a microsecond for a shape that the process has opened before: the
/// first 64 shapes are shared and kept until the process ends, each with typically a few KiB, at
/// most 2.1 MiB for a shape of HDFS and 10 MiB for any other.
///
/// @param code          a stripeline_code
/// @param data_units    k, at least 1
/// @param parity_units  m, at least 1, and exactly 1 for STRIPELINE_XOR; k+m at most 256, or 255
///                      for STRIPELINE_RS_LEGACY
/// @param codec         receives the codec, to be closed by stripeline_codec_close(); NULL on
///                      failure
/// @return              STRIPELINE_OK, STRIPELINE_INVALID_PARAMETERS, STRIPELINE_NULL_POINTER
///
/// # Safety
/// `codec` must be null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stripeline_codec_open(
    code: i32,
    data_units: usize,
    parity_units: usize,
    codec: *mut *mut stripeline_codec,
) -> stripeline_status {
    let call = Call("open a codec");
    guard(call.0, || {
        call.check_result("codec", codec)?;
        // SAFETY: not null, so writable as the caller guarantees; alignment is not relied on.
        unsafe { codec.write_unaligned(std::ptr::null_mut()) };
        let code = match code {
            0 => Code::Rs,
            1 => Code::RsLegacy,
            2 => Code::Xor,
            _ => return Err(Failure::UnknownCode(code)),
        };
        let opened = stripeline_codec {
            codec: Codec::shared(code, data_units, parity_units)?,
        };
        // SAFETY: as above.
        unsafe { codec.write_unaligned(Box::into_raw(Box::new(opened))) };
        Ok(())
    })
}

/// Closes a codec. No call may use it any more, including calls in progress on other threads.
///
/// @param codec  a codec from stripeline_codec_open(), or NULL, which does nothing
///
/// # Safety
/// `codec` must be null or come from `stripeline_codec_open` and be closed once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stripeline_codec_close(codec: *mut stripeline_codec) {
    if !codec.is_null() {
        guard("close a codec", || {
            // SAFETY: made by `Box::into_raw` in `stripeline_codec_open` and given back once.
            drop(unsafe { Box::from_raw(codec) });
            Ok(())
        });
    }
}

/// Computes all parity units from all data units.
///
/// @param codec   k data units and m parity units
/// @param data    k buffers of `length` bytes; the same buffer may be used for several units
/// @param parity  m buffers of `length` bytes to write, each sharing no byte with any other buffer
/// @param length  the length of every unit in bytes; 0 does nothing
/// @return        STRIPELINE_OK, STRIPELINE_NULL_POINTER, STRIPELINE_OVERLAP,
///                STRIPELINE_INVALID_MEMORY
///
/// # Safety
/// `codec` must be open; lists and buffers must have the entries and bytes named.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stripeline_encode(
    codec: *const stripeline_codec,
    data: *const *const u8,
    parity: *const *mut u8,
    length: usize,
) -> stripeline_status {
    let call = Call("encode the stripe");
    // SAFETY: handle, lists and buffers as the caller guarantees; `check_memory` keeps outputs
    // apart.
    guard(call.0, || unsafe {
        let codec = &call.codec(codec)?.codec;
        let (mut inputs, mut outputs) = (Pointers::new(), Pointers::new());
        call.stripe(codec, (data, parity), length, (&mut inputs, &mut outputs))?;
        let (mut data, mut parity) = (Shared::new(), Exclusive::new());
        shared(&inputs, 0, length, &mut data);
        exclusive(&outputs, 0, length, &mut parity);
        codec.encode(&data, &mut parity)?;
        Ok(())
    })
}

/// Computes all parity units and, in the same pass over memory, a checksum per chunk of every unit.
///
/// @param codec               k data units and m parity units
/// @param data                as stripeline_encode()
/// @param parity              as stripeline_encode()
/// @param length              the length of every unit in bytes; 0 does nothing
/// @param checksum            a stripeline_checksum
/// @param bytes_per_checksum  bytes of a chunk, at least 1 (dfs.bytes-per-checksum, 512 by
///                            default); the last chunk of a unit may be short
/// @param sums                receives (k+m) * ceil(length / bytes_per_checksum) checksums: those
///                            of unit 0, then those of unit 1, ..., parity last; aligned to 4
///                            bytes, sharing no byte with any buffer
/// @return                    as stripeline_encode(), or STRIPELINE_INVALID_CHECKSUMS
///
/// # Safety
/// `codec` must be open; lists and buffers must have the entries and bytes named.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stripeline_encode_with_checksums(
    codec: *const stripeline_codec,
    data: *const *const u8,
    parity: *const *mut u8,
    length: usize,
    checksum: i32,
    bytes_per_checksum: usize,
    sums: *mut u32,
) -> stripeline_status {
    let call = Call("encode the stripe");
    // SAFETY: handle, lists and buffers as the caller guarantees; `check_memory` keeps outputs
    // apart.
    guard(call.0, || unsafe {
        let codec = &call.codec(codec)?.codec;
        let (mut inputs, mut outputs) = (Pointers::new(), Pointers::new());
        call.stripe(codec, (data, parity), length, (&mut inputs, &mut outputs))?;
        let kind = checksum_kind(checksum)?;
        let per_unit = chunks(length, bytes_per_checksum);
        let total = per_unit.saturating_mul(codec.data_units() + codec.parity_units());
        let units = [
            list("data", &inputs, length),
            list("parity", &outputs, length),
        ];
        let sums = call.checksums(sums, total, &units)?;
        let (data_sums, parity_sums) = sums.split_at_mut(per_unit * codec.data_units());
        let (mut data, mut parity) = (Shared::new(), Exclusive::new());
        shared(&inputs, 0, length, &mut data);
        exclusive(&outputs, 0, length, &mut parity);
        codec.encode_with_checksums(
            &data,
            &mut parity,
            StorePolicy::Temporal,
            Checksums {
                kind,
                bytes_per_checksum,
                inputs: &mut per_unit_lists(data_sums, per_unit, codec.data_units()),
                outputs: &mut per_unit_lists(parity_sums, per_unit, codec.parity_units()),
            },
        )?;
        Ok(())
    })
}

/// Computes exactly the requested units from those that are present.
///
/// @param codec    k data units and m parity units
/// @param units    k+m buffers of `length` bytes, data first; NULL for a unit that is lost or was
///                 not read. At least k must be present
/// @param erased   the numbers of the units to compute, in any order, each once and each NULL in
///                 `units`
/// @param count    the number of entries of `erased`, at most m; 0 does nothing
/// @param outputs  `count` buffers of `length` bytes to write, in the order of `erased`, each
///                 sharing no byte with any other buffer
/// @param length   the length of every unit in bytes; 0 does nothing
/// @return         STRIPELINE_OK, STRIPELINE_TOO_MANY_ERASURES, STRIPELINE_INVALID_ERASURE,
///                 STRIPELINE_INVALID_UNIT, STRIPELINE_NULL_POINTER, STRIPELINE_OVERLAP,
///                 STRIPELINE_INVALID_MEMORY
///
/// # Safety
/// `codec` must be open; lists and buffers must have the entries and bytes named.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stripeline_decode(
    codec: *const stripeline_codec,
    units: *const *const u8,
    erased: *const u32,
    count: usize,
    outputs: *const *mut u8,
    length: usize,
) -> stripeline_status {
    let call = Call("decode the stripe");
    // SAFETY: handle, lists and buffers as the caller guarantees; `check_memory` keeps outputs
    // apart.
    guard(call.0, || unsafe {
        let codec = &call.codec(codec)?.codec;
        let erased = call.erased(codec, erased, count)?;
        let mut units_starts = Pointers::new();
        call.list(
            "units",
            units,
            codec.data_units() + codec.parity_units(),
            &mut units_starts,
        )?;
        // Checked before the outputs: a caller that lists a unit twice probably passes one output
        // twice too.
        let present = |unit: &*const u8| (!unit.is_null()).then_some(());
        let present: ArrayVec<_, UNITS_MAX> = units_starts.iter().map(present).collect();
        codec.check_erasures(&present, &erased)?;
        let mut outputs_starts = Pointers::new();
        call.outputs("outputs", outputs, count, &mut outputs_starts)?;
        let inputs = list("units", &units_starts, length);
        call.check_memory(&[inputs], &list("outputs", &outputs_starts, length))?;
        let (mut units, mut outputs) = (Optional::new(), Exclusive::new());
        optional(&units_starts, 0, length, &mut units);
        exclusive(&outputs_starts, 0, length, &mut outputs);
        codec.decode(&units, &erased, &mut outputs)?;
        Ok(())
    })
}

/// Returns whether the parity units match the data units.
///
/// @param codec        k data units and m parity units
/// @param data         k buffers of `length` bytes
/// @param parity       m buffers of `length` bytes
/// @param length       the length of every unit in bytes; units of 0 bytes are sound
/// @param sound        receives whether every parity byte matches the data
/// @param parity_unit  receives, if not sound, the lowest parity unit (0..m-1) that differs at
///                     `offset`. It does not show which unit is wrong: that may be any data unit.
///                     May be NULL
/// @param offset       receives, if not sound, the first byte at which any parity unit differs. May
///                     be NULL
/// @return             STRIPELINE_OK also if not sound, STRIPELINE_NULL_POINTER,
///                     STRIPELINE_INVALID_MEMORY
///
/// # Safety
/// `codec` must be open; lists and buffers must have the entries and bytes named.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stripeline_verify(
    codec: *const stripeline_codec,
    data: *const *const u8,
    parity: *const *const u8,
    length: usize,
    sound: *mut bool,
    parity_unit: *mut usize,
    offset: *mut usize,
) -> stripeline_status {
    let call = Call("verify the stripe");
    // SAFETY: handle, lists and buffers as the caller guarantees; results are written when all
    // slices have gone, at any alignment.
    guard(call.0, || unsafe {
        let codec = &call.codec(codec)?.codec;
        let mut data_starts = Pointers::new();
        call.list("data", data, codec.data_units(), &mut data_starts)?;
        let mut parity_starts = Pointers::new();
        call.list("parity", parity, codec.parity_units(), &mut parity_starts)?;
        let places = call.verdict_places(sound, parity_unit, offset)?;
        call.check_present(&list("data", &data_starts, length))?;
        call.check_present(&list("parity", &parity_starts, length))?;
        let (mut data, mut parity) = (Shared::new(), Shared::new());
        shared(&data_starts, 0, length, &mut data);
        shared(&parity_starts, 0, length, &mut parity);
        places.write(codec.verify(&data, &parity)?);
        Ok(())
    })
}

/// Updates all parity units in place after one data unit changed, without reading the other data
/// units.
///
/// @param codec      k data units and m parity units
/// @param data_unit  the number of the data unit that changed, 0..k-1
/// @param old_data   the `length` old bytes of the unit
/// @param new_data   the `length` new bytes of the unit
/// @param parity     m buffers of `length` bytes to update, each sharing no byte with any other
///                   buffer
/// @param length     the length of every buffer in bytes, which may be a part of a unit; 0 does
///                   nothing
/// @return           STRIPELINE_OK, STRIPELINE_INVALID_UNIT, STRIPELINE_NULL_POINTER,
///                   STRIPELINE_OVERLAP, STRIPELINE_INVALID_MEMORY
///
/// # Safety
/// `codec` must be open; lists and buffers must have the entries and bytes named.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stripeline_update(
    codec: *const stripeline_codec,
    data_unit: usize,
    old_data: *const u8,
    new_data: *const u8,
    parity: *const *mut u8,
    length: usize,
) -> stripeline_status {
    let call = Call("update the stripe");
    // SAFETY: handle, lists and buffers as the caller guarantees; `check_memory` keeps outputs
    // apart.
    guard(call.0, || unsafe {
        let codec = &call.codec(codec)?.codec;
        let mut parity_starts = Pointers::new();
        call.outputs("parity", parity, codec.parity_units(), &mut parity_starts)?;
        let (old_data, new_data) = ([old_data], [new_data]);
        let old_list = list("old_data", &old_data, length);
        let new_list = list("new_data", &new_data, length);
        call.check_present(&old_list)?;
        call.check_present(&new_list)?;
        let outputs = list("parity", &parity_starts, length);
        call.check_memory(&[old_list, new_list], &outputs)?;
        let (mut changed, mut parity) = (Shared::new(), Exclusive::new());
        shared(&[old_data[0], new_data[0]], 0, length, &mut changed);
        exclusive(&parity_starts, 0, length, &mut parity);
        codec.update(data_unit, changed[0], changed[1], &mut parity)?;
        Ok(())
    })
}

impl Call {
    /// Reads the lists of a stripe to encode, and checks that its units may be read and written.
    ///
    /// # Safety
    /// Lists must be null or have an entry per unit of the codec.
    unsafe fn stripe(
        self,
        codec: &Codec,
        (data, parity): (*const *const u8, *const *mut u8),
        length: usize,
        (inputs, outputs): (&mut Pointers, &mut Pointers),
    ) -> Result<(), Failure> {
        // SAFETY: as the caller guarantees.
        unsafe {
            self.list("data", data, codec.data_units(), inputs)?;
            self.outputs("parity", parity, codec.parity_units(), outputs)?;
        }
        let inputs = list("data", inputs, length);
        self.check_present(&inputs)?;
        self.check_memory(&[inputs], &list("parity", outputs, length))
    }

    /// Views the list that receives `count` checksums, which shares no byte with the `units`.
    ///
    /// # Safety
    /// `sums` must be null or have `count` entries that nothing else accesses for `'a`.
    pub(crate) unsafe fn checksums<'a>(
        self,
        sums: *mut u32,
        count: usize,
        units: &[List<'_>],
    ) -> Result<&'a mut [u32], Failure> {
        let start = [sums.cast_const().cast()];
        let bytes = count.saturating_mul(size_of::<u32>());
        self.check_memory(units, &list("sums", &start, bytes))?;
        if !sums.is_aligned() {
            return Err(self.refuse(Mistake::Misaligned("sums", sums.addr())));
        }
        // SAFETY: not null and aligned; the caller guarantees the rest.
        Ok(unsafe { std::slice::from_raw_parts_mut(sums, count) })
    }
}

/// Returns the number of chunks of `length` bytes. The codec refuses chunks of 0 bytes; until then
/// there are none.
pub(crate) fn chunks(length: usize, bytes_per_checksum: usize) -> usize {
    match bytes_per_checksum {
        0 => 0,
        bytes => length.div_ceil(bytes),
    }
}

/// Returns the kind that a stripeline_checksum names.
pub(crate) fn checksum_kind(checksum: i32) -> Result<ChecksumKind, Failure> {
    match checksum {
        0 => Ok(ChecksumKind::Crc32c),
        1 => Ok(ChecksumKind::Crc32),
        _ => Err(Failure::UnknownChecksum(checksum)),
    }
}

/// Splits a checksum list into one list per unit, including lists without checksums.
fn per_unit_lists(
    mut sums: &mut [u32],
    per_unit: usize,
    units: usize,
) -> ArrayVec<&mut [u32], UNITS_MAX> {
    let mut lists = ArrayVec::new();
    for _ in 0..units {
        let (unit, rest) = sums.split_at_mut(per_unit);
        lists.push(unit);
        sums = rest;
    }
    lists
}
