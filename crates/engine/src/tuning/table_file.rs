// SPDX-License-Identifier: Apache-2.0
//! A file of tables: those of any number of machines.

use std::fs;
use std::path::Path;

use super::entry::RailTuning;
use super::table::TableError;
use super::text;

/// The largest file that is read: a machine takes some KiB.
const FILE_BYTES_MAX: u64 = 4 << 20;

/// The values of machines with one number of CPUs of one model.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Machine {
    /// [`cpu_model`](super::cpu_model()).
    pub cpu: String,
    /// The CPUs that the measuring process could use, 1..=65536.
    pub cpus: usize,
    /// The rails; no two have the same name and device.
    pub rails: Vec<RailTuning>,
}

/// The tables of any number of machines.
///
/// ```
/// use stripeline_engine::tuning::TableFile;
///
/// let file = TableFile::parse(
///     r#"
///     version = 3
///     [[machine]]
///     cpu = "Some CPU"
///     cpus = 8
///     [[machine.rail]]
///     name = "cpu"
///     device = "avx2 kernels"
///     lanes = 8
///     smallest_data_bytes = 4096
///     piece_bytes = 1048576
///     megabytes_per_second = 100000
///     "#,
/// )?;
/// assert_eq!(file.machines[0].rails[0].lanes, 8);
/// assert_eq!(TableFile::parse(&file.to_text())?, file);
/// # Ok::<(), stripeline_engine::tuning::TableError>(())
/// ```
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct TableFile {
    /// The machines; no two have the same CPUs.
    pub machines: Vec<Machine>,
}

impl TableFile {
    /// Reads a file.
    ///
    /// # Errors
    /// If it cannot be read or is not a table; the text has the path, line and value.
    pub fn load(path: &Path) -> Result<Self, TableError> {
        let fail = |reason: String| TableError::reading(Some(path), reason);
        let found = fs::metadata(path).map_err(|error| fail(error.to_string()))?;
        if found.len() > FILE_BYTES_MAX {
            return Err(fail(format!(
                "it has {} bytes, at most {FILE_BYTES_MAX} are read",
                found.len()
            )));
        }
        let bytes = fs::read(path).map_err(|error| fail(error.to_string()))?;
        let content = str::from_utf8(&bytes).map_err(|error| fail(error.to_string()))?;
        text::read(content).map_err(fail)
    }

    /// Parses the text of a file.
    ///
    /// # Errors
    /// As [`TableFile::load`], without the path.
    pub fn parse(content: &str) -> Result<Self, TableError> {
        text::read(content).map_err(|reason| TableError::reading(None, reason))
    }

    /// Returns the text of a file, which [`TableFile::parse`] parses to the same values.
    #[must_use]
    pub fn to_text(&self) -> String {
        text::write(self)
    }

    /// Adds a machine, or replaces the one with the same CPUs. Rails of the replaced machine that
    /// were not measured again are kept.
    pub fn put(&mut self, mut machine: Machine) {
        let same = |older: &&mut Machine| older.cpu == machine.cpu && older.cpus == machine.cpus;
        let older = self.machines.iter_mut().find(same);
        let Some(older) = older else {
            return self.machines.push(machine);
        };
        let key = |rail: &RailTuning| (rail.name.clone(), rail.device.clone());
        let renewed: Vec<_> = machine.rails.iter().map(key).collect();
        older.rails.retain(|rail| !renewed.contains(&key(rail)));
        older.rails.append(&mut machine.rails);
    }
}
