// SPDX-License-Identifier: Apache-2.0
//! The command line.

use std::path::PathBuf;
use std::time::Duration;

use bench_common::output::OutputArguments;
use bench_common::size::parse_size;
use clap::{Parser, ValueEnum};

/// The cell sizes of the overhead.
const CELLS: [usize; 3] = [64 << 10, 4 << 10, 1 << 20];

/// A part of the measurements.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Part {
    /// The engine on one rail against the direct call, the cost of issuing, and memory.
    Overhead,
    /// The rate of each rail alone: Table 2 of the UMR-EC paper.
    Peaks,
    /// Without metadata against a key-value server that stores the device of each chunk: Figure 7.
    Metadata,
    /// Throughput of rate-aware and first-come scheduling against the rails' sum: Figure 8.
    Rates,
    /// Latency of tasks with both kinds of scheduling: Figure 9.
    Latency,
    /// Several engines that divide the node's processors against engines that do not: section 4.3.
    Coordination,
    /// GPU rails against the rate of their copies, and together with the CPU; needs a GPU.
    Gpu,
}

/// Measures the multi-rail engine, comparing every byte that its rails write.
#[derive(Debug, Parser)]
#[command(name = "stripeline-bench-engine", version, rename_all = "kebab-case")]
pub struct Arguments {
    /// Parts to measure [default: all]
    #[arg(long = "part", value_enum, value_delimiter = ',')]
    pub parts: Vec<Part>,
    /// Takes seconds: short windows; checks every byte, but no threshold
    #[arg(long)]
    pub quick: bool,
    /// Cell sizes of GPU rails; the first is judged, and used together with the CPU [default: 1MiB]
    #[arg(long, value_delimiter = ',', value_parser = parse_size)]
    pub gpu_cells: Vec<usize>,
    /// Windows per contestant and point [default: 7]
    #[arg(long)]
    pub repetitions: Option<usize>,
    /// Milliseconds of a window [default: 200; windows of rate-limited rails are three times as
    /// long]
    #[arg(long)]
    pub window_ms: Option<u64>,
    /// Runs as one of several processes that code at the same time
    #[arg(long, hide = true)]
    pub instance: bool,
    /// The directory of the table through which these processes share CPUs
    #[arg(long, hide = true, requires = "instance")]
    pub node_directory: Option<PathBuf>,
    /// Where results are written, and whether thresholds decide the exit status
    #[command(flatten)]
    pub output: OutputArguments,
}

/// The durations and sizes of the measurements.
#[derive(Clone, Debug)]
pub struct Settings {
    /// Whether the windows are too short to judge the figures.
    pub quick: bool,
    /// Bytes of a cell, for the overhead.
    pub cells: &'static [usize],
    /// Bytes of a cell, for GPU rails; at least one.
    pub gpu_cells: Vec<usize>,
    /// Windows per contestant and point.
    pub repetitions: usize,
    /// Length of a window.
    pub window: Duration,
    /// Tasks of the test for growth of memory.
    pub tasks: u64,
}

impl Arguments {
    /// Returns the requested settings.
    pub fn settings(&self) -> Settings {
        let quick = self.quick;
        let window_ms = self.window_ms.unwrap_or(if quick { 8 } else { 200 });
        Settings {
            quick,
            cells: if quick { &CELLS[..2] } else { &CELLS },
            gpu_cells: match (self.gpu_cells.is_empty(), quick) {
                (false, _) => self.gpu_cells.clone(),
                (true, true) => vec![64 << 10],
                (true, false) => vec![1 << 20],
            },
            repetitions: self.repetitions.unwrap_or(if quick { 2 } else { 7 }).max(1),
            window: Duration::from_millis(window_ms.max(1)),
            tasks: if quick { 20_000 } else { 1_000_000 },
        }
    }

    /// Returns whether a part is requested.
    pub fn wants(&self, part: Part) -> bool {
        self.parts.is_empty() || self.parts.contains(&part)
    }
}
