// SPDX-License-Identifier: Apache-2.0
//! Fingerprints of blocks, and the location of wrong blocks.

use std::sync::Arc;

use ::stripeline_codec::{ChecksumKind, Fingerprint, FingerprintFunction, Location};
use stripeline_boundary::{Optional, optional};

use crate::arguments::{Call, Pointers, list};
use crate::codec::{checksum_kind, chunks, stripeline_codec};
use crate::entry::guard;
use crate::failure::{Failure, Mistake, stripeline_status};

/// What stripeline_locate() concludes. Values are never reused.
#[allow(non_camel_case_types, reason = "the name in C")]
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum stripeline_location {
    /// All fingerprints given belong to one stripe.
    STRIPELINE_CONSISTENT = 0,
    /// The units listed are wrong and all others that were given are right, provided that at most
    /// (m-s)/2 units, rounded down, are wrong, where s units are missing.
    STRIPELINE_LOCATED = 1,
    /// Units are wrong, but the fingerprints do not show which. The units listed are advice only.
    STRIPELINE_UNLOCATED = 2,
    /// At most k fingerprints were given, and any k belong to some stripe: nothing was checked.
    STRIPELINE_UNCHECKED = 3,
}

/// The fingerprint of one window of a block at a time. Opaque; only one thread at a time may use
/// it.
///
/// A fingerprint is a number of sums (1 to 4) of the 64-byte rows of a window, weighted by
/// coefficients that a seed determines: 64 bytes per sum. Fingerprints are linear, so those of the
/// parity blocks follow from those of the data blocks as parity does from data. All blocks that are
/// compared need the same seed, number of sums and window; draw the seed at random for each pass
/// over the blocks.
#[allow(non_camel_case_types, reason = "the name in C")]
pub struct stripeline_fingerprint {
    state: Fingerprint,
}

/// Opens a fingerprint at the beginning of a window. Takes about a millisecond; one fingerprint
/// serves for any number of windows and blocks, one after another.
///
/// @param seed          determines the coefficients
/// @param sums          the number of sums t, 1 to 4, 2 if in doubt. A wrong column of 64 is missed
///                      with a probability of about 2^-8t; with t >= 2, rows that are exchanged or
///                      damaged in the same way are never missed
/// @param window_bytes  the bytes that a fingerprint covers, a multiple of 64 up to 2 MiB, 1 MiB if
///                      in doubt
/// @param fingerprint   receives the fingerprint, to be closed by stripeline_fingerprint_close();
///                      NULL on failure
/// @return              STRIPELINE_OK, STRIPELINE_INVALID_PARAMETERS, STRIPELINE_NULL_POINTER
///
/// # Safety
/// `fingerprint` must be null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stripeline_fingerprint_open(
    seed: u64,
    sums: usize,
    window_bytes: usize,
    fingerprint: *mut *mut stripeline_fingerprint,
) -> stripeline_status {
    let call = Call("open a fingerprint");
    guard(call.0, || {
        call.check_result("fingerprint", fingerprint)?;
        // SAFETY: not null, so writable as the caller guarantees; alignment is not relied on.
        unsafe { fingerprint.write_unaligned(std::ptr::null_mut()) };
        let function = FingerprintFunction::new(seed, sums, window_bytes)?;
        let opened = stripeline_fingerprint {
            state: Fingerprint::new(Arc::new(function)),
        };
        // SAFETY: as above.
        unsafe { fingerprint.write_unaligned(Box::into_raw(Box::new(opened))) };
        Ok(())
    })
}

/// Closes a fingerprint. No call may use it any more.
///
/// @param fingerprint  from stripeline_fingerprint_open(), or NULL, which does nothing
///
/// # Safety
/// `fingerprint` must be null or come from `stripeline_fingerprint_open` and be closed once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stripeline_fingerprint_close(fingerprint: *mut stripeline_fingerprint) {
    if !fingerprint.is_null() {
        guard("close a fingerprint", || {
            // SAFETY: made by `Box::into_raw` in `stripeline_fingerprint_open` and given back once.
            drop(unsafe { Box::from_raw(fingerprint) });
            Ok(())
        });
    }
}

