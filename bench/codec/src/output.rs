// SPDX-License-Identifier: Apache-2.0
//! What the programs print and record, and how they judge.

use std::path::{Path, PathBuf};
use std::{fs, io};

use clap::{Args, ValueEnum};
use serde::Serialize;

/// What goes to standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// A line per point, then the thresholds.
    Table,
    /// The whole record.
    Json,
}

/// The options for the results.
#[derive(Debug, Args)]
pub struct OutputArguments {
    /// What to print on standard output
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
    /// Writes the record as JSON, text and plots into this directory
    #[arg(long)]
    pub record: Option<PathBuf>,
    /// Exits with 1 if a threshold is missed
    #[arg(long)]
    pub enforce: bool,
}

impl OutputArguments {
    /// Creates the directory of the record, if there will be one.
    ///
    /// # Errors
    ///
    /// A message if the directory cannot be created.
    pub fn prepare(&self) -> Result<(), String> {
        self.record.as_deref().map_or(Ok(()), |directory| {
            fs::create_dir_all(directory).map_err(|error| unwritable(directory, &error))
        })
    }

    /// Writes a file of the record, if there is one.
    ///
    /// # Errors
    ///
    /// A message if the file cannot be written.
    pub fn write(&self, name: &str, text: &str) -> Result<(), String> {
        self.record.as_deref().map_or(Ok(()), |directory| {
            let path = directory.join(name);
            fs::write(&path, text).map_err(|error| unwritable(&path, &error))
        })
    }
}

/// Returns an object with one more field at its end: a list of JSON texts, each on a line.
#[must_use]
pub fn with_list(object: &impl Serialize, name: &str, items: &[String]) -> String {
    let head = serde_json::to_string_pretty(object).expect(SOUND);
    let open = head.strip_suffix("\n}").expect("an object with fields");
    format!("{open},\n  \"{name}\": [\n{}\n  ]\n}}", items.join(",\n"))
}

/// Why a record can be written as JSON.
pub const SOUND: &str = "a record has no maps with odd keys";

fn unwritable(path: &Path, error: &io::Error) -> String {
    format!("Cannot write record '{}': {error}", path.display())
}

/// The verdict on a threshold.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The threshold is met.
    Kept,
    /// The threshold is missed.
    Missed,
    /// The run is too short to judge, or an engine, the points or an instruction set that the
    /// threshold requires are absent.
    NotJudged,
    /// The threshold needs a device that is absent.
    NotMeasured,
}

impl Verdict {
    /// Returns the verdict as a word of a table.
    pub fn word(self) -> &'static str {
        match self {
            Self::Kept => "kept",
            Self::Missed => "MISSED",
            Self::NotJudged => "not judged",
            Self::NotMeasured => "not measured",
        }
    }
}
