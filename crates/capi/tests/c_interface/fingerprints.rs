// SPDX-License-Identifier: Apache-2.0
//! Fingerprints and locations through C, against the oracle, and the mistakes that C allows.

use std::ptr::{null, null_mut};

use crate::c_codec::{self, CCodec, last_error, refused};
use stripeline_capi::stripeline_status::*;
use stripeline_capi::*;
use stripeline_reference::{Checksum, checksum, fingerprint::fingerprint as oracle};
use stripeline_testkit::Random;

const WINDOW: usize = 8_192;

/// An open fingerprint.
struct Open(*mut stripeline_fingerprint);

impl Open {
    fn new(seed: u64, sums: usize) -> Self {
        let mut opened = null_mut();
        // SAFETY: room for the handle.
        let status = unsafe { stripeline_fingerprint_open(seed, sums, WINDOW, &mut opened) };
        assert_eq!(status, STRIPELINE_OK);
        Self(opened)
    }

    fn take(&self, sums: usize) -> Vec<u8> {
        let mut bytes = vec![0x5a; 64 * sums];
        // SAFETY: an open fingerprint and as many bytes as named.
        let status =
            unsafe { stripeline_fingerprint_take(self.0, bytes.as_mut_ptr(), bytes.len()) };
        assert_eq!(status, STRIPELINE_OK);
        bytes
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        // SAFETY: open until now.
        unsafe { stripeline_fingerprint_close(self.0) };
    }
}

#[test]
fn fingerprints_and_checksums_are_the_oracles() {
    let mut random = Random::new(60);
    for sums in 1..=4 {
        let opened = Open::new(u64::MAX - 1, sums);
        for length in [0, 1, 511, 512, 5_000, WINDOW] {
            let block = random.bytes(length);
            let expected = oracle(u64::MAX - 1, sums, &block);
            let (head, tail) = block.split_at(length / 3);
            for part in [head, tail] {
                // SAFETY: an open fingerprint and the bytes of a slice.
                let status =
                    unsafe { stripeline_fingerprint_update(opened.0, part.as_ptr(), part.len()) };
                assert_eq!(status, STRIPELINE_OK);
            }
            assert_eq!(opened.take(sums), expected);
            for (kind, oracle_kind) in [(0, Checksum::Crc32c), (1, Checksum::Crc32)] {
                let chunks = block.chunks(512);
                let right: Vec<u32> = chunks.map(|c| checksum(oracle_kind, c)).collect();
                let mut found = vec![0; right.len()];
                let (bytes, list) = (block.as_ptr(), found.as_mut_ptr());
                // SAFETY: an open fingerprint, the bytes of a slice, one entry per chunk.
                let status = unsafe {
                    stripeline_fingerprint_update_with_checksums(
                        opened.0, bytes, length, kind, 512, list,
                    )
                };
                assert_eq!((status, &found), (STRIPELINE_OK, &right));
                assert_eq!(opened.take(sums), expected);
                if let Some(last) = found.last_mut() {
                    *last ^= 1 << 31;
                }
                let differs = found.len().wrapping_sub(1);
                for (list, differs) in [(&right, usize::MAX), (&found, differs)] {
                    let mut mismatch = 7;
                    // SAFETY: as above, and room for the result.
                    let status = unsafe {
                        stripeline_fingerprint_update_verifying(
                            opened.0,
                            bytes,
                            length,
                            kind,
                            512,
                            list.as_ptr(),
                            &mut mismatch,
                        )
                    };
                    assert_eq!((status, mismatch), (STRIPELINE_OK, differs));
                    assert_eq!(opened.take(sums), expected);
                }
            }
        }
    }
}

/// The arguments of `stripeline_locate`, of a codec rs 6+3.
struct Locate {
    codec: CCodec,
    units: Vec<Vec<u8>>,
    location: i32,
    listed: [u32; 9],
    count: usize,
    wrong_min: usize,
}

