// SPDX-License-Identifier: Apache-2.0
//! Virtual rails that are independent of each other on any machine.
//!
//! A rate-limited rail codes on the CPU, and then sleeps until its rate allows the piece to be
//! done. At rates far below the CPU's, the rates of several such rails add up as those of separate
//! devices do, even on two CPUs: schedulers can be measured on independent rails without such
//! hardware.
//!
//! A sleeper wakes up late; a rate-limited rail compensates for it, so that its rate also holds on
//! a busy machine.

use std::sync::{Arc, Condvar, Mutex, PoisonError};
use std::time::{Duration, Instant};

use stripeline_rail::{Capability, Cpu, Done, Fault, Lane, Piece, Rail};

/// The most time that is compensated at once. A sleeper wakes up late, in particular on a busy
/// machine. The next piece is due as if it had woken on time, so that the rate is kept.
const LATE_MAX: Duration = Duration::from_millis(4);

/// A worker that submits the next piece within this time is assumed to have had it queued: a device
/// would have begun it when the previous one was due. Otherwise the rail was idle, and begins the
/// piece on arrival.
const TURNAROUND_MAX: Duration = Duration::from_micros(50);

/// A rail of a fixed rate with one worker.
#[derive(Debug)]
pub struct RateLimitedRail {
    name: String,
    capability: Capability,
    coder: Box<dyn Rail>,
    bytes_per_second: f64,
    limiter: Arc<RateLimiter>,
}

impl RateLimitedRail {
    /// Creates a rail that codes `bytes_per_second` bytes of data per second.
    pub fn rail(name: impl Into<String>, bytes_per_second: f64) -> Self {
        let now = Instant::now();
        Self {
            name: name.into(),
            capability: Capability::synchronous(),
            coder: Box::new(Cpu::rail()),
            bytes_per_second,
            limiter: Arc::new(RateLimiter {
                last: Mutex::new(LastPiece {
                    due: now,
                    ended: now,
                }),
                never: Condvar::new(),
            }),
        }
    }
}

impl Rail for RateLimitedRail {
    fn name(&self) -> &str {
        &self.name
    }

    fn describe(&self) -> String {
        format!("virtual, {} GB/s", self.bytes_per_second / 1e9)
    }

    fn capability(&self) -> &Capability {
        &self.capability
    }

    fn open_lane(&self) -> Result<Box<dyn Lane>, Fault> {
        Ok(Box::new(RateLimitedLane {
            lane: self.coder.open_lane()?,
            bytes_per_second: self.bytes_per_second,
            limiter: Arc::clone(&self.limiter),
        }))
    }
}

struct RateLimitedLane {
    lane: Box<dyn Lane>,
    bytes_per_second: f64,
    limiter: Arc<RateLimiter>,
}

impl Lane for RateLimitedLane {
    fn submit(&mut self, ticket: u64, piece: Piece) {
        let data_bytes = piece.job().inputs().len() * piece.bytes();
        let begun = Instant::now();
        self.lane.submit(ticket, piece);
        let takes = Duration::from_secs_f64(data_bytes as f64 / self.bytes_per_second);
        self.limiter.sleep(begun, takes);
    }

    fn reap(&mut self, limit: Duration) -> Option<Done> {
        self.lane.reap(limit)
    }

    fn in_flight(&self) -> usize {
        self.lane.in_flight()
    }
}

/// State shared by all lanes of a rail; an engine opens additional lanes to test it.
#[derive(Debug)]
struct RateLimiter {
    last: Mutex<LastPiece>,
    /// Never notified: the wait ends by its timeout.
    never: Condvar,
}

#[derive(Debug)]
struct LastPiece {
    due: Instant,
    ended: Instant,
}

impl LastPiece {
    /// Returns when a piece is due that began at `begun` and takes `takes`.
    fn due(&self, begun: Instant, takes: Duration) -> Instant {
        let late = self.ended.saturating_duration_since(self.due);
        let idle = begun.saturating_duration_since(self.ended);
        let made_up_for = match idle < TURNAROUND_MAX {
            true => late.min(LATE_MAX),
            false => Duration::ZERO,
        };
        begun - made_up_for + takes
    }
}

impl RateLimiter {
    fn sleep(&self, begun: Instant, takes: Duration) {
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        let due = last.due(begun, takes);
        last.due = due;
        loop {
            let left = due.saturating_duration_since(Instant::now());
            if left.is_zero() {
                break;
            }
            let woken = self.never.wait_timeout(last, left);
            last = woken.unwrap_or_else(PoisonError::into_inner).0;
        }
        last.ended = Instant::now();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MS: Duration = Duration::from_millis(1);

    #[test]
    fn lateness_is_compensated_and_idleness_is_not() {
        let start = Instant::now();
        let last = |late: Duration| LastPiece {
            due: start,
            ended: start + late,
        };
        let due = |late: Duration, idle: Duration| last(late).due(start + late + idle, MS);
        let zero = Duration::ZERO;
        assert_eq!(due(zero, zero), start + MS);
        assert_eq!(due(2 * MS, zero), start + MS, "woken 2 ms late");
        assert_eq!(due(2 * MS, 3 * MS), start + 6 * MS, "and then without work");
        let much = LATE_MAX + MS;
        assert_eq!(due(much, zero), start + 2 * MS, "more than is made up for");
    }
}
