// SPDX-License-Identifier: Apache-2.0
//! The values that apply to this machine.

use std::fmt;
use std::path::{Path, PathBuf};

use stripeline_rail::Rail;

use super::cpu_model::{cpu_count, cpu_model};
use super::entry::RailTuning;
use super::table_file::{Machine, TableFile};

/// The values that apply to this machine, and their source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Table {
    machine: Machine,
    /// Whether the values were measured with the present number of CPUs, so that the number of
    /// lanes applies.
    lanes_hold: bool,
    source: String,
}

impl Table {
    /// Returns only built-in values, for the reason `why`, such as `no table is configured`.
    #[must_use]
    pub fn built_in(why: impl fmt::Display) -> Self {
        Self {
            source: format!("built-in values: {why}"),
            ..Self::measured(Vec::new())
        }
    }

    /// Reads the values for this machine from the file at `path`; uses built-in values if the file
    /// only has other CPUs.
    ///
    /// # Errors
    /// If the file cannot be read, or has an invalid value.
    pub fn load(path: &Path) -> Result<Self, TableError> {
        let file = TableFile::load(path)?;
        Ok(Self::choose(file, path, &cpu_model(), cpu_count()))
    }

    /// Returns a file's values for the machine with `cpus` CPUs of this model; if the file has the
    /// model only with other numbers of CPUs, the values of one of these, except the number of
    /// lanes.
    #[must_use]
    pub fn choose(file: TableFile, path: &Path, cpu: &str, cpus: usize) -> Self {
        let known = file.machines.len();
        let path = path.display();
        let same = file
            .machines
            .into_iter()
            .filter(|machine| machine.cpu == cpu);
        let Some(machine) = same.min_by_key(|machine| machine.cpus.abs_diff(cpus)) else {
            return Self::built_in(format!(
                "{path} has values for {known} machines, but not for {cpu}"
            ));
        };
        let lanes_hold = machine.cpus == cpus;
        let mut source = format!("{path}, measured on {} x {cpu}", machine.cpus);
        if !lanes_hold {
            source += &format!(", but this machine has {cpus} CPUs: lanes are built-in values");
        }
        Self {
            machine,
            lanes_hold,
            source,
        }
    }

    /// Returns values just measured on this machine.
    pub(super) fn measured(rails: Vec<RailTuning>) -> Self {
        let (cpu, cpus) = (cpu_model(), cpu_count());
        Self {
            source: format!("measured now on {cpus} x {cpu}"),
            machine: Machine { cpu, cpus, rails },
            lanes_hold: true,
        }
    }

    /// Returns the CPU and the rails that have values.
    #[must_use]
    pub fn machine(&self) -> &Machine {
        &self.machine
    }

    /// Returns the source of the values, as text.
    #[must_use]
    pub fn source(&self) -> &str {
        &self.source
    }

    /// Returns whether there are values for this rail on its device.
    #[must_use]
    pub fn knows(&self, rail: &dyn Rail) -> bool {
        self.machine.rails.iter().any(|entry| entry.fits(rail))
    }

    /// Returns the values of a rail, built-in ones if there are none.
    #[must_use]
    pub fn rail(&self, rail: &dyn Rail) -> RailTuning {
        let built_in = RailTuning::built_in(rail);
        let known = self.machine.rails.iter().find(|entry| entry.fits(rail));
        match known {
            Some(entry) if self.lanes_hold => entry.clone(),
            Some(entry) => RailTuning {
                lanes: built_in.lanes,
                ..entry.clone()
            },
            None => built_in,
        }
    }
}

/// The reason why a table cannot be read or written.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TableError {
    verb: &'static str,
    path: Option<PathBuf>,
    reason: String,
}

impl TableError {
    /// Returns the error for a file or text that cannot be read.
    pub(super) fn reading(path: Option<&Path>, reason: impl fmt::Display) -> Self {
        Self {
            verb: "read",
            path: path.map(Path::to_owned),
            reason: reason.to_string(),
        }
    }

    /// Returns the error for a file that cannot be written.
    pub(super) fn writing(path: &Path, reason: impl fmt::Display) -> Self {
        Self {
            verb: "write",
            ..Self::reading(Some(path), reason)
        }
    }

    /// Returns the reason without the path.
    pub(crate) fn reason(&self) -> &str {
        &self.reason
    }
}

impl fmt::Display for TableError {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Cannot {} tuning table", self.verb)?;
        if let Some(path) = &self.path {
            write!(formatter, " {}", path.display())?;
        }
        write!(formatter, ": {}", self.reason)
    }
}

impl std::error::Error for TableError {}
