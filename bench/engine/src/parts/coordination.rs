// SPDX-License-Identifier: Apache-2.0
//! Several engines on one node, each in its own process: with the CPUs divided among them, and with
//! as many threads in each as the node has processors.

use std::process::Command;
use std::time::{Duration, Instant};

use bench_common::statistics::turns;

use crate::arguments::Settings;
use crate::failure::Failure;
use crate::instance::{CODE, MEASURE, STOP, THREADS};
use crate::instances::{Instances, value};
use crate::load::Operation;
use crate::node_directory::NodeDirectory;
use crate::report::{Point, Section};

/// The numbers of instances.
const COUNTS: [usize; 4] = [1, 2, 4, 8];

/// A change of the shares reaches all engines within this time; all code for as long before a
/// window.
const SETTLE: Duration = Duration::from_millis(500);

/// The most time for an answer, and for shares that do not add up to more than the processors.
const LIMIT: Duration = Duration::from_secs(30);

/// Whether instances share the CPUs.
const VARIANTS: [(&str, bool); 2] = [("coordinated", true), ("alone", false)];

/// A window of all instances.
struct Outcome {
    /// The sum of all instances' rates.
    gbps: f64,
    /// The slowest instance's rate over the mean rate.
    slowest_share: f64,
    /// The threads that may code, in all instances together.
    threads: usize,
}

/// Measures this part.
pub fn run(settings: &Settings) -> Result<Section, Failure> {
    let mut section = Section::new(
        "coordination",
        "several processes, each with an engine: the node's processors divided among them against \
         none aware of the others (section 4.3 of the UMR-EC paper), RS-6-3 encode, 64 KiB cells, \
         rail cpu",
    );
    let counts = if settings.quick {
        &COUNTS[..2]
    } else {
        &COUNTS
    };
    for &count in counts {
        let mut outcomes = [Vec::new(), Vec::new()];
        for variant in turns(VARIANTS.len(), settings.repetitions) {
            let coordinated = VARIANTS[variant].1;
            outcomes[variant].push(measure(settings, count, coordinated)?);
        }
        let alone = &outcomes[1];
        for ((name, _), own) in VARIANTS.into_iter().zip(&outcomes) {
            section.points.push(point(count, name, own, alone));
        }
    }
    section.notes.push(
        "gbps: of all instances together. slowest_share: the slowest instance's rate over the mean \
         of all. threads: how many may code in all instances together, the most after any window. \
         x_alone: the rate over that of instances that are not aware of each other"
            .to_owned(),
    );
    Ok(section)
}

/// Measures instances that all code in the same window.
fn measure(settings: &Settings, count: usize, coordinated: bool) -> Result<Outcome, Failure> {
    let processors = std::thread::available_parallelism().map_or(1, usize::from);
    let directory = match coordinated {
        true => Some(NodeDirectory::create()?),
        false => None,
    };
    let threads_max = match coordinated {
        true => processors.max(count),
        false => processors * count,
    };
    let command = command(directory.as_ref(), settings.window)?;
    let commands = (0..count).map(|_| command());
    let mut instances = Instances::start(commands, LIMIT + settings.window)?;
    instances.ask(CODE)?;
    let settle = if settings.quick {
        Duration::ZERO
    } else {
        SETTLE
    };
    warm_up(&mut instances, threads_max, settle)?;
    let answers = instances.ask(MEASURE)?;
    instances.ask(STOP)?;
    outcome(&answers)
}

/// Returns what makes the command that starts an instance.
fn command(
    directory: Option<&NodeDirectory>,
    window: Duration,
) -> Result<impl Fn() -> Command, Failure> {
    let program = std::env::current_exe();
    let program = program.map_err(|error| Failure::unable("find this program", error))?;
    let directory = directory.map(|directory| directory.path().clone());
    Ok(move || {
        let mut command = Command::new(&program);
        command.arg("--instance");
        command.arg(format!("--window-ms={}", window.as_millis()));
        if let Some(directory) = &directory {
            command.arg("--node-directory").arg(directory);
        }
        command
    })
}

/// Waits until instances have coded for this time and have at most this many threads together.
fn warm_up(instances: &mut Instances, threads_max: usize, time: Duration) -> Result<(), Failure> {
    let begin = Instant::now();
    loop {
        let answers = instances.ask(THREADS)?;
        let threads: Result<Vec<usize>, _> = answers.iter().map(|text| value(text)).collect();
        let threads: usize = threads?.iter().sum();
        let elapsed = begin.elapsed();
        if threads <= threads_max && elapsed >= time {
            return Ok(());
        }
        if elapsed > LIMIT {
            let why = format!(
                "they have {threads} threads and not {threads_max} after {} s",
                LIMIT.as_secs()
            );
            return Err(Failure::unable("divide the CPUs among instances", why));
        }
    }
}

/// Returns the sums of a window of which each instance has answered its rate and threads.
fn outcome(answers: &[String]) -> Result<Outcome, Failure> {
    let (mut rates, mut threads) = (Vec::new(), 0);
    for answer in answers {
        let (rate, own) = answer.split_once(' ').unwrap_or((answer, ""));
        rates.push(value::<f64>(rate)?);
        threads += value::<usize>(own)?;
    }
    let gbps: f64 = rates.iter().sum();
    let slowest = rates.iter().copied().fold(f64::INFINITY, f64::min);
    Ok(Outcome {
        gbps,
        slowest_share: slowest / (gbps / rates.len() as f64),
        threads,
    })
}

fn point(count: usize, name: &str, own: &[Outcome], alone: &[Outcome]) -> Point {
    let ratios = own
        .iter()
        .zip(alone)
        .map(|(own, alone)| own.gbps / alone.gbps);
    let threads = own.iter().map(|outcome| outcome.threads).max();
    Point::new([
        ("instances", count.to_string()),
        ("by", name.to_owned()),
        ("operation", Operation::Encode.name().to_owned()),
    ])
    .spread("gbps", own.iter().map(|outcome| outcome.gbps))
    .spread(
        "slowest_share",
        own.iter().map(|outcome| outcome.slowest_share),
    )
    .once("threads", threads.unwrap_or(0) as f64)
    .spread("x_alone", ratios)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rates_and_threads_are_added_and_the_slowest_compared_with_the_mean() {
        let answers = ["3 2".to_owned(), "1 1".to_owned()];
        let outcome = outcome(&answers).expect("numbers");
        assert_eq!((outcome.gbps, outcome.slowest_share), (4.0, 0.5));
        assert_eq!(outcome.threads, 3);
        assert!(super::outcome(&["3".to_owned()]).is_err());
    }
}
