// SPDX-License-Identifier: Apache-2.0
//! Independent erasure coding libraries of the system, loaded at run time to test against.
//!
//! Tests only: nothing else may depend on this crate. It exists so that the `unsafe` of calling C
//! stays out of the tests themselves. Each library is a type whose methods check lengths and then
//! call it.
//!
//! `scripts/test-peers.sh` installs the libraries and sets `STRIPELINE_REQUIRE_PEERS=1`; without
//! that variable tests skip an absent library and say so ([`or_skip`]).

mod isal;
mod jerasure;

use std::io::Write;

pub use isal::Isal;
pub use jerasure::Jerasure;

/// The peer, or `None` after telling that its test is skipped.
///
/// # Panics
/// If the peer is absent and `STRIPELINE_REQUIRE_PEERS` is 1.
pub fn or_skip<P>(peer: Result<P, libloading::Error>, name: &str) -> Option<P> {
    match peer {
        Ok(peer) => Some(peer),
        Err(error) => {
            let required =
                std::env::var_os("STRIPELINE_REQUIRE_PEERS").is_some_and(|value| value == "1");
            assert!(
                !required,
                "{name} is required but cannot be loaded: {error}"
            );
            // Written to the stream itself: the harness hides what a passing test prints by macro.
            // A closed stream must not fail the test.
            let _ = writeln!(
                std::io::stderr(),
                "SKIPPED: {name} cannot be loaded ({error}); scripts/test-peers.sh installs it"
            );
            None
        }
    }
}

/// Asserts that all units have one length and returns it.
fn common_length(inputs: &[&[u8]], outputs: &[&mut [u8]]) -> usize {
    let length = inputs[0].len();
    assert!(
        inputs.iter().all(|unit| unit.len() == length),
        "units of one length"
    );
    assert!(
        outputs.iter().all(|unit| unit.len() == length),
        "units of one length"
    );
    length
}
