// SPDX-License-Identifier: Apache-2.0
//! The engine's state of one rail: its queues, its health and its pieces in flight.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crossbeam_queue::ArrayQueue;
use stripeline_codec::StorePolicy;
use stripeline_rail::{
    Fault, FaultKind, Job, Lane, Rail, RevokeHandle, WrittenPiece, known_answers,
};

use crate::api::statistics::Counters;
use crate::core::coding_threads::CodingThreads;
use crate::core::doorbell::Doorbell;
use crate::core::queue::Queues;
use crate::core::shared::data_bytes;
use crate::core::spot_checks::SpotChecks;
use crate::core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use crate::core::sync::{Arc, Mutex, lock};
use crate::core::task::Task;
use crate::schedule::RailSet;
use crate::tuning::RailTuning;

/// A rail and the engine's state of it.
pub(crate) struct RailState {
    pub(crate) rail: std::sync::Arc<dyn Rail>,
    /// Values known before the first piece.
    pub(crate) tuning: RailTuning,
    pub(crate) queues: Queues,
    /// Its workers sleep here, unless all rails share a queue.
    pub(crate) bell: Doorbell,
    pub(crate) counters: Counters,
    /// One for each worker.
    pub(crate) in_flight_pieces: Box<[InFlightPieces]>,
    pub(crate) health: Health,
    pub(crate) spot_checks: SpotChecks,
    /// Whether its costly lanes are requested.
    pub(crate) lanes_requested: AtomicBool,
    /// Completed when the known answers were checked with its first lane open, if its lanes are
    /// costly.
    pub(crate) verified: std::sync::Once,
    pub(crate) coding_threads: CodingThreads,
    /// The workers that could begin a piece: they sleep, or wait for other pieces.
    pub(crate) free_workers: AtomicUsize,
    /// The lanes of workers that are open and have not failed.
    pub(crate) good_lanes: AtomicUsize,
    /// Lanes of threads that help while they wait.
    pub(crate) spare_lanes: ArrayQueue<Box<dyn Lane>>,
}

impl RailState {
    /// Returns the best store policy for the outputs of a job on this rail, if the request has
    /// none.
    pub(crate) fn store(&self, job: &Job) -> StorePolicy {
        let units = job.inputs().len() + job.outputs().len();
        self.tuning.store(units.saturating_mul(job.bytes()))
    }

    /// Opens a lane. A panic of the rail is a fault.
    pub(crate) fn open_lane(&self) -> Result<Box<dyn Lane>, Fault> {
        let opened = catch_unwind(AssertUnwindSafe(|| self.rail.open_lane()));
        opened.unwrap_or_else(|_| Err(Fault::new(FaultKind::Failed, "it panicked")))
    }

    /// Returns the bytes of data that the rail may have to do until it has done this piece, which
    /// is about to be submitted to a lane; 0 if the piece cannot be revoked.
    pub(crate) fn due_bytes(&self, lane: &InFlightPieces, piece: &InFlightPiece) -> usize {
        if piece.handle.is_none() {
            return 0;
        }
        let bytes = piece.data_bytes();
        // A device may do the pieces of all lanes in the order of their submission, or give each
        // lane its part of the rate, also those that get work later.
        let all_lanes = self.in_flight_pieces.iter();
        let in_order = all_lanes.map(InFlightPieces::data_bytes).sum::<usize>() + bytes;
        let divided = (lane.data_bytes() + bytes).saturating_mul(self.in_flight_pieces.len());
        in_order.max(divided)
    }

    /// Checks the rail's known answers. A panic of the rail is a failure.
    pub(crate) fn check_known_answers(&self) -> Result<(), String> {
        let tried = catch_unwind(AssertUnwindSafe(|| known_answers::check(&*self.rail)));
        tried.unwrap_or_else(|_| Err("it panicked".to_owned()))
    }
}

/// Counts one of [`RailState::good_lanes`] until it is dropped.
pub(crate) struct GoodLane<'a>(&'a AtomicUsize);

