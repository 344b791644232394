// SPDX-License-Identifier: Apache-2.0
//! The command line.

use std::path::PathBuf;

use clap::{Parser, ValueEnum};

use crate::definition::Definition;
use crate::run::Placement;

/// What goes to standard output.
#[derive(Clone, Copy, Debug, PartialEq, Eq, ValueEnum)]
pub enum Format {
    /// A line per point, then the thresholds.
    Table,
    /// The whole record.
    Json,
}

/// Times erasure coders against each other on the same buffers, after checking every byte they
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
    /// Takes seconds: two shapes, small cells, short windows; checks every byte, judges no
    /// threshold
    #[arg(long)]
    pub quick: bool,
    /// Codes instead of the definition's, such as 6+3,10+4
    #[arg(long, value_delimiter = ',')]
    pub shapes: Vec<String>,
    /// Cell sizes instead of the definition's, such as 64KiB,1MiB
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
    /// Engines instead of the definition's, such as stripeline,stripeline@avx2,stripeline:nt,isal
    #[arg(long, value_delimiter = ',')]
    pub engines: Vec<String>,
    /// The engine that ratios are given to
    #[arg(long)]
    pub baseline: Option<String>,
    /// Windows per engine and point
    #[arg(long)]
    pub repetitions: Option<usize>,
    /// CPU milliseconds of a window
    #[arg(long)]
    pub window_ms: Option<u64>,
    /// Memory that a streaming thread walks over, such as 512MiB
    #[arg(long)]
    pub stream_size: Option<String>,
    /// Bytes that every cell lies past a page boundary
    #[arg(long, default_value_t = 0)]
    pub offset_bytes: usize,
    /// Bytes between cells
    #[arg(long, default_value_t = 0)]
    pub stagger_bytes: usize,
    /// Asks the system for huge pages under all buffers
    #[arg(long)]
    pub huge_pages: bool,
    /// What to print on standard output
    #[arg(long, value_enum, default_value_t = Format::Table)]
    pub format: Format,
    /// Writes <definition>.json, .svg and .txt into this directory
    #[arg(long)]
    pub record: Option<PathBuf>,
    /// Exits with 1 if a threshold is missed
    #[arg(long)]
    pub enforce: bool,
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
