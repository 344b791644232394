// SPDX-License-Identifier: Apache-2.0
//! Memory for units that devices access in place.

use std::ffi::c_void;
use std::ptr::null_mut;

use stripeline_rail::{PinnedBuffer, pinned};

use crate::arguments::Call;
use crate::engine::stripeline_engine;
use crate::entry::guard;
use crate::failure::{Mistake, stripeline_status};

/// Allocates memory for units that the devices of an engine access in place: declare units in it as
/// STRIPELINE_HOST_PINNED. It belongs to the process, starts at a page and is filled with zeros.
///
/// The first GPU in service locks it, for all GPUs. If none can be used, it is ordinary memory,
/// which may be declared in the same way: a program runs unchanged on a machine without GPU. It
/// also becomes ordinary memory when a fault of that GPU ends its context, for example after a
/// hang; what is allocated later is locked again.
///
/// Locking takes as long as writing to the memory, and holds a context of the GPU (hundreds of
/// megabytes on the device, opened in about 0.1 s) until the memory is released: allocate once,
/// not for each task. The memory may be used and released after the engine is closed.
///
/// A forked child does not have the memory: there it must not be touched, and is not released.
///
/// @param engine   an open engine
/// @param bytes    the size in bytes; 0 gives an address at which there is nothing to use
/// @param address  receives the start of the memory, to be released by stripeline_pinned_release();
///                 NULL on failure
/// @return         STRIPELINE_OK, STRIPELINE_OUT_OF_MEMORY if the system refuses the memory or
///                 the GPU's driver refuses to lock it, STRIPELINE_NULL_POINTER,
///                 STRIPELINE_CLOSED
///
/// # Safety
/// `engine` must be open; `address` must be null or writable.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stripeline_pinned_allocate(
    engine: *const stripeline_engine,
    bytes: usize,
    address: *mut *mut c_void,
) -> stripeline_status {
    let call = Call("allocate pinned memory");
    guard(call.0, || {
        call.check_result("address", address)?;
        // SAFETY: not null, so writable as the caller guarantees; alignment is not relied on.
        unsafe { address.write_unaligned(null_mut()) };
        // SAFETY: as the caller guarantees.
        let engine = unsafe { call.engine(engine) }?;
        let start = engine.engine.allocate_pinned(bytes)?.leak();
        // SAFETY: as above.
        unsafe { address.write_unaligned(start.as_ptr().cast()) };
        Ok(())
    })
}

/// Releases memory. The tasks that use it must have ended; see stripeline_iencode().
///
/// While the GPU works on other tasks the memory stays locked, because the driver might wait for
/// them. Memory of the same size that is allocated then is this one; otherwise it is freed with the
/// next allocation, release or closing of the engine that finds the GPU idle.
///
/// @param address  an address from stripeline_pinned_allocate(), or NULL, which does nothing
/// @return         STRIPELINE_OK; STRIPELINE_INVALID_ARGUMENT if this process has no such memory:
///                 it was released before, or belongs to the process that forked this one
///
/// # Safety
/// Nothing may use the memory any more.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stripeline_pinned_release(address: *mut c_void) -> stripeline_status {
    let call = Call("release pinned memory");
    guard(call.0, || {
        if !address.is_null() {
            let buffer = PinnedBuffer::reclaim(address.cast());
            drop(buffer.ok_or(call.refuse(Mistake::UnknownPinned(address.addr())))?);
        }
        Ok(())
    })
}

/// Returns whether a GPU accesses memory in place, as opposed to ordinary memory.
///
/// @param address  an address in memory from stripeline_pinned_allocate()
/// @return         true while the memory is locked; false for all other memory
#[unsafe(no_mangle)]
pub extern "C" fn stripeline_pinned_is_locked(address: *const c_void) -> bool {
    let mut locked = false;
    guard("look up pinned memory", || {
        locked = pinned::is_locked(address.cast()) == Some(true);
        Ok(())
    });
    locked
}