/// Adds the next bytes of the window.
///
/// @param fingerprint  the fingerprint
/// @param bytes        `length` bytes of a block, in pieces of any length
/// @param length       at most what the window still takes; 0 does nothing
/// @return             STRIPELINE_OK, STRIPELINE_LENGTH_MISMATCH for more bytes than the window
///                     takes, STRIPELINE_NULL_POINTER, STRIPELINE_INVALID_MEMORY
///
/// # Safety
/// `fingerprint` must be open and used by no other thread; `bytes` must have the bytes named.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stripeline_fingerprint_update(
    fingerprint: *mut stripeline_fingerprint,
    bytes: *const u8,
    length: usize,
) -> stripeline_status {
    let call = Call("add to the fingerprint");
    // SAFETY: handle and bytes as the caller guarantees.
    guard(call.0, || unsafe {
        let state = call.fingerprint(fingerprint)?;
        let bytes = call.bytes(bytes, length)?;
        state.update(bytes)?;
        Ok(())
    })
}

/// As stripeline_fingerprint_update(), and computes a checksum per chunk in the same pass over
/// memory.
///
/// @param fingerprint         the fingerprint
/// @param bytes               `length` bytes of a block, which begin with a chunk; the last chunk
///                            may be short
/// @param length              at most what the window still takes; 0 does nothing
/// @param checksum            a stripeline_checksum
/// @param bytes_per_checksum  bytes of a chunk, at least 1 (dfs.bytes-per-checksum, 512 by
///                            default). For chunks not to cross windows, the window must be a
///                            multiple of it
/// @param sums                receives ceil(length / bytes_per_checksum) checksums; aligned to 4
///                            bytes, sharing no byte with `bytes`
/// @return                    as stripeline_fingerprint_update(), or STRIPELINE_INVALID_CHECKSUMS,
///                            STRIPELINE_OVERLAP
///
/// # Safety
/// As `stripeline_fingerprint_update`; `sums` must have the entries named.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stripeline_fingerprint_update_with_checksums(
    fingerprint: *mut stripeline_fingerprint,
    bytes: *const u8,
    length: usize,
    checksum: i32,
    bytes_per_checksum: usize,
    sums: *mut u32,
) -> stripeline_status {
    let call = Call("add to the fingerprint");
    // SAFETY: handle, bytes and list as the caller guarantees; `check_memory` keeps them apart.
    guard(call.0, || unsafe {
        let state = call.fingerprint(fingerprint)?;
        let bytes = call.bytes(bytes, length)?;
        let (kind, count) = call.chunks(state, length, checksum, bytes_per_checksum)?;
        let inputs = [bytes.as_ptr()];
        let sums = call.checksums(sums, count, &[list("bytes", &inputs, length)])?;
        state.update_with_checksums(bytes, kind, bytes_per_checksum, sums)?;
        Ok(())
    })
}

