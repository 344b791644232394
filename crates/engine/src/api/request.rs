// SPDX-License-Identifier: Apache-2.0
//! The priority and other properties of a request.

use std::time::Duration;

use stripeline_codec::StorePolicy;

/// The priority of a task.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum Priority {
    /// A caller waits for it.
    #[default]
    Foreground,
    /// Repair and scrubbing: begun only while no foreground task waits.
    Background,
}

impl Priority {
    /// Both priorities, the more urgent first.
    pub(crate) const ALL: [Self; 2] = [Self::Foreground, Self::Background];
}

/// The properties of a task beyond its bytes.
#[derive(Clone, Copy, Debug, Default)]
pub struct Request {
    /// The priority of the task.
    pub priority: Priority,
    /// How long the task may take, from the call that issues it, including the wait for room;
    /// `None` for no limit.
    pub deadline: Option<Duration>,
    /// How rails that code in place store the outputs. `None` leaves it to the engine: temporally,
    /// or past the cache for stripes so large that the tuning table lists this as faster on the
    /// rail. Callers that read the outputs at once, also of large stripes, should set it.
    pub store: Option<StorePolicy>,
}
