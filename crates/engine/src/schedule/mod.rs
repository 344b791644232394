// SPDX-License-Identifier: Apache-2.0
//! Which rail does what: the scheduling policy as a state machine without clock, threads or locks
//! on the way of a task.
//!
//! The engine asks [`Scheduler::deal`] where a new task goes and reports what its workers did
//! ([`Scheduler::finished`]); time comes in as nanoseconds from any fixed start. So the same code
//! runs under the engine's clock and in [`simulation`].
//!
//! Three decisions make up the policy. A task goes to where it ends soonest, split by byte range if
//! that ends sooner still. An idle rail takes the tail of another's work if that ends sooner. And
//! trials of some milliseconds find out which rails add to the total: rates of rails that share a
//! memory bus do not add up.
//!
//! *Rate*: bytes of input data that a rail does in a second, all its workers together, per
//! [`Class`] of work; measured, exponentially weighted. *Backlog*: bytes of data dealt to a rail and
//! not done; a task waits for what is begun and for what is as urgent as itself or more. *Share*:
//! the part of a task that a rail gets. *Fed*: being dealt work; a rail in service that brings
//! nothing to the total, because all share a memory bus for example, is not.
//!
//! Every answer is advice, right at the moment of asking: two threads that deal at once may both
//! see a rail idle. Errors of that kind are a task long and are evened out by stealing.

mod class;
mod contention;
mod ledger;
mod rail_set;
mod scheduler;
pub mod simulation;
mod snapshot;
mod split;

pub use class::Class;
pub use rail_set::{COMMON, RAILS_MAX, RailSet};
pub use scheduler::{
    BEGUN, HAND_OVER, NoRail, Policy, Portion, RETRY, RailTraits, Scheduler, Share,
};
pub use snapshot::{ClassRate, RailSnapshot};
