// SPDX-License-Identifier: Apache-2.0
//! The engine's blocking operations.

use std::sync::Arc;

use ::stripeline_codec::Verdict;

use crate::arguments::Call;
use crate::codec::stripeline_codec;
use crate::completion::{End, Notice, VerdictPlaces, Waits, finish};
use crate::engine::stripeline_engine;
use crate::entry::guard;
use crate::failure::{Failure, stripeline_status};
use crate::matrix::stripeline_matrix;
use crate::operation::Operation;
use crate::request::stripeline_request;

/// Computes all parity units from all data units on the fastest rails, and waits for the result.
/// The calling thread helps to code while it waits. If the only rail codes on the CPUs, which the
/// engine does not share with other processes, nothing is queued and there is no deadline, it codes
/// a small stripe itself at once: such a call is counted as issued, but is never outstanding. The
/// same holds for stripeline_engine_decode().
///
/// @param engine   an open engine
/// @param codec    k data units and m parity units
/// @param data     k units to read
/// @param parity   m units to write, each sharing no byte with any other unit
/// @param length   the length of every unit in bytes; 0 does nothing
/// @param request  the options of the task; its `callback` and `event_fd` must not be set. May be
///                 NULL
/// @return         as stripeline_encode(); STRIPELINE_COUNT_MISMATCH, STRIPELINE_INVALID_ARGUMENT,
///                 STRIPELINE_BUSY, STRIPELINE_DEADLINE_EXCEEDED, STRIPELINE_NO_RAIL. If a task
///                 fails after it was issued, outputs may hold anything
///
/// # Safety
/// Handles must be open; matrices and units must have the entries and bytes named.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stripeline_engine_encode(
    engine: *const stripeline_engine,
    codec: *const stripeline_codec,
    data: *const stripeline_matrix,
    parity: *const stripeline_matrix,
    length: usize,
    request: *const stripeline_request,
) -> stripeline_status {
    let encode = Operation::Encode { data, parity };
    // SAFETY: as the caller guarantees.
    guard(encode.call().0, || unsafe {
        run(engine, codec, encode, length, request).map(|_sound| ())
    })
}

/// Computes exactly the requested units from those that are present, and waits for the result.
///
/// @param engine   an open engine
/// @param codec    k data units and m parity units
/// @param units    k+m units, data first. In a list, NULL for a unit that is lost or was not read;
///                 with a stride, those in `erased` are lost and all others are present. At least k
///                 must be present
/// @param erased   as for stripeline_decode()
/// @param count    the number of entries of `erased`, at most m; 0 does nothing
/// @param outputs  `count` units to write, in the order of `erased`, each sharing no byte with any
///                 other unit that is present
/// @param length   the length of every unit in bytes; 0 does nothing
/// @param request  as for stripeline_engine_encode()
/// @return         as stripeline_engine_encode() and stripeline_decode()
///
/// # Safety
/// Handles must be open; lists, matrices and units must have the entries and bytes named.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stripeline_engine_decode(
    engine: *const stripeline_engine,
    codec: *const stripeline_codec,
    units: *const stripeline_matrix,
    erased: *const u32,
    count: usize,
    outputs: *const stripeline_matrix,
    length: usize,
    request: *const stripeline_request,
) -> stripeline_status {
    let decode = Operation::Decode {
        units,
        erased,
        count,
        outputs,
    };
    // SAFETY: as the caller guarantees.
    guard(decode.call().0, || unsafe {
        run(engine, codec, decode, length, request).map(|_sound| ())
    })
}

/// Updates all parity units in place after one data unit changed, and waits for the result.
///
/// @param engine     an open engine
/// @param codec      k data units and m parity units
/// @param data_unit  the number of the data unit that changed, 0..k-1
/// @param changed    2 units: the old and the new bytes of the data unit
/// @param parity     m units to update, each sharing no byte with any other unit
/// @param length     the length of every unit in bytes, which may be a part of a cell; 0 does
///                   nothing
/// @param request    as for stripeline_engine_encode()
/// @return           as stripeline_engine_encode() and stripeline_update(); STRIPELINE_RAIL_FAILED
///                   if parity was partly updated and the stripe must be encoded again
///
/// # Safety
/// Handles must be open; matrices and units must have the entries and bytes named.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stripeline_engine_update(
    engine: *const stripeline_engine,
    codec: *const stripeline_codec,
    data_unit: usize,
    changed: *const stripeline_matrix,
    parity: *const stripeline_matrix,
    length: usize,
    request: *const stripeline_request,
) -> stripeline_status {
    let update = Operation::Update {
        data_unit,
        changed,
        parity,
    };
    // SAFETY: as the caller guarantees.
    guard(update.call().0, || unsafe {
        run(engine, codec, update, length, request).map(|_sound| ())
    })
}

/// Returns whether the parity units match the data units, and waits for the result.
///
/// @param engine       an open engine
/// @param codec        k data units and m parity units
/// @param data         k units to read
/// @param parity       m units to read
/// @param length       the length of every unit in bytes; units of 0 bytes are sound
/// @param request      as for stripeline_engine_encode()
/// @param sound        as for stripeline_verify()
/// @param parity_unit  as for stripeline_verify()
/// @param offset       as for stripeline_verify()
/// @return             as stripeline_engine_encode(), STRIPELINE_OK also if not sound
///
/// # Safety
/// Handles must be open; matrices and units must have the entries and bytes named.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stripeline_engine_verify(
    engine: *const stripeline_engine,
    codec: *const stripeline_codec,
    data: *const stripeline_matrix,
    parity: *const stripeline_matrix,
    length: usize,
    request: *const stripeline_request,
    sound: *mut bool,
    parity_unit: *mut usize,
    offset: *mut usize,
) -> stripeline_status {
    let verify = Operation::Verify { data, parity };
    let call = verify.call();
    // SAFETY: as the caller guarantees; the places are written when all units have been read.
    guard(call.0, || unsafe {
        let places = call.verdict_places(sound, parity_unit, offset)?;
        places.write(run(engine, codec, verify, length, request)?);
        Ok(())
    })
}

impl Call {
    /// Checks the pointers for a verdict.
    pub(crate) fn verdict_places(
        self,
        sound: *mut bool,
        parity_unit: *mut usize,
        offset: *mut usize,
    ) -> Result<VerdictPlaces, Failure> {
        self.check_result("sound", sound)?;
        Ok(VerdictPlaces {
            sound,
            parity_unit,
            offset,
        })
    }
}

/// # Safety
/// As the functions above.
unsafe fn run(
    engine: *const stripeline_engine,
    codec: *const stripeline_codec,
    operation: Operation,
    length: usize,
    request: *const stripeline_request,
) -> Result<Verdict, Failure> {
    let call = operation.call();
    // SAFETY: as the caller guarantees.
    let (engine, codec, request) = unsafe {
        (
            call.engine(engine)?,
            call.codec(codec)?,
            call.request_of_waiter(request)?,
        )
    };
    let end = Arc::<End>::default();
    let keep = Box::new(finish(Notice::default(), None, &end));
    // SAFETY: as the caller guarantees until this returns, which `Waits` keeps it from doing before
    // the job is gone.
    let piece = unsafe { operation.piece(&codec.codec, length, keep) }?;
    let Some(piece) = piece else {
        return Ok(Verdict::Sound);
    };
    let _waits = Waits(end);
    Ok(engine.engine.run(piece, request)?)
}
