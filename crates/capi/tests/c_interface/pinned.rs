// SPDX-License-Identifier: Apache-2.0
//! Memory of the C interface for units that devices access in place, on an engine without GPU.
//! scripts/test-c.sh runs a program with the mock of a GPU's driver.

use std::ffi::c_void;
use std::ptr::{null, null_mut};

use ::stripeline_codec::{Code, Codec};

use crate::c_codec::{self, last_error};
use crate::engine_side::{OpenEngine, strided};
use stripeline_capi::stripeline_status::*;
use stripeline_capi::*;

fn allocate(engine: *const stripeline_engine, bytes: usize) -> (stripeline_status, *mut c_void) {
    let mut address = std::ptr::dangling_mut();
    // SAFETY: null or open, and room for the address.
    let status = unsafe { stripeline_pinned_allocate(engine, bytes, &mut address) };
    (status, address)
}

fn release(address: *mut c_void) -> stripeline_status {
    // SAFETY: the tests do not use memory that they have released.
    unsafe { stripeline_pinned_release(address) }
}

#[test]
fn units_declared_pinned_are_coded_and_outlive_the_engine() {
    const CELL: usize = 5_000;
    let engine = OpenEngine::new("rails=cpu");
    let (status, address) = allocate(engine.0, 5 * CELL);
    assert_eq!(status, STRIPELINE_OK, "{}", last_error());
    assert!(address.addr().is_multiple_of(4_096));
    assert!(!stripeline_pinned_is_locked(address), "there is no GPU");
    let start = address.cast::<u8>();
    // SAFETY: new memory of this length, used only by this test.
    let memory = unsafe { std::slice::from_raw_parts_mut(start, 5 * CELL) };
    assert!(memory.iter().all(|byte| *byte == 0));
    memory[..3 * CELL].fill(7);
    let pinned = |unit: usize, count| stripeline_matrix {
        memory: 1,
        ..strided(start.wrapping_add(unit * CELL), CELL, count)
    };
    let open = c_codec::rs(3, 2);
    let (data, parity) = (pinned(0, 3), pinned(3, 2));
    // SAFETY: open handles, matrices of 3 and 2 cells within the memory.
    let status =
        unsafe { stripeline_engine_encode(engine.0, open.codec, &data, &parity, CELL, null()) };
    assert_eq!(status, STRIPELINE_OK, "{}", last_error());
    drop((open, engine));
    // SAFETY: as above; the task has ended.
    let memory = unsafe { std::slice::from_raw_parts(start, 5 * CELL) };
    let codec = Codec::new(Code::Rs, 3, 2).expect("a valid shape");
    let data: Vec<&[u8]> = memory[..3 * CELL].chunks(CELL).collect();
    let (mut first, mut second) = (vec![0; CELL], vec![0; CELL]);
    codec
        .encode(&data, &mut [&mut first, &mut second])
        .expect("in order");
    assert!(memory[3 * CELL..] == [first, second].concat());
    assert_eq!(release(address), STRIPELINE_OK);
}

#[test]
fn what_cannot_be_allocated_or_released_is_named() {
    let engine = OpenEngine::new("rails=cpu");
    assert_eq!(
        allocate(engine.0, usize::MAX),
        (STRIPELINE_OUT_OF_MEMORY, null_mut())
    );
    let text = last_error();
    let start = "Cannot allocate pinned memory: the system refuses 18446744073709551615 bytes: ";
    assert!(text.starts_with(start), "{text}");
    assert_eq!(
        allocate(engine.0, isize::MAX as usize).0,
        STRIPELINE_OUT_OF_MEMORY
    );
    assert_eq!(allocate(null(), 1), (STRIPELINE_NULL_POINTER, null_mut()));
    assert_eq!(
        last_error(),
        "Cannot allocate pinned memory: engine is null"
    );
    // SAFETY: an open engine; null is refused.
    let status = unsafe { stripeline_pinned_allocate(engine.0, 1, null_mut()) };
    assert_eq!(status, STRIPELINE_NULL_POINTER);
    assert_eq!(
        last_error(),
        "Cannot allocate pinned memory: address is null"
    );

    let (status, address) = allocate(engine.0, 0);
    assert_eq!((status, address.is_null()), (STRIPELINE_OK, false));
    assert_eq!(
        release(address.wrapping_byte_add(1)),
        STRIPELINE_INVALID_ARGUMENT
    );
    assert_eq!(release(address), STRIPELINE_OK);
    assert_eq!(release(address), STRIPELINE_INVALID_ARGUMENT);
    let text = format!(
        "Cannot release pinned memory: there is none at {:#x}, or it was released before",
        address.addr()
    );
    assert_eq!(last_error(), text);
    assert_eq!(release(null_mut()), STRIPELINE_OK);
    assert!(!stripeline_pinned_is_locked(null()));
}
