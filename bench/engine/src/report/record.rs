// SPDX-License-Identifier: Apache-2.0
//! The JSON record, which has all that is needed to identify and repeat the run.

use bench_common::machine::{self, Machine};
use bench_common::output::{SOUND, with_list};
use serde::Serialize;

use super::Section;
use crate::rails::Inventory;

/// The version of the record, as in all JSON output; it changes when a key is renamed, removed, or
/// gets another meaning.
const SCHEMA: u32 = 1;

/// A whole run.
#[derive(Debug, Serialize)]
struct Record<'a> {
    schema: u32,
    bench: &'static str,
    command: String,
    commit: String,
    unix_seconds: u64,
    machine: Machine,
    rails: Vec<(&'a str, String)>,
    absent: &'a [String],
}

/// Returns the record as text.
pub fn to_json(inventory: &Inventory, sections: &[Section]) -> String {
    let since_epoch = std::time::SystemTime::UNIX_EPOCH.elapsed();
    let rails = inventory.present.iter();
    let record = Record {
        schema: SCHEMA,
        bench: "engine",
        command: machine::command("stripeline-bench-engine"),
        commit: machine::commit(),
        unix_seconds: since_epoch.map_or(0, |elapsed| elapsed.as_secs()),
        machine: Machine::read(),
        rails: rails.map(|rail| (rail.name(), rail.describe())).collect(),
        absent: &inventory.absent,
    };
    let sections: Vec<_> = sections.iter().map(section_to_json).collect();
    with_list(&record, "sections", &sections) + "\n"
}

/// Returns a section with one line per point.
fn section_to_json(section: &Section) -> String {
    let points = section.points.iter();
    let points: Vec<_> = points
        .map(|point| serde_json::to_string(point).expect(SOUND))
        .collect();
    with_list(section, "points", &points)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::report::{Judgement, Point};

    /// Compares the keys of the record and of its sections with docs/user/json.md.
    fn assert_documented(record: &serde_json::Value) {
        let page = include_str!("../../../../docs/user/json.md");
        let (_, rest) = page.split_once("\n## bench engine\n").expect("a section");
        let section = rest.split("\n## ").next().expect("its text");
        let objects = [("", record), ("sections[].", &record["sections"][0])];
        for (prefix, object) in objects {
            for key in object.as_object().expect("an object").keys() {
                assert!(section.contains(&format!("| `{prefix}{key}` |")), "{key}");
            }
        }
    }

    #[test]
    fn points_take_a_line_each_and_all_is_json() {
        let mut section = Section::new("rates", "how fast?");
        for rate in [1.0, 2.0] {
            let point = Point::new([("rail", "cpu".to_owned())]).once("gbps", rate);
            section.points.push(point);
        }
        section
            .judgements
            .push(Judgement::at_least("a", Some(1.0), 1.0, false));
        let inventory = Inventory {
            present: Vec::new(),
            absent: vec!["isal: absent".to_owned()],
        };
        let text = to_json(&inventory, &[section]);
        let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(value["schema"], 1);
        assert_documented(&value);
        assert_eq!(value["sections"][0]["points"][1]["gbps"], 2.0);
        assert_eq!(value["sections"][0]["judgements"][0]["verdict"], "kept");
        assert!(
            text.contains("\n{\"rail\":\"cpu\",\"gbps\":1.0},\n"),
            "{text}"
        );
    }
}