impl Locate {
    fn new() -> Self {
        let data: Vec<_> = (0..6).map(|unit| Random::new(unit).bytes(128)).collect();
        let parity = stripeline_reference::encode(stripeline_reference::Code::Rs, 3, &data);
        Self {
            codec: c_codec::rs(6, 3),
            units: data.into_iter().chain(parity).collect(),
            location: -1,
            listed: [u32::MAX; 9],
            count: 77,
            wrong_min: 77,
        }
    }

    /// Calls with the units that are not `missing` and returns location, units and least number.
    fn call(&mut self, missing: &[usize]) -> (i32, Vec<u32>, usize) {
        let present = |(unit, bytes): (usize, &Vec<u8>)| match missing.contains(&unit) {
            true => null(),
            false => bytes.as_ptr(),
        };
        let given: Vec<*const u8> = self.units.iter().enumerate().map(present).collect();
        // SAFETY: an open codec, 9 pointers that are null or have 128 bytes, room for all results.
        let status = unsafe {
            stripeline_locate(
                self.codec.codec,
                given.as_ptr(),
                128,
                &mut self.location,
                self.listed.as_mut_ptr(),
                &mut self.count,
                &mut self.wrong_min,
            )
        };
        assert_eq!(status, STRIPELINE_OK);
        let listed = self.listed[..self.count].to_vec();
        (self.location, listed, self.wrong_min)
    }
}

#[test]
fn wrong_units_are_located() {
    use stripeline_location::*;
    let mut locate = Locate::new();
    assert_eq!(locate.call(&[]), (STRIPELINE_CONSISTENT as i32, vec![], 0));
    assert_eq!(
        locate.call(&[1, 8]),
        (STRIPELINE_CONSISTENT as i32, vec![], 0)
    );
    assert_eq!(
        locate.call(&[1, 2, 8]),
        (STRIPELINE_UNCHECKED as i32, vec![], 0)
    );
    locate.units[7][127] ^= 1;
    assert_eq!(locate.call(&[]), (STRIPELINE_LOCATED as i32, vec![7], 1));
    assert_eq!(locate.call(&[0]), (STRIPELINE_LOCATED as i32, vec![7], 1));
    let unlocated = STRIPELINE_UNLOCATED as i32;
    assert_eq!(locate.call(&[0, 1]), (unlocated, vec![], 1));
    Random::new(90).fill(&mut locate.units[3]);
    assert_eq!(locate.call(&[]), (unlocated, vec![3, 7], 2));
    assert_eq!(locate.call(&[3]), (STRIPELINE_LOCATED as i32, vec![7], 1));
}

