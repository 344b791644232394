// SPDX-License-Identifier: Apache-2.0
//! For tests: a device of a given rate and latency, on a real clock or on one that the test turns.
//!
//! Bytes are right, because the CPU's kernels make them when a piece is submitted; only when a
//! piece counts as done is made up. All lanes share one device, which does one piece after another.

use std::collections::VecDeque;
use std::fmt;
use std::ops::Range;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use stripeline_codec::Code;

use crate::{Capability, Cpu, Done, Fault, Lane, Mode, Piece, Rail};

/// Records kept: more than any test looks at, and still bounded.
const RECORDS_MAX: usize = 1 << 16;

/// Time for mock devices.
pub trait Clock: fmt::Debug + Send + Sync {
    /// Time since some beginning.
    fn now(&self) -> Duration;

    /// Sleeps until this time; at once if it has passed.
    fn wait_until(&self, time: Duration);
}

/// The machine's clock, counted from its making.
#[derive(Debug)]
pub struct RealClock(Instant);

impl RealClock {
    /// A clock that shows 0 now.
    #[must_use]
    pub fn start() -> Self {
        Self(Instant::now())
    }
}

impl Clock for RealClock {
    fn now(&self) -> Duration {
        self.0.elapsed()
    }

    fn wait_until(&self, time: Duration) {
        std::thread::sleep(time.saturating_sub(self.now()));
    }
}

/// A clock that moves only when told to.
#[derive(Debug, Default)]
pub struct VirtualClock {
    hands: Mutex<Hands>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Hands {
    now: Duration,
    /// What sleepers wait for.
    targets: Vec<Duration>,
}

impl VirtualClock {
    fn hands(&self) -> MutexGuard<'_, Hands> {
        self.hands.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Moves time on and wakes those whose time has come.
    pub fn advance(&self, by: Duration) {
        self.hands().now += by;
        self.changed.notify_all();
    }

    /// Waits until somebody sleeps and moves time on to when the first is to wake up; false if
    /// nobody sleeps within `patience` of real time.
    #[must_use]
    pub fn advance_to_next(&self, patience: Duration) -> bool {
        let asleep = |hands: &Hands| hands.targets.iter().any(|target| *target > hands.now);
        let none = |hands: &mut Hands| !asleep(hands);
        let waited = self
            .changed
            .wait_timeout_while(self.hands(), patience, none);
        let mut hands = waited.unwrap_or_else(PoisonError::into_inner).0;
        let now = hands.now;
        let next = hands
            .targets
            .iter()
            .copied()
            .filter(|target| *target > now)
            .min();
        let Some(next) = next else { return false };
        hands.now = next;
        self.changed.notify_all();
        true
    }
}

impl Clock for VirtualClock {
    fn now(&self) -> Duration {
        self.hands().now
    }

    fn wait_until(&self, time: Duration) {
        let mut hands = self.hands();
        hands.targets.push(time);
        self.changed.notify_all();
        let early = |hands: &mut Hands| hands.now < time;
        let waited = self.changed.wait_while(hands, early);
        let mut hands = waited.unwrap_or_else(PoisonError::into_inner);
        let place = hands.targets.iter().position(|target| *target == time);
        hands.targets.swap_remove(place.expect("pushed above"));
    }
}

/// How fast a mock device is.
#[derive(Clone, Copy, Debug)]
pub struct Pace {
    /// Bytes of inputs that it does in a second.
    pub bytes_per_second: f64,
    /// From when the device is through with a piece until that is known.
    pub latency: Duration,
    /// Lanes worth opening.
    pub lanes: usize,
    /// Pieces that a lane keeps in flight.
    pub depth: usize,
}

/// A piece that a mock device was given.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Given {
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
    /// When the device was through with it.
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
    pace: Pace,
    clock: Arc<dyn Clock>,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    /// When it will be through with all that it has.
    free: Duration,
    given: VecDeque<Given>,
}

impl Mock {
    /// A device.
    ///
    /// # Panics
    /// Unless its rate is above 0 and it has lanes and depth.
    #[must_use]
    pub fn new(name: &str, pace: Pace, clock: Arc<dyn Clock>) -> Self {
        assert!(pace.bytes_per_second > 0.0, "a rate");
        assert!(pace.lanes > 0 && pace.depth > 0, "lanes with room");
        let capability = Capability {
            lanes: pace.lanes,
            depth: pace.depth,
            ..Capability::synchronous()
        };
        Self {
            name: name.to_owned(),
            capability,
            cpu: Box::new(Cpu::rail()),
            device: Arc::new(Device {
                pace,
                clock,
                state: Mutex::default(),
            }),
        }
    }

    /// The pieces that it was given, in order; of very many the last 65,536.
    #[must_use]
    pub fn given(&self) -> Vec<Given> {
        self.device.state().given.iter().cloned().collect()
    }
}

impl Device {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a piece and says when it will be done.
    fn take(&self, piece: &Piece) -> Duration {
        let job = piece.job();
        let bytes = piece.bytes() * job.inputs().len();
        let work = Duration::from_secs_f64(bytes as f64 / self.pace.bytes_per_second);
        let submitted = self.clock.now();
        let mut state = self.state();
        state.free = state.free.max(submitted) + work;
        let done = state.free;
        if state.given.len() == RECORDS_MAX {
            state.given.pop_front();
        }
        state.given.push_back(Given {
            mode: job.mode(),
            code: job.code(),
            inputs: job.inputs().len(),
            outputs: job.outputs().len(),
            range: piece.range(),
            submitted,
            done,
        });
        done + self.pace.latency
    }
}

impl Rail for Mock {
    fn name(&self) -> &str {
        &self.name
    }

    fn describe(&self) -> String {
        let gigabytes = self.device.pace.bytes_per_second / 1e9;
        format!("a mock of {gigabytes} GB/s")
    }

    fn capability(&self) -> &Capability {
        &self.capability
    }

    fn open_lane(&self) -> Result<Box<dyn Lane>, Fault> {
        Ok(Box::new(MockLane {
            cpu: self.cpu.open_lane()?,
            device: Arc::clone(&self.device),
            flights: VecDeque::new(),
        }))
    }
}

struct MockLane {
    cpu: Box<dyn Lane>,
    device: Arc<Device>,
    /// In the order in which they will be done, which is that of their submission.
    flights: VecDeque<(Duration, Done)>,
}

impl Lane for MockLane {
    fn submit(&mut self, ticket: u64, piece: Piece) {
        let time = self.device.take(&piece);
        self.cpu.submit(ticket, piece);
        let done = self
            .cpu
            .reap(Duration::ZERO)
            .expect("the CPU does it within the call");
        self.flights.push_back((time, done));
    }

    fn reap(&mut self, patience: Duration) -> Option<Done> {
        let (time, _) = self.flights.front()?;
        let clock = &self.device.clock;
        let until = clock.now().saturating_add(patience);
        clock.wait_until(until.min(*time));
        let is_done = clock.now() >= *time;
        is_done.then(|| self.flights.pop_front().expect("looked at above").1)
    }

    fn in_flight(&self) -> usize {
        self.flights.len()
    }
}
