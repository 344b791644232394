// SPDX-License-Identifier: Apache-2.0
//! The command line.

use bench_common::output::OutputArguments;
use clap::Parser;

use crate::definition::Definition;
use crate::run::Placement;

/// Compares the speed of erasure coders on the same buffers, after checking every byte that they
/// write.
#[derive(Debug, Parser)]
#[command(name = "stripeline-bench", version, rename_all = "kebab-case")]
pub struct Arguments {
    /// A built-in definition (see --list) or a .toml file
    #[arg(long, default_value = "codec")]
    pub definition: String,
    /// Lists the built-in definitions
    #[arg(long)]
    pub list: bool,
    /// Takes seconds: two shapes, small cells, short windows; checks every byte, but no threshold
    #[arg(long)]
    pub quick: bool,
    /// Codes, instead of those of the definition, such as 6+3,10+4
    #[arg(long, value_delimiter = ',')]
    pub shapes: Vec<String>,
    /// Cell sizes, instead of those of the definition, such as 64KiB,1MiB
    #[arg(long, value_delimiter = ',')]
    pub cells: Vec<String>,
    /// cached, streaming or both
    #[arg(long, value_delimiter = ',')]
    pub workloads: Vec<String>,
    /// encode, decode-1, decode-2, decode-m
    #[arg(long, value_delimiter = ',')]
    pub operations: Vec<String>,
    /// Thread counts, such as 1,2
    #[arg(long, value_delimiter = ',')]
    pub threads: Vec<usize>,
    /// Engines, instead of those of the definition, such as
    /// stripeline,stripeline@avx2,stripeline:nt,isal
    #[arg(long, value_delimiter = ',')]
    pub engines: Vec<String>,
    /// The engine that ratios refer to
    #[arg(long)]
    pub baseline: Option<String>,
    /// Windows per engine and point
    #[arg(long)]
    pub repetitions: Option<usize>,
    /// CPU milliseconds of a window
    #[arg(long)]
    pub window_ms: Option<u64>,
    /// Memory that each thread of the streaming workload uses, such as 512MiB
    #[arg(long)]
    pub stream_size: Option<String>,
    /// Offset of every cell from a page boundary in bytes
    #[arg(long, default_value_t = 0)]
    pub offset_bytes: usize,
    /// Bytes between cells
    #[arg(long, default_value_t = 0)]
    pub stagger_bytes: usize,
    /// Requests huge pages for all buffers
    #[arg(long)]
    pub huge_pages: bool,
    /// What becomes of the results
    #[command(flatten)]
    pub output: OutputArguments,
}

impl Arguments {
    /// Replaces the values of the definition that the command line sets.
    pub fn apply(&self, definition: &mut Definition) {
        if self.quick {
            definition.shapes = vec!["3+2".to_owned(), "6+3".to_owned()];
            definition.cells.retain(|cell| cell != "1MiB");
            definition.threads.truncate(1);
            definition.repetitions = 3;
            definition.window_ms = 2;
            definition.stream_size = "16MiB".to_owned();
            definition.stream_caches = 0;
            // Short windows on little memory only test bytes, not speed.
            definition.expectations.clear();
        }
        for (asked, place) in [
            (&self.shapes, &mut definition.shapes),
            (&self.cells, &mut definition.cells),
            (&self.workloads, &mut definition.workloads),
            (&self.operations, &mut definition.operations),
            (&self.engines, &mut definition.engines),
        ] {
            if !asked.is_empty() {
                place.clone_from(asked);
            }
        }
        if !self.threads.is_empty() {
            definition.threads.clone_from(&self.threads);
        }
        if let Some(baseline) = &self.baseline {
            definition.baseline.clone_from(baseline);
        }
        if let Some(stream_size) = &self.stream_size {
            definition.stream_size.clone_from(stream_size);
            definition.stream_caches = 0;
        }
        definition.repetitions = self.repetitions.unwrap_or(definition.repetitions);
        definition.window_ms = self.window_ms.unwrap_or(definition.window_ms);
    }

    /// Returns the placement of the cells.
    pub fn placement(&self) -> Placement {
        Placement {
            offset_bytes: self.offset_bytes,
            stagger_bytes: self.stagger_bytes,
            huge_pages: self.huge_pages,
        }
    }
}
