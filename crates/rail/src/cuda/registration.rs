// SPDX-License-Identifier: Apache-2.0
//! Memory of the process that the driver has locked and registered, for the units of callers.

use std::ffi::c_void;
use std::sync::Arc;

use super::context::Context;
use super::gpu::Gpu;
use crate::Fault;
use crate::pages::Pages;
use crate::pinned::{Lock, PinnedBuffer};

/// `CU_MEMHOSTREGISTER_PORTABLE`: the contexts of all devices take it for pinned memory.
const PORTABLE: u32 = 1;

/// Registered pages, which keep their context open.
#[derive(Debug)]
struct Registration {
    context: Arc<Context>,
    pages: Arc<Pages>,
}

/// Allocates memory and has the driver lock it. Opens the context of the device if it is not open.
///
/// # Errors
/// `Refused` if the system or the driver lacks memory; another kind if the device cannot be used.
pub(super) fn allocate(gpu: &Gpu, bytes: usize) -> Result<PinnedBuffer, Fault> {
    let context = gpu.context()?;
    let pages = match context.take_left_pages(bytes) {
        Some(pages) => pages,
        None => register(&context, bytes)?,
    };
    let registration = Registration {
        context,
        pages: Arc::clone(&pages),
    };
    Ok(PinnedBuffer::new(pages, Some(Arc::new(registration))))
}

fn register(context: &Context, bytes: usize) -> Result<Arc<Pages>, Fault> {
    let pages = Arc::new(Pages::map(bytes)?);
    let driver = &context.device.driver;
    let entered = context.enter()?;
    let start = pages.start().as_ptr().cast::<c_void>();
    // SAFETY: mapped pages, which stay so until they are unregistered or their context has ended.
    let status = unsafe { (driver.functions.host_register)(start, bytes, PORTABLE) };
    // The context is as good as before, whatever the reason.
    driver.check(&format!("lock {bytes} bytes of memory"), status)?;
    drop(entered);
    Ok(pages)
}

impl Lock for Registration {
    fn holds(&self) -> bool {
        // A broken context is replaced, and may have been ended by another user of the device.
        !self.context.is_broken()
    }
}

impl Drop for Registration {
    fn drop(&mut self) {
        if self.pages.is_mapped() {
            self.context.unregister(Arc::clone(&self.pages));
        }
    }
}
