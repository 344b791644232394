// SPDX-License-Identifier: Apache-2.0
//! For tests: a device of a given rate and latency, on a real clock or on one that the test
//! advances.
//!
//! The CPU's kernels compute the outputs when a piece is submitted, so the bytes are right; only
//! the time of completion is simulated. All lanes share one device, which does one piece after
//! another.

use std::collections::VecDeque;
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use stripeline_codec::Code;

use crate::{Capability, Cpu, Done, Fault, Lane, Mode, Piece, Rail, clock};

/// The most records kept, so that memory is bounded; more than any test reads.
const RECORDS_MAX: usize = 1 << 16;

/// Time for mock devices.
pub trait Clock: fmt::Debug + Send + Sync {
    /// Returns the time since a fixed start.
    fn now(&self) -> Duration;

    /// Sleeps until this time; at once if it has passed.
    fn wait_until(&self, time: Duration);
}

/// The machine's clock, from 0 at its creation.
#[derive(Debug)]
pub struct RealClock(Instant);

impl RealClock {
    /// Returns a clock that reads 0 now.
    #[must_use]
    pub fn start() -> Self {
        Self(clock::now())
    }
}

impl Clock for RealClock {
    fn now(&self) -> Duration {
        clock::now() - self.0
    }

    fn wait_until(&self, time: Duration) {
        clock::sleep(time.saturating_sub(self.now()));
    }
}

/// A clock that only the test advances.
#[derive(Debug, Default)]
pub struct VirtualClock {
    state: Mutex<ClockState>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct ClockState {
    now: Duration,
    /// The times that sleepers wait for.
    targets: Vec<Duration>,
}

impl VirtualClock {
    fn clock_state(&self) -> MutexGuard<'_, ClockState> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Advances the time and wakes the sleepers that are due.
    pub fn advance(&self, by: Duration) {
        self.clock_state().now += by;
        self.changed.notify_all();
    }

    /// Waits for a sleeper and advances the time to the earliest wake-up; false if no thread sleeps
    /// within `limit` of real time.
    #[must_use]
    pub fn advance_to_next(&self, limit: Duration) -> bool {
        let asleep = |state: &ClockState| state.targets.iter().any(|target| *target > state.now);
        let none = |state: &mut ClockState| !asleep(state);
        let waited = self
            .changed
            .wait_timeout_while(self.clock_state(), limit, none);
        let mut state = waited.unwrap_or_else(PoisonError::into_inner).0;
        let now = state.now;
        let next = state
            .targets
            .iter()
            .copied()
            .filter(|target| *target > now)
            .min();
        let Some(next) = next else { return false };
        state.now = next;
        self.changed.notify_all();
        true
    }
}

impl Clock for VirtualClock {
    fn now(&self) -> Duration {
        self.clock_state().now
    }

    fn wait_until(&self, time: Duration) {
        let mut state = self.clock_state();
        state.targets.push(time);
        self.changed.notify_all();
        let early = |state: &mut ClockState| state.now < time;
        let waited = self.changed.wait_while(state, early);
        let mut state = waited.unwrap_or_else(PoisonError::into_inner);
        let place = state.targets.iter().position(|target| *target == time);
        state.targets.swap_remove(place.expect("pushed above"));
    }
}

/// How fast a mock device is.
#[derive(Clone, Copy, Debug)]
pub struct MockSettings {
    /// Bytes of inputs coded in a second.
    pub bytes_per_second: f64,
    /// From the end of the device's work on a piece until the completion is visible.
    pub latency: Duration,
    /// The number of lanes worth opening.
    pub lanes: usize,
    /// The number of pieces that a lane keeps in flight.
    pub depth: usize,
}

/// A record of a piece submitted to a mock device.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SubmittedPiece {
    /// What was done with the products.
    pub mode: Mode,
    /// The code.
    pub code: Code,
    /// Inputs of the product.
    pub inputs: usize,
    /// Outputs of the product.
    pub outputs: usize,
    /// Which bytes of the job.
    pub range: Range<usize>,
    /// When it was submitted.
    pub submitted: Duration,
    /// When the device finished it.
    pub done: Duration,
}

