// SPDX-License-Identifier: Apache-2.0
//! The setup of a simulation.

use stripeline_rail::Mode;

use stripeline_engine::Priority;
use stripeline_engine::schedule::{Policy, RailTraits};

/// A simulation.
#[derive(Clone, Debug)]
pub struct Setup {
    /// The seed of sizes and jitter.
    pub seed: u64,
    /// The scheduling policy.
    pub policy: Policy,
    /// At least one.
    pub rails: Vec<VirtualRail>,
    /// The bottlenecks that rails may share.
    pub bottlenecks: Vec<Bottleneck>,
    /// At least one.
    pub clients: Vec<Client>,
    /// The faults of rails, in any order.
    pub faults: Vec<Fault>,
    /// Throughput and latencies are measured from here, in nanoseconds from the start.
    pub measured_from_ns: u64,
    /// The end of the measurement: clients stop issuing, and outstanding tasks are done. Greater
    /// than `measured_from_ns`.
    pub end_ns: u64,
}

/// A shared resource: a memory bus, a PCIe slot.
#[derive(Clone, Copy, Debug)]
pub struct Bottleneck {
    /// Its throughput in bytes of input data per second, greater than 0.
    pub rate: f64,
    /// The fraction to which the rate falls when two or more rails use it at once, as with caches
    /// and memory rows that conflict; greater than 0, 1 for no effect.
    pub crowded: f64,
}

/// A rail.
#[derive(Clone, Debug)]
pub struct VirtualRail {
    /// The traits that the scheduler receives. The prior rate may be wrong.
    pub traits: RailTraits,
    /// The actual rate: bytes of input data per second of all workers together, with pieces so
    /// large that their latency is negligible; greater than 0.
    pub rate: f64,
    /// The fixed time of a piece in nanoseconds, during which it uses no bottleneck.
    pub latency_ns: u64,
    /// The time of a piece varies uniformly by up to this fraction in both directions; 0 to less
    /// than 1.
    pub jitter: f64,
    /// The bottlenecks that the rail uses, by index.
    pub bottlenecks: Vec<usize>,
}

/// A source of tasks.
#[derive(Clone, Debug)]
pub struct Client {
    /// The most tasks outstanding, at least 1.
    pub window: usize,
    /// Whether a completed task keeps its place in the window until all earlier tasks are done, as
    /// in a stream of stripes.
    pub in_order: bool,
    /// The priority of its tasks.
    pub priority: Priority,
    /// What its tasks do with the products.
    pub mode: Mode,
    /// The number of buffers read per task, at least 1.
    pub inputs: usize,
    /// The number of buffers written per task.
    pub outputs: usize,
    /// The bytes of each buffer (at least 1), drawn uniformly from these values; at least one
    /// value.
    pub sizes: Vec<usize>,
}

/// A fault of a rail.
#[derive(Clone, Copy, Debug)]
pub struct Fault {
    /// The time in nanoseconds from the start.
    pub at_ns: u64,
    /// The index of the rail.
    pub rail: usize,
    /// The kind of fault.
    pub kind: FaultKind,
}

/// The kind of a fault.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FaultKind {
    /// The rate becomes this fraction of the original rate; greater than 0. 1 restores the original
    /// rate.
    RateFactor(f64),
    /// The rail makes no progress. After `noticed_after_ns` it is taken out of service and its work
    /// is assigned again.
    Hang {
        /// The time until the hang is detected, in nanoseconds.
        noticed_after_ns: u64,
    },
    /// The rail works again and is put into service.
    Return,
}
