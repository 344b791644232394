// SPDX-License-Identifier: Apache-2.0
//! Measures the values of this machine's rails.

use std::fs;
use std::sync::Arc;
use std::time::Duration;

use stripeline_rail::{Rail, clock};

use super::cpu_model::cpu_count;
use super::probe::{self, Load};
use super::session::Session;
use super::table::Table;

/// The fraction of the CPUs that other processes may use before they disturb a measurement of all
/// of them.
const QUIET: f64 = 0.25;

/// What people should know of a measurement.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Progress<'a> {
    /// Other processes keep the CPUs busy, so the values may be wrong: reported once, at the start.
    Disturbed {
        /// How many threads ran or wanted to on average in the last minute, in hundredths.
        load_percent: usize,
        /// The CPUs that they share.
        cpus: usize,
    },
    /// A rail cannot be measured and is not in the table.
    LeftOut {
        /// The rail.
        rail: &'a str,
        /// The reason.
        why: &'a str,
    },
}

/// Measures rails one after the other, each alone on the machine, in about `budget` (10 to 60 s
/// give repeatable values). The rate of each rail is measured; other values for which this time is
/// too short are the built-in ones.
///
/// The rate is that of buffers that are used repeatedly and stay in the caches if they fit.
///
/// The measurement uses at most 256 MiB of memory, and the rails' own memory. A rail that fails or
/// returns no piece for two seconds is left out.
#[must_use]
pub fn measure(
    rails: &[Arc<dyn Rail>],
    budget: Duration,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Table {
    let end = clock::now() + budget;
    let load = fs::read_to_string("/proc/loadavg").unwrap_or_default();
    let cpus = cpu_count();
    if let Some(load_percent) = disturbance(&load, cpus) {
        progress(Progress::Disturbed { load_percent, cpus });
    }
    let mut measured = Vec::new();
    for (index, rail) in rails.iter().enumerate() {
        let left = end.saturating_duration_since(clock::now());
        let share = left / (rails.len() - index) as u32;
        let probe = |load: &Load, lanes, time| probe::rate(&**rail, load, lanes, time);
        let session = Session::new(&**rail, &probe, share);
        match session.and_then(|mut session| session.run()) {
            Ok(entry) => measured.push(entry),
            Err(why) => progress(Progress::LeftOut {
                rail: rail.name(),
                why: &why,
            }),
        }
    }
    Table::measured(measured)
}

/// Returns the load of a machine with `cpus` CPUs if it leaves too few of them idle.
fn disturbance(load_average: &str, cpus: usize) -> Option<usize> {
    let load: f64 = load_average.split(' ').next()?.parse().ok()?;
    (load > cpus as f64 * QUIET).then_some((load * 100.0) as usize)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_busy_machine_is_detected() {
        assert_eq!(disturbance("18.44 14.62 10.48 3/700 1\n", 2), Some(1844));
        assert_eq!(disturbance("0.40 14.62 10.48 3/700 1\n", 2), None);
        assert_eq!(disturbance("", 2), None);
    }
}
