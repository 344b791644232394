// SPDX-License-Identifier: Apache-2.0
//! Coders in shared libraries, behind the C interface of `include/stripeline_plugin.h`.
//!
//! Unless a plug-in asks to work in place it gets copies of the inputs and its outputs are copied
//! out, by this loader. That costs a pass over memory and buys three things: a hang costs only
//! time, because the engine takes the piece away; lengths and addresses are as the device wants
//! them; adding and comparing work with a device that can only compute.
//!
//! * `library` loads, checks and calls; `limits` is what a plug-in says of itself.
//! * `order` is a product in C's terms, `stage` its copies, `cargo` the piece meanwhile.
//! * `direct`, `courier` and `asynchronous` are the three kinds of lanes.
//!
//! A library is never unloaded: it may have threads, or a call that has not returned.

mod abi;
mod asynchronous;
mod cargo;
mod courier;
mod direct;
mod library;
mod limits;
mod order;
mod stage;

use std::fmt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use crate::{Capability, Fault, Lane, Rail};
use asynchronous::Asynchronous;
use courier::Courier;
use direct::Direct;
use library::{Loaded, Way};

/// The longest name of a plug-in.
const NAME_BYTES_MAX: usize = 32;

/// How long a dropped lane waits for a plug-in that works on copies before it leaves it behind.
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

/// Why a library is no rail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum LoadError {
    /// The system cannot load it: it, or a library that it needs, is not there.
    Absent(String),
    /// It was loaded but breaks a rule of the interface.
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
    /// Loads a library. Its code runs in this process with all of its rights: name only what you
    /// would link.
    ///
    /// # Errors
    /// If it cannot be loaded or breaks a rule.
    pub fn load(path: &Path) -> Result<Self, LoadError> {
        let loaded = Loaded::load(path)?;
        let mut capability = loaded.limits.capability();
        if let (Way::Blocking(_), true) = (&loaded.way, loaded.limits.works_in_place()) {
            // A `Direct` lane does one piece at a time, within the call.
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

    /// The same rail with another time that a dropped lane waits for work on copies, instead of a
    /// second.
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
        Ok(match self.loaded.way {
            Way::Asynchronous(submit, poll) => {
                Box::new(Asynchronous::open(plugin, (submit, poll), self.grace)?)
            }
            Way::Blocking(run) if self.loaded.limits.works_in_place() => {
                Box::new(Direct::open(plugin, run)?)
            }
            Way::Blocking(run) => Box::new(Courier::open(plugin, run, self.grace)?),
        })
    }
}
