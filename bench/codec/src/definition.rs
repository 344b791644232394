// SPDX-License-Identifier: Apache-2.0
//! The definition of a run: bench/definitions/*.toml. The command line can replace each field.

use std::time::Duration;

use bench_common::machine::last_level_cache_bytes;
use bench_common::size::parse_size;
use serde::{Deserialize, Serialize};

use crate::job::{Operation, Shape};

/// A definition as written in its file.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Definition {
    /// The name, which is also the file's.
    pub name: String,
    /// The question that the run answers.
    pub purpose: String,
    /// Codes, such as `6+3`.
    pub shapes: Vec<String>,
    /// Cell sizes, such as `64KiB`.
    pub cells: Vec<String>,
    /// `cached` (one stripe) and `streaming` (many, rotated).
    pub workloads: Vec<String>,
    /// `encode`, `decode-1`, `decode-2`, `decode-m`.
    pub operations: Vec<String>,
    /// Numbers of threads that code at the same time, each on its own stripes.
    pub threads: Vec<usize>,
    /// Engine names, including the baseline.
    pub engines: Vec<String>,
    /// The engine that the table's ratios refer to.
    pub baseline: String,
    /// Windows per engine and point.
    pub repetitions: usize,
    /// CPU time of one window in milliseconds.
    pub window_ms: u64,
    /// The least memory that a streaming thread works through.
    pub stream_size: String,
    /// The same minimum in multiples of the last-level cache, because less than two might stay in
    /// it; the larger minimum applies.
    pub stream_caches: usize,
    /// Thresholds on the figures.
    #[serde(default, rename = "expectation")]
    pub expectations: Vec<Expectation>,
}

/// A threshold over the points of a run.
#[derive(Clone, Debug, Deserialize, Serialize)]
#[serde(deny_unknown_fields)]
pub struct Expectation {
    /// The expectation, in words.
    pub name: String,
    /// The engine that the threshold applies to.
    pub engine: String,
    /// The engine to compare with; none if the limit is absolute.
    pub against: Option<String>,
    /// The operations covered.
    pub operations: Vec<String>,
    /// The workloads covered.
    pub workloads: Vec<String>,
    /// The cell sizes covered.
    pub cells: Vec<String>,
    /// The thread counts covered.
    pub threads: Vec<usize>,
    /// The least geometric mean of the ratios over the covered points.
    pub geometric_mean_min: Option<f64>,
    /// The least ratio at any covered point.
    pub each_min: Option<f64>,
    /// The most nanoseconds of any covered call.
    pub call_ns_max: Option<f64>,
    /// The instruction set without which the figures are reported but not judged.
    pub requires_isa: Option<String>,
}

/// The built-in definitions.
const BUILT_IN: [&str; 3] = [
    include_str!("../../definitions/codec.toml"),
    include_str!("../../definitions/levels.toml"),
    include_str!("../../definitions/overhead.toml"),
];

impl Definition {
    /// Reads the built-in definition of that name, or the file at that path.
    ///
    /// # Errors
    /// If neither exists, or the text is not a valid definition.
    pub fn load(name: &str) -> Result<Self, String> {
        if name.ends_with(".toml") {
            let text = std::fs::read_to_string(name)
                .map_err(|error| format!("Cannot read definition '{name}': {error}"))?;
            return Self::parse(&text).map_err(|error| format!("Cannot use '{name}': {error}"));
        }
        let all = Self::built_in();
        let names: Vec<_> = all
            .iter()
            .map(|definition| definition.name.clone())
            .collect();
        all.into_iter()
            .find(|definition| definition.name == name)
            .ok_or_else(|| {
                format!(
                    "Cannot find definition '{name}': known are {} or a .toml file",
                    names.join(" ")
                )
            })
    }

    /// Returns all built-in definitions.
    pub fn built_in() -> Vec<Self> {
        BUILT_IN
            .iter()
            .map(|text| Self::parse(text).expect("a test parses each"))
            .collect()
    }

    fn parse(text: &str) -> Result<Self, String> {
        toml::from_str(text).map_err(|error| error.to_string().trim_end().to_owned())
    }
}

