// SPDX-License-Identifier: Apache-2.0
//! `stripeline-bench-engine`: measures the costs and gains of the multi-rail engine.
//!
//! Seven parts answer one question each (`--part`). Contestants take turns within every repetition,
//! in one process except for the part that compares several; figures are medians, and ratios are
//! computed per repetition. After each window every byte that a rail had to write is compared.
//! bench/README.md explains each number.

mod arguments;
mod away;
mod clocks;
mod drive;
mod failure;
mod gpu;
mod instance;
mod instances;
mod key_value;
mod load;
mod node_directory;
mod parts;
mod rails;
mod rate_limited;
mod report;
use std::process::ExitCode;

use arguments::{Arguments, Part, Settings};
use bench_common::output::{Format, Verdict};
use clap::{Parser, ValueEnum};
use failure::Failure;
use load::{Load, Operation};
use parts::{coordination, gpu as gpus, latency, memory, metadata, overhead, peaks, rates};
use rails::{Inventory, Kind};
use report::{Section, record, table};
use stripeline_engine::Scheduling;

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    if arguments.instance {
        let window = arguments.settings().window;
        return instance::run(arguments.node_directory, window);
    }
    let (text, code) = match execute(&arguments) {
        Ok(code) => return ExitCode::from(code),
        Err(Failure::Wrong(text)) => (text, 1),
        Err(Failure::Unable(text)) => (text, 3),
    };
    eprintln!("{text}");
    ExitCode::from(code)
}

fn execute(arguments: &Arguments) -> Result<u8, Failure> {
    let output = &arguments.output;
    output.prepare().map_err(Failure::Unable)?;
    let settings = arguments.settings();
    prove_the_check()?;
    let inventory = Inventory::take();
    for rail in &inventory.present {
        eprintln!("{:<16} {}", rail.name(), rail.describe());
    }
    inventory.absent.iter().for_each(|line| eprintln!("{line}"));
    let (mut sections, mut text) = (Vec::new(), String::new());
    for &part in Part::value_variants() {
        if !arguments.wants(part) {
            continue;
        }
        let section = measure(part, &settings, &inventory)?;
        let table = table::section(&section);
        if output.format == Format::Table {
            print!("{table}");
        }
        text.push_str(&table);
        sections.push(section);
    }
    let json = record::to_json(&inventory, &sections);
    if output.format == Format::Json {
        print!("{json}");
    }
    let write = |name: &str, text: &str| output.write(name, text).map_err(Failure::Unable);
    write("engine.json", &json)?;
    write("engine.txt", &text)?;
    let mut judgements = sections.iter().flat_map(|section| &section.judgements);
    let missed = judgements.any(|judgement| judgement.verdict == Verdict::Missed);
    Ok(u8::from(output.enforce && missed))
}

fn measure(part: Part, settings: &Settings, inventory: &Inventory) -> Result<Section, Failure> {
    match part {
        Part::Overhead => {
            let mut section = overhead::run(settings)?;
            memory::run(settings, &mut section)?;
            Ok(section)
        }
        Part::Peaks => peaks::run(settings, inventory),
        Part::Metadata => metadata::run(settings),
        Part::Rates => rates::run(settings, inventory),
        Part::Latency => latency::run(settings, inventory),
        Part::Coordination => coordination::run(settings),
        Part::Gpu => gpus::run(settings, inventory),
    }
}

/// Runs the check on a rail that codes nothing first, because a check that detects nothing would
/// pass every rail.
fn prove_the_check() -> Result<(), Failure> {
    let options = rails::options(Scheduling::Single("null".to_owned()));
    let engine = rails::engine(&[Kind::null()], options)?;
    let mut load = Load::new(Operation::Encode, 512, 2);
    load.poison()?;
    drive::count(&engine, &load, 2)?;
    match load.compare(2, "null") {
        Err(Failure::Wrong(_)) => Ok(()),
        _ => Err(Failure::unable(
            "trust the check",
            "a rail that codes nothing passed it",
        )),
    }
}
