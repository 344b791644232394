// SPDX-License-Identifier: Apache-2.0
//! Nanoseconds since the engine started.

use std::time::Instant;

use stripeline_rail::clock;

pub(crate) use crate::schedule::nanoseconds;

/// The engine's clock; it never reads 0, so 0 can mean "not yet".
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    origin: Instant,
}

impl Clock {
    pub(crate) fn start() -> Self {
        Self {
            origin: clock::now(),
        }
    }

    pub(crate) fn now(&self) -> u64 {
        // 584 years fit.
        (clock::now() - self.origin).as_nanos() as u64 + 1
    }
}
