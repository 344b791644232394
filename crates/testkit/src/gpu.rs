// SPDX-License-Identifier: Apache-2.0
//! The GPU of the machine, for tests that are skipped without one.

use std::io::Write;

use stripeline_rail::{Cuda, CudaSettings};

/// Returns the first GPU, or none if the machine has none.
///
/// # Panics
/// If it has none and the environment variable `STRIPELINE_REQUIRE_GPU` is 1.
#[must_use]
pub fn first(settings: &CudaSettings) -> Option<Cuda> {
    match Cuda::rails_with(settings) {
        Ok(mut found) => Some(found.remove(0).rail.expect("a GPU that runs the kernel")),
        Err(reason) => {
            let required = std::env::var_os("STRIPELINE_REQUIRE_GPU");
            assert!(
                required.is_none_or(|value| value != "1"),
                "required, but: {reason}"
            );
            say(&format!("SKIPPED: no GPU: {reason}"));
            None
        }
    }
}

/// Writes a line to standard error directly: the test harness hides the output of macros in a
/// passing test, and some figures are known only from real GPUs.
pub fn say(text: &str) {
    let _ = writeln!(std::io::stderr(), "{text}");
}
