// SPDX-License-Identifier: Apache-2.0
//! A process' membership among the processes that share the CPUs of a node.

use std::fmt;
use std::process;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Mutex, PoisonError, TryLockError};

use super::cpus::{Cpus, process_start};
use super::division::divide;
use super::place::Place;
use super::slot::{CPUS_MAX, Claim, WEIGHT_MAX};
use super::table::{Member, Table};

/// The number of refreshes between two detections of the CPUs: every fourth, which is once a
/// second.
const LOOK_UP_EVERY: u64 = 4;

const WEIGHT_USUAL: u16 = 100;

/// How a process joins.
#[derive(Clone, Debug, Default)]
pub struct Options {
    /// The file.
    pub place: Place,
    /// Its share relative to other processes: 1..=[`WEIGHT_MAX`], 100 if `None`; values outside the
    /// range are clamped.
    pub weight: Option<u16>,
    /// The most threads that it wants; as many as it has CPUs if `None`.
    pub threads_max: Option<usize>,
    /// The CPUs to divide; what [`Cpus::detect`] finds if `None`. All processes should agree.
    pub cpus: Option<Cpus>,
}

/// Whether the CPUs are shared with other processes.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Coordination {
    /// The process shares the CPUs with others.
    Shared,
    /// The process keeps to its own limit.
    Alone {
        /// The reason, as a sentence for the log.
        why: String,
    },
}

impl fmt::Display for Coordination {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Shared => formatter.write_str("shared with the other processes of the node"),
            Self::Alone { why } => formatter.write_str(why),
        }
    }
}

/// A process' membership among the processes that share the CPUs of a node; see the
/// [module](super).
#[derive(Debug)]
pub struct Membership {
    options: Options,
    busy: AtomicBool,
    /// Whether there was work at any time since the last refresh.
    was_busy: AtomicBool,
    allowed: AtomicUsize,
    /// Whether that is less than the CPUs that the process could use.
    limited: AtomicBool,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    table: Option<Table>,
    coordination: Coordination,
    cpus: Cpus,
    start: u64,
    refreshes: u64,
}

impl Membership {
    /// Joins. Never fails: if the file cannot be used, [`Membership::coordination`] has the reason.
    #[must_use]
    pub fn join(options: Options) -> Self {
        let state = State {
            table: None,
            coordination: Coordination::Shared,
            cpus: options.cpus.unwrap_or_else(Cpus::detect),
            start: process_start(),
            refreshes: 0,
        };
        let membership = Self {
            options,
            busy: AtomicBool::new(false),
            was_busy: AtomicBool::new(false),
            allowed: AtomicUsize::new(1),
            limited: AtomicBool::new(true),
            state: Mutex::new(state),
        };
        let _ = membership.refresh();
        membership
    }

    /// Reports whether there is work now. The next refresh publishes it, including work that ended
    /// in between.
    pub fn report(&self, busy: bool) {
        // Read before written, so that an unchanged state causes no cache-line transfer.
        if busy && !self.was_busy.load(Ordering::Relaxed) {
            self.was_busy.store(true, Ordering::Relaxed);
        }
        if self.busy.load(Ordering::Relaxed) != busy {
            self.busy.store(busy, Ordering::Relaxed);
        }
    }

    /// Returns how many threads this process may run, at least 1. For an idle process: how many it
    /// could run if it had work.
    pub fn threads_allowed(&self) -> usize {
        self.allowed.load(Ordering::Relaxed)
    }

    /// Returns whether some of the CPUs that this process could use are reserved for others.
    pub fn is_limited(&self) -> bool {
        self.limited.load(Ordering::Relaxed)
    }

