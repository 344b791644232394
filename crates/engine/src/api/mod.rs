// SPDX-License-Identifier: Apache-2.0
//! The public interface: engines, their configuration, tasks and statistics.

pub(crate) mod callbacks;
pub(crate) mod configuration;
pub(crate) mod engine;
pub(crate) mod error;
mod opening;
pub(crate) mod operations;
pub(crate) mod options;
mod pinned;
pub(crate) mod request;
pub(crate) mod statistics;
pub(crate) mod ticket;
