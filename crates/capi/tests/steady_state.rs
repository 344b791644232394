// SPDX-License-Identifier: Apache-2.0
//! Tests that calls through C, refused ones included, allocate nothing once warm.

#[allow(dead_code, reason = "the codec's own tests use all of it")]
#[path = "../../codec/tests/allocations/mod.rs"]
mod allocations;

use allocations::allocations;
use stripeline_capi::stripeline_status::*;
use stripeline_capi::*;

const LENGTH: usize = 1000;

/// Makes every kind of call on a 6+3 stripe, and a refused one.
fn call_everything(codec: *const stripeline_codec, memory: &mut [[u8; LENGTH]; 9]) {
    let starts = memory.each_mut().map(|unit| unit.as_mut_ptr());
    let data = starts.map(|start| start.cast_const());
    let parity = [starts[6], starts[7], starts[8]];
    let mut units = data;
    units[1] = std::ptr::null();
    units[7] = std::ptr::null();
    let outputs = [starts[7], starts[1]];
    let mut sums = [0; 9 * 2];
    let mut sound = false;
    let nowhere = std::ptr::null_mut();
    // SAFETY: an open codec 6+3; 9 buffers of LENGTH bytes; room for the sums of 512 bytes each.
    unsafe {
        let status = [
            stripeline_encode(codec, data.as_ptr(), parity.as_ptr(), LENGTH),
            stripeline_encode_with_checksums(
                codec,
                data.as_ptr(),
                parity.as_ptr(),
                LENGTH,
                0,
                512,
                sums.as_mut_ptr(),
            ),
            stripeline_decode(
                codec,
                units.as_ptr(),
                [7, 1].as_ptr(),
                2,
                outputs.as_ptr(),
                LENGTH,
            ),
            stripeline_verify(
                codec,
                data.as_ptr(),
                data[6..].as_ptr(),
                LENGTH,
                &mut sound,
                nowhere,
                nowhere,
            ),
            stripeline_update(codec, 4, data[4], data[4], parity.as_ptr(), LENGTH),
        ];
        assert_eq!(status, [STRIPELINE_OK; 5]);
        assert!(sound);
        let refused = stripeline_encode(codec, data.as_ptr(), std::ptr::null(), LENGTH);
        assert_eq!(refused, STRIPELINE_NULL_POINTER);
    }
}

#[test]
fn calls_allocate_nothing_once_warm() {
    let mut memory = [[3; LENGTH]; 9];
    let mut codec = std::ptr::null_mut();
    // SAFETY: room for the handle, which is closed once.
    unsafe {
        let status = stripeline_codec_open(0, 6, 3, &mut codec);
        assert_eq!(status, STRIPELINE_OK);
        let cold = allocations(|| call_everything(codec, &mut memory));
        assert!(cold > 0, "the counter counts the plans of the first calls");
        let warm = allocations(|| {
            for _ in 0..10 {
                call_everything(codec, &mut memory);
            }
        });
        assert_eq!(warm, 0);
        stripeline_codec_close(codec);
    }
}
