// SPDX-License-Identifier: Apache-2.0
//! A GPU and the context that its lanes share.

use std::sync::Arc;

use super::CudaSettings;
use super::context::Context;
use super::device::Device;
use crate::{Fault, FaultKind};

/// A GPU.
#[derive(Debug)]
pub(super) struct Gpu {
    pub device: Arc<Device>,
    pub settings: CudaSettings,
}

impl Gpu {
    pub fn new(device: Arc<Device>, settings: &CudaSettings) -> Self {
        Self {
            device,
            settings: settings.clone(),
        }
    }

    /// Returns the open context, or a new one if there is none or it is broken. A context stays
    /// open while a lane or memory of a caller uses it, or the device has not finished a lane's
    /// work: it takes hundreds of megabytes of device memory.
    pub fn context(&self) -> Result<Arc<Context>, Fault> {
        let primary = &self.device.primary;
        // Not while other threads wait to open a context: what ends here may call the program
        // back.
        for context in primary.open() {
            let mut working = context.free_finished();
            if context.has_left_in_place() {
                // After a failure the next request for a context tries again.
                drop(context.tear_down(self.settings.drop_limit));
                working = context.free_finished();
            }
            if context.is_ending() {
                let text =
                    "cannot use the device: its driver has not ended the context of a hung kernel";
                return Err(Fault::new(FaultKind::Gone, text));
            }
            if working > 0 {
                let text = format!(
                    "cannot use the device: {working} pieces of a closed lane have not ended on it"
                );
                return Err(Fault::new(FaultKind::Failed, text));
            }
        }
        // Dropped when other threads may open a context again.
        let open: Vec<_>;
        let _opening = primary.begin_opening();
        open = primary.open();
        if let Some(usable) = open.iter().find(|context| !context.is_broken()) {
            return Ok(Arc::clone(usable));
        }
        let generation = primary.generation();
        let context = match Context::new(&self.device) {
            // After some errors a device's context is unusable, and stays so while anything holds
            // it, such as lanes that are open but idle, and memory of callers.
            Err(fault) if fault.kind() == FaultKind::Failed && !open.is_empty() => {
                self.device
                    .end_context(generation, self.settings.drop_limit)?;
                Context::new(&self.device).map_err(refused_for_good)?
            }
            context => context?,
        };
        primary.add(&context);
        Ok(context)
    }
}

/// After some faults, such as a wrong address, drivers refuse new contexts as well.
fn refused_for_good(fault: Fault) -> Fault {
    let text = format!("{fault}; after an earlier fault it may refuse all work of this process");
    Fault::new(fault.kind(), text)
}
