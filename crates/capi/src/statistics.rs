// SPDX-License-Identifier: Apache-2.0
//! The counters of the rails of an engine.

use std::ffi::c_char;

use ::stripeline_engine::{BUCKETS, RailStatistics};

use crate::arguments::Call;
use crate::engine::stripeline_engine;
use crate::entry::guard;
use crate::failure::{Mistake, stripeline_status};
use crate::library::copy_text;

/// Buckets of a histogram: bucket b counts times from 2^b to 2^(b+1) - 1 nanoseconds, the last also
/// all longer ones.
pub const STRIPELINE_BUCKETS: usize = 36;

/// The size of the name of a rail in bytes, with the NUL; a longer name is truncated.
pub const STRIPELINE_RAIL_NAME: usize = 64;

const _: () = assert!(STRIPELINE_BUCKETS == BUCKETS);

/// The counters of one rail since its engine was opened, in pieces of tasks. Set `size` before the
/// call:
///
/// ```c
/// stripeline_rail_statistics rail = {.size = sizeof rail};
/// ```
#[allow(non_camel_case_types, reason = "the name in C")]
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct stripeline_rail_statistics {
    /// sizeof(stripeline_rail_statistics), which tells the library the fields that the program
    /// knows.
    pub size: usize,
    /// The name, terminated by a NUL.
    pub name: [c_char; STRIPELINE_RAIL_NAME],
    /// 1 if it is in service, 0 if not; stripeline_engine_describe() returns the reason.
    pub in_service: u64,
    /// 1 if it gets work, 0 if the total is higher without it.
    pub active: u64,
    /// The estimated rate in bytes of data a second.
    pub rate: u64,
    /// Entries in its queues.
    pub queued: u64,
    /// Pieces done.
    pub pieces: u64,
    /// Bytes of data (inputs) of these pieces.
    pub data_bytes: u64,
    /// Nanoseconds that its threads were busy, summed over threads. This and the two histograms are
    /// without calls that coded at once, see stripeline_engine_encode().
    pub busy_ns: u64,
    /// CPU time of its threads in nanoseconds, without waiting threads that helped.
    pub cpu_ns: u64,
    /// The number of times that one of its threads woke up.
    pub wake_ups: u64,
    /// Pieces taken from the queues of other rails.
    pub stolen: u64,
    /// Pieces that it failed.
    pub faults: u64,
    /// Pieces taken away because it did not answer.
    pub revoked: u64,
    /// How often it was taken out of service.
    pub quarantines: u64,
    /// Pieces that it compared for other rails.
    pub checks: u64,
    /// Pieces whose bytes were wrong, or whose comparison gave a wrong result.
    pub wrong: u64,
    /// Histogram of the times from issue to start of tasks; see STRIPELINE_BUCKETS.
    pub waits: [u64; STRIPELINE_BUCKETS],
    /// Histogram of the times from start to end of pieces; see STRIPELINE_BUCKETS.
    pub services: [u64; STRIPELINE_BUCKETS],
}

impl From<&RailStatistics> for stripeline_rail_statistics {
    fn from(rail: &RailStatistics) -> Self {
        let mut name = [0; STRIPELINE_RAIL_NAME];
        // SAFETY: as many bytes as the array has.
        unsafe { copy_text(&rail.name, name.as_mut_ptr(), name.len()) };
        Self {
            size: size_of::<Self>(),
            name,
            in_service: rail.out_of_service.is_none().into(),
            active: rail.active.into(),
            rate: rail.rate as u64,
            queued: rail.queued as u64,
            pieces: rail.pieces,
            data_bytes: rail.data_bytes,
            busy_ns: rail.busy_ns,
            cpu_ns: rail.cpu_ns,
            wake_ups: rail.wake_ups,
            stolen: rail.stolen,
            faults: rail.faults,
            revoked: rail.revoked,
            quarantines: rail.quarantines,
            checks: rail.checks,
            wrong: rail.wrong,
            waits: rail.waits,
            services: rail.services,
        }
    }
}

/// Returns the number of rails of an engine, which never changes.
///
/// @param engine  an open engine
/// @return        the number; 0 on failure, and stripeline_last_error() then returns the reason
///
/// # Safety
/// `engine` must be open.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stripeline_engine_rails(engine: *const stripeline_engine) -> usize {
    let call = Call("count the rails of the engine");
    let mut count = 0;
    guard(call.0, || {
        // SAFETY: as the caller guarantees.
        count = unsafe { call.engine(engine) }?.engine.rails();
        Ok(())
    });
    count
}

/// Reads the counters of a rail of an engine.
///
/// @param engine  an open engine
/// @param rail    the number of the rail, below that of stripeline_engine_rails()
/// @param result  receives the counters; its `size` must be set
/// @return        STRIPELINE_OK, STRIPELINE_NULL_POINTER, STRIPELINE_INVALID_ARGUMENT if there is
///                no such rail or `size` is wrong, STRIPELINE_CLOSED
///
/// # Safety
/// `engine` must be open; `result` must have as many writable bytes as its `size` field.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stripeline_engine_rail_statistics(
    engine: *const stripeline_engine,
    rail: usize,
    result: *mut stripeline_rail_statistics,
) -> stripeline_status {
    let call = Call("read the counters of the rail");
    guard(call.0, || {
        // SAFETY: as the caller guarantees.
        let engine = unsafe { call.engine(engine) }?;
        // SAFETY: as the caller guarantees.
        unsafe { call.sized("result", result.cast_const()) }?;
        let engine = &engine.engine;
        let read = engine.rail_statistics(rail);
        let read = read.ok_or(call.refuse(Mistake::UnknownRail(rail, engine.rails())))?;
        // SAFETY: not null and of this size, as checked above.
        unsafe { result.write_unaligned((&read).into()) };
        Ok(())
    })
}
