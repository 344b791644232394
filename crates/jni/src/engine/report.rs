// SPDX-License-Identifier: Apache-2.0
//! The state and statistics of an engine.

use stripeline_boundary::describe_engine;
use stripeline_engine::{BUCKETS, RailStatistics, Statistics};

use crate::engine::engines::Open;

/// The number of values before those of the rails: tasks issued, tasks outstanding, rails.
pub(crate) const HEAD_LONGS: usize = 3;

/// The number of values of each rail before its histograms.
const RAIL_HEAD_LONGS: usize = 14;

/// The number of values of each rail, in the order of `RailStatistics` in Java.
pub(crate) const RAIL_LONGS: usize = RAIL_HEAD_LONGS + 2 * BUCKETS;

/// Returns all values, in the order in which Java reads them.
pub(crate) fn numbers(statistics: &Statistics) -> Vec<i64> {
    let rails = &statistics.rails;
    let mut numbers = Vec::with_capacity(HEAD_LONGS + rails.len() * RAIL_LONGS);
    numbers.push(statistics.issued.cast_signed());
    numbers.push(statistics.outstanding as i64);
    numbers.push(rails.len() as i64);
    for rail in rails {
        let state = [
            u64::from(rail.out_of_service.is_none()),
            u64::from(rail.active),
            rail.rate.max(0.0) as u64,
        ];
        let counts = rail.counts().map(|(_name, count)| count);
        let histograms = [rail.waits, rail.services].concat();
        let all = state.into_iter().chain(counts).chain(histograms);
        numbers.extend(all.map(u64::cast_signed));
    }
    numbers
}

/// Returns the engine as one JSON object; see [`describe_engine`].
pub(crate) fn json(open: &Open) -> String {
    describe_engine(
        &open.scheduling,
        &open.candidates,
        &open.engine.statistics(),
    )
}

/// Returns a line for each rail in use: its name, a tab, and the reason if it is out of service.
pub(crate) fn names(statistics: &Statistics) -> String {
    let line = |rail: &RailStatistics| {
        let why = rail.out_of_service.as_deref().unwrap_or_default();
        format!("{}\t{}\n", rail.name, why.replace(['\n', '\t'], " "))
    };
    statistics.rails.iter().map(line).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine::engines;

    #[test]
    fn numbers_and_names_follow_the_rails() {
        let configuration = "rails=null,isbl\nmeasure-only=true".parse().expect("right");
        let handle = engines::open(&configuration).expect("an engine");
        let (json, statistics) =
            engines::visit(handle, |open| (json(open), open.engine.statistics())).expect("open");
        assert_eq!(numbers(&statistics).len(), HEAD_LONGS + RAIL_LONGS);
        assert_eq!(names(&statistics), "null\t\n");
        assert!(json.starts_with("{\"scheduling\":\"rate-aware\",\"candidates\":["));
        engines::close(handle).expect("closes");
        engines::retire(handle);
    }
}
