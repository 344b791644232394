// SPDX-License-Identifier: Apache-2.0
//! The scheduling policy, a state machine without a clock, threads or locks in the path of a task.
//!
//! The engine asks [`Scheduler::assign`] where a new task goes and reports what its workers did
//! ([`Scheduler::finished`]); times are nanoseconds from any fixed start. The same code therefore
//! runs under the engine's clock and in the simulation of `stripeline-testkit`.
//!
//! The policy makes three decisions. A task goes to the rail on which it ends soonest, or is split
//! by byte range if that ends sooner. An idle rail takes the tail of another rail's work if that
//! ends sooner. Probes of some milliseconds find out which rails add to the total, because rates of
//! rails that share a memory bus do not add up.
//!
//! *Rate*: bytes of input data that a rail does in a second, all its workers together, per
//! [`Class`] of work; measured, exponentially weighted. *Backlog*: bytes of data assigned to a rail
//! and not done; a task waits for work that is begun and for work that is at least as urgent as
//! itself. *Assignment*: the part of a task that a rail gets. *Active*: being assigned work; a rail
//! in service that adds nothing to the total, for example because rails share a memory bus, is not
//! active.
//!
//! Every answer is a snapshot: two threads that assign at the same time may both see a rail idle.
//! Such an error lasts for one task, and stealing evens it out.

mod class;
mod contention;
mod ledger;
mod rail_set;
mod scheduler;
mod split;
mod types;

pub use class::Class;
pub use rail_set::{COMMON, RAILS_MAX, RailSet};
pub(crate) use scheduler::nanoseconds;
pub use scheduler::{BEGUN, HANDOFF, RETRY, Scheduler};
pub use types::{Assignment, Policy, RailSnapshot, RailTraits, Workload};
