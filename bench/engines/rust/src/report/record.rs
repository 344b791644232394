// SPDX-License-Identifier: Apache-2.0
//! The JSON record: enough to know what ran where, and to run it again.

use std::fs;
use std::process::Command;

use serde::Serialize;

use super::summary::Judgement;
use crate::definition::last_level_cache_bytes;
use crate::run::{Placement, Point, Session};

/// The layout of the record; it changes when a field's meaning does.
const FORMAT: u32 = 1;

/// A whole run.
#[derive(Debug, Serialize)]
pub struct Record<'a> {
    format: u32,
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

/// Where it ran.
#[derive(Debug, Serialize)]
pub struct Machine {
    /// Model name of the first processor.
    pub cpu: String,
    /// Processors that the system shows.
    pub cpus: usize,
    /// The processor's flags that coders care about.
    pub flags: Vec<String>,
    /// As reported; a virtual machine may report the whole socket's.
    pub last_level_cache_bytes: usize,
    /// Kernel release.
    pub kernel: String,
    /// The system's setting of transparent huge pages.
    pub transparent_huge_pages: String,
    /// Runnable tasks over the last minute when the run ended.
    pub load_average: String,
}

impl Machine {
    /// Reads what the system says of itself; what it does not say stays empty.
    pub fn read() -> Self {
        let cpuinfo = read("/proc/cpuinfo");
        let field = |name: &str| {
            let line = cpuinfo.lines().find(|line| line.starts_with(name));
            line.and_then(|line| line.split_once(':'))
                .map_or("", |pair| pair.1.trim())
                .to_owned()
        };
        let flags = field("flags");
        let interesting = |flag: &&str| {
            ["ssse3", "avx", "gfni", "amx", "clwb"]
                .iter()
                .any(|start| flag.starts_with(start))
        };
        Self {
            cpu: field("model name"),
            cpus: std::thread::available_parallelism().map_or(0, Into::into),
            flags: flags
                .split(' ')
                .filter(interesting)
                .map(str::to_owned)
                .collect(),
            last_level_cache_bytes: last_level_cache_bytes(),
            kernel: read("/proc/sys/kernel/osrelease"),
            transparent_huge_pages: read("/sys/kernel/mm/transparent_hugepage/enabled"),
            load_average: read("/proc/loadavg"),
        }
    }
}

fn read(path: &str) -> String {
    fs::read_to_string(path).map_or(String::new(), |text| text.trim().to_owned())
}

/// The commit of the working directory, with a mark where files differ from it.
fn commit() -> String {
    let run = |arguments: &[&str]| {
        let output = Command::new("git")
            .args(arguments)
            .output()
            .ok()
            .filter(|it| it.status.success())?;
        Some(String::from_utf8_lossy(&output.stdout).trim().to_owned())
    };
    let Some(commit) = run(&["rev-parse", "HEAD"]) else {
        return "unknown".to_owned();
    };
    match run(&["status", "--porcelain", "--untracked-files=no"]) {
        Some(changes) if changes.is_empty() => commit,
        _ => format!("{commit} with uncommitted changes"),
    }
}

impl<'a> Record<'a> {
    /// Puts a record together.
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
            format: FORMAT,
            definition: names.0,
            baseline: names.1,
            command: command(),
            commit: commit(),
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

    /// The record as text: the points, which are many, a line each.
    pub fn to_json(&self) -> String {
        const SOUND: &str = "a record has no maps with odd keys";
        let head = serde_json::to_string_pretty(self).expect(SOUND);
        let open = head
            .trim_end()
            .strip_suffix("\n}")
            .expect("a record is an object");
        let points = self
            .points
            .iter()
            .map(|point| serde_json::to_string(point).expect(SOUND));
        let points: Vec<_> = points.map(|point| format!("    {point}")).collect();
        format!(
            "{open},\n  \"points\": [\n{}\n  ]\n}}\n",
            points.join(",\n")
        )
    }
}

/// The command line without the directory of the program, and the variable that steers the kernels.
fn command() -> String {
    let isa = std::env::var("STRIPELINE_ISA").map(|isa| format!("STRIPELINE_ISA={isa} "));
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    format!(
        "{}stripeline-bench {}",
        isa.unwrap_or_default(),
        arguments.join(" ")
    )
}
