// SPDX-License-Identifier: Apache-2.0
//! The rail suite on the CPU, on every instruction set that this machine runs.

use stripeline_codec::{Isa, Kernels};
use stripeline_rail::{Capability, Cpu, Rail, Synchronous};
use stripeline_testkit::rail_suite;

#[test]
fn every_instruction_set_passes() {
    for kernels in Isa::ALL.into_iter().filter_map(Kernels::for_isa) {
        println!("{}", kernels.isa());
        rail_suite::all(&Cpu::with_kernels(kernels.isa().name(), kernels));
    }
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
