// SPDX-License-Identifier: Apache-2.0
//! The rate of each rail alone.

use std::sync::Arc;

use bench_common::statistics::turns;
use stripeline_engine::{Engine, Options, Scheduling};

use super::CELL_BYTES;
use crate::arguments::Settings;
use crate::drive::{self, Run};
use crate::failure::Failure;
use crate::load::{Load, Operation};
use crate::rails::{self, Inventory, Kind};
use crate::report::{Point, Section};

/// A rail with a number of threads.
struct Contestant {
    rail: String,
    threads: usize,
    engine: Engine,
    /// Whether the outputs are compared; the rail `null` leaves them unchanged.
    checked: bool,
    runs: Vec<Run>,
}

/// Measures this part.
pub fn run(settings: &Settings, inventory: &Inventory) -> Result<Section, Failure> {
    let mut section = Section::new(
        "peaks",
        "each rail alone (Table 2 of the UMR-EC paper), RS-6-3, 64 KiB cells, GB/s of data by wall \
         clock",
    );
    let mut contestants = open(inventory)?;
    for operation in Operation::ALL {
        measure(settings, operation, &mut contestants)?;
        for contestant in &mut contestants {
            section.points.push(point(contestant, operation));
            contestant.runs.clear();
        }
    }
    section.notes.push(
        "null codes nothing: it shows the limit set by assigning tasks. Stripes are in the caches \
         as far as they fit"
            .to_owned(),
    );
    Ok(section)
}

/// Returns 1, 2, 4 and so on up to the number of CPUs, which is always included.
fn thread_counts() -> Vec<usize> {
    let most = std::thread::available_parallelism().map_or(1, usize::from);
    let powers = (0..)
        .map(|power| 1 << power)
        .take_while(|&threads| threads < most);
    powers.chain([most]).collect()
}

fn open(inventory: &Inventory) -> Result<Vec<Contestant>, Failure> {
    let mut contestants = Vec::new();
    let null = Kind::null().open();
    for rail in inventory.present.iter().chain([&null]) {
        let (name, kind) = (rail.name().to_owned(), Kind::Real(Arc::clone(rail)));
        let lanes = rail.capability().lanes;
        for threads in thread_counts() {
            if threads > lanes.max(1) {
                continue;
            }
            let options = Options {
                workers_max: threads,
                ..rails::options(Scheduling::Single(name.clone()))
            };
            contestants.push(Contestant {
                engine: rails::engine(std::slice::from_ref(&kind), options)?,
                rail: name.clone(),
                threads,
                checked: name != "null",
                runs: Vec::new(),
            });
        }
    }
    Ok(contestants)
}

fn measure(
    settings: &Settings,
    operation: Operation,
    contestants: &mut [Contestant],
) -> Result<(), Failure> {
    let threads = contestants
        .iter()
        .map(|contestant| contestant.threads)
        .max()
        .unwrap_or(1);
    // Some more stripes than threads, so that no thread waits for the caller.
    let mut load = Load::new(operation, CELL_BYTES, 8.max(2 * threads));
    for turn in turns(contestants.len(), settings.repetitions) {
        let contestant = &mut contestants[turn];
        let (engine, who) = (&contestant.engine, &contestant.rail);
        let run = match contestant.checked {
            true => drive::steady(engine, &mut load, settings.window, who)?,
            false => drive::flow(engine, &load, settings.window)?,
        };
        contestant.runs.push(run);
    }
    Ok(())
}

fn point(contestant: &Contestant, operation: Operation) -> Point {
    let runs = &contestant.runs;
    Point::new([
        ("rail", contestant.rail.clone()),
        ("threads", contestant.threads.to_string()),
        ("operation", operation.name().to_owned()),
    ])
    .spread("gbps", runs.iter().map(|run| run.gbps))
    .spread("cpu_s_per_gb", runs.iter().map(|run| run.cpu_s_per_gb))
}
