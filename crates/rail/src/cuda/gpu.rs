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
    /// Open while a lane is, or while the device has not come back from one: it takes hundreds of
    /// megabytes of the device's memory.
    context: Mutex<Weak<Context>>,
}

impl Gpu {
    pub fn new(device: Arc<Device>, settings: &CudaSettings) -> Self {
        Self {
            device,
            settings: settings.clone(),
            context: Mutex::default(),
        }
    }

    /// The context that is open, or a new one if there is none or that has broken.
    pub fn context(&self) -> Result<Arc<Context>, Fault> {
        let mut kept = self.context.lock().unwrap_or_else(PoisonError::into_inner);
        let before = kept.upgrade();
        if let Some(context) = &before {
            let working = context.free_finished();
            if context.is_ending() {
                let text =
                    "cannot use the device: its driver has not ended the context of a hung kernel";
                return Err(Fault::new(FaultKind::Gone, text));
            }
            if working > 0 {
                let text =
                    format!("cannot use the device: {working} pieces of a closed lane hang on it");
                return Err(Fault::new(FaultKind::Failed, text));
            }
            if !context.is_broken() {
                return Ok(Arc::clone(context));
            }
        }
        let context = match (Context::new(&self.device), before) {
            // After some errors a device's context is of no use to anybody, and stays so while
            // somebody holds it: lanes that are open but idle.
            (Err(fault), Some(broken)) if fault.kind() == FaultKind::Failed => {
                broken.tear_down(self.settings.drop_limit)?;
                Context::new(&self.device)?
            }
            (context, _) => context?,
        };
        *kept = Arc::downgrade(&context);
        Ok(context)
    }
}
