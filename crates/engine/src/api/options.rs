// SPDX-License-Identifier: Apache-2.0
//! The options of an engine, and its events.

use std::fmt;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::Duration;

use crate::node::{self, Coordination};
use crate::schedule::RETRY;
use crate::tuning::Table;

/// The assignment of tasks to rails.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Scheduling {
    /// Assigns all tasks to the rail of this name, and to others only while it is out of service.
    Single(String),
    /// Every worker of every rail takes the next task: the baseline of the UMR-EC paper.
    FirstCome,
    /// Assigns each task to the rail on which it ends soonest by measured rates, and splits tasks
    /// if that ends sooner.
    RateAware,
}

/// What issuing does when the bounds of outstanding tasks are reached.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum WhenFull {
    /// Waits for room; the waiting thread helps to code.
    #[default]
    Wait,
    /// Refuses with [`ErrorKind::Busy`](crate::ErrorKind::Busy).
    Refuse,
}

/// An event that an operator should know of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Event {
    /// The rail that it concerns, or `node`.
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
    /// A rail failed or did not answer and is out of service for a while.
    Quarantined,
    /// A rail wrote wrong bytes; the stripe was computed again.
    WrongBytes,
    /// A rail computes correct results again and is back in service.
    Restored,
    /// A rail that is present, or was named, cannot be used: it gave wrong answers or does not
    /// load.
    LeftOut,
    /// CPUs are not shared with the other processes of the node: the process keeps to its own
    /// limit.
    Alone,
    /// CPUs are shared with the other processes of the node again.
    Shared,
}

impl EventKind {
    /// Returns whether the event reports a recovery and is no warning.
    #[must_use]
    pub fn is_good_news(self) -> bool {
        match self {
            Self::Restored | Self::Shared => true,
            Self::Quarantined | Self::WrongBytes | Self::LeftOut | Self::Alone => false,
        }
    }
}

/// Receives events on the thread that detected them: a thread of the engine or one that uses it. A
/// listener must be short. Its panics are caught.
pub type Listener = Arc<dyn Fn(&Event) + Send + Sync>;

/// The options of an engine.
#[derive(Clone)]
pub struct Options {
    /// How tasks are assigned to rails.
    pub scheduling: Scheduling,
    /// The most tasks outstanding, at least 1.
    pub tasks_max: usize,
    /// The most bytes of data outstanding; a larger task is admitted if no other is outstanding.
    pub bytes_max: usize,
    /// What issuing does beyond these bounds.
    pub when_full: WhenFull,
    /// A piece and those before it on its lane may take this long, or twenty times the time that
    /// follows from the rail's rate, whichever is longer, before the rail counts as hanging; for a
    /// while after failures of the rail up to eight times as long.
    pub stall: Duration,
    /// How long a rail stays out of service before it is tested again; doubled after each failure,
    /// up to 64 times this value.
    pub quarantine: Duration,
    /// The longest time between two probes of a rail that added nothing to the total, for example
    /// because rails share a memory bus, while there is more work than the other rails can do. Each
    /// probe costs throughput, all of them together one percent at most.
    pub retry: Duration,
    /// One in this many of a rail's pieces of each kind is checked, in addition to the first ones:
    /// set outputs by another rail, updates and verdicts by the portable kernels. 0 for none.
    pub check_every: usize,
    /// Whether threads that wait for tasks help to code.
    pub waiting_threads_help: bool,
    /// Whether a rail that codes nothing may be the engine's only one. Outputs then stay unchanged
    /// and every task succeeds, so only a measurement may set it.
    pub measure_only: bool,
    /// The most workers of a rail; 0 for as many as the rail requests.
    pub workers_max: usize,
    /// The tuning table: values of the rails before their first piece.
    pub tuning: Arc<Table>,
    /// How the node's CPUs are shared with other processes; `None` for not at all.
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
        // The panic was reported already, and the thread must complete what the event is about.
        let _ = catch_unwind(AssertUnwindSafe(|| (self.listener)(&event)));
    }

    /// Reports a change of how the node's CPUs are shared.
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