    /// Publishes this process' claim and reads those of the others: two system calls and one for
    /// each slot. Called every 250 ms; concurrent calls of several threads count as one.
    ///
    /// Returns the coordination if it has changed: an event to be logged, which is not repeated
    /// while the state stays the same. Only [`Membership::coordination`] returns the initial state.
    #[must_use]
    pub fn refresh(&self) -> Option<Coordination> {
        let mut state = match self.state.try_lock() {
            Ok(state) => state,
            Err(TryLockError::Poisoned(poisoned)) => poisoned.into_inner(),
            // Another thread is refreshing; in a forked child, the lock may belong to a thread of
            // the parent.
            Err(TryLockError::WouldBlock) => return None,
        };
        let busy = self.was_busy.swap(false, Ordering::Relaxed) | self.busy.load(Ordering::Relaxed);
        let (coordination, allowed) = match state.refresh(&self.options, busy) {
            Ok(allowed) => (Coordination::Shared, allowed),
            Err(why) => {
                let allowed = state.allowed_alone(&self.options);
                (Coordination::Alone { why }, allowed)
            }
        };
        self.allowed.store(allowed, Ordering::Relaxed);
        let limited = allowed < state.cpus.own;
        self.limited.store(limited, Ordering::Relaxed);
        let changed = state.coordination != coordination;
        state.coordination = coordination.clone();
        changed.then_some(coordination)
    }

    /// Returns whether the CPUs are shared, as of the last refresh.
    #[must_use]
    pub fn coordination(&self) -> Coordination {
        let state = self.state.lock();
        let state = state.unwrap_or_else(PoisonError::into_inner);
        state.coordination.clone()
    }
}

impl State {
    /// Exchanges claims; returns how many threads this process may run.
    fn refresh(&mut self, options: &Options, busy: bool) -> Result<usize, String> {
        if options.cpus.is_none() && self.refreshes.is_multiple_of(LOOK_UP_EVERY) {
            self.cpus = Cpus::detect();
        }
        self.refreshes += 1;
        let path = options.place.0.display();
        let explain =
            |reason| format!("Cannot share the CPUs of the node through {path}: {reason}");
        // Dropped before another is taken, so that a forked child or a replaced file leaves
        // nothing.
        let table = match self.table.take().filter(Table::is_current) {
            Some(table) => table,
            None => {
                self.start = process_start();
                Table::join(&options.place).map_err(explain)?
            }
        };
        let claim = self.claim(options, busy);
        let table = self.table.insert(table);
        match table.exchange(&claim) {
            Ok(others) => Ok(settle(self.cpus.node, table.slot(), claim, others)),
            Err(error) => {
                self.table = None;
                Err(explain(error.to_string()))
            }
        }
    }

    fn claim(&self, options: &Options, busy: bool) -> Claim {
        Claim {
            beat: self.refreshes,
            start: self.start,
            process: process::id(),
            weight: options.weight.unwrap_or(WEIGHT_USUAL).clamp(1, WEIGHT_MAX),
            cpus: bounded(self.cpus.own),
            wanted: bounded(options.threads_max.unwrap_or(self.cpus.own)),
            domain: self.cpus.domain,
            busy,
        }
    }

    /// Returns the limit while CPUs are not shared.
    fn allowed_alone(&self, options: &Options) -> usize {
        let wanted = options.threads_max.unwrap_or(self.cpus.own);
        wanted.clamp(1, self.cpus.own)
    }
}

/// Returns the share of the process in `slot` if it had work.
fn settle(cpus: usize, slot: usize, own: Claim, others: Vec<Member>) -> usize {
    let mut working = vec![(slot, own)];
    for member in others {
        if member.claim.busy && !member.stalled {
            working.push((member.slot, member.claim));
        }
    }
    // Sorted by slot, so that all processes compute the same result.
    working.sort_by_key(|(slot, _)| *slot);
    let place = working.iter().position(|(other, _)| *other == slot);
    let claims: Vec<Claim> = working.into_iter().map(|(_, claim)| claim).collect();
    divide(cpus, &claims)[place.expect("the process itself is among them")]
}

fn bounded(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(CPUS_MAX).clamp(1, CPUS_MAX)
}
