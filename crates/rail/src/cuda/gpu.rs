// SPDX-License-Identifier: Apache-2.0
//! A GPU and the context that its lanes share.

use std::sync::{Arc, Mutex, PoisonError, Weak};

use super::CudaSettings;
use super::context::Context;
use super::device::Device;
use crate::{Fault, FaultKind};

/// A GPU.
#[derive(Debug)]
pub(super) struct Gpu {
    pub device: Arc<Device>,
    pub settings: CudaSettings,
    /// The open contexts, of which at most the last is not broken. A context stays open while a
    /// lane or memory of a caller uses it, or the device has not finished a lane's work: it takes
    /// hundreds of megabytes of device memory. All of them are the device's primary context.
    contexts: Mutex<Vec<Weak<Context>>>,
}

impl Gpu {
    pub fn new(device: Arc<Device>, settings: &CudaSettings) -> Self {
        Self {
            device,
            settings: settings.clone(),
            contexts: Mutex::default(),
        }
    }

    /// Returns the open context, or a new one if there is none or it is broken.
    pub fn context(&self) -> Result<Arc<Context>, Fault> {
        let contexts = self.contexts.lock();
        let mut contexts = contexts.unwrap_or_else(PoisonError::into_inner);
        contexts.retain(|context| context.strong_count() > 0);
        let open: Vec<_> = contexts.iter().filter_map(Weak::upgrade).collect();
        for context in &open {
            let working = context.free_finished();
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
        if let Some(usable) = open.iter().find(|context| !context.is_broken()) {
            return Ok(Arc::clone(usable));
        }
        let context = match Context::new(&self.device) {
            // After some errors a device's context is unusable, and stays so while anything holds
            // it, such as lanes that are open but idle.
            Err(fault) if fault.kind() == FaultKind::Failed && !open.is_empty() => {
                for broken in &open {
                    broken.tear_down(self.settings.drop_limit)?;
                    broken.free_finished();
                }
                Context::new(&self.device).map_err(refused_for_good)?
            }
            context => context?,
        };
        contexts.push(Arc::downgrade(&context));
        Ok(context)
    }
}

/// After some faults, such as a wrong address, drivers refuse new contexts as well.
fn refused_for_good(fault: Fault) -> Fault {
    let text = format!("{fault}; after an earlier fault it may refuse all work of this process");
    Fault::new(fault.kind(), text)
}
