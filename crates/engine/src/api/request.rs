// SPDX-License-Identifier: Apache-2.0
//! How urgent a task is.

use std::time::Duration;

use stripeline_codec::StorePolicy;

/// Which tasks go first.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Priority {
    /// Somebody waits for it.
    #[default]
    Foreground,
    /// Repair and scrubbing: begun only while no foreground task waits.
    Background,
}

impl Priority {
    /// Both, the more urgent first.
    pub(crate) const ALL: [Self; 2] = [Self::Foreground, Self::Background];
}

/// What an issuer asks of one task beyond its bytes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Request {
    /// Which tasks go first.
    pub priority: Priority,
    /// How long the task may take from the call that issues it, waiting for room included; `None`
    /// for as long as it takes.
    pub deadline: Option<Duration>,
    /// How what is computed is stored by rails that code in place. `None` leaves it to the engine:
    /// temporally, or past the cache where the tuning table says that a stripe is so large that
    /// this is faster on the rail. To be given by whoever reads the outputs at once, also of large
    /// stripes.
    pub store: Option<StorePolicy>,
}
