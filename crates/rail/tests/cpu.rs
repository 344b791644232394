// SPDX-License-Identifier: Apache-2.0
//! The rail suite on the CPU, on every instruction set that this machine supports.

use std::sync::Arc;
use std::time::Duration;

use stripeline_rail::discover::Candidate;
use stripeline_rail::{Capability, Cpu, Rail, Synchronous};
use stripeline_testkit::faulty::{FaultyRail, Script};
use stripeline_testkit::{Gate, on_every_isa, rail_suite};

#[test]
fn every_instruction_set_passes() {
    on_every_isa(|kernels| rail_suite::all(&Cpu::with_kernels(kernels.isa().name(), kernels)));
}

#[test]
fn a_synchronous_rail_of_any_depth_passes() {
    let capability = Capability {
        depth: 3,
        ..Capability::synchronous()
    };
    let rail = Synchronous::new("deep", capability, Cpu::portable());
    assert_eq!(rail.capability().depth, 1);
    rail_suite::all(&rail);
}

#[test]
fn a_rail_that_does_not_return_is_left_out() {
    let gate = Arc::new(Gate::default());
    let rail = Synchronous::new("stuck", Capability::synchronous(), Cpu::portable());
    let stuck = FaultyRail::new(Arc::new(rail), Script::nothing()).gated(&[Arc::clone(&gate)]);
    let candidate = Candidate::verified_within(stuck, Duration::from_millis(10));
    assert_eq!(
        candidate.reason(),
        Some("Cannot trust rail stuck: no answer for 0.01 s")
    );
    gate.open();
}
