// SPDX-License-Identifier: Apache-2.0
//! An engine's description of itself, for logs, metrics and `stripeline doctor`.

use std::fmt::Write;

use stripeline_engine::{Candidate, RailStatistics, Scheduling, Statistics};

use crate::quoted;

/// Describes an engine as one JSON object.
///
/// Keys: `scheduling` (as in the configuration), `candidates` (the requested rails, each as in
/// [`describe_candidate`]), `issued` and `outstanding` (numbers of tasks), `rails` (each rail's
/// statistics: the fields of [`RailStatistics`] by their names, `out_of_service` null or the
/// reason, `rate` in bytes per second, `waits` and `services` as lists of counts).
#[must_use]
pub fn describe_engine(
    scheduling: &Scheduling,
    candidates: &[Candidate],
    statistics: &Statistics,
) -> String {
    let scheduling = match scheduling {
        Scheduling::Single(name) => format!("single:{name}"),
        Scheduling::FirstCome => "fcfs".to_owned(),
        Scheduling::RateAware => "rate-aware".to_owned(),
    };
    let candidates: Vec<String> = candidates.iter().map(describe_candidate).collect();
    let rails: Vec<String> = statistics.rails.iter().map(rail).collect();
    format!(
        "{{\"scheduling\":{},\"candidates\":[{}],\"issued\":{},\"outstanding\":{},\"rails\":[{}]}}",
        quoted(&scheduling),
        candidates.join(","),
        statistics.issued,
        statistics.outstanding,
        rails.join(","),
    )
}

/// Describes a requested rail as a JSON object: `name`, `in` (whether the engine uses it),
/// `description` (null if `in` is false) and `reason` (why `in` is false; null otherwise).
#[must_use]
pub fn describe_candidate(candidate: &Candidate) -> String {
    let description = candidate.rail().map(|rail| rail.describe());
    format!(
        "{{\"name\":{},\"in\":{},\"description\":{},\"reason\":{}}}",
        quoted(&candidate.name),
        candidate.rail().is_some(),
        quoted_or_null(description.as_deref()),
        quoted_or_null(candidate.reason()),
    )
}

fn quoted_or_null(text: Option<&str>) -> String {
    text.map_or("null".to_owned(), quoted)
}

fn rail(rail: &RailStatistics) -> String {
    let why = rail.out_of_service.as_deref();
    let mut json = format!(
        "{{\"name\":{},\"out_of_service\":{},\"active\":{},\"rate\":{:.0}",
        quoted(&rail.name),
        quoted_or_null(why),
        rail.active,
        rail.rate,
    );
    for (key, count) in rail.counts() {
        write!(json, ",\"{key}\":{count}").expect("writing to a String cannot fail");
    }
    for (key, buckets) in [("waits", &rail.waits), ("services", &rail.services)] {
        let buckets: Vec<String> = buckets.iter().map(u64::to_string).collect();
        write!(json, ",\"{key}\":[{}]", buckets.join(","))
            .expect("writing to a String cannot fail");
    }
    json.push('}');
    json
}

#[cfg(test)]
mod tests {
    use super::*;
    use stripeline_engine::{Configuration, Engine};

    #[test]
    fn an_engine_says_which_rails_are_in_and_why_others_are_not() {
        let configuration: Configuration = "rails=cpu,no\"ne\nscheduling=single:cpu\nworkers-max=1"
            .parse()
            .expect("a right configuration");
        let (engine, candidates) = Engine::open(&configuration).expect("the CPU is there");
        let scheduling = &configuration.options.scheduling;
        let json = describe_engine(scheduling, &candidates, &engine.statistics());
        assert!(json.starts_with(
            "{\"scheduling\":\"single:cpu\",\"candidates\":[{\"name\":\"cpu\",\"in\":true,"
        ));
        let out = "{\"name\":\"no\\\"ne\",\"in\":false,\"description\":null,\"reason\":\"";
        assert!(json.contains(out), "{json}");
        let idle = "\"issued\":0,\"outstanding\":0,\"rails\":[{\"name\":\"cpu\",\
            \"out_of_service\":null,\"active\":true,";
        assert!(json.contains(idle), "{json}");
        assert!(json.ends_with("]}]}"), "{json}");
    }
}
