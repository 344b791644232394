// SPDX-License-Identifier: Apache-2.0
//! Nanoseconds since the engine started.

use std::time::Instant;

/// The engine's clock; 0 is never read from it, so it can stand for "not yet".
#[derive(Clone, Copy, Debug)]
pub(crate) struct Clock {
    origin: Instant,
}

impl Clock {
    pub(crate) fn start() -> Self {
        Self {
            origin: Instant::now(),
        }
    }

    pub(crate) fn now(&self) -> u64 {
        // 584 years fit.
        self.origin.elapsed().as_nanos() as u64 + 1
    }
}
