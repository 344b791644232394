// SPDX-License-Identifier: Apache-2.0
//! The tuning table: values of this machine's rails, known before the engine has run anything.
//!
//! A table says for each rail how many lanes are worth opening, below which size a task is not worth
//! its fixed cost, what rates to expect, from which size on stores should go past the cache, and how
//! large pieces should be. [`measure`] measures these values, [`TableFile`] keeps those of any number
//! of machines as text that people can read and change, and [`Table::load`] picks this machine's by
//! model and number of its CPUs, and each rail's by name and device. Otherwise built-in values apply;
//! [`Table::source`] says which apply.
//!
//! The values are the engine's initial ones. While it works, the engine measures rates itself.
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
pub use entry::{PieceSize, RailTuning, Rate};
pub use keep::tune;
pub use measure::{Progress, measure};
pub use table::{Table, TableError};
pub use table_file::{Machine, TableFile};
