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
