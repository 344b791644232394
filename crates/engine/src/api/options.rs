// SPDX-License-Identifier: Apache-2.0
//! How an engine is set up.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use crate::node::{self, Coordination};
use crate::schedule::RETRY;
use crate::tuning::Table;

/// Which rail gets what.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scheduling {
    /// Everything to the rail of this name; to others only while it is out of service.
    Single(String),
    /// Every worker of every rail takes the next task: the baseline of the UMR-EC paper.
    FirstCome,
    /// Each task to where it ends soonest by measured rates, split where that ends sooner.
    RateAware,
}

/// What issuing does when as much is outstanding as may be.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WhenFull {
    /// Waits for room, coding on the waiting thread meanwhile.
    #[default]
    Wait,
    /// Refuses with [`ErrorKind::Busy`](crate::ErrorKind::Busy).
    Refuse,
}

/// Something that an operator should know of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The rail that it is about, or `node`.
    pub rail: String,
    /// What happened.
    pub kind: EventKind,
    /// One line for a log.
    pub text: String,
}

/// Kinds of events.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum EventKind {
    /// A rail failed or did not answer and gets nothing for a while.
    Quarantined,
    /// A rail wrote wrong bytes; the stripe was computed anew.
    WrongBytes,
    /// A rail answers rightly again.
    Restored,
    /// A rail that is there, or was named, cannot be used: it gave wrong answers or does not load.
    LeftOut,
    /// CPUs are not shared with the other processes of the node: the process keeps to its own limit.
    Alone,
    /// CPUs are shared with the other processes of the node again.
    Shared,
}

impl EventKind {
    /// Whether something is in order again, which is no warning.
    #[must_use]
    pub fn is_good_news(self) -> bool {
        match self {
            Self::Restored | Self::Shared => true,
            Self::Quarantined | Self::WrongBytes | Self::LeftOut | Self::Alone => false,
        }
    }
}

/// Receives events, on the thread that noticed them: a thread of the engine or one that uses it. A
/// listener must be short. Its panics are caught.
pub type Listener = Arc<dyn Fn(&Event) + Send + Sync>;

/// Bounds and ways of an engine.
#[derive(Clone)]
pub struct Options {
    /// Which rail gets what.
    pub scheduling: Scheduling,
    /// Most tasks outstanding, at least 1.
    pub tasks_max: usize,
    /// Most bytes of data outstanding; a single larger task is let in alone.
    pub bytes_max: usize,
    /// What issuing does beyond these.
    pub when_full: WhenFull,
    /// A piece may take this long, or twenty times what its rail's rate promises, whichever is
    /// more, before the rail is taken to hang.
    pub stall: Duration,
    /// How long a rail stays out of service before it is tried again; doubled each time up to 64
    /// times.
    pub quarantine: Duration,
    /// A rail that added nothing to the total, because rails share a memory bus for example, is
    /// tried again after this long at the latest while there is more work than the others do. Each
    /// trial costs throughput, all of them together one percent at most.
    pub retry: Duration,
    /// Of a rail's pieces of each kind one in so many is compared, besides the first ones: what was
    /// set on another rail, updates and verdicts by the portable kernels. 0 for none.
    pub check_every: usize,
    /// Whether threads that wait for tasks code meanwhile.
    pub waiting_threads_help: bool,
    /// Whether a rail that codes nothing may be the engine's only one. Outputs stay as they are then
    /// and every task ends well, so only a measurement may set it.
    pub measure_only: bool,
    /// Most workers of a rail; 0 for as many as the rail asks for.
    pub workers_max: usize,
    /// What is known of the rails before they have run.
    pub tuning: Arc<Table>,
    /// How the node's CPUs are shared with other processes; `None` if they are not.
    pub node: Option<node::Options>,
    /// Receives events.
    pub listener: Listener,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            scheduling: Scheduling::RateAware,
            tasks_max: 1024,
            bytes_max: 1 << 30,
            when_full: WhenFull::Wait,
            stall: Duration::from_millis(250),
            quarantine: Duration::from_secs(1),
            retry: RETRY,
            // A second pass over a thousandth of the data cannot be measured.
            check_every: 1000,
            waiting_threads_help: true,
            measure_only: false,
            workers_max: 0,
            tuning: Arc::new(Table::built_in("no table is configured")),
            node: None,
            listener: Arc::new(|_| ()),
        }
    }
}

impl Options {
    pub(crate) fn notify(&self, rail: &str, kind: EventKind, text: String) {
        let rail = rail.to_owned();
        let event = Event { rail, kind, text };
        // A panic has been reported, and the thread is in the middle of what the event is about.
        let _ = catch_unwind(AssertUnwindSafe(|| (self.listener)(&event)));
    }

    /// Tells how the node's CPUs are shared from now on.
    pub(crate) fn notify_of_node(&self, coordination: Coordination) {
        let (kind, text) = match coordination {
            Coordination::Shared => (EventKind::Shared, format!("CPUs are {coordination}")),
            Coordination::Alone { why } => (EventKind::Alone, why),
        };
        self.notify("node", kind, text);
    }
}

impl fmt::Debug for Options {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Options")
            .field("scheduling", &self.scheduling)
            .field("tasks_max", &self.tasks_max)
            .field("bytes_max", &self.bytes_max)
            .field("when_full", &self.when_full)
            .field("stall", &self.stall)
            .field("quarantine", &self.quarantine)
            .field("retry", &self.retry)
            .field("check_every", &self.check_every)
            .field("waiting_threads_help", &self.waiting_threads_help)
            .field("measure_only", &self.measure_only)
            .field("workers_max", &self.workers_max)
            .field("tuning", &self.tuning.source())
            .field("node", &self.node)
            .finish_non_exhaustive()
    }
}
