// SPDX-License-Identifier: Apache-2.0
//! The JSON record, which has all that is needed to identify and repeat the run.

use bench_common::machine::{self, Machine};
use bench_common::output::{SOUND, with_list};
use serde::Serialize;

use super::summary::Judgement;
use crate::run::{Placement, Point, Session};

/// The version of the record, as in all JSON output; it changes when a key is renamed, removed, or
/// gets another meaning.
const SCHEMA: u32 = 1;

/// A whole run.
#[derive(Debug, Serialize)]
pub struct Record<'a> {
    schema: u32,
    definition: &'a str,
    baseline: &'a str,
    command: String,
    commit: String,
    unix_seconds: u64,
    machine: Machine,
    placement: Placement,
    arena_bytes: usize,
    engines: Vec<(&'a str, &'a str)>,
    checked: Vec<&'a str>,
    absent: &'a [String],
    judgements: &'a [Judgement],
    #[serde(skip)]
    points: &'a [Point],
}

impl<'a> Record<'a> {
    /// Assembles a record.
    #[must_use]
    pub fn new(
        names: (&'a str, &'a str),
        placement: Placement,
        session: &'a Session,
        judgements: &'a [Judgement],
        points: &'a [Point],
    ) -> Self {
        let since_epoch = std::time::SystemTime::UNIX_EPOCH.elapsed();
        Self {
            schema: SCHEMA,
            definition: names.0,
            baseline: names.1,
            command: machine::command("stripeline-bench"),
            commit: machine::commit(),
            unix_seconds: since_epoch.map_or(0, |elapsed| elapsed.as_secs()),
            machine: Machine::read(),
            placement,
            arena_bytes: session.arena_bytes(),
            engines: session
                .present
                .iter()
                .map(|present| (present.name.as_str(), present.identity.as_str()))
                .collect(),
            checked: session.checked().collect(),
            absent: &session.absent,
            judgements,
            points,
        }
    }

    /// Returns the record as text, with one line per point.
    pub fn to_json(&self) -> String {
        let points = self.points.iter();
        let points = points.map(|point| serde_json::to_string(point).expect(SOUND));
        let points: Vec<_> = points.map(|point| format!("    {point}")).collect();
        with_list(self, "points", &points) + "\n"
    }
}
