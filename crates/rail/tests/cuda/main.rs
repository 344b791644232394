// SPDX-License-Identifier: Apache-2.0
//! The `cuda` rail on a mock of the driver that runs the real kernel, compiled for the host.

mod absence;
mod faults;
mod hangs;
mod kernel;
mod mock;
mod placement;
mod program;
mod stripes;
mod submission;

use std::io::Write;

use stripeline_rail::{Cuda, CudaSettings, Rail};
use stripeline_testkit::rail_suite;

#[test]
fn the_rail_suite_passes() {
    let mock = mock::Mock::new();
    rail_suite::all(&mock.rail());
    assert!(mock.get("launches") > 1_000, "it ran on the mock");
}

/// Skipped without a GPU, unless `STRIPELINE_REQUIRE_GPU` is 1.
#[test]
fn real_devices_pass() {
    let required = std::env::var_os("STRIPELINE_REQUIRE_GPU").is_some_and(|value| value == "1");
    let found = match Cuda::rails() {
        Ok(found) => found,
        Err(reason) => {
            assert!(!required, "required, but: {reason}");
            // Written to the stream directly: the test harness hides the output of macros in a
            // passing test.
            let _ = writeln!(std::io::stderr(), "SKIPPED: no GPU: {reason}");
            return;
        }
    };
    for gpu in found {
        let rail = gpu.rail.expect("a GPU that runs the kernel");
        // Written as above: this output is the purpose of the test.
        let _ = writeln!(std::io::stderr(), "{}: {}", gpu.name, rail.describe());
        rail_suite::all(&rail);
        if gpu.name == "cuda:0" {
            let program = program::Program::new(&CudaSettings::default().library);
            placement::all(&program, &rail);
        }
    }
}
