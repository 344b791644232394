// SPDX-License-Identifier: Apache-2.0
//! The scheduling policy on virtual rails: a deterministic discrete-event simulation.
//!
//! It drives the [`Scheduler`](stripeline_engine::schedule::Scheduler) of the engine through a
//! model of the engine's workers, on rails of given rates, latencies, jitter and faults, which are
//! independent or share bottlenecks. Equal setups give equal reports, down to the last event
//! ([`Report::digest`]). It is used by tests and by the bench, which plots the simulated throughput
//! next to the measured one; the engine does not depend on it.
//!
//! The model: clients keep a window of tasks outstanding. Workers of a rail take pieces from the
//! head of the rail's queue and, when that is empty, from the tail of another rail's queue if the
//! scheduler finds that worthwhile. A piece takes its rail's latency, then its bytes at its
//! worker's part of the rail's rate; pieces that share a bottleneck are slowed by the same factor
//! when they exceed its rate. Assignment, stealing and completion take no time.

mod clients;
mod faults;
mod machine;
mod random;
mod report;
mod setup;
mod simulator;

use stripeline_engine::Priority;

pub use report::Report;
pub use setup::{Bottleneck, Client, Fault, FaultKind, Setup, VirtualRail};

/// The number of priorities.
const PRIORITIES: usize = Priority::Background as usize + 1;

/// Runs a simulation.
///
/// # Panics
/// If the setup is invalid (see [`Setup`]), or the scheduler loses bytes of a task or assigns them
/// twice.
#[must_use]
pub fn run(setup: &Setup) -> Report {
    simulator::Simulator::new(setup).run()
}

#[cfg(test)]
mod tests;
