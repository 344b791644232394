// SPDX-License-Identifier: Apache-2.0
//! What is simulated.

use stripeline_rail::Mode;

use stripeline_engine::Priority;
use stripeline_engine::schedule::{Policy, RailTraits};

/// A simulation.
#[derive(Clone, Debug)]
pub struct Setup {
    /// What sizes and jitter follow from.
    pub seed: u64,
    /// How tasks are assigned.
    pub policy: Policy,
    /// At least one.
    pub rails: Vec<VirtualRail>,
    /// What rails may share.
    pub bottlenecks: Vec<Bottleneck>,
    /// At least one.
    pub clients: Vec<Client>,
    /// What happens to rails, in any order.
    pub faults: Vec<Fault>,
    /// Throughput and latencies count from here, in nanoseconds from the start.
    pub measured_from_ns: u64,
    /// Up to here; then clients issue no more and what is outstanding is done. Greater than
    /// `measured_from_ns`.
    pub end_ns: u64,
}

/// Something that work passes through: a memory bus, a PCIe slot.
#[derive(Clone, Copy, Debug)]
pub struct Bottleneck {
    /// What it lets through: bytes of input data a second, greater than 0.
    pub rate: f64,
    /// To what part of it the rate falls as soon as two rails work through it, as caches and rows
    /// of memory do that get in each other's way; greater than 0, 1 for not at all.
    pub crowded: f64,
}

/// A rail.
#[derive(Clone, Debug)]
pub struct VirtualRail {
    /// What the scheduler is told beforehand. The prior rate may be wrong.
    pub traits: RailTraits,
    /// What it really does: bytes of input data a second, all workers together, when pieces are
    /// so large that their latency does not count; greater than 0.
    pub rate: f64,
    /// The fixed time of a piece in nanoseconds, in which it is at no bottleneck.
    pub latency_ns: u64,
    /// The time of a piece varies evenly by up to this part of it, either way; 0 to less than 1.
    pub jitter: f64,
    /// Bottlenecks on its way, by index.
    pub bottlenecks: Vec<usize>,
}

/// A source of tasks.
#[derive(Clone, Debug)]
pub struct Client {
    /// Tasks outstanding at most, at least 1.
    pub window: usize,
    /// Whether a task that is done holds its place in the window until all before it are done, as
    /// a stream of stripes does.
    pub in_order: bool,
    /// How urgent its tasks are.
    pub priority: Priority,
    /// What is done with the products.
    pub mode: Mode,
    /// Buffers read per task, at least 1.
    pub inputs: usize,
    /// Buffers written per task.
    pub outputs: usize,
    /// Bytes of each buffer (at least 1), drawn evenly from these; at least one.
    pub sizes: Vec<usize>,
}

/// Something that happens to a rail.
#[derive(Clone, Copy, Debug)]
pub struct Fault {
    /// When, in nanoseconds from the start.
    pub at_ns: u64,
    /// To which, by index.
    pub rail: usize,
    /// What.
    pub kind: FaultKind,
}

/// What may apply to a rail.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum FaultKind {
    /// Its rate becomes this part of what it was at first; greater than 0. 1 heals it.
    RateFactor(f64),
    /// It does nothing more. After so many nanoseconds it is put out of service and its work is
    /// assigned again.
    Hang {
        /// How long that is.
        noticed_after_ns: u64,
    },
    /// It works again and is put into service.
    Return,
}