#[test]
fn parameters_and_null_pointers_are_refused() {
    let open = |sums, window| {
        let mut opened = std::ptr::dangling_mut();
        // SAFETY: room for the handle.
        let status = unsafe { stripeline_fingerprint_open(1, sums, window, &mut opened) };
        assert!(opened.is_null());
        assert_eq!(status, STRIPELINE_INVALID_PARAMETERS);
        let text = last_error();
        assert!(
            text.starts_with("Cannot build a fingerprinting function: "),
            "{text}"
        );
    };
    for sums in [0, 5, usize::MAX] {
        open(sums, WINDOW);
    }
    for window in [0, 1, 65, (2 << 20) + 64, usize::MAX] {
        open(2, window);
    }
    let opened = Open::new(1, 2);
    let (bytes, mut list, mut number) = ([1; 64], [0; 1], 0);
    let (some, sums) = (bytes.as_ptr(), list.as_mut_ptr());
    // SAFETY: pointers are null or have what is named.
    unsafe {
        use STRIPELINE_NULL_POINTER as NULL;
        let status = stripeline_fingerprint_open(1, 2, WINDOW, null_mut());
        refused(
            status,
            NULL,
            "Cannot open a fingerprint: fingerprint is null",
        );
        stripeline_fingerprint_close(null_mut());

        let text = "Cannot add to the fingerprint: fingerprint is null";
        refused(
            stripeline_fingerprint_update(null_mut(), some, 64),
            NULL,
            text,
        );
        let text = "Cannot add to the fingerprint: bytes is null";
        refused(
            stripeline_fingerprint_update(opened.0, null(), 64),
            NULL,
            text,
        );
        let with = stripeline_fingerprint_update_with_checksums;
        refused(with(opened.0, null(), 64, 0, 512, sums), NULL, text);
        let text = "Cannot add to the fingerprint: sums is null";
        refused(with(opened.0, some, 64, 0, 512, null_mut()), NULL, text);
        let verifying = stripeline_fingerprint_update_verifying;
        let text = "Cannot add to the fingerprint: expected is null";
        refused(
            verifying(opened.0, some, 64, 0, 512, null(), &mut number),
            NULL,
            text,
        );
        let text = "Cannot add to the fingerprint: mismatch is null";
        refused(
            verifying(opened.0, some, 64, 0, 512, sums, null_mut()),
            NULL,
            text,
        );
        let text = "Cannot take the fingerprint: bytes is null";
        refused(
            stripeline_fingerprint_take(opened.0, null_mut(), 128),
            NULL,
            text,
        );
    }
    assert_eq!(opened.take(2), [0; 128], "nothing was added");
}

#[test]
fn lengths_checksums_and_memory_are_refused() {
    let opened = Open::new(1, 2);
    let mut bytes = vec![1; WINDOW + 1];
    let mut list = [0_u32; 17];
    let start = bytes.as_mut_ptr();
    let sums = list.as_mut_ptr();
    let with = stripeline_fingerprint_update_with_checksums;
    // SAFETY: buffers have what is named, or the call is refused before it reads them.
    unsafe {
        let text = "Cannot add to the fingerprint: bytes given: 8193, the window takes: 8192";
        let status = stripeline_fingerprint_update(opened.0, start, WINDOW + 1);
        refused(status, STRIPELINE_LENGTH_MISMATCH, text);
        let status = with(opened.0, start, WINDOW + 1, 0, 512, sums);
        refused(status, STRIPELINE_LENGTH_MISMATCH, text);

        let invalid = STRIPELINE_INVALID_CHECKSUMS;
        let text = "Cannot add to the fingerprint: bytes per checksum is 0";
        refused(with(opened.0, start, 64, 0, 0, sums), invalid, text);
        let text = "Cannot compute checksums: kind is 2, known are 0 (CRC-32C) and 1 (CRC-32)";
        refused(with(opened.0, start, 64, 2, 512, sums), invalid, text);

        let status = with(opened.0, start, 64, 0, 512, start.add(60).cast());
        let text = "Cannot add to the fingerprint: sums overlaps bytes";
        refused(status, STRIPELINE_OVERLAP, text);
        let odd = sums.cast::<u8>().add(1).cast();
        let status = with(opened.0, start, 64, 0, 512, odd);
        assert_eq!(status, STRIPELINE_INVALID_MEMORY);
        assert!(last_error().ends_with("is not aligned to 4 bytes"));
        let status = stripeline_fingerprint_update(opened.0, start, usize::MAX);
        assert_eq!(status, STRIPELINE_INVALID_MEMORY);

        for length in [0, 64, 127, 129, 256, usize::MAX] {
            let text = format!("Cannot take the fingerprint: bytes given: {length}, needed: 128");
            let status = stripeline_fingerprint_take(opened.0, start, length);
            refused(status, STRIPELINE_LENGTH_MISMATCH, &text);
        }
    }
    assert!(bytes.iter().all(|byte| *byte == 1) && list == [0; 17]);
    assert_eq!(opened.take(2), [0; 128], "nothing was added");
}

