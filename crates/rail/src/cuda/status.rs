// SPDX-License-Identifier: Apache-2.0
//! What the driver's results say about the rail.

use std::ffi::c_int;

use crate::FaultKind;

/// A `CUresult`.
pub(super) type Status = c_int;

/// Done.
const SUCCESS: Status = 0;
/// A stream has work that is not done yet.
pub(super) const NOT_READY: Status = 600;

const OUT_OF_MEMORY: Status = 2;
/// Not initialised, shutting down; no such device, or not for us; a context that is not there any
/// more; a device that fell off the bus or that the system has taken away.
const GONE: [Status; 10] = [3, 4, 46, 100, 101, 201, 709, 802, 803, 804];

/// What a status says about the rail; `None` if it is success.
///
/// Everything that is neither a lack of memory nor a lost device counts as failed: after most of
/// these a context is of no use any more, and a new one may well be.
pub(super) fn kind_of(status: Status) -> Option<FaultKind> {
    match status {
        SUCCESS => None,
        OUT_OF_MEMORY => Some(FaultKind::Refused),
        gone if GONE.contains(&gone) => Some(FaultKind::Gone),
        _ => Some(FaultKind::Failed),
    }
}