/// As stripeline_fingerprint_update_with_checksums(), but compares the checksums.
///
/// All bytes are added also if a checksum differs, so that the fingerprint shows whether the bytes
/// are wrong or the checksum.
///
/// @param fingerprint         the fingerprint
/// @param bytes               as stripeline_fingerprint_update_with_checksums()
/// @param length              as stripeline_fingerprint_update_with_checksums()
/// @param checksum            a stripeline_checksum
/// @param bytes_per_checksum  as stripeline_fingerprint_update_with_checksums()
/// @param expected            ceil(length / bytes_per_checksum) checksums, aligned to 4 bytes, as
///                            numbers of this machine (HDFS stores them most significant byte
///                            first)
/// @param mismatch            receives the number of the first chunk whose checksum differs, or
///                            SIZE_MAX if none does
/// @return                    as stripeline_fingerprint_update_with_checksums(), STRIPELINE_OK also
///                            if a checksum differs
///
/// # Safety
/// As `stripeline_fingerprint_update`; `expected` must have the entries named, `mismatch` must be
/// null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stripeline_fingerprint_update_verifying(
    fingerprint: *mut stripeline_fingerprint,
    bytes: *const u8,
    length: usize,
    checksum: i32,
    bytes_per_checksum: usize,
    expected: *const u32,
    mismatch: *mut usize,
) -> stripeline_status {
    let call = Call("add to the fingerprint");
    // SAFETY: handle, bytes and list as the caller guarantees; the result is written when all
    // slices have gone, at any alignment.
    guard(call.0, || unsafe {
        let state = call.fingerprint(fingerprint)?;
        let bytes = call.bytes(bytes, length)?;
        let (kind, count) = call.chunks(state, length, checksum, bytes_per_checksum)?;
        call.check_present(&list("expected", &[expected.cast()], 4 * count))?;
        if !expected.is_aligned() {
            return Err(call.refuse(Mistake::Misaligned("expected", expected.addr())));
        }
        call.check_result("mismatch", mismatch)?;
        let expected = std::slice::from_raw_parts(expected, count);
        let first = state.update_verifying(bytes, kind, bytes_per_checksum, expected)?;
        mismatch.write_unaligned(first.unwrap_or(usize::MAX));
        Ok(())
    })
}

/// Returns the fingerprint of the bytes since the beginning of the window, and begins another
/// window.
///
/// Windows begin at multiples of the window's length in every block, so that those of the blocks of
/// a group correspond. The last window of a block may be short: missing bytes count as zeros. The
/// fingerprint of a window past the end of a block is all zeros.
///
/// @param fingerprint  the fingerprint
/// @param bytes        receives the fingerprint
/// @param length       the size of `bytes`, which must be 64 times the number of sums
/// @return             STRIPELINE_OK, STRIPELINE_LENGTH_MISMATCH, STRIPELINE_NULL_POINTER,
///                     STRIPELINE_INVALID_MEMORY
///
/// # Safety
/// `fingerprint` must be open and used by no other thread; `bytes` must have `length` writable
/// bytes.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stripeline_fingerprint_take(
    fingerprint: *mut stripeline_fingerprint,
    bytes: *mut u8,
    length: usize,
) -> stripeline_status {
    let call = Call("take the fingerprint");
    // SAFETY: handle and bytes as the caller guarantees.
    guard(call.0, || unsafe {
        let state = call.fingerprint(fingerprint)?;
        let needed = state.bytes().len();
        if length != needed {
            return Err(Failure::FingerprintSize(length, needed));
        }
        let outputs = [bytes.cast_const()];
        call.check_memory(&[], &list("bytes", &outputs, length))?;
        bytes.copy_from_nonoverlapping(state.bytes().as_ptr(), length);
        state.reset();
        Ok(())
    })
}

