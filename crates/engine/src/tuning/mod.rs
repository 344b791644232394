// SPDX-License-Identifier: Apache-2.0
//! The tuning table: values of this machine's rails, known before the engine has run anything.
//!
//! For each rail, a table has the number of lanes worth opening, the size below which a task is not
//! worth its fixed cost, the expected rate, the size from which stores should bypass the cache,
//! and the best size of pieces. [`measure`] measures these values, [`TableFile`] keeps those of
//! any number of machines as editable text, and [`Table::load`] selects this machine's values by
//! the model and number of its CPUs, and each rail's by name and device. Otherwise built-in values
//! apply; [`Table::source`] returns which values apply.
//!
//! The values are the engine's initial ones. During operation the engine measures rates itself.
//!
//! # Units
//! *Data bytes* are those of all inputs of a task together; *bytes of a piece* are those of each
//! buffer; a rate is data bytes in a second, of all lanes of a rail together.

mod cpu_model;
mod entry;
mod keep;
mod measure;
mod probe;
mod session;
mod table;
mod table_file;
mod text;

pub use cpu_model::cpu_model;
pub use entry::RailTuning;
pub use keep::tune;
pub use measure::{Progress, measure};
pub use table::{Table, TableError};
pub use table_file::{Machine, TableFile};
