// SPDX-License-Identifier: Apache-2.0
//! Mistakes that only C allows: pointers, overlaps, unknown numbers. Each is refused with its text,
//! and nothing is written.

use std::ptr::{null, null_mut};

use crate::c_codec::last_error;
use crate::engine_side::Bench;
use stripeline_capi::stripeline_status::{self, *};
use stripeline_capi::*;

const LENGTH: usize = 16;

fn data(bench: &mut Bench) -> [*const u8; 3] {
    [0, 1, 2].map(|unit| bench.unit(unit).cast_const())
}

fn parity(bench: &mut Bench) -> [*mut u8; 2] {
    [3, 4].map(|unit| bench.unit(unit))
}

fn encode(
    bench: &Bench,
    data: [*const u8; 3],
    parity: [*mut u8; 2],
    length: usize,
) -> stripeline_status {
    // SAFETY: the pointers are null or have LENGTH bytes, and a greater length is refused.
    unsafe { stripeline_encode(bench.codec, data.as_ptr(), parity.as_ptr(), length) }
}

#[test]
fn open_refuses_null_and_unknown_codes() {
    // SAFETY: null or room for the handle.
    unsafe {
        assert_eq!(
            stripeline_codec_open(0, 3, 2, null_mut()),
            STRIPELINE_NULL_POINTER
        );
        assert_eq!(last_error(), "Cannot open a codec: codec is null");
        let mut codec = std::ptr::dangling_mut();
        let status = stripeline_codec_open(3, 3, 2, &mut codec);
        assert_eq!(status, STRIPELINE_INVALID_PARAMETERS);
        assert!(codec.is_null());
        let text = "Cannot open a codec: code is 3, known are 0 (rs), 1 (rs-legacy) and 2 (xor)";
        assert_eq!(last_error(), text);
        stripeline_codec_close(null_mut());
    }
}

#[test]
fn null_is_named() {
    let mut bench = Bench::new(LENGTH);
    let (data, parity) = (data(&mut bench), parity(&mut bench));
    let status = encode(&bench, [data[0], null(), data[2]], parity, LENGTH);
    bench.expect(
        status,
        STRIPELINE_NULL_POINTER,
        "Cannot encode the stripe: data[1] is null",
    );
    let status = encode(&bench, data, [parity[0], null_mut()], LENGTH);
    bench.expect(
        status,
        STRIPELINE_NULL_POINTER,
        "Cannot encode the stripe: parity[1] is null",
    );
    // SAFETY: null is refused before anything is read.
    unsafe {
        let null_text = |status, text: &str| bench.expect(status, STRIPELINE_NULL_POINTER, text);
        null_text(
            stripeline_encode(null(), data.as_ptr(), parity.as_ptr(), LENGTH),
            "Cannot encode the stripe: codec is null",
        );
        null_text(
            stripeline_encode(bench.codec, null(), parity.as_ptr(), LENGTH),
            "Cannot encode the stripe: data is null",
        );
        null_text(
            stripeline_encode(bench.codec, data.as_ptr(), null(), LENGTH),
            "Cannot encode the stripe: parity is null",
        );
        null_text(
            stripeline_update(bench.codec, 0, null(), data[1], parity.as_ptr(), LENGTH),
            "Cannot update the stripe: old_data is null",
        );
        null_text(
            stripeline_update(bench.codec, 0, data[0], null(), parity.as_ptr(), LENGTH),
            "Cannot update the stripe: new_data is null",
        );
        let const_parity = parity.map(|unit| unit.cast_const());
        null_text(
            stripeline_verify(
                bench.codec,
                data.as_ptr(),
                const_parity.as_ptr(),
                LENGTH,
                null_mut(),
                null_mut(),
                null_mut(),
            ),
            "Cannot verify the stripe: sound is null",
        );
        let units = [null(), data[1], data[2], const_parity[0], const_parity[1]];
        null_text(
            stripeline_decode(
                bench.codec,
                units.as_ptr(),
                null(),
                1,
                parity.as_ptr(),
                LENGTH,
            ),
            "Cannot decode the stripe: erased is null",
        );
        null_text(
            stripeline_decode(bench.codec, units.as_ptr(), [0].as_ptr(), 1, null(), LENGTH),
            "Cannot decode the stripe: outputs is null",
        );
        null_text(
            stripeline_encode_with_checksums(
                bench.codec,
                data.as_ptr(),
                parity.as_ptr(),
                LENGTH,
                0,
                512,
                null_mut(),
            ),
            "Cannot encode the stripe: sums is null",
        );
        // With no erased units the lists are not needed.
        let status = stripeline_decode(bench.codec, units.as_ptr(), null(), 0, null(), LENGTH);
        assert_eq!(status, STRIPELINE_OK);
    }
}

