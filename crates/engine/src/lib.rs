// SPDX-License-Identifier: Apache-2.0
//! Asynchronous coding of stripes over every rail that a machine has.
//!
//! An [`Engine`] has rails and a few threads for each. [`Engine::issue`] takes a piece of work of
//! `stripeline-rail` and returns a [`Ticket`] at once, which can be tested, waited for, awaited,
//! cancelled or given a call-back; [`Engine::run`] does it while the caller waits. Which rail does
//! what is the business of [`schedule`]; the bytes are the same whichever did.
//!
//! A rail that errs, hangs or vanishes is put out of service, its work is redone elsewhere, and it
//! is tried again later. As long as the CPU rail is there, every task that is right ends well.
//!
//! Bounds: outstanding tasks and bytes by [`Options`]; a task takes a few hundred bytes; queues
//! hold outstanding tasks only.

#![forbid(unsafe_code)]

mod admission;
mod check;
mod clock;
mod coding_threads;
mod configuration;
mod core;
mod doorbell;
mod engine;
mod error;
pub mod node;
mod opening;
mod operations;
mod options;
#[cfg(all(test, feature = "permute"))]
mod permute;
mod queue;
mod rail_state;
mod request;
pub mod schedule;
mod spot_checks;
mod statistics;
mod sync;
mod task;
mod ticket;
mod timer_queue;
pub mod tuning;
mod turn;
mod wait;
mod watchdog;
mod worker;
mod worker_pool;

pub use configuration::Configuration;
pub use engine::{Engine, Rejected};
pub use error::{Error, ErrorKind};
pub use operations::{Issued, NotIssued};
pub use options::{Event, EventKind, Listener, Options, Scheduling, WhenFull};
pub use request::{Priority, Request};
pub use statistics::{BUCKETS, RailStatistics, Statistics};
pub use stripeline_rail::discover::Candidate;
pub use task::Outcome;
pub use ticket::Ticket;
pub use turn::in_turn;
