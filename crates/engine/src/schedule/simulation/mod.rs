// SPDX-License-Identifier: Apache-2.0
//! The scheduling policy on virtual rails: a deterministic discrete-event simulation.
//!
//! It drives the [`Scheduler`](super::Scheduler) of the engine through a model of the engine's
//! workers, on rails of given rates, latencies, jitter and faults, that are independent or share
//! bottlenecks. Equal setups give equal reports, to the last event ([`Report::digest`]). For tests
//! and for the bench, which plots what the policies promise beside what was measured; nothing of
//! the engine depends on it.
//!
//! The model: clients keep a window of tasks outstanding. Workers of a rail take pieces from the
//! head of the rail's queue and, when that is empty, from the tail of another's if the scheduler
//! finds that worthwhile. A piece takes its rail's latency, then its bytes at its worker's part of
//! the rail's rate; pieces that share a bottleneck are slowed by the same factor as soon as they
//! ask for more than it gives. Dealing, stealing and completion themselves take no time.

mod clients;
mod faults;
mod machine;
mod random;
mod report;
mod setup;
mod world;

pub use report::Report;
pub use setup::{Bottleneck, Client, Fault, FaultKind, Setup, VirtualRail};

/// Runs a simulation.
///
/// # Panics
/// If the setup is not one that can run (see [`Setup`]), or the scheduler loses bytes of a task or
/// has them done twice.
#[must_use]
pub fn run(setup: &Setup) -> Report {
    world::World::new(setup).run()
}

#[cfg(test)]
mod tests;