impl<'a> GoodLane<'a> {
    pub(crate) fn of(state: &'a RailState) -> Self {
        state.good_lanes.fetch_add(1, Ordering::SeqCst);
        Self(&state.good_lanes)
    }
}

impl Drop for GoodLane<'_> {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::SeqCst);
    }
}

/// A piece that was submitted to a lane.
pub(crate) struct InFlightPiece {
    pub(crate) task: Arc<Task>,
    /// Bytes of each buffer.
    pub(crate) bytes: usize,
    pub(crate) begun: u64,
    pub(crate) refused: RailSet,
    /// Takes it away from the rail.
    pub(crate) handle: Option<RevokeHandle>,
    /// If it compares: the written piece, and the rail that wrote it.
    pub(crate) check: Option<(WrittenPiece, usize)>,
    /// The previous outputs, if it adds to them and is selected for a check.
    pub(crate) before: Option<Vec<Vec<u8>>>,
}

impl InFlightPiece {
    fn data_bytes(&self) -> usize {
        data_bytes(&self.task, self.bytes)
    }
}

/// The pieces of one worker in flight: as many as the depth of its lane.
#[derive(Default)]
pub(crate) struct InFlightPieces(Mutex<Vec<Entry>>);

struct Entry {
    ticket: u64,
    due: Due,
    in_flight: InFlightPiece,
}

/// When a piece in flight is overdue.
#[derive(Clone, Copy)]
pub(crate) struct Due {
    /// See [`RailState::due_bytes`].
    pub(crate) bytes: usize,
    /// The [`WatchedTime`](crate::core::watchdog::WatchedTime) when it was begun.
    pub(crate) watched: u64,
}

impl InFlightPieces {
    pub(crate) fn insert(&self, ticket: u64, in_flight: InFlightPiece, due: Due) {
        lock(&self.0).push(Entry {
            ticket,
            due,
            in_flight,
        });
    }

    fn data_bytes(&self) -> usize {
        let entries = lock(&self.0);
        entries
            .iter()
            .map(|entry| entry.in_flight.data_bytes())
            .sum()
    }

    pub(crate) fn remove(&self, ticket: u64) -> Option<InFlightPiece> {
        let mut entries = lock(&self.0);
        let index = entries.iter().position(|entry| entry.ticket == ticket)?;
        Some(entries.swap_remove(index).in_flight)
    }

    pub(crate) fn len(&self) -> usize {
        lock(&self.0).len()
    }

    /// Takes all of them.
    pub(crate) fn take(&self) -> impl Iterator<Item = InFlightPiece> {
        let entries = std::mem::take(&mut *lock(&self.0));
        entries.into_iter().map(|entry| entry.in_flight)
    }

    /// Revokes the pieces that are `late` and whose buffers the rail has released. `late` is given
    /// when a piece was begun, and when it is overdue.
    pub(crate) fn revoke(
        &self,
        late: impl Fn(u64, Due) -> bool,
    ) -> Vec<(InFlightPiece, stripeline_rail::Piece)> {
        let mut entries = lock(&self.0);
        let mut revoked = Vec::new();
        let mut index = 0;
        while index < entries.len() {
            let entry = &entries[index];
            let piece = match &entry.in_flight.handle {
                Some(handle) if late(entry.in_flight.begun, entry.due) => handle.revoke(),
                _ => None,
            };
            match piece {
                Some(piece) => revoked.push((entries.swap_remove(index).in_flight, piece)),
                None => index += 1,
            }
        }
        revoked
    }
}

/// Whether a rail is in service.
#[derive(Default)]
pub(crate) struct Health {
    out: AtomicBool,
    details: Mutex<Details>,
}

#[derive(Default)]
struct Details {
    why: String,
    /// When it may be tested again.
    retry: u64,
    /// How often in a row it was taken out of service.
    failures: u32,
    retesting: bool,
    /// When it was last put back into service.
    restored: u64,
    /// The failures in a row before that.
    failures_before: u32,
}

impl Details {
    /// Returns whether it was put back into service long enough ago that failures do not count.
    fn is_settled(&self, now: u64, period: u64) -> bool {
        now > self.restored.saturating_add(backoff(period, FAILURES_MAX))
    }

