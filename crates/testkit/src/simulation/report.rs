// SPDX-License-Identifier: Apache-2.0
//! What came out of a simulation.

use stripeline_engine::Priority;
use stripeline_engine::schedule::RailSnapshot;

/// The result of a simulation.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Bytes of input data a second in the time measured.
    pub throughput: f64,
    /// By [`Priority`], from issue to completion, in nanoseconds, of each task completed in the time
    /// measured, in the order of completion.
    pub latencies_ns: [Vec<u64>; 2],
    /// Tasks issued, all of which were done.
    pub tasks: usize,
    /// Bytes of input data done per millisecond from the start, to see faults and recoveries.
    pub done_per_ms: Vec<u64>,
    /// What the scheduler knew at the end of the time measured.
    pub rails: Vec<RailSnapshot>,
    /// A number that follows from the time, rail and range of every piece done.
    pub digest: u64,
}

impl Report {
    /// Bytes of input data a second between two times, in milliseconds from the start.
    ///
    /// # Panics
    /// Unless `from_ms` is less than `to_ms`, and that is within the simulated time.
    #[must_use]
    pub fn throughput_between(&self, from_ms: usize, to_ms: usize) -> f64 {
        assert!(from_ms < to_ms, "time goes on from {from_ms} to {to_ms}");
        let done: u64 = self.done_per_ms[from_ms..to_ms].iter().sum();
        done as f64 * 1e3 / (to_ms - from_ms) as f64
    }

    /// The latency in nanoseconds that this part of the tasks of a priority stayed within, 0 to 1.
    ///
    /// # Panics
    /// If no such task was completed in the time measured.
    #[must_use]
    pub fn latency_quantile_ns(&self, priority: Priority, part: f64) -> u64 {
        let mut sorted = self.latencies_ns[priority as usize].clone();
        sorted.sort_unstable();
        let last = sorted.len().checked_sub(1).expect("tasks were completed");
        sorted[(part * last as f64).round() as usize]
    }
}

/// FNV-1a over words.
#[derive(Debug)]
pub(super) struct Digest(u64);

impl Digest {
    pub(super) fn new() -> Self {
        Self(0xcbf2_9ce4_8422_2325)
    }

    pub(super) fn add(&mut self, word: u64) {
        for byte in word.to_le_bytes() {
            self.0 = (self.0 ^ u64::from(byte)).wrapping_mul(0x0100_0000_01b3);
        }
    }

    pub(super) fn value(&self) -> u64 {
        self.0
    }
}