#[test]
fn lists_that_cannot_be_located_are_refused() {
    let mut locate = Locate::new();
    let given: Vec<*const u8> = locate.units.iter().map(|unit| unit.as_ptr()).collect();
    let (codec, given) = (locate.codec.codec.cast_const(), given.as_ptr());
    let (location, count): (*mut i32, *mut usize) = (&mut locate.location, &mut locate.count);
    let listed = locate.listed.as_mut_ptr();
    let call = stripeline_locate;
    // SAFETY: pointers are null or have what is named.
    unsafe {
        use STRIPELINE_NULL_POINTER as NULL;
        let refuse = |status, name| {
            refused(
                status,
                NULL,
                &format!("Cannot locate wrong blocks: {name} is null"),
            );
        };
        let none = null_mut();
        refuse(
            call(null(), given, 128, location, listed, count, none),
            "codec",
        );
        refuse(
            call(codec, null(), 128, location, listed, count, none),
            "fingerprints",
        );
        refuse(
            call(codec, given, 128, null_mut(), listed, count, none),
            "location",
        );
        refuse(
            call(codec, given, 128, location, null_mut(), count, none),
            "units",
        );
        refuse(
            call(codec, given, 128, location, listed, null_mut(), none),
            "count",
        );
        let text = "Cannot locate wrong blocks: fingerprints have 0 bytes";
        let status = call(codec, given, 0, location, listed, count, none);
        refused(status, STRIPELINE_LENGTH_MISMATCH, text);
        let status = call(codec, given, usize::MAX, location, listed, count, none);
        assert_eq!(status, STRIPELINE_INVALID_MEMORY);
        assert_eq!((*location, *count), (-1, 77), "nothing is written");
        let status = call(codec, given, 128, location, listed, count, none);
        assert_eq!((status, *location, *count), (STRIPELINE_OK, 0, 0));
    }
}

/// Random arguments: every call returns, and what it refuses changes nothing.
#[test]
fn random_arguments_never_crash() {
    let mut random = Random::new(61);
    for round in 0..20_000 {
        let sums = random.below(6);
        let window = [0, 64, 100, 512, 4_096, usize::MAX][random.below(6)];
        let mut opened = null_mut();
        // SAFETY: room for the handle; buffers are null or have 600 bytes or more.
        unsafe {
            let status = stripeline_fingerprint_open(round, sums, window, &mut opened);
            assert_eq!(status == STRIPELINE_OK, !opened.is_null());
            let (mut bytes, mut list) = (vec![7; 700], vec![0_u32; 1_000]);
            let start = match random.below(8) {
                0 => null_mut(),
                _ => bytes.as_mut_ptr(),
            };
            let length = [0, 1, 63, 64, 600][random.below(5)];
            let chunk = [0, 1, 100, 512, usize::MAX][random.below(5)];
            let kind = random.below(4) as i32 - 1;
            let sums_at = match random.below(8) {
                0 => null_mut(),
                _ => list.as_mut_ptr().byte_add(random.below(6)),
            };
            let mut found = 0;
            let status = match random.below(3) {
                0 => stripeline_fingerprint_update(opened, start, length),
                1 => stripeline_fingerprint_update_with_checksums(
                    opened, start, length, kind, chunk, sums_at,
                ),
                _ => stripeline_fingerprint_update_verifying(
                    opened, start, length, kind, chunk, sums_at, &mut found,
                ),
            };
            assert_ne!(status, STRIPELINE_INTERNAL);
            let mut fingerprint = vec![0; 64 * sums];
            let at = fingerprint.as_mut_ptr();
            let taken = stripeline_fingerprint_take(opened, at, fingerprint.len());
            assert_eq!(taken == STRIPELINE_OK, !opened.is_null());
            if status == STRIPELINE_OK {
                assert_eq!(fingerprint, oracle(round, sums, &vec![7; length]));
            }
            stripeline_fingerprint_close(opened);
        }
    }
}
