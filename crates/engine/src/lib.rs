// SPDX-License-Identifier: Apache-2.0
//! Asynchronous coding of stripes over every rail that a machine has.
//!
//! An [`Engine`] has rails and a few threads for each. [`Engine::issue`] takes a piece of a job of
//! `stripeline-rail` and returns a [`Ticket`] at once, which can be tested, waited for, awaited,
//! cancelled or given a call-back; [`Engine::run`] codes while the caller waits. [`schedule`]
//! decides which rails do a task; all rails write the same bytes.
//!
//! A rail that fails, hangs or vanishes is taken out of service, other rails redo its work, and it
//! is tested again later. While the CPU rail is in service, every valid task on host memory
//! succeeds, except for an update that a rail failed while it changed the parity, a task whose
//! coder panicked, and a task that was cancelled or whose deadline has passed.
//!
//! Bounds: outstanding tasks and bytes by [`Options`]; a task takes a few hundred bytes; queues
//! contain outstanding tasks, and those that were cancelled in the last milliseconds.
//!
//! Folders: `api` is the public interface, `core` has tasks, queues, workers and the watchdog, and
//! [`schedule`], [`tuning`] and [`node`] are the policy, the tuning table and the sharing of CPUs.

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod api;
mod core;
pub mod node;
pub mod schedule;
pub mod tuning;

pub use crate::core::task::Outcome;
pub use api::callbacks::in_turn;
pub use api::configuration::Configuration;
pub use api::engine::{Engine, Rejected};
pub use api::error::{Error, ErrorKind};
pub use api::operations::{Issued, NotIssued};
pub use api::options::{Event, EventKind, Listener, Options, Scheduling, WhenFull};
pub use api::request::{Priority, Request};
pub use api::statistics::{BUCKETS, RailStatistics, Statistics};
pub use api::ticket::Ticket;
pub use stripeline_rail::discover::Candidate;
