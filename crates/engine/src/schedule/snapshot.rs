// SPDX-License-Identifier: Apache-2.0
//! The scheduler's state, for statistics.

use super::Class;

/// The scheduler's state of one rail.
#[derive(Clone, Debug, PartialEq)]
pub struct RailSnapshot {
    /// As in the rail's traits.
    pub name: String,
    /// Whether it is in service: not quarantined.
    pub in_service: bool,
    /// Whether it is assigned work while it is in service, regardless of a running probe of the
    /// contention controller.
    pub active: bool,
    /// Bytes of data assigned to it and not done.
    pub backlog_bytes: usize,
    /// Bytes of data done since the start.
    pub done_bytes: u64,
    /// Pieces done since the start.
    pub done_pieces: u64,
    /// Nanoseconds that its workers were busy since the start, summed over the workers.
    pub busy_ns: u64,
    /// The recent rate in bytes of data a second, all workers together; the prior rate before the
    /// first piece.
    pub rate: f64,
    /// Bytes of data a second per class of work that was measured.
    pub rates: Vec<ClassRate>,
    /// The gain of the total throughput by this rail, relative to the total of the other active
    /// rails: 0.5 is half as much again, 0 nothing; at most 100. `None` until measured.
    pub marginal_gain: Option<f64>,
}

/// The measured rate of a class of work.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct ClassRate {
    /// The class of work.
    pub class: Class,
    /// Bytes of data a second, all workers of the rail together.
    pub rate: f64,
}