    fn record_failure(&mut self, why: &str, now: u64, period: u64) {
        why.clone_into(&mut self.why);
        self.retry = now.saturating_add(backoff(period, self.failures));
        self.failures = (self.failures + 1).min(FAILURES_MAX);
    }
}

/// The bound of the exponential backoff: waiting longer would save nothing.
const FAILURES_MAX: u32 = 6;

/// The bound of the doublings of the time to answer: a rail that hangs whenever it is put back into
/// service delays a task that often.
const EXTENSIONS_MAX: u32 = 3;

/// Returns a period that doubles with each failure of a rail in a row.
fn backoff(period: u64, failures: u32) -> u64 {
    period.saturating_mul(1 << failures)
}

impl Health {
    pub(crate) fn is_in_service(&self) -> bool {
        // SeqCst: see `Core::pushed`. The queues' own operations are, too.
        !self.out.load(Ordering::SeqCst)
    }

    /// Calls `notify` with whether the rail is in service; the last call is up to date.
    pub(crate) fn publish(&self, notify: impl FnOnce(bool)) {
        let details = lock(&self.details);
        notify(self.is_in_service());
        drop(details);
    }

    /// Takes the rail out of service; false if it was already.
    pub(crate) fn quarantine(&self, why: &str, now: u64, period: u64) -> bool {
        let mut details = lock(&self.details);
        if self.out.swap(true, Ordering::SeqCst) {
            return false;
        }
        if details.is_settled(now, period) {
            details.failures = 0;
        }
        details.record_failure(why, now, period);
        true
    }

    /// Returns how long the rail may take to answer if it may take `limit` without failures. A rail
    /// that is much slower than assumed counts as hanging before its rate is measured, so it gets
    /// more time when it is put back into service.
    pub(crate) fn extend(&self, limit: u64, now: u64, period: u64) -> u64 {
        let details = lock(&self.details);
        match details.is_settled(now, period) {
            true => limit,
            false => backoff(limit, details.failures_before.min(EXTENSIONS_MAX)),
        }
    }

    /// Returns whether it is time to test the rail again; the caller must then call
    /// [`Health::end_retest`].
    pub(crate) fn begin_retest(&self, now: u64) -> bool {
        let mut details = lock(&self.details);
        let due = self.out.load(Ordering::SeqCst) && !details.retesting && now >= details.retry;
        details.retesting |= due;
        due
    }

    /// Records the result of a test.
    pub(crate) fn end_retest(&self, failure: Option<&str>, now: u64, period: u64) {
        let mut details = lock(&self.details);
        details.retesting = false;
        match failure {
            None => {
                details.restored = now;
                details.failures_before = details.failures;
                self.out.store(false, Ordering::SeqCst);
            }
            Some(why) => details.record_failure(why, now, period),
        }
    }

    /// Returns why it is out of service.
    pub(crate) fn why(&self) -> Option<String> {
        let details = lock(&self.details);
        (!self.is_in_service()).then(|| details.why.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_rail_gets_more_time_after_failures_until_it_has_been_in_service_for_long() {
        let (health, period, mut now) = (Health::default(), 100, 100);
        assert_eq!(health.extend(7, now, period), 7);
        for (before, after) in [(1, 2), (2, 4), (4, 8), (8, 8)] {
            assert!(health.quarantine("a test", now, period));
            assert_eq!(health.extend(7, now, period), 7 * before);
            now += 1;
            health.end_retest(None, now, period);
            assert_eq!(health.extend(7, now, period), 7 * after);
        }
        assert_eq!(health.extend(7, now + 64 * period + 1, period), 7);
    }

    #[test]
    fn a_very_long_period_does_not_become_a_short_one() {
        let health = Health::default();
        let period = u64::MAX / 3;
        for _ in 0..=FAILURES_MAX {
            assert!(health.quarantine("a test", 5, period));
            assert!(!health.begin_retest(period), "retried too early");
            assert!(health.begin_retest(u64::MAX));
            health.end_retest(None, 5, period);
        }
    }
}
