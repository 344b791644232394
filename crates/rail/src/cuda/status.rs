// SPDX-License-Identifier: Apache-2.0
//! The meaning of the driver's status codes for the rail.

use std::ffi::c_int;

use crate::FaultKind;

/// A `CUresult`.
pub(super) type Status = c_int;

/// Success.
const SUCCESS: Status = 0;
/// A stream has unfinished work.
pub(super) const NOT_READY: Status = 600;

const OUT_OF_MEMORY: Status = 2;
/// Not initialised, shutting down; no such device, or not permitted; a context that no longer
/// exists; a device that fell off the bus or that the system has removed.
const GONE: [Status; 10] = [3, 4, 46, 100, 101, 201, 709, 802, 803, 804];

/// There is no such device or context: what was there accesses no memory. The other statuses of
/// [`GONE`] only say that the device cannot be used now.
const NOTHING_LEFT: [Status; 4] = [100, 101, 201, 709];

/// Errors of a kernel or of the memory that end all work in its context: uncorrectable memory, a
/// wrong address, a time limit, an assertion, the stack, an instruction, alignment, address space,
/// program counter, and others of a launch.
const CONTEXT_FAILED: [Status; 10] = [214, 700, 702, 710, 714, 715, 716, 717, 718, 719];

/// Returns whether a context does no more work if its reset has this status.
pub(super) fn ends_all_work(status: Status) -> bool {
    status == SUCCESS || NOTHING_LEFT.contains(&status)
}

/// Returns whether a stream does no more work if the question whether it does has this status.
pub(super) fn ends_stream(status: Status) -> bool {
    ends_all_work(status) || CONTEXT_FAILED.contains(&status)
}

/// Returns the kind of fault that a status means; `None` for success.
///
/// Every status that is neither a lack of memory nor a lost device counts as failed: most of these
/// leave the context unusable, and a new context may work.
pub(super) fn kind_of(status: Status) -> Option<FaultKind> {
    match status {
        SUCCESS => None,
        OUT_OF_MEMORY => Some(FaultKind::Refused),
        gone if GONE.contains(&gone) => Some(FaultKind::Gone),
        _ => Some(FaultKind::Failed),
    }
}
