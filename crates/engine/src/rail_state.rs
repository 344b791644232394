// SPDX-License-Identifier: Apache-2.0
//! One rail inside the engine: its queues, its health and what it has in flight.

use std::panic::{AssertUnwindSafe, catch_unwind};

use crossbeam_queue::ArrayQueue;
use stripeline_codec::StorePolicy;
use stripeline_rail::{
    Fault, FaultKind, Job, Lane, Rail, RevokeHandle, WrittenPiece, known_answers,
};

use crate::coders::Coders;
use crate::doorbell::Doorbell;
use crate::queue::Queues;
use crate::sample::Samples;
use crate::schedule::RailSet;
use crate::statistics::Counters;
use crate::sync::atomic::{AtomicBool, Ordering};
use crate::sync::{Arc, Mutex, lock};
use crate::task::Task;
use crate::tuning::RailTuning;

/// A rail and all that the engine keeps about it.
pub(crate) struct RailState {
    pub(crate) rail: std::sync::Arc<dyn Rail>,
    /// What is known of it beforehand.
    pub(crate) tuning: RailTuning,
    pub(crate) queues: Queues,
    /// Where its workers sleep, unless all rails share a queue.
    pub(crate) bell: Doorbell,
    pub(crate) counters: Counters,
    /// One for each worker.
    pub(crate) flights: Box<[Flights]>,
    pub(crate) health: Health,
    pub(crate) samples: Samples,
    /// Whether its lanes, which are costly, are to be opened.
    pub(crate) called: AtomicBool,
    /// Done when it has been tried with its first lane open, if its lanes are costly.
    pub(crate) proof: std::sync::Once,
    pub(crate) coders: Coders,
    /// Lanes of threads that help while they wait.
    pub(crate) spare_lanes: ArrayQueue<Box<dyn Lane>>,
}

impl RailState {
    /// How the outputs of a job are best stored here, if nobody has said how.
    pub(crate) fn store(&self, job: &Job) -> StorePolicy {
        let units = job.inputs().len() + job.outputs().len();
        self.tuning.store(units.saturating_mul(job.bytes()))
    }

    /// Opens a lane. A rail that panics has none.
    pub(crate) fn open_lane(&self) -> Result<Box<dyn Lane>, Fault> {
        let opened = catch_unwind(AssertUnwindSafe(|| self.rail.open_lane()));
        opened.unwrap_or_else(|_| Err(Fault::new(FaultKind::Failed, "it panicked")))
    }

    /// Has the rail prove itself on known answers. One that panics has not.
    pub(crate) fn try_rail(&self) -> Result<(), String> {
        let tried = catch_unwind(AssertUnwindSafe(|| known_answers::check(&*self.rail)));
        tried.unwrap_or_else(|_| Err("it panicked".to_owned()))
    }
}

/// A piece given to a rail.
pub(crate) struct Flight {
    pub(crate) task: Arc<Task>,
    /// Bytes of each buffer.
    pub(crate) bytes: usize,
    pub(crate) begun: u64,
    pub(crate) refused: RailSet,
    /// What can take it away.
    pub(crate) handle: Option<RevokeHandle>,
    /// If it compares: what was written, and the rail that did.
    pub(crate) check: Option<(WrittenPiece, usize)>,
    /// What its outputs held, if it changes them and is to be compared afterwards.
    pub(crate) before: Option<Vec<Vec<u8>>>,
}

/// What one worker has in flight, by ticket: as many as its lane is deep.
#[derive(Default)]
pub(crate) struct Flights(Mutex<Vec<(u64, Flight)>>);

impl Flights {
    pub(crate) fn insert(&self, ticket: u64, flight: Flight) {
        lock(&self.0).push((ticket, flight));
    }

    pub(crate) fn remove(&self, ticket: u64) -> Option<Flight> {
        let mut flights = lock(&self.0);
        let index = flights.iter().position(|(other, _)| *other == ticket)?;
        Some(flights.swap_remove(index).1)
    }

    pub(crate) fn is_empty(&self) -> bool {
        lock(&self.0).is_empty()
    }