/// The amount of memory that the stripes of a point cover.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Workload {
    /// One stripe, used repeatedly: it stays in the cache if it fits.
    Cached,
    /// Many stripes in turn: every byte is read from memory and written to memory.
    Streaming,
}

impl Workload {
    /// Parses a name.
    ///
    /// # Errors
    /// If the name is neither.
    pub fn parse(name: &str) -> Result<Self, String> {
        match name {
            "cached" => Ok(Self::Cached),
            "streaming" => Ok(Self::Streaming),
            _ => Err(format!(
                "Cannot use workload '{name}': known are cached and streaming"
            )),
        }
    }

    /// Returns the name in definitions and results.
    pub fn name(self) -> &'static str {
        match self {
            Self::Cached => "cached",
            Self::Streaming => "streaming",
        }
    }
}

/// A definition with all values parsed and checked.
#[derive(Debug)]
pub struct Plan {
    /// Codes.
    pub shapes: Vec<Shape>,
    /// Cell sizes with their original text.
    pub cells: Vec<(String, usize)>,
    /// Workloads.
    pub workloads: Vec<Workload>,
    /// Operations.
    pub operations: Vec<Operation>,
    /// Thread counts.
    pub threads: Vec<usize>,
    /// Engine names.
    pub engines: Vec<String>,
    /// The engine that ratios refer to.
    pub baseline: String,
    /// Windows per engine and point.
    pub repetitions: usize,
    /// CPU time of a window.
    pub window: Duration,
    /// The least bytes of a streaming arena.
    pub stream_bytes: usize,
}

impl Plan {
    /// Checks everything that can be checked without measuring.
    ///
    /// # Errors
    /// If a value is invalid; the text lists the valid ones.
    pub fn new(definition: &Definition) -> Result<Self, String> {
        let cells = definition
            .cells
            .iter()
            .map(|text| Ok((text.clone(), parse_size(text)?)));
        let workloads = definition
            .workloads
            .iter()
            .map(|name| Workload::parse(name));
        if definition
            .threads
            .iter()
            .any(|&threads| threads == 0 || threads > 1024)
        {
            return Err("Cannot run 0 or more than 1024 threads".to_owned());
        }
        if definition.repetitions == 0 || definition.window_ms == 0 {
            return Err("Cannot measure: repetitions and window must be at least 1".to_owned());
        }
        Ok(Self {
            shapes: definition
                .shapes
                .iter()
                .map(|text| text.parse())
                .collect::<Result<_, _>>()?,
            cells: cells.collect::<Result<_, String>>()?,
            workloads: workloads.collect::<Result<_, _>>()?,
            operations: definition
                .operations
                .iter()
                .map(|text| text.parse())
                .collect::<Result<_, _>>()?,
            threads: definition.threads.clone(),
            engines: definition.engines.clone(),
            baseline: definition.baseline.clone(),
            repetitions: definition.repetitions,
            window: Duration::from_millis(definition.window_ms),
            stream_bytes: parse_size(&definition.stream_size)?
                .max(definition.stream_caches * last_level_cache_bytes().min(CACHE_BYTES_MAX)),
        })
    }
}

/// The limit on a reported last-level cache: virtual machines report the cache of the socket, of
/// which they have only a share.
const CACHE_BYTES_MAX: usize = 512 << 20;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn built_in_definitions_are_sound() {
        for definition in Definition::built_in() {
            Plan::new(&definition).unwrap_or_else(|error| panic!("{}: {error}", definition.name));
            assert!(
                definition.engines.contains(&definition.baseline),
                "{}",
                definition.name
            );
            for expectation in &definition.expectations {
                assert!(
                    definition.engines.contains(&expectation.engine),
                    "{}",
                    expectation.name
                );
                let against = expectation
                    .against
                    .iter()
                    .all(|name| definition.engines.contains(name));
                assert!(against, "{}", expectation.name);
                assert!(
                    expectation.against.is_some() || expectation.call_ns_max.is_some(),
                    "{}",
                    expectation.name
                );
            }
        }
    }
}
