// SPDX-License-Identifier: Apache-2.0
//! Coders in shared libraries, behind the C interface of `include/stripeline_plugin.h`.
//!
//! Unless a plug-in asks to work in place, this loader gives it copies of the inputs and copies its
//! outputs out. That costs a pass over memory and has three benefits: a hang costs only time,
//! because the engine revokes the piece; lengths and addresses meet the device's requirements;
//! adding and comparing work with a device that can only compute.
//!
//! * `library` loads, validates and calls plug-ins; `limits` is what a plug-in declares about
//!   itself.
//! * `owned_product` is a product in C's terms, `staging` its copies, and `in_flight` its piece.
//! * `direct`, `worker_thread` and `asynchronous` are the three kinds of lanes, and `abandoned` are
//!   those that the plug-in does not leave.
//!
//! A library is never unloaded: it may have threads, or a call that has not returned.

mod abandoned;
mod abi;
mod asynchronous;
mod direct;
mod in_flight;
mod library;
mod limits;
mod owned_product;
mod staging;
mod worker_thread;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::{Capability, Fault, FaultKind, Lane, Rail};
use asynchronous::AsynchronousLane;
use direct::DirectLane;
use library::{Loaded, Method};
use worker_thread::WorkerThread;

/// The longest name of a plug-in.
const NAME_BYTES_MAX: usize = 32;

/// How long a dropped lane waits for a plug-in that works on copies before it leaks the copies.
const GRACE: Duration = Duration::from_secs(1);

/// A coder in a shared library, as a rail.
#[derive(Debug)]
pub struct Plugin {
    name: String,
    path: PathBuf,
    capability: Capability,
    grace: Duration,
    loaded: Arc<Loaded>,
}

/// Why a library cannot be used as a rail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoadError {
    /// The system cannot load it: it, or a library that it needs, is missing.
    Absent(String),
    /// It was loaded but violates a rule of the interface.
    Invalid(String),
}

impl fmt::Display for LoadError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Absent(reason) => write!(formatter, "Cannot load the plug-in: {reason}"),
            Self::Invalid(reason) => write!(formatter, "Cannot use the plug-in: {reason}"),
        }
    }
}

impl std::error::Error for LoadError {}

impl Plugin {
    /// Loads a library. Its code runs in this process with all of its rights: load only libraries
    /// that you would link.
    ///
    /// # Errors
    /// If it cannot be loaded or violates a rule of the interface.
    pub fn load(path: &Path) -> Result<Self, LoadError> {
        let loaded = Loaded::load(path)?;
        let mut capability = loaded.limits.capability();
        if let (Method::Blocking(_), true) = (&loaded.method, loaded.limits.works_in_place()) {
            // A `DirectLane` does one piece at a time, within the call.
            capability.depth = 1;
        }
        Ok(Self {
            name: format!("plugin:{}", loaded.name),
            path: path.to_owned(),
            capability,
            grace: GRACE,
            loaded: Arc::new(loaded),
        })
    }

    /// Sets how long a dropped lane waits for work on copies, instead of one second; for tests.
    #[doc(hidden)]
    #[must_use]
    pub fn with_grace(mut self, grace: Duration) -> Self {
        self.grace = grace;
        self
    }
}

impl Rail for Plugin {
    fn name(&self) -> &str {
        &self.name
    }

    fn describe(&self) -> String {
        match self.loaded.description.as_str() {
            "" => self.path.display().to_string(),
            description => format!("{description}, {}", self.path.display()),
        }
    }

    fn capability(&self) -> &Capability {
        &self.capability
    }

    fn open_lane(&self) -> Result<Box<dyn Lane>, Fault> {
        let plugin = Arc::clone(&self.loaded);
        let abandoned = plugin.abandoned.close_finished();
        if abandoned >= self.capability.lanes {
            let text = format!("cannot use the plug-in: {abandoned} closed lanes hang in it");
            return Err(Fault::new(FaultKind::Failed, text));
        }
        Ok(match self.loaded.method {
            Method::Asynchronous(submit, poll) => {
                Box::new(AsynchronousLane::open(plugin, (submit, poll), self.grace)?)
            }
            Method::Blocking(run) if self.loaded.limits.works_in_place() => {
                Box::new(DirectLane::open(plugin, run)?)
            }
            Method::Blocking(run) => Box::new(WorkerThread::open(plugin, run, self.grace)?),
        })
    }
}
