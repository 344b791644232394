// SPDX-License-Identifier: Apache-2.0
//! The rail suite on the CPU, on every instruction set that this machine supports.

use std::sync::Mutex;
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

use stripeline_codec::{Isa, Kernels, Verdict};
use stripeline_rail::discover::Candidate;
use stripeline_rail::{Capability, Coder, Cpu, Fault, Piece, Rail, Synchronous};
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

/// A coder that returns only when the other end of its channel is dropped.
#[derive(Debug)]
struct Stuck(Mutex<Receiver<()>>);

impl Coder for Stuck {
    type Memory = ();

    fn describe(&self) -> String {
        "stuck".to_owned()
    }

    fn run(&self, _piece: &mut Piece, (): &mut ()) -> Result<Verdict, Fault> {
        let _ = self.0.lock().expect("not poisoned").recv();
        Ok(Verdict::Sound)
    }
}

#[test]
fn a_rail_that_does_not_return_is_left_out() {
    let (sender, receiver) = channel();
    let coder = Stuck(Mutex::new(receiver));
    let rail = Synchronous::new("stuck", Capability::synchronous(), coder);
    let candidate = Candidate::verified_within(rail, Duration::from_millis(10));
    assert_eq!(
        candidate.reason(),
        Some("Cannot trust rail stuck: no answer for 0.01 s")
    );
    drop(sender);
}
