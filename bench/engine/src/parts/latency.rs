// SPDX-License-Identifier: Apache-2.0
//! The latency of tasks under both scheduling policies.

use super::contest::{self, RailGroup};
use super::{CELL_BYTES, quantile};
use crate::arguments::Settings;
use crate::drive;
use crate::failure::Failure;
use crate::load::{Load, Operation};
use crate::rails::Inventory;
use crate::report::{Point, Section};
use bench_common::statistics::turns;

/// Stripes outstanding.
const WINDOW: usize = 16;

/// The number of steps of a recorded distribution.
const STEPS: usize = 200;

/// Measures this part.
pub fn run(settings: &Settings, inventory: &Inventory) -> Result<Section, Failure> {
    let mut section = Section::new(
        "latency",
        "time from issue to end of a stripe, rate-aware against first-come (Figure 9), \
         RS-6-3 encode, 64 KiB cells, window of 16",
    );
    let mut groups: Vec<_> = RailGroup::real(inventory).into_iter().collect();
    groups.push(RailGroup::rate_limited(&[0.4, 1.6]));
    groups.push(RailGroup::rate_limited(&[0.25, 0.5, 1.0]));
    for group in &groups {
        measure(settings, group, &mut section)?;
    }
    section.notes.push(
        "virtual rails code for real and then sleep until their rate allows the piece; their \
         latencies hold what this machine needs to wake a sleeper"
            .to_owned(),
    );
    Ok(section)
}

fn measure(settings: &Settings, group: &RailGroup, section: &mut Section) -> Result<(), Failure> {
    let contestants = contest::policies(group)?;
    let mut load = Load::new(Operation::Encode, CELL_BYTES, WINDOW);
    for contestant in &contestants {
        contest::warm_up(contestant, &mut load, settings)?;
    }
    let mut windows = vec![Vec::new(); contestants.len()];
    for index in turns(contestants.len(), settings.repetitions) {
        let contestant = &contestants[index];
        let time = group.window(settings);
        let mut latencies =
            drive::latencies(&contestant.engine, &mut load, time, &contestant.name)?;
        latencies.sort_unstable();
        windows[index].push(latencies);
    }
    for (index, contestant) in contestants.iter().enumerate() {
        let own = &windows[index];
        let mut point = Point::new([
            ("rails", group.name.clone()),
            ("by", contestant.name.clone()),
        ]);
        for (name, part) in [
            ("p50_ms", 0.5),
            ("p90_ms", 0.9),
            ("p99_ms", 0.99),
            ("max_ms", 1.0),
        ] {
            point = point.spread(name, own.iter().map(|window| quantile(window, part) / 1e6));
        }
        let pairs = own.iter().zip(&windows[0]);
        let ratios = pairs.map(|(own, first)| quantile(own, 0.99) / quantile(first, 0.99));
        point = point
            .spread("x_p99", ratios)
            .list("cdf_ms", distribution(own));
        section.points.push(point);
    }
    Ok(())
}

/// Returns the distribution over all windows, in milliseconds.
fn distribution(windows: &[Vec<u64>]) -> Vec<(f64, f64)> {
    let mut all: Vec<u64> = windows.concat();
    all.sort_unstable();
    let part = |step: usize| step as f64 / STEPS as f64;
    (0..=STEPS)
        .map(|step| (quantile(&all, part(step)) / 1e6, part(step)))
        .collect()
}
