// SPDX-License-Identifier: Apache-2.0
//! The `cuda` rail on a mock of the driver that runs the real kernel, compiled for the host.

mod absence;
mod batches;
mod faults;
mod hangs;
mod in_place;
mod kernel;
mod mock;
mod pinned;
mod placement;
mod program;
mod real;
mod spin;
mod stripes;
mod submission;

use stripeline_testkit::rail_suite;

#[test]
fn the_rail_suite_passes() {
    let mock = mock::Mock::new();
    rail_suite::all(&mock.rail());
    assert!(mock.get("launches") > 1_000, "it ran on the mock");
}
