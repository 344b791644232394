// SPDX-License-Identifier: Apache-2.0
//! The counters of rails through the C interface.

use std::ffi::CStr;
use std::mem::MaybeUninit;
use std::ptr::{null, null_mut};

use crate::c_codec::last_error;
use crate::engine_side::{Bench, OpenEngine};
use stripeline_capi::stripeline_status::*;
use stripeline_capi::*;

fn unread() -> stripeline_rail_statistics {
    // SAFETY: numbers and characters, which may all be 0.
    let mut rail: stripeline_rail_statistics = unsafe { MaybeUninit::zeroed().assume_init() };
    rail.size = size_of::<stripeline_rail_statistics>();
    rail
}

#[test]
fn the_pieces_of_a_rail_are_counted() {
    const CELL: usize = 4096;
    let engine = OpenEngine::new("rails=cpu");
    let mut bench = Bench::new(CELL);
    let (data, parity) = (bench.data(), bench.parity());
    // SAFETY: open handles, matrices of 3 and 2 cells within the stripe.
    let status =
        unsafe { stripeline_engine_encode(engine.0, bench.codec, &data, &parity, CELL, null()) };
    assert_eq!(status, STRIPELINE_OK, "{}", last_error());

    // SAFETY: an open engine.
    assert_eq!(unsafe { stripeline_engine_rails(engine.0) }, 1);
    let mut rail = unread();
    // SAFETY: an open engine and a structure of its size.
    let status = unsafe { stripeline_engine_rail_statistics(engine.0, 0, &mut rail) };
    assert_eq!(status, STRIPELINE_OK, "{}", last_error());
    // SAFETY: terminated by a NUL.
    let name = unsafe { CStr::from_ptr(rail.name.as_ptr()) };
    assert_eq!(name, c"cpu");
    assert_eq!((rail.in_service, rail.active), (1, 1));
    assert_eq!((rail.pieces, rail.faults), (1, 0));
    assert_eq!(rail.data_bytes, 3 * CELL as u64);
    assert_eq!(rail.services.iter().sum::<u64>(), 1);
}

#[test]
fn wrong_rails_and_sizes_are_named() {
    let engine = OpenEngine::new("rails=cpu");
    let refused = |engine, rail, result: *mut stripeline_rail_statistics| {
        // SAFETY: null or open, and null or a structure of its size.
        let status = unsafe { stripeline_engine_rail_statistics(engine, rail, result) };
        (status, last_error())
    };
    let failure = |text: &str| format!("Cannot read the counters of the rail: {text}");
    let mut rail = unread();
    assert_eq!(
        refused(engine.0, 1, &mut rail),
        (
            STRIPELINE_INVALID_ARGUMENT,
            failure("rail is 1, and the engine has 1, numbered from 0")
        )
    );
    assert_eq!(
        refused(engine.0, 0, null_mut()),
        (STRIPELINE_NULL_POINTER, failure("result is null"))
    );
    assert_eq!(
        refused(null_mut(), 0, &mut rail),
        (STRIPELINE_NULL_POINTER, failure("engine is null"))
    );
    rail.size = 8;
    assert_eq!(
        refused(engine.0, 0, &mut rail).0,
        STRIPELINE_INVALID_ARGUMENT
    );
    // SAFETY: null.
    assert_eq!(unsafe { stripeline_engine_rails(null()) }, 0);
    assert_eq!(
        last_error(),
        "Cannot count the rails of the engine: engine is null"
    );
}
