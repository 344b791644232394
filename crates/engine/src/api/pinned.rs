// SPDX-License-Identifier: Apache-2.0
//! Memory for units that devices access in place.

use stripeline_rail::{Fault, FaultKind, PinnedBuffer};

use crate::api::engine::Engine;
use crate::api::error::{Error, ErrorKind};

impl Engine {
    /// Allocates memory for units that the engine's devices access in place; see [`PinnedBuffer`].
    ///
    /// The first GPU in service locks the memory, for all GPUs, and holds a context for it until
    /// the memory is released: hundreds of megabytes on the device, opened in about 0.1 s. If none
    /// can be used, it is ordinary memory ([`PinnedBuffer::is_locked`]), so a program runs
    /// unchanged on a machine without GPU. The memory may be used after the engine is dropped.
    ///
    /// # Errors
    /// [`ErrorKind::OutOfMemory`] if the system refuses that much memory, or a driver to lock it;
    /// [`ErrorKind::Closed`] in a forked child.
    pub fn allocate_pinned(&self, bytes: usize) -> Result<PinnedBuffer, Error> {
        if self.core.is_inherited() {
            return Err(Error::inherited());
        }
        // A rail out of service may not answer.
        let states = self.core.rail_states.iter();
        let states = states.filter(|state| bytes > 0 && state.health.is_in_service());
        for allocated in states.filter_map(|state| state.rail.allocate_pinned(bytes)) {
            match allocated {
                Ok(buffer) => return Ok(buffer),
                Err(fault) if fault.kind() == FaultKind::Refused => return Err(lacking(&fault)),
                // The device cannot be used, and its tasks go to other rails.
                Err(_) => {}
            }
        }
        PinnedBuffer::ordinary(bytes).map_err(|fault| lacking(&fault))
    }
}

fn lacking(fault: &Fault) -> Error {
    let text = format!("Cannot allocate pinned memory: {fault}");
    Error::new(ErrorKind::OutOfMemory, text)
}
