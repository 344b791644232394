// SPDX-License-Identifier: Apache-2.0
//! The machine's clock. `clippy.toml` disallows other reads of it in the library's crates.

use std::time::{Duration, Instant};

/// Returns the current time of the monotonic clock.
#[must_use]
#[allow(
    clippy::disallowed_methods,
    reason = "the one place that reads the clock"
)]
pub fn now() -> Instant {
    Instant::now()
}

/// Blocks this thread for at least `time`.
#[allow(clippy::disallowed_methods, reason = "the one place that sleeps")]
pub fn sleep(time: Duration) {
    std::thread::sleep(time);
}
