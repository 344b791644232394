// SPDX-License-Identifier: Apache-2.0
//! The results of a simulation.

use stripeline_engine::Priority;
use stripeline_engine::schedule::RailSnapshot;

/// The result of a simulation.
#[derive(Clone, Debug, PartialEq)]
pub struct Report {
    /// Bytes of input data per second during the measured time.
    pub throughput: f64,
    /// For each [`Priority`], the latencies from issue to completion, in nanoseconds, of the tasks
    /// completed during the measured time, in the order of completion.
    pub latencies_ns: [Vec<u64>; 2],
    /// The number of tasks issued, all of which were done.
    pub tasks: usize,
    /// Bytes of input data done per millisecond from the start, which shows faults and recoveries.
    pub done_per_ms: Vec<u64>,
    /// The scheduler's state of each rail at the end of the measured time.
    pub rails: Vec<RailSnapshot>,
    /// A hash of the time, rail and range of every piece done.
    pub digest: u64,
}

impl Report {
    /// Returns the bytes of input data per second between two times, in milliseconds from the
    /// start.
    ///
    /// # Panics
    /// Unless `from_ms` is less than `to_ms`, and that is within the simulated time.
    #[must_use]
    pub fn throughput_between(&self, from_ms: usize, to_ms: usize) -> f64 {
        assert!(from_ms < to_ms, "time goes on from {from_ms} to {to_ms}");
        let done: u64 = self.done_per_ms[from_ms..to_ms].iter().sum();
        done as f64 * 1e3 / (to_ms - from_ms) as f64
    }

    /// Returns the latency in nanoseconds that a fraction `part` (0 to 1) of the tasks of a
    /// priority did not exceed.
    ///
    /// # Panics
    /// If no such task was completed during the measured time.
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
