// SPDX-License-Identifier: Apache-2.0
//! A survey of this machine's rails and their speed, for `stripeline doctor` and `stripeline tune`.

use std::path::Path;
use std::time::Duration;

use stripeline_boundary::{describe_candidate, quoted};
use stripeline_engine::Configuration;
use stripeline_engine::tuning::{Progress, RailTuning, Table, measure, tune};
use stripeline_rail::Rail;
use stripeline_rail::discover::discover;

use crate::failure::Failure;

/// Discovers the rails named in a configuration (`rails=...`), measures the usable ones within
/// `budget`, and writes the results into the table at `path`, if a path is given and at least one
/// rail was measured.
///
/// Returns a JSON object: `source` (where the values come from), `rails` (the requested rails:
/// `name`, `in`, `description`, `reason` (why `in` is false), and if its rates were measured
/// `bytesPerSecond`, `lanes`, `smallestDataBytes`, `streamFromBytes`, `pieceBytes`) and `notes`
/// (remarks on the measurement).
pub(crate) fn survey(
    configuration: &str,
    budget: Duration,
    path: Option<&Path>,
) -> Result<String, Failure> {
    let configuration: Configuration = configuration.parse()?;
    let candidates = discover(&configuration.rails);
    let rails: Vec<_> = candidates
        .iter()
        .filter_map(|found| found.rail().cloned())
        .collect();
    let mut notes = Vec::new();
    let mut note = |progress: Progress<'_>| match progress {
        Progress::Disturbed { load_percent, cpus } => notes.push(format!(
            "{}.{:02} threads ran on average in the last minute on {cpus} CPUs: values may be \
             wrong",
            load_percent / 100,
            load_percent % 100,
        )),
        Progress::LeftOut { rail, why } => notes.push(format!("{rail} is not measured: {why}")),
    };
    let table = match path {
        Some(path) => tune(&rails, budget, path, &mut note)?,
        None => measure(&rails, budget, &mut note),
    };
    let lines = candidates.iter().map(|found| {
        let values = found.rail().map(|rail| values(&table, &**rail));
        with(describe_candidate(found), &values.unwrap_or_default())
    });
    Ok(format!(
        "{{\"source\":{},\"rails\":[{}],\"notes\":[{}]}}",
        quoted(table.source()),
        lines.collect::<Vec<_>>().join(","),
        notes
            .iter()
            .map(|note| quoted(note))
            .collect::<Vec<_>>()
            .join(","),
    ))
}

/// Adds keys to a JSON object.
fn with(mut object: String, keys: &str) -> String {
    object.insert_str(object.len() - 1, keys);
    object
}

fn values(table: &Table, rail: &dyn Rail) -> String {
    if !table.knows(rail) {
        return String::new();
    }
    let tuning = table.rail(rail);
    let RailTuning {
        lanes,
        smallest_data_bytes,
        stream_from_bytes,
        piece_bytes,
        bytes_per_second,
        ..
    } = tuning;
    let stream = stream_from_bytes.map_or("null".to_owned(), |bytes| bytes.to_string());
    format!(
        ",\"bytesPerSecond\":{bytes_per_second},\"lanes\":{lanes},\
         \"smallestDataBytes\":{smallest_data_bytes},\"streamFromBytes\":{stream},\
         \"pieceBytes\":{piece_bytes}"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rails_are_in_with_a_rate_or_out_with_a_reason() {
        let json = survey("rails=cpu,isbl", Duration::from_secs(1), None);
        let Ok(json) = json else { panic!("right") };
        assert!(
            json.contains("{\"name\":\"cpu\",\"in\":true,\"description\":\""),
            "{json}"
        );
        assert!(json.contains("\"bytesPerSecond\":"), "{json}");
        assert!(
            json.contains("{\"name\":\"isbl\",\"in\":false,\"description\":null,"),
            "{json}"
        );
        assert!(survey("rails=", Duration::ZERO, None).is_err());
    }

    #[test]
    fn rates_are_measured_even_if_there_is_no_time() {
        let Ok(json) = survey("rails=cpu", Duration::ZERO, None) else {
            panic!("right")
        };
        assert!(json.contains("\"bytesPerSecond\":"), "{json}");
    }

    #[test]
    fn a_table_that_cannot_be_written_is_named() {
        let path = Path::new("/proc/missing/table.toml");
        let refused = survey("rails=cpu", Duration::ZERO, Some(path)).expect_err("no folder");
        let text = refused.text("probe for rails");
        assert!(
            text.starts_with("Cannot write tuning table /proc/missing/table.toml: "),
            "{text}"
        );
    }
}
