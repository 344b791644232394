// SPDX-License-Identifier: Apache-2.0
//! Checks of counts and lengths that several calls share.

use crate::error::{Buffer, Call, Error, List, Reason};

/// Requires `given`, the number of entries in a list, to equal `wanted`.
pub(crate) fn check_count(
    call: Call,
    what: List,
    given: usize,
    wanted: usize,
) -> Result<(), Error> {
    if given == wanted {
        return Ok(());
    }
    Err(Reason::Count {
        call,
        what,
        given,
        wanted,
    }
    .into())
}

/// Requires every buffer to have `wanted` bytes; `name` maps a buffer's index to its name.
pub(crate) fn check_lengths<B: AsRef<[u8]>>(
    call: Call,
    buffers: &[B],
    wanted: usize,
    name: fn(usize) -> Buffer,
) -> Result<(), Error> {
    for (index, buffer) in buffers.iter().enumerate() {
        check_length(call, name(index), buffer.as_ref().len(), wanted)?;
    }
    Ok(())
}

/// Requires one buffer to have `wanted` bytes.
pub(crate) fn check_length(
    call: Call,
    what: Buffer,
    given: usize,
    wanted: usize,
) -> Result<(), Error> {
    if given == wanted {
        return Ok(());
    }
    Err(Reason::Length {
        call,
        what,
        given,
        wanted,
    }
    .into())
}
