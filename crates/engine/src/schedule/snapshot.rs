// SPDX-License-Identifier: Apache-2.0
//! What the scheduler knows, for statistics.

use super::Class;

/// What the scheduler knows of one rail.
#[derive(Clone, Debug, PartialEq)]
pub struct RailSnapshot {
    /// As in the rail's traits.
    pub name: String,
    /// Whether it is in service: not quarantined.
    pub in_service: bool,
    /// Whether it is dealt work as long as it is in service, trials of the contention controller
    /// aside.
    pub fed: bool,
    /// Bytes of data dealt to it and not done.
    pub backlog_bytes: usize,
    /// Bytes of data done since the start.
    pub done_bytes: u64,
    /// Pieces done since the start.
    pub done_pieces: u64,
    /// Nanoseconds that its workers were busy since the start, added up.
    pub busy_ns: u64,
    /// Bytes of data a second at what it did recently, all workers together; the prior rate before
    /// it did anything.
    pub rate: f64,
    /// Bytes of data a second per class of work that was measured.
    pub rates: Vec<ClassRate>,
    /// What the rail adds to the total throughput of those fed beside it, as a part of their
    /// total without it: 0.5 is half as much again, 0 nothing; at most 100. `None` until measured.
    pub marginal_gain: Option<f64>,
}

/// A measured rate.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClassRate {
    /// At what.
    pub class: Class,
    /// Bytes of data a second, all workers of the rail together.
    pub rate: f64,
}
