// SPDX-License-Identifier: Apache-2.0
//! Tests over libraries of the system are skipped if these are missing, unless
//! `STRIPELINE_REQUIRE_PEERS` is 1, which `scripts/test-peers.sh` sets.

use std::io::Write;

/// Returns the value, or prints that the test is skipped and returns `None`.
pub fn or_skip<T>(found: Result<T, String>) -> Option<T> {
    match found {
        Ok(found) => Some(found),
        Err(reason) => {
            let required = std::env::var_os("STRIPELINE_REQUIRE_PEERS");
            let required = required.is_some_and(|value| value == "1");
            assert!(!required, "required, but: {reason}");
            // Written to the stream directly: the test harness hides the output of macros in a
            // passing test.
            let _ = writeln!(std::io::stderr(), "SKIPPED: {reason}");
            None
        }
    }
}
