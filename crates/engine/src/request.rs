// SPDX-License-Identifier: Apache-2.0
//! How urgent a task is.

use std::time::Duration;

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
    /// How long the task may take; `None` for as long as it takes.
    pub deadline: Option<Duration>,
}