#[test]
fn overlaps_are_named() {
    let mut bench = Bench::new(LENGTH);
    let (data, parity) = (data(&mut bench), parity(&mut bench));
    let status = encode(
        &bench,
        data,
        [parity[0], bench_offset(parity[0], 1)],
        LENGTH,
    );
    bench.expect(
        status,
        STRIPELINE_OVERLAP,
        "Cannot encode the stripe: parity[1] overlaps parity[0]",
    );
    let status = encode(&bench, data, [data[2].cast_mut(), parity[1]], LENGTH);
    bench.expect(
        status,
        STRIPELINE_OVERLAP,
        "Cannot encode the stripe: parity[0] overlaps data[2]",
    );
    // SAFETY: overlaps are refused before anything is written.
    unsafe {
        let overlap = |status, text: &str| bench.expect(status, STRIPELINE_OVERLAP, text);
        overlap(
            stripeline_update(bench.codec, 0, data[0], parity[1], parity.as_ptr(), LENGTH),
            "Cannot update the stripe: parity[1] overlaps new_data",
        );
        let units = [null(), data[1], data[2], null(), parity[1].cast_const()];
        let outputs = [data[1].cast_mut()];
        overlap(
            stripeline_decode(
                bench.codec,
                units.as_ptr(),
                [0].as_ptr(),
                1,
                outputs.as_ptr(),
                LENGTH,
            ),
            "Cannot decode the stripe: outputs overlaps units[1]",
        );
        let sums = data[0].cast_mut().cast();
        overlap(
            stripeline_encode_with_checksums(
                bench.codec,
                data.as_ptr(),
                parity.as_ptr(),
                LENGTH,
                0,
                4,
                sums,
            ),
            "Cannot encode the stripe: sums overlaps data[0]",
        );
    }
}

fn bench_offset(pointer: *mut u8, bytes: usize) -> *mut u8 {
    pointer.wrapping_add(bytes)
}

#[test]
fn impossible_memory_is_named() {
    let mut bench = Bench::new(LENGTH);
    let (data, parity) = (data(&mut bench), parity(&mut bench));
    let status = encode(&bench, data, parity, usize::MAX);
    let text = format!(
        "Cannot encode the stripe: data[0] of {} bytes runs past the end of the address space",
        usize::MAX
    );
    bench.expect(status, STRIPELINE_INVALID_MEMORY, &text);
    let mut sums = [0_u32; 16];
    let misaligned = sums.as_mut_ptr().wrapping_byte_add(1);
    // SAFETY: refused before anything is written.
    let status = unsafe {
        stripeline_encode_with_checksums(
            bench.codec,
            data.as_ptr(),
            parity.as_ptr(),
            LENGTH,
            0,
            8,
            misaligned,
        )
    };
    let text = format!(
        "Cannot encode the stripe: sums at {:#x} is not aligned to 4 bytes",
        misaligned.addr()
    );
    bench.expect(status, STRIPELINE_INVALID_MEMORY, &text);
}

#[test]
fn wrong_numbers_are_named() {
    let mut bench = Bench::new(LENGTH);
    let (data, parity) = (data(&mut bench), parity(&mut bench));
    let mut sums = [7_u32; 64];
    let mut checksums = |kind, bytes_per_checksum| {
        // SAFETY: refused before anything is written.
        unsafe {
            stripeline_encode_with_checksums(
                bench.codec,
                data.as_ptr(),
                parity.as_ptr(),
                LENGTH,
                kind,
                bytes_per_checksum,
                sums.as_mut_ptr(),
            )
        }
    };
    let unknown = checksums(2, 8);
    let text = "Cannot compute checksums: kind is 2, known are 0 (CRC-32C) and 1 (CRC-32)";
    bench.expect(unknown, STRIPELINE_INVALID_CHECKSUMS, text);
    let empty = checksums(0, 0);
    let text = "Cannot encode the stripe: bytes per checksum is 0";
    bench.expect(empty, STRIPELINE_INVALID_CHECKSUMS, text);
    assert_eq!(sums, [7; 64]);
    // More erasures than any code has units; they must not be copied to the stack.
    let erased = vec![0; 1000];
    let outputs = vec![parity[0]; 1000];
    let units = [null(); 5];
    // SAFETY: refused before anything is written.
    let status = unsafe {
        stripeline_decode(
            bench.codec,
            units.as_ptr(),
            erased.as_ptr(),
            1000,
            outputs.as_ptr(),
            LENGTH,
        )
    };
    bench.expect(
        status,
        STRIPELINE_TOO_MANY_ERASURES,
        "Cannot decode the stripe: units asked for: 1000, the code repairs: 2",
    );
}

#[test]
fn an_output_may_lie_over_the_lists_themselves() {
    let mut bench = Bench::new(LENGTH);
    let data = data(&mut bench);
    let mut lists = [null_mut::<u8>(); 6];
    let parity: *mut *mut u8 = lists.as_mut_ptr();
    // SAFETY: 16 bytes each at entries 0 and 1, and at 2 and 3, of the list that holds their
    // addresses.
    let status = unsafe {
        parity.write(parity.cast());
        parity.add(1).write(parity.add(2).cast());
        stripeline_encode(bench.codec, data.as_ptr(), parity, LENGTH)
    };
    assert_eq!(status, STRIPELINE_OK, "{}", last_error());
}

#[test]
fn the_library_describes_itself() {
    let mut text = [0; 1000];
    // SAFETY: as many bytes as said.
    let bytes = unsafe { stripeline_describe(text.as_mut_ptr(), text.len()) };
    let text: String = text[..bytes]
        .iter()
        .map(|byte| char::from(*byte as u8))
        .collect();
    assert!(
        text.starts_with("{\"version\":") && text.ends_with('}'),
        "{text}"
    );
    assert!(text.contains("\"abi\":3,"), "{text}");
    assert_eq!(stripeline_abi_version(), STRIPELINE_ABI_VERSION);
}
