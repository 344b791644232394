// SPDX-License-Identifier: Apache-2.0
//! Nanoseconds since the engine started.

use std::time::{Duration, Instant};

use stripeline_rail::clock;

/// Returns a duration in nanoseconds, at most 584 years.
pub(crate) fn nanoseconds(span: Duration) -> u64 {
    u64::try_from(span.as_nanos()).unwrap_or(u64::MAX)
}

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