/// Finds the wrong units of a stripe from the fingerprints of all its units.
///
/// With s units missing and e wrong, e >= 1, the result is STRIPELINE_LOCATED with exactly the
/// wrong units for 2e + s <= m. For more wrong units it is STRIPELINE_UNLOCATED, unless their
/// damage equals what fewer wrong units could have caused. One parity unit, as of STRIPELINE_XOR,
/// detects one wrong unit and locates none. For s >= m it is STRIPELINE_UNCHECKED. For k+m > 16
/// damage that is the same in many units may be reported as STRIPELINE_UNLOCATED, because the
/// search for it, which takes a second at most, is given up.
///
/// @param codec         k data units and m parity units
/// @param fingerprints  k+m fingerprints of `length` bytes, data first, all of one window and made
///                      with one seed, number of sums and window length; NULL for a unit that is
///                      missing or could not be read. A block that ends before the window is not
///                      missing: its fingerprint is all zeros
/// @param length        the length of every fingerprint, at least 1
/// @param location      receives a stripeline_location
/// @param units         receives unit numbers in ascending order; has room for k+m. For
///                      STRIPELINE_LOCATED these are the wrong units. For STRIPELINE_UNLOCATED they
///                      are advice only: the units of all sets of `wrong_min` units that would
///                      explain the fingerprints, or none if every set of that size would, or if
///                      the search was given up
/// @param count         receives the number of entries of `units`
/// @param wrong_min     receives the least number of wrong units: 0 for STRIPELINE_CONSISTENT and
///                      STRIPELINE_UNCHECKED. May be NULL
/// @return              STRIPELINE_OK, STRIPELINE_LENGTH_MISMATCH if `length` is 0,
///                      STRIPELINE_NULL_POINTER, STRIPELINE_INVALID_MEMORY
///
/// # Safety
/// `codec` must be open; lists and buffers must have the entries and bytes named, and `units` room
/// for k+m.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stripeline_locate(
    codec: *const stripeline_codec,
    fingerprints: *const *const u8,
    length: usize,
    location: *mut i32,
    units: *mut u32,
    count: *mut usize,
    wrong_min: *mut usize,
) -> stripeline_status {
    let call = Call("locate wrong blocks");
    // SAFETY: handle, lists and buffers as the caller guarantees; results are written when all
    // slices have gone, at any alignment.
    guard(call.0, || unsafe {
        let codec = &call.codec(codec)?.codec;
        let total = codec.data_units() + codec.parity_units();
        let mut starts = Pointers::new();
        call.list("fingerprints", fingerprints, total, &mut starts)?;
        call.check_result("location", location)?;
        call.check_result("units", units)?;
        call.check_result("count", count)?;
        call.check_range(&list("fingerprints", &starts, length))?;
        let found = {
            let mut given = Optional::new();
            optional(&starts, 0, length, &mut given);
            codec.locate(&given)?
        };
        let (verdict, listed, least) = match found {
            Location::Consistent => (stripeline_location::STRIPELINE_CONSISTENT, vec![], 0),
            Location::Unchecked => (stripeline_location::STRIPELINE_UNCHECKED, vec![], 0),
            Location::Located(wrong) => {
                let least = wrong.len();
                (stripeline_location::STRIPELINE_LOCATED, wrong, least)
            }
            Location::Unlocated {
                wrong_min,
                candidates,
            } => {
                let unlocated = stripeline_location::STRIPELINE_UNLOCATED;
                (unlocated, candidates, wrong_min)
            }
        };
        location.write_unaligned(verdict as i32);
        for (index, unit) in listed.iter().enumerate() {
            units.add(index).write_unaligned(*unit as u32);
        }
        count.write_unaligned(listed.len());
        if !wrong_min.is_null() {
            wrong_min.write_unaligned(least);
        }
        Ok(())
    })
}

impl Call {
    /// Reads a handle.
    ///
    /// # Safety
    /// `fingerprint` must be null or open, and used by nothing else for `'a`.
    unsafe fn fingerprint<'a>(
        self,
        fingerprint: *mut stripeline_fingerprint,
    ) -> Result<&'a mut Fingerprint, Failure> {
        // SAFETY: null or a live handle, as the caller guarantees.
        let opened = unsafe { fingerprint.as_mut() };
        opened
            .map(|opened| &mut opened.state)
            .ok_or(self.refuse(Mistake::Null("fingerprint")))
    }

    /// Views the bytes of a block.
    ///
    /// # Safety
    /// `bytes` must be null or have `length` readable bytes, unwritten for `'a`.
    unsafe fn bytes<'a>(self, bytes: *const u8, length: usize) -> Result<&'a [u8], Failure> {
        self.check_present(&list("bytes", &[bytes], length))?;
        // SAFETY: not null and within the address space; the caller guarantees the rest.
        Ok(unsafe { std::slice::from_raw_parts(bytes, length) })
    }

    /// Returns the kind of checksum, and the number of chunks of `length` bytes, after the checks
    /// that keep that number from being unreasonable: the window bounds it.
    fn chunks(
        self,
        state: &Fingerprint,
        length: usize,
        checksum: i32,
        bytes_per_checksum: usize,
    ) -> Result<(ChecksumKind, usize), Failure> {
        let kind = checksum_kind(checksum)?;
        let within = length.min(state.remaining_bytes());
        Ok((kind, chunks(within, bytes_per_checksum)))
    }
}
