// SPDX-License-Identifier: Apache-2.0
//! Counters of the engine and of each rail.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// Buckets of a histogram: bucket b counts times from 2^b to 2^(b+1) - 1 nanoseconds, the last
/// also all longer ones, from half a minute.
pub const BUCKETS: usize = 36;

/// A histogram of times by powers of two.
#[derive(Debug)]
pub(crate) struct Histogram([AtomicU64; BUCKETS]);

impl Default for Histogram {
    fn default() -> Self {
        Self([const { AtomicU64::new(0) }; BUCKETS])
    }
}

impl Histogram {
    pub(crate) fn count(&self, nanoseconds: u64) {
        let bucket = (nanoseconds | 1).ilog2() as usize;
        self.0[bucket.min(BUCKETS - 1)].fetch_add(1, Relaxed);
    }

    fn read(&self) -> [u64; BUCKETS] {
        std::array::from_fn(|bucket| self.0[bucket].load(Relaxed))
    }
}

/// The counters of one rail.
#[derive(Debug, Default)]
#[repr(align(128))]
pub(crate) struct Counters {
    pub(crate) pieces: AtomicU64,
    pub(crate) data_bytes: AtomicU64,
    pub(crate) busy_ns: AtomicU64,
    pub(crate) cpu_ns: AtomicU64,
    pub(crate) wake_ups: AtomicU64,
    pub(crate) stolen: AtomicU64,
    pub(crate) faults: AtomicU64,
    pub(crate) revoked: AtomicU64,
    pub(crate) quarantines: AtomicU64,
    pub(crate) checks: AtomicU64,
    pub(crate) wrong: AtomicU64,
    /// From issue to begin, of tasks whose first piece this rail began.
    pub(crate) waits: Histogram,
    /// From begin to end of each piece.
    pub(crate) services: Histogram,
}

/// The counters of one rail since the engine started.
#[derive(Clone, Debug)]
pub struct RailStatistics {
    /// The rail's name.
    pub name: String,
    /// The reason why it is out of service; `None` if it is in service.
    pub out_of_service: Option<String>,
    /// Whether the contention controller assigns it work.
    pub active: bool,
    /// The estimated rate in bytes of data a second, all workers together.
    pub rate: f64,
    /// Entries waiting in its queues.
    pub queued: usize,
    /// Pieces done.
    pub pieces: u64,
    /// Bytes of data (inputs) of these pieces.
    pub data_bytes: u64,
    /// Time that its workers were busy, in nanoseconds, summed over workers. This and the two
    /// histograms are without the pieces that [`Engine::run`](crate::Engine::run) codes at once.
    pub busy_ns: u64,
    /// CPU time of its workers, in nanoseconds, without waiting threads that helped.
    pub cpu_ns: u64,
    /// The number of times that one of its workers woke up.
    pub wake_ups: u64,
    /// Pieces stolen from other rails' queues.
    pub stolen: u64,
    /// Pieces that it failed.
    pub faults: u64,
    /// Pieces revoked because it did not answer.
    pub revoked: u64,
    /// How often it was taken out of service.
    pub quarantines: u64,
    /// Pieces that it compared for other rails.
    pub checks: u64,
    /// Pieces whose bytes were wrong, or whose comparison gave a wrong result.
    pub wrong: u64,
    /// Histogram of nanoseconds from issue to begin; see [`BUCKETS`].
    pub waits: [u64; BUCKETS],
    /// Histogram of nanoseconds from begin to end of a piece; see [`BUCKETS`].
    pub services: [u64; BUCKETS],
}

impl RailStatistics {
    /// Returns the counts with their names, in the order in which all reports have them; without
    /// `wake_ups`, which only measurements use.
    #[must_use]
    pub fn counts(&self) -> [(&'static str, u64); 11] {
        [
            ("queued", self.queued as u64),
            ("pieces", self.pieces),
            ("data_bytes", self.data_bytes),
            ("busy_ns", self.busy_ns),
            ("cpu_ns", self.cpu_ns),
            ("stolen", self.stolen),
            ("faults", self.faults),
            ("revoked", self.revoked),
            ("quarantines", self.quarantines),
            ("checks", self.checks),
            ("wrong", self.wrong),
        ]
    }
}

/// The counters of an engine since it started.
#[derive(Clone, Debug, Default)]
pub struct Statistics {
    /// Tasks issued, and calls that coded at once.
    pub issued: u64,
    /// Tasks outstanding now, without those that have ended and whose waiters are being notified.
    pub outstanding: usize,
    /// The source of the engine's initial values; see [`tuning`](crate::tuning).
    pub tuning: String,
    /// How many threads of each rail that codes on the CPU may run, workers and threads that help;
    /// `None` if CPUs are not shared with other processes.
    pub threads_allowed: Option<usize>,
    /// The processes with which CPUs are shared, or the reason why they are not; empty if sharing
    /// is off.
    pub coordination: String,
    /// Each rail.
    pub rails: Vec<RailStatistics>,
}

impl Counters {
    /// Returns the number of pieces done.
    pub(crate) fn ended(&self) -> u64 {
        self.pieces.load(Relaxed)
    }

    pub(crate) fn read(&self, name: &str) -> RailStatistics {
        let read = |counter: &AtomicU64| counter.load(Relaxed);
        RailStatistics {
            name: name.to_owned(),
            out_of_service: None,
            active: true,
            rate: 0.0,
            queued: 0,
            pieces: read(&self.pieces),
            data_bytes: read(&self.data_bytes),
            busy_ns: read(&self.busy_ns),
            cpu_ns: read(&self.cpu_ns),
            wake_ups: read(&self.wake_ups),
            stolen: read(&self.stolen),
            faults: read(&self.faults),
            revoked: read(&self.revoked),
            quarantines: read(&self.quarantines),
            checks: read(&self.checks),
            wrong: read(&self.wrong),
            waits: self.waits.read(),
            services: self.services.read(),
        }
    }
}
