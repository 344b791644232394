// SPDX-License-Identifier: Apache-2.0
//! `stripeline-bench`: times erasure coders against each other in one process, on the same buffers.
//!
//! A definition (bench/definitions) is a grid of points: shape x cell size x workload x operation x
//! threads. At each point every engine's bytes are checked against a scalar computation, then
//! windows of some tens of milliseconds are timed, all engines in turn within each repetition.
//! Figures are medians; ratios are computed per repetition from CPU time, so that other load on the
//! machine slows both sides or neither. bench/README.md explains each number.

mod arena;
mod arguments;
mod check;
mod definition;
mod engine;
mod engines;
mod job;
mod measure;
mod report;
mod run;

use std::io::{self, IsTerminal};
use std::process::ExitCode;

use arguments::Arguments;
use bench_common::output::{Format, Verdict};
use clap::Parser;
use definition::{Definition, Plan};
use report::record::Record;
use report::summary::{self, Judgement};
use report::{plot, table};
use run::{Failure, Session};

fn main() -> ExitCode {
    let arguments = Arguments::parse();
    let outcome = if arguments.list {
        list()
    } else {
        execute(&arguments)
    };
    let (text, code) = match outcome {
        Ok(code) => return ExitCode::from(code),
        Err(Failure::WrongBytes(text)) => (text, 1),
        Err(Failure::Usage(text)) => (text, 2),
        Err(Failure::Unable(text)) => (text, 3),
    };
    eprintln!("{text}");
    ExitCode::from(code)
}

fn list() -> Result<u8, Failure> {
    for definition in Definition::built_in() {
        println!("{:<10} {}", definition.name, definition.purpose);
    }
    Ok(0)
}

fn execute(arguments: &Arguments) -> Result<u8, Failure> {
    let mut definition = Definition::load(&arguments.definition).map_err(Failure::Usage)?;
    arguments.apply(&mut definition);
    let plan = Plan::new(&definition).map_err(Failure::Usage)?;
    arguments.output.prepare().map_err(Failure::Unable)?;
    let placement = arguments.placement();
    let session = Session::open(plan, placement)?;
    prove_the_check()?;
    introduce(&session);
    let mut output = Output {
        live: arguments.output.format == Format::Table,
        text: String::new(),
    };
    let names: Vec<_> = session
        .present
        .iter()
        .map(|present| present.name.clone())
        .collect();
    output.line(&table::heading(&names));
    let points = session.run(|point, index, count| {
        output.line(&table::line(point, &names));
        if !output.is_seen() {
            eprint!("\r{index}/{count} ");
        }
    })?;
    if !output.is_seen() {
        eprintln!();
    }
    let judgements = summary::judge(&definition.expectations, &points);
    judgements
        .iter()
        .for_each(|judgement| output.line(&summary::line(judgement)));
    let names = (definition.name.as_str(), definition.baseline.as_str());
    let record = Record::new(names, placement, &session, &judgements, &points).to_json();
    if arguments.output.format == Format::Json {
        print!("{record}");
    }
    if arguments.output.record.is_some() {
        let plot = plot::draw(
            &points,
            &format!("{}: {}", definition.name, definition.purpose),
        )
        .map_err(Failure::Unable)?;
        for (extension, text) in [("json", &record), ("txt", &output.text), ("svg", &plot)] {
            let name = format!("{}.{extension}", definition.name);
            arguments
                .output
                .write(&name, text)
                .map_err(Failure::Unable)?;
        }
    }
    Ok(exit_code(&judgements, arguments.output.enforce))
}

/// The lines of the table, printed as they are measured and kept for the record.
struct Output {
    live: bool,
    text: String,
}

impl Output {
    /// Returns whether the lines are printed to a terminal, which makes other progress messages
    /// unnecessary.
    fn is_seen(&self) -> bool {
        self.live && io::stdout().is_terminal()
    }

    fn line(&mut self, line: &str) {
        if self.live {
            println!("{line}");
        }
        self.text.push_str(line);
        self.text.push('\n');
    }
}

fn exit_code(judgements: &[Judgement], enforce: bool) -> u8 {
    u8::from(
        enforce
            && judgements
                .iter()
                .any(|judgement| judgement.verdict == Verdict::Missed),
    )
}

fn introduce(session: &Session) {
    for present in &session.present {
        eprintln!("{:<24} {}", present.name, present.identity);
    }
    for reason in &session.absent {
        eprintln!("{reason}");
    }
}

/// Runs the check on a wrong engine first, because a check that detects nothing would pass every
/// engine.
fn prove_the_check() -> Result<(), Failure> {
    let mut definition = Definition::load("codec").map_err(Failure::Unable)?;
    definition.shapes = vec!["3+2".to_owned()];
    definition.cells = vec!["4KiB".to_owned()];
    definition.workloads = vec!["cached".to_owned()];
    definition.engines = vec!["wrong".to_owned()];
    definition.threads = vec![1];
    let plan = Plan::new(&definition).map_err(Failure::Unable)?;
    let placement = run::Placement {
        offset_bytes: 0,
        stagger_bytes: 0,
        huge_pages: false,
    };
    match Session::open(plan, placement)?.run(|_, _, _| {}) {
        Err(Failure::WrongBytes(_)) => Ok(()),
        _ => Err(Failure::Unable(
            "Cannot trust the check: an engine with one wrong bit passed it".to_owned(),
        )),
    }
}
