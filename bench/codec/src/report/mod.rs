// SPDX-License-Identifier: Apache-2.0
//! What a run shows: a table, the verdict on the thresholds, a record, a plot.

pub mod plot;
pub mod record;
pub mod summary;
pub mod table;
