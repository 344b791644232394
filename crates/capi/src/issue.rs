// SPDX-License-Identifier: Apache-2.0
//! The engine's non-blocking operations.

use std::ptr::null_mut;
use std::sync::Arc;

use ::stripeline_codec::Verdict;
use ::stripeline_engine::{Ticket, in_turn};

use crate::codec::stripeline_codec;
use crate::completion::{End, VerdictPlaces, finish};
use crate::engine::stripeline_engine;
use crate::entry::guard;
use crate::failure::{Failure, stripeline_status};
use crate::future::stripeline_future;
use crate::matrix::stripeline_matrix;
use crate::operation::Operation;
use crate::request::stripeline_request;

/// Issues a task that computes all parity units and returns immediately, unless the engine is full
/// and configured to wait.
///
/// All units belong to the task until it has ended: the program must not write to units that the
/// task reads, must not read or write units that it writes, and must not free any of them.
/// Matrices, lists and the request are read before the call returns, and the codec may be closed
/// after it.
///
/// The task has ended when a test of or wait for its future reports this, when its callback runs or
/// its eventfd is written (both happen before the wait returns), or when stripeline_engine_close()
/// has returned STRIPELINE_OK. After STRIPELINE_PENDING a task may still have its units; see there.
///
/// @param engine   an open engine
/// @param codec    k data units and m parity units
/// @param data     k units to read
/// @param parity   m units to write, each sharing no byte with any other unit
/// @param length   the length of every unit in bytes; 0 does nothing
/// @param request  the options of the task; may be NULL
/// @param future   receives the future of the task, to be released by stripeline_future_release();
///                 NULL on failure. May be NULL if the request has a callback, which then receives
///                 the outcome
/// @return         the refusals of stripeline_engine_encode(): then no task was issued, and there
///                 is no notification. The future has the outcome of an issued task
///
/// # Safety
/// Handles must be open; matrices and units must have the entries and bytes named, the latter until
/// the task has ended.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stripeline_iencode(
    engine: *const stripeline_engine,
    codec: *const stripeline_codec,
    data: *const stripeline_matrix,
    parity: *const stripeline_matrix,
    length: usize,
    request: *const stripeline_request,
    future: *mut *mut stripeline_future,
) -> stripeline_status {
    let encode = Operation::Encode { data, parity };
    // SAFETY: as the caller guarantees.
    guard(encode.call().0, || unsafe {
        issue(engine, codec, encode, length, request, None, future)
    })
}

/// Issues a task that computes exactly the requested units, as stripeline_iencode() does.
///
/// @param engine   an open engine
/// @param codec    k data units and m parity units
/// @param units    as for stripeline_engine_decode()
/// @param erased   as for stripeline_decode(); read before the call returns
/// @param count    the number of entries of `erased`, at most m; 0 does nothing
/// @param outputs  as for stripeline_engine_decode()
/// @param length   the length of every unit in bytes; 0 does nothing
/// @param request  as for stripeline_iencode()
/// @param future   as for stripeline_iencode()
/// @return         as stripeline_iencode(), of stripeline_engine_decode()
///
/// # Safety
/// As `stripeline_iencode`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stripeline_idecode(
    engine: *const stripeline_engine,
    codec: *const stripeline_codec,
    units: *const stripeline_matrix,
    erased: *const u32,
    count: usize,
    outputs: *const stripeline_matrix,
    length: usize,
    request: *const stripeline_request,
    future: *mut *mut stripeline_future,
) -> stripeline_status {
    let decode = Operation::Decode {
        units,
        erased,
        count,
        outputs,
    };
    // SAFETY: as the caller guarantees.
    guard(decode.call().0, || unsafe {
        issue(engine, codec, decode, length, request, None, future)
    })
}

