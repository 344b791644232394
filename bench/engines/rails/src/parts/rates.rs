// SPDX-License-Identifier: Apache-2.0
//! Throughput of several rails together, under both ways of scheduling.

use super::contest::{self, Contestant, RailGroup};
use super::{CELL_BYTES, simulated};
use crate::arguments::Settings;
use crate::drive::{self, Run};
use crate::failure::Failure;
use crate::load::{Load, Operation};
use crate::rails::Inventory;
use crate::report::plot::{self, Bars, Panel};
use crate::report::{Judgement, Point, Section};

/// Stripes outstanding: where few are, the slowest rail holds up a window most.
const WINDOWS: [usize; 2] = [4, 16];

/// The window of the threshold over first-come scheduling: that of the paper's loss.
const JUDGED_WINDOW: usize = WINDOWS[0];

/// Rails four times apart.
const APART: [f64; 2] = [0.4, 1.6];

/// Runs the part.
pub fn run(settings: &Settings, inventory: &Inventory) -> Result<Section, Failure> {
    let mut section = Section::new(
        "rates",
        "rails together, rate-aware against first-come (Figure 8), RS-6-3, 64 KiB cells, GB/s of data by wall clock",
    );
    let mut groups: Vec<_> = RailGroup::real(inventory).into_iter().collect();
    groups.push(RailGroup::throttled(&APART));
    if !settings.quick {
        groups.push(RailGroup::throttled(&[1.0, 1.0]));
        groups.push(RailGroup::throttled(&[0.25, 0.5, 1.0]));
    }
    for group in &groups {
        for window in WINDOWS {
            for operation in Operation::ALL {
                // The virtual rails take the same time for both.
                if group.independent && operation == Operation::Decode {
                    continue;
                }
                measure(settings, group, (operation, window), &mut section)?;
            }
        }
    }
    section.notes.push(
        "virtual rails code for real and then sleep until their rate allows the piece: this machine has no independent ones"
            .to_owned(),
    );
    section.notes.push(
        "real rails share CPUs and memory, so that their sum is no bound; rate-aware is to be at least the best of them alone"
            .to_owned(),
    );
    simulated::add(settings, &mut section);
    section.plot = draw(&section.points);
    Ok(section)
}

fn measure(
    settings: &Settings,
    group: &RailGroup,
    (operation, window): (Operation, usize),
    section: &mut Section,
) -> Result<(), Failure> {
    let mut contestants = contest::singles(group)?;
    let singles = contestants.len();
    contestants.extend(contest::policies(group)?);
    let mut load = Load::new(operation, CELL_BYTES, window);
    for contestant in &contestants[singles..] {
        contest::warm_up(contestant, &mut load, settings)?;
    }
    let mut runs = vec![Vec::new(); contestants.len()];
    for repetition in 0..settings.repetitions {
        for turn in 0..contestants.len() {
            let index = (turn + repetition) % contestants.len();
            let Contestant { name, engine } = &contestants[index];
            let run = drive::steady(engine, &mut load, group.window(settings), name)?;
            runs[index].push(run);
        }
    }
    let what = (group.name.as_str(), operation.name(), window);
    for (contestant, own) in contestants.iter().zip(&runs) {
        section
            .points
            .push(point(what, &contestant.name, own, &runs, singles));
    }
    judge(section, group, what, settings.quick);
    Ok(())
}

/// A figure of each repetition, from this one's run and those of the rails alone.
fn point(
    (group, operation, window): (&str, &str, usize),
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
        ("operation", operation.to_owned()),
        ("window", window.to_string()),
        ("by", name.to_owned()),
    ])
    .spread("gbps", own.iter().map(|run| run.gbps))
    .spread("cpu_s_per_gb", own.iter().map(|run| run.cpu_s_per_gb))
    .spread("x_sum", sum)
    .spread("x_best", best)
    .spread("x_first_come", first)
}

fn judge(section: &mut Section, group: &RailGroup, what: (&str, &str, usize), quick: bool) {
    let (name, operation, window) = what;
    let mut points = section.points.iter().rev();
    let aware = points.find(|point| point.is("by", "rate-aware"));
    let found = |figure| aware.and_then(|point: &Point| point.value(figure));
    let place = format!("{name}, {operation}, window of {window}");
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
    if group.apart == Some(APART[1] / APART[0]) && window == JUDGED_WINDOW {
        let found = aware.and_then(|point| point.value("x_first_come"));
        let name = format!("{place}: rate-aware over first-come");
        section
            .judgements
            .push(Judgement::at_least(name, found, 1.15, quick));
    }
}

fn draw(points: &[Point]) -> Option<String> {
    let measured: Vec<_> = points
        .iter()
        .filter(|point| point.is("window", "4"))
        .collect();
    let mut places: Vec<(String, String)> = Vec::new();
    for point in &measured {
        let place = (point.at[0].1.clone(), point.at[1].1.clone());
        if !places.contains(&place) {
            places.push(place);
        }
    }
    let panels = places.iter().map(|(rails, operation)| {
        let here = measured
            .iter()
            .filter(|point| point.is("rails", rails) && point.is("operation", operation));
        let here: Vec<_> = here.collect();
        Panel::Bars(Bars {
            caption: format!("{rails}, {operation}, window of 4"),
            measure: "GB/s of data".to_owned(),
            groups: vec![String::new()],
            series: here
                .iter()
                .map(|point| (point.at[3].1.clone(), vec![point.value("gbps")]))
                .collect(),
            line: None,
        })
    });
    plot::draw("Rails alone and together", &panels.collect::<Vec<_>>())
}
