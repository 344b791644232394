// SPDX-License-Identifier: Apache-2.0
//! The output of a run: a table, the verdict on the thresholds, a record, a plot.

pub mod plot;
pub mod record;
pub mod summary;
pub mod table;