    /// Takes all of them.
    pub(crate) fn take(&self) -> impl Iterator<Item = Flight> {
        let flights = std::mem::take(&mut *lock(&self.0));
        flights.into_iter().map(|(_, flight)| flight)
    }

    /// Takes away what `late` says is late and the rail has let go of.
    pub(crate) fn revoke(
        &self,
        late: impl Fn(&Flight) -> bool,
    ) -> Vec<(Flight, stripeline_rail::Piece)> {
        let mut flights = lock(&self.0);
        let mut revoked = Vec::new();
        let mut index = 0;
        while index < flights.len() {
            let flight = &flights[index].1;
            let piece = match &flight.handle {
                Some(handle) if late(flight) => handle.revoke(),
                _ => None,
            };
            match piece {
                Some(piece) => revoked.push((flights.swap_remove(index).1, piece)),
                None => index += 1,
            }
        }
        revoked
    }
}

/// Whether a rail is given work.
#[derive(Default)]
pub(crate) struct Health {
    out: AtomicBool,
    details: Mutex<Details>,
}

#[derive(Default)]
struct Details {
    why: String,
    /// When it may be tried again.
    retry: u64,
    /// How often in a row it was put out of service.
    strikes: u32,
    probing: bool,
    /// When it was last put back into service.
    restored: u64,
}

impl Details {
    fn strike(&mut self, why: &str, now: u64, period: u64) {
        why.clone_into(&mut self.why);
        self.retry = now.saturating_add(after_strikes(period, self.strikes));
        self.strikes = (self.strikes + 1).min(STRIKES_MAX);
    }
}

/// Beyond this, waiting longer saves nothing.
const STRIKES_MAX: u32 = 6;

/// How long a rail stays out of service when it has failed several times in a row.
fn after_strikes(period: u64, strikes: u32) -> u64 {
    period.saturating_mul(1 << strikes)
}

impl Health {
    pub(crate) fn is_in_service(&self) -> bool {
        // SeqCst: see `Core::pushed`. The queues' own operations are, too.
        !self.out.load(Ordering::SeqCst)
    }

    /// Has `tell` learn whether the rail is in service. What is told last is so.
    pub(crate) fn publish(&self, tell: impl FnOnce(bool)) {
        let details = lock(&self.details);
        tell(self.is_in_service());
        drop(details);
    }

    /// Takes the rail out of service; false if it was already.
    pub(crate) fn quarantine(&self, why: &str, now: u64, period: u64) -> bool {
        let mut details = lock(&self.details);
        if self.out.swap(true, Ordering::SeqCst) {
            return false;
        }
        // A rail that has served for long since is given the benefit of the doubt again.
        let longest = after_strikes(period, STRIKES_MAX);
        if now > details.restored.saturating_add(longest) {
            details.strikes = 0;
        }
        details.strike(why, now, period);
        true
    }

    /// Whether it is time to try the rail again; the caller then must tell how that went.
    pub(crate) fn begin_probe(&self, now: u64) -> bool {
        let mut details = lock(&self.details);
        let due = self.out.load(Ordering::SeqCst) && !details.probing && now >= details.retry;
        details.probing |= due;
        due
    }

    /// Notes how a probe went.
    pub(crate) fn end_probe(&self, failure: Option<&str>, now: u64, period: u64) {
        let mut details = lock(&self.details);
        details.probing = false;
        match failure {
            None => {
                details.restored = now;
                self.out.store(false, Ordering::SeqCst);
            }
            Some(why) => details.strike(why, now, period),
        }
    }

    /// Why it is out of service, if it is.
    pub(crate) fn why(&self) -> Option<String> {
        let details = lock(&self.details);
        (!self.is_in_service()).then(|| details.why.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_very_long_period_does_not_become_a_short_one() {
        let health = Health::default();
        let period = u64::MAX / 3;
        for _ in 0..=STRIKES_MAX {
            assert!(health.quarantine("a test", 5, period));
            assert!(!health.begin_probe(period), "retried too early");
            assert!(health.begin_probe(u64::MAX));
            health.end_probe(None, 5, period);
        }
    }
}
