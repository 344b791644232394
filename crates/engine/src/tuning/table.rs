// SPDX-License-Identifier: Apache-2.0
//! The values that hold on this machine.

use std::fmt;
use std::path::Path;

use stripeline_rail::Rail;

use super::cpu_model::cpu_model;
use super::entry::RailTuning;
use super::table_file::{Machine, TableFile};

/// The values that hold on this machine, and where they come from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    machine: Machine,
    source: String,
}

impl Table {
    /// Nothing but built-in values, because of `why`, such as `no table is configured`.
    #[must_use]
    pub fn built_in(why: impl fmt::Display) -> Self {
        Self {
            machine: Machine {
                cpu: cpu_model(),
                rails: Vec::new(),
            },
            source: format!("built-in values: {why}"),
        }
    }

    /// What the file at `path` says of this machine; built-in values if it knows other CPUs only.
    ///
    /// # Errors
    /// If the file cannot be read, or a value in it cannot be.
    pub fn load(path: &Path) -> Result<Self, TableError> {
        Ok(Self::choose(TableFile::load(path)?, path, &cpu_model()))
    }

    /// What a file says of the machine with this CPU.
    #[must_use]
    pub fn choose(file: TableFile, path: &Path, cpu: &str) -> Self {
        let known = file.machines.len();
        let path = path.display();
        let machine = file.machines.into_iter().find(|machine| machine.cpu == cpu);
        match machine {
            Some(machine) => Self {
                source: format!("{path}, measured on {cpu}"),
                machine,
            },
            None => Self::built_in(format!(
                "{path} has values for {known} CPUs and not for {cpu}"
            )),
        }
    }

    /// Values just measured on this machine.
    pub(super) fn measured(rails: Vec<RailTuning>) -> Self {
        let cpu = cpu_model();
        Self {
            source: format!("measured now on {cpu}"),
            machine: Machine { cpu, rails },
        }
    }

    /// The CPU and the rails that there are values for.
    #[must_use]
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// Where the values come from, for people.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Whether there are values for this rail on its device.
    #[must_use]
    pub fn knows(&self, rail: &dyn Rail) -> bool {
        self.machine.rails.iter().any(|entry| entry.fits(rail))
    }

    /// The values of a rail, built-in ones if there are none.
    #[must_use]
    pub fn rail(&self, rail: &dyn Rail) -> RailTuning {
        let known = self.machine.rails.iter().find(|entry| entry.fits(rail));
        known.cloned().unwrap_or_else(|| RailTuning::built_in(rail))
    }
}

/// Why a table cannot be read.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableError(pub(super) String);

impl fmt::Display for TableError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Cannot read tuning table{}", self.0)
    }
}

impl std::error::Error for TableError {}