/// Issues a task that updates parity for one changed data unit, as stripeline_iencode() does.
///
/// @param engine     an open engine
/// @param codec      k data units and m parity units
/// @param data_unit  the number of the data unit that changed, 0..k-1
/// @param changed    2 units: the old and the new bytes of the data unit
/// @param parity     m units to update, each sharing no byte with any other unit
/// @param length     as for stripeline_engine_update()
/// @param request    as for stripeline_iencode()
/// @param future     as for stripeline_iencode()
/// @return           as stripeline_iencode(), of stripeline_engine_update()
///
/// # Safety
/// As `stripeline_iencode`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stripeline_iupdate(
    engine: *const stripeline_engine,
    codec: *const stripeline_codec,
    data_unit: usize,
    changed: *const stripeline_matrix,
    parity: *const stripeline_matrix,
    length: usize,
    request: *const stripeline_request,
    future: *mut *mut stripeline_future,
) -> stripeline_status {
    let update = Operation::Update {
        data_unit,
        changed,
        parity,
    };
    // SAFETY: as the caller guarantees.
    guard(update.call().0, || unsafe {
        issue(engine, codec, update, length, request, None, future)
    })
}

/// Issues a task that compares parity with the data, as stripeline_iencode() does.
///
/// @param engine       an open engine
/// @param codec        k data units and m parity units
/// @param data         k units to read
/// @param parity       m units to read
/// @param length       the length of every unit in bytes; units of 0 bytes are sound
/// @param request      as for stripeline_iencode()
/// @param sound        as for stripeline_verify(); it and the next two belong to the task until it
///                     has ended or the engine is closed, and are written before any notification
/// @param parity_unit  as for stripeline_verify()
/// @param offset       as for stripeline_verify()
/// @param future       as for stripeline_iencode()
/// @return             as stripeline_iencode(), of stripeline_engine_verify()
///
/// # Safety
/// As `stripeline_iencode`.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stripeline_iverify(
    engine: *const stripeline_engine,
    codec: *const stripeline_codec,
    data: *const stripeline_matrix,
    parity: *const stripeline_matrix,
    length: usize,
    request: *const stripeline_request,
    sound: *mut bool,
    parity_unit: *mut usize,
    offset: *mut usize,
    future: *mut *mut stripeline_future,
) -> stripeline_status {
    let verify = Operation::Verify { data, parity };
    let call = verify.call();
    // SAFETY: as the caller guarantees.
    guard(call.0, || unsafe {
        let places = call.verdict_places(sound, parity_unit, offset)?;
        issue(engine, codec, verify, length, request, Some(places), future)
    })
}

/// # Safety
/// As the functions above.
unsafe fn issue(
    engine: *const stripeline_engine,
    codec: *const stripeline_codec,
    operation: Operation,
    length: usize,
    request: *const stripeline_request,
    verdict: Option<VerdictPlaces>,
    future: *mut *mut stripeline_future,
) -> Result<(), Failure> {
    let call = operation.call();
    // SAFETY: as the caller guarantees; alignment is not relied on.
    let store = |made| unsafe {
        if !future.is_null() {
            future.write_unaligned(made);
        }
    };
    store(null_mut());
    // SAFETY: as the caller guarantees.
    let (engine, codec, (request, mut notice)) = unsafe {
        (
            call.engine(engine)?,
            call.codec(codec)?,
            call.request(request)?,
        )
    };
    if notice.callback.is_none() {
        call.check_result("future", future)?;
    }
    notice.verdict = verdict;
    let is_wanted = notice.is_wanted();
    let end = Arc::<End>::default();
    let finish = finish(notice, Some(Arc::clone(&engine.unended)), &end);
    let keep = Box::new(Arc::clone(&finish));
    // SAFETY: as the caller guarantees until the task has ended, which is after the job is gone.
    let piece = unsafe { operation.piece(&codec.codec, length, keep) }?;
    // Stored before any notification: a callback may release the future.
    let promise = |ticket: Option<&Ticket>| {
        if !future.is_null() {
            let made = stripeline_future::new(engine, ticket.cloned(), end.clone());
            store(Box::into_raw(Box::new(made)));
        }
    };
    let Some(piece) = piece else {
        promise(None);
        in_turn(move || finish.note(&Ok(Verdict::Sound)));
        return Ok(());
    };
    let prepare = |ticket: &Ticket| {
        promise(Some(ticket));
        if is_wanted {
            ticket.on_end(move |outcome| finish.note(outcome));
        }
    };
    let issued = engine.engine.issue_with(piece, request, prepare);
    issued
        .map(|_ticket| ())
        .map_err(|rejected| rejected.error.into())
}