/// A virtual device.
#[derive(Debug)]
pub struct Mock {
    name: String,
    capability: Capability,
    cpu: Box<dyn Rail>,
    device: Arc<Device>,
}

#[derive(Debug)]
struct Device {
    settings: MockSettings,
    clock: Arc<dyn Clock>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// When the device will have finished all submitted pieces.
    free: Duration,
    submitted: VecDeque<SubmittedPiece>,
}

impl Mock {
    /// Creates a device.
    ///
    /// # Panics
    /// Unless its rate is above 0 and it has lanes and depth.
    #[must_use]
    pub fn new(name: &str, settings: MockSettings, clock: Arc<dyn Clock>) -> Self {
        assert!(settings.bytes_per_second > 0.0, "a rate");
        assert!(settings.lanes > 0 && settings.depth > 0, "lanes with room");
        let capability = Capability {
            lanes: settings.lanes,
            depth: settings.depth,
            ..Capability::synchronous()
        };
        Self {
            name: name.to_owned(),
            capability,
            cpu: Box::new(Cpu::rail()),
            device: Arc::new(Device {
                settings,
                clock,
                state: Mutex::default(),
            }),
        }
    }

    /// Returns the submitted pieces in order, at most the last 65,536.
    #[must_use]
    pub fn submitted(&self) -> Vec<SubmittedPiece> {
        self.device.state().submitted.iter().cloned().collect()
    }
}

impl Device {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records a piece and returns when it will be done.
    fn take(&self, piece: &Piece) -> Duration {
        let job = piece.job();
        let bytes = piece.bytes() * job.inputs().len();
        let work = Duration::from_secs_f64(bytes as f64 / self.settings.bytes_per_second);
        let submitted = self.clock.now();
        let mut state = self.state();
        state.free = state.free.max(submitted) + work;
        let done = state.free;
        if state.submitted.len() == RECORDS_MAX {
            state.submitted.pop_front();
        }
        state.submitted.push_back(SubmittedPiece {
            mode: job.mode(),
            code: job.code(),
            inputs: job.inputs().len(),
            outputs: job.outputs().len(),
            range: piece.range(),
            submitted,
            done,
        });
        done + self.settings.latency
    }
}

impl Rail for Mock {
    fn name(&self) -> &str {
        &self.name
    }

    fn describe(&self) -> String {
        let gigabytes = self.device.settings.bytes_per_second / 1e9;
        format!("a mock of {gigabytes} GB/s")
    }

    fn capability(&self) -> &Capability {
        &self.capability
    }

    fn open_lane(&self) -> Result<Box<dyn Lane>, Fault> {
        Ok(Box::new(MockLane {
            cpu: self.cpu.open_lane()?,
            device: Arc::clone(&self.device),
            in_flight: VecDeque::new(),
        }))
    }
}

struct MockLane {
    cpu: Box<dyn Lane>,
    device: Arc<Device>,
    /// In the order in which they will be done, which is that of their submission.
    in_flight: VecDeque<(Duration, Done)>,
}

impl Lane for MockLane {
    fn submit(&mut self, ticket: u64, piece: Piece) {
        let time = self.device.take(&piece);
        self.cpu.submit(ticket, piece);
        let done = self
            .cpu
            .reap(Duration::ZERO)
            .expect("the CPU does it within the call");
        self.in_flight.push_back((time, done));
    }

    fn reap(&mut self, limit: Duration) -> Option<Done> {
        let (time, _) = self.in_flight.front()?;
        let clock = &self.device.clock;
        let until = clock.now().saturating_add(limit);
        clock.wait_until(until.min(*time));
        let is_done = clock.now() >= *time;
        is_done.then(|| self.in_flight.pop_front().expect("looked at above").1)
    }

    fn in_flight(&self) -> usize {
        self.in_flight.len()
    }
}
