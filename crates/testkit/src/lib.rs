// SPDX-License-Identifier: Apache-2.0
//! Test suites for all kernels, codecs and rails, independent of the calling language.
//!
//! * [`codec_suite`]: functions over [`CodecUnderTest`], which the Rust codec implements for each
//!   instruction set, and the C interface too. The oracle is `stripeline-reference`.
//! * [`kernel_suite`]: functions over the kernels of one instruction set.
//! * [`simulation`]: the engine's scheduling policy on virtual rails, without threads or a clock.
//! * [`rail_suite`]: functions over a `stripeline_rail::Rail` with any device.
//! * [`faulty`]: a rail that fails by a script.
//! * [`gpu`]: the GPU of the machine.
//! * [`Gate`]: holds threads until it is opened.
//! * [`Guarded`]: buffers at any alignment that detect a write past their ends.
//! * [`Random`]: numbers that are the same in every run.
//!
//! Suites panic if an expectation fails; the message has the shape, length and pattern. None of
//! them sleeps, reads the clock or takes a seed from outside.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod codec_suite;
mod codec_under_test;
pub mod faulty;
mod gate;
mod generated;
pub mod gpu;
mod guarded;
pub mod kernel_suite;
pub mod rail_suite;
mod random;
pub mod simulation;
mod stripe;

pub use codec_under_test::{CodecUnderTest, Opened, Refusal, RustCodec, encode_with_checksums};
pub use gate::Gate;
pub use generated::expect_generated;
pub use guarded::{Guarded, all_but, slices, slices_mut};
pub use random::Random;
pub use stripe::{BLANK, Stripe, oracle_code};

use stripeline_gf::{Isa, Kernels};

/// Runs a test with the kernels of every instruction set that this machine supports.
pub fn on_every_isa(test: impl Fn(&'static Kernels)) {
    for kernels in Isa::ALL.into_iter().filter_map(Kernels::for_isa) {
        println!("{}", kernels.isa());
        test(kernels);
    }
}
