// SPDX-License-Identifier: Apache-2.0
//! What an engine is and has done.

use std::fmt::Write;

use stripeline_boundary::quoted;
use stripeline_engine::{BUCKETS, RailStatistics, Statistics};

use crate::engine::engines::Open;

/// Numbers before those of the rails: tasks issued, tasks outstanding, rails.
pub(crate) const HEAD_LONGS: usize = 3;

/// Numbers of each rail before its histograms.
const RAIL_HEAD_LONGS: usize = 14;

/// Numbers of each rail, in the order of `RailStatistics` in Java.
pub(crate) const RAIL_LONGS: usize = RAIL_HEAD_LONGS + 2 * BUCKETS;

/// All numbers, for Java to name.
pub(crate) fn numbers(statistics: &Statistics) -> Vec<i64> {
    let rails = &statistics.rails;
    let mut numbers = Vec::with_capacity(HEAD_LONGS + rails.len() * RAIL_LONGS);
    numbers.push(statistics.issued.cast_signed());
    numbers.push(statistics.outstanding as i64);
    numbers.push(rails.len() as i64);
    for rail in rails {
        numbers.extend(head(rail).map(u64::cast_signed));
        let histograms = rail.waits.iter().chain(&rail.services);
        numbers.extend(histograms.map(|count| count.cast_signed()));
    }
    numbers
}

fn head(rail: &RailStatistics) -> [u64; RAIL_HEAD_LONGS] {
    [
        u64::from(rail.out_of_service.is_none()),
        u64::from(rail.fed),
        rail.rate.max(0.0) as u64,
        rail.queued as u64,
        rail.pieces,
        rail.data_bytes,
        rail.busy_ns,
        rail.cpu_ns,
        rail.stolen,
        rail.faults,
        rail.revoked,
        rail.quarantines,
        rail.checks,
        rail.wrong,
    ]
}

/// The engine as one JSON object: `issued`, `outstanding`, `rails` (those asked for: `name`, `in`,
/// `description`, `reason` of being out) and `statistics` (those in: `name`, `outOfService`,
/// counters as in Rust, in bytes and nanoseconds).
pub(crate) fn json(open: &Open) -> String {
    let statistics = open.engine.statistics();
    let text = |text: &Option<String>| text.as_deref().map_or("null".to_owned(), quoted);
    let candidates = open.candidates.iter().map(|candidate| {
        format!(
            "{{\"name\":{},\"in\":{},\"description\":{},\"reason\":{}}}",
            quoted(&candidate.name),
            candidate.reason.is_none(),
            text(&candidate.description),
            text(&candidate.reason),
        )
    });
    let rails = statistics.rails.iter().map(rail_json);
    format!(
        "{{\"issued\":{},\"outstanding\":{},\"rails\":[{}],\"statistics\":[{}]}}",
        statistics.issued,
        statistics.outstanding,
        candidates.collect::<Vec<_>>().join(","),
        rails.collect::<Vec<_>>().join(","),
    )
}

fn rail_json(rail: &RailStatistics) -> String {
    let why = rail
        .out_of_service
        .as_deref()
        .map_or("null".to_owned(), quoted);
    let mut json = format!(
        "{{\"name\":{},\"outOfService\":{why},\"fed\":{}",
        quoted(&rail.name),
        rail.fed
    );
    let names = [
        "rate",
        "queued",
        "pieces",
        "dataBytes",
        "busyNanos",
        "cpuNanos",
        "stolen",
        "faults",
        "revoked",
        "quarantines",
        "checks",
        "wrong",
    ];
    for (name, value) in names.iter().zip(&head(rail)[2..]) {
        write!(json, ",\"{name}\":{value}").expect("writing to a String cannot fail");
    }
    json.push('}');
    json
}

/// A line for each rail that is in: its name, a tab, and why it is out of service, if it is.
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
        let configuration = "rails=cpu,null,isbl".parse().expect("right");
        let handle = engines::open(&configuration).expect("an engine");
        let (json, statistics) =
            engines::visit(handle, |open| (json(open), open.engine.statistics())).expect("open");
        assert_eq!(numbers(&statistics).len(), HEAD_LONGS + 2 * RAIL_LONGS);
        assert_eq!(names(&statistics), "cpu\t\nnull\t\n");
        assert!(json.starts_with(
            "{\"issued\":0,\"outstanding\":0,\"rails\":[{\"name\":\"cpu\",\"in\":true,"
        ));
        assert!(
            json.contains("{\"name\":\"isbl\",\"in\":false,\"description\":null,\"reason\":\"")
        );
        assert!(json.contains(
            "\"statistics\":[{\"name\":\"cpu\",\"outOfService\":null,\"fed\":true,\"rate\":"
        ));
        assert!(json.ends_with(",\"wrong\":0}]}"), "{json}");
        engines::close(handle).expect("closes");
        engines::retire(handle);
    }
}
