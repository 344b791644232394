// SPDX-License-Identifier: Apache-2.0
//! The engine's core: tasks, queues, workers and the watchdog.

pub(crate) mod admission;
mod check;
pub(crate) mod clock;
pub(crate) mod coding_threads;
pub(crate) mod doorbell;
#[cfg(all(test, feature = "permute"))]
mod permute;
mod placement;
pub(crate) mod queue;
pub(crate) mod rail_state;
pub(crate) mod shared;
pub(crate) mod spot_checks;
pub(crate) mod sync;
pub(crate) mod task;
pub(crate) mod timer_queue;
mod wait;
mod watchdog;
mod worker;
pub(crate) mod worker_pool;

#[cfg(test)]
mod accounts;
#[cfg(test)]
mod tests;
