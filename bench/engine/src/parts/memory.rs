// SPDX-License-Identifier: Apache-2.0
//! Tests whether an engine's memory grows with the number of tasks that it has processed.

use stripeline_engine::{Options, Scheduling};

use crate::arguments::Settings;
use crate::clocks;
use crate::drive;
use crate::failure::Failure;
use crate::load::{Load, Operation};
use crate::rails::{self, Kind};
use crate::report::{Judgement, Point, Section};

/// Tasks outstanding: the engine's default limit.
const OUTSTANDING: usize = 1024;

/// Small, so that the tasks and not their bytes determine the time.
const CELL_BYTES: usize = 512;

/// One lost byte per task would be a megabyte; allocators gain and return some pages in the
/// meantime.
const GROWTH_MAX_BYTES: f64 = 1e6;

/// Runs the test and adds its result to the section.
pub fn run(settings: &Settings, section: &mut Section) -> Result<(), Failure> {
    let options = Options {
        scheduling: Scheduling::Single("cpu".to_owned()),
        tasks_max: OUTSTANDING,
        ..Options::default()
    };
    let engine = rails::engine(&[Kind::cpu()], options)?;
    let mut load = Load::new(Operation::Encode, CELL_BYTES, OUTSTANDING);
    load.poison()?;
    // Afterwards pools, stacks and the allocator's arenas have reached their size.
    drive::count(&engine, &load, settings.tasks / 10 + OUTSTANDING as u64)?;
    let before = clocks::resident_bytes();
    drive::count(&engine, &load, settings.tasks)?;
    let after = clocks::resident_bytes();
    load.compare(OUTSTANDING, "the engine with many tasks")?;
    let growth = after as f64 - before as f64;
    let point = Point::new([("memory", format!("{OUTSTANDING} tasks outstanding"))])
        .once("tasks", settings.tasks as f64)
        .once("resident_before_bytes", before as f64)
        .once("resident_after_bytes", after as f64)
        .once("growth_bytes", growth);
    section.points.push(point);
    let name = format!("bytes that the process grew by in {} tasks", settings.tasks);
    let judgement = Judgement::at_most(name, Some(growth), GROWTH_MAX_BYTES, settings.quick);
    section.judgements.push(judgement);
    Ok(())
}
