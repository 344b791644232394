// SPDX-License-Identifier: Apache-2.0
//! The throughput of several rails together, under both scheduling policies.

use super::contest::{self, RailGroup};
use super::{CELL_BYTES, size};
use crate::arguments::Settings;
use crate::drive::Run;
use crate::failure::Failure;
use crate::load::{Load, Operation};
use crate::rails::Inventory;
use crate::report::{Judgement, Point, Section};

/// Stripes outstanding: in a small window the slowest rail causes the greatest delay.
const WINDOWS: [usize; 2] = [4, 16];

/// The window of the threshold over first-come scheduling, as for the loss in the paper.
const JUDGED_WINDOW: usize = WINDOWS[0];

/// Cells large enough that splitting their stripes pays off.
const LARGE_CELL_BYTES: usize = 256 << 10;

/// Rates that differ by a factor of four.
const APART: [f64; 2] = [0.4, 1.6];

/// Measures this part.
pub fn run(settings: &Settings, inventory: &Inventory) -> Result<Section, Failure> {
    let mut section = Section::new(
        "rates",
        "rails together, rate-aware against first-come (Figure 8), RS-6-3, GB/s of data by wall \
         clock",
    );
    let mut groups: Vec<_> = RailGroup::real(inventory).into_iter().collect();
    groups.push(RailGroup::rate_limited(&APART));
    if !settings.quick {
        groups.push(RailGroup::rate_limited(&[1.0, 1.0]));
        groups.push(RailGroup::rate_limited(&[0.25, 0.5, 1.0]));
    }
    for group in &groups {
        for what in whats(group) {
            measure(settings, group, what, &mut section)?;
        }
    }
    section.notes.push(
        "virtual rails code for real and then sleep until their rate allows the piece: \
         this machine has no independent ones"
            .to_owned(),
    );
    section.notes.push(
        "real rails share CPUs and memory, so that their sum is no bound; \
         rate-aware is to be at least the best of them alone"
            .to_owned(),
    );
    Ok(section)
}

/// The operation of a measurement.
#[derive(Clone, Copy)]
pub(super) struct What {
    pub operation: Operation,
    pub cell_bytes: usize,
    pub window: usize,
}

/// Returns the operations to measure. Rate-limited rails take the same time for both operations, so
/// they only encode; instead they also get stripes large enough to be split, even on the fastest
/// rail.
fn whats(group: &RailGroup) -> Vec<What> {
    let operations = if group.independent {
        &Operation::ALL[..1]
    } else {
        &Operation::ALL[..]
    };
    let cells = if group.independent {
        &[CELL_BYTES, LARGE_CELL_BYTES][..]
    } else {
        &[CELL_BYTES]
    };
    let mut whats = Vec::new();
    for window in WINDOWS {
        for &cell_bytes in cells {
            whats.extend(operations.iter().map(|&operation| What {
                operation,
                cell_bytes,
                window,
            }));
        }
    }
    whats
}

fn measure(
    settings: &Settings,
    group: &RailGroup,
    what: What,
    section: &mut Section,
) -> Result<(), Failure> {
    let mut contestants = contest::singles(group)?;
    let singles = contestants.len();
    contestants.extend(contest::policies(group)?);
    let mut load = Load::new(what.operation, what.cell_bytes, what.window);
    for contestant in &contestants[singles..] {
        contest::warm_up(contestant, &mut load, settings)?;
    }
    let window = group.window(settings);
    let runs = contest::take_turns(&contestants, &mut load, window, settings.repetitions)?;
    let what = (group.name.as_str(), what);
    for (contestant, own) in contestants.iter().zip(&runs) {
        section
            .points
            .push(point(what, &contestant.name, own, &runs, singles));
    }
    judge(section, group, what.1, settings.quick);
    Ok(())
}

/// Returns the figures of each repetition, from this contestant's runs and those of the rails
/// alone.
pub(super) fn point(
    (group, what): (&str, What),
    name: &str,
    own: &[Run],
    runs: &[Vec<Run>],
    singles: usize,
) -> Point {
    let alone = |repetition: usize| {
        runs[..singles]
            .iter()
            .map(move |runs| runs[repetition].gbps)
    };
    let over = |base: &dyn Fn(usize) -> f64| -> Vec<f64> {
        own.iter()
            .enumerate()
            .map(|(repetition, run)| run.gbps / base(repetition))
            .collect()
    };
    let sum = over(&|repetition| alone(repetition).sum());
    let best = over(&|repetition| alone(repetition).fold(0.0, f64::max));
    let first = over(&|repetition| runs[singles][repetition].gbps);
    Point::new([
        ("rails", group.to_owned()),
        ("operation", what.operation.name().to_owned()),
        ("cell", size(what.cell_bytes)),
        ("window", what.window.to_string()),
        ("by", name.to_owned()),
    ])
    .spread("gbps", own.iter().map(|run| run.gbps))
    .spread("cpu_s_per_gb", own.iter().map(|run| run.cpu_s_per_gb))
    .spread("x_sum", sum)
    .spread("x_best", best)
    .spread("x_first_come", first)
}

fn judge(section: &mut Section, group: &RailGroup, what: What, quick: bool) {
    let mut points = section.points.iter().rev();
    let aware = points.find(|point| point.is("by", "rate-aware"));
    let found = |figure| aware.and_then(|point: &Point| point.value(figure));
    let place = format!(
        "{}, {}, {} cells, window of {}",
        group.name,
        what.operation.name(),
        size(what.cell_bytes),
        what.window
    );
    let judgement = match group.independent {
        true => Judgement::at_least(
            format!("{place}: rate-aware over the sum"),
            found("x_sum"),
            0.97,
            quick,
        ),
        false => Judgement::at_least(
            format!("{place}: rate-aware over the best rail alone"),
            found("x_best"),
            1.0,
            quick,
        ),
    };
    section.judgements.push(judgement);
    if group.apart == Some(APART[1] / APART[0]) && what.window == JUDGED_WINDOW {
        let found = aware.and_then(|point| point.value("x_first_come"));
        let name = format!("{place}: rate-aware over first-come");
        section
            .judgements
            .push(Judgement::at_least(name, found, 1.15, quick));
    }
}
