// SPDX-License-Identifier: Apache-2.0
//! Tests the part `coordination`, and that none of its processes and files outlives it.

use std::fs;
use std::io::Read;
use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use serde_json::Value;

/// How long processes may take to start or end on a busy machine.
const LIMIT: Duration = Duration::from_secs(60);

/// A folder for the program's temporary files.
struct Folder(PathBuf);

impl Folder {
    fn new(name: &str) -> Self {
        let own = format!("coordination-{name}-{}", std::process::id());
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(own);
        fs::create_dir_all(&folder).expect("a folder");
        Self(folder)
    }

    fn bench(&self, arguments: &[&str]) -> Command {
        let mut command = Command::new(env!("CARGO_BIN_EXE_stripeline-bench-engine"));
        command.args(["--part=coordination", "--quick"]);
        command.args(arguments).env("TMPDIR", &self.0);
        command
    }

    fn entries(&self) -> Vec<PathBuf> {
        let entries = fs::read_dir(&self.0).expect("the folder is there");
        entries.map(|entry| entry.expect("a name").path()).collect()
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

#[test]
fn every_point_is_measured_and_the_processors_are_divided() {
    let folder = Folder::new("points");
    let mut bench = folder.bench(&["--format=json", "--repetitions=2", "--window-ms=4"]);
    let output = bench.output().expect("the program starts");
    assert!(output.status.success(), "{}", stderr(&output));
    let record: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let section = &record["sections"][0];
    assert_eq!(section["part"], "coordination");
    let points = section["points"].as_array().expect("points");
    let processors = thread::available_parallelism().map_or(1, usize::from);
    let mut labels = Vec::new();
    for point in points {
        let text = |key: &str| point[key].as_str().expect("a text");
        let count: usize = text("instances").parse().expect("a number");
        labels.push((count, text("by")));
        assert_eq!(text("operation"), "encode");
        // Spreads are lists with the least value first and the greatest last.
        let spread = |key: &str| -> Vec<f64> {
            let values = point[key].as_array().expect("a spread");
            values
                .iter()
                .map(|value| value.as_f64().expect("a figure"))
                .collect()
        };
        assert!(
            spread("gbps")[0] > 0.0 && spread("x_alone")[0] > 0.0,
            "{point}"
        );
        let share = spread("slowest_share");
        assert!(share[0] > 0.0 && share[4] <= 1.0, "{point}");
        let threads = point["threads"].as_f64().expect("a figure") as usize;
        match text("by") {
            "coordinated" => assert!(
                (count..=processors.max(count)).contains(&threads),
                "{point}"
            ),
            _ => assert_eq!(threads, count * processors, "{point}"),
        }
    }
    let wanted = [1, 2].map(|count| [(count, "coordinated"), (count, "alone")]);
    assert_eq!(labels, wanted.concat());
    assert!(folder.entries().is_empty(), "{:?}", folder.entries());
}

#[test]
fn a_directory_that_cannot_be_created_fails_the_part() {
    let folder = Folder::new("absent");
    let absent = folder.0.join("absent");
    let output = folder.bench(&[]).env("TMPDIR", absent).output();
    let output = output.expect("the program starts");
    assert_eq!(output.status.code(), Some(3), "{}", stderr(&output));
    assert!(
        stderr(&output).contains("Cannot create directory"),
        "{}",
        stderr(&output)
    );
}

#[test]
fn no_process_or_file_is_left_after_the_program_is_killed() {
    let folder = Folder::new("killed");
    // Long enough that all instances are coding when the program is killed.
    let mut bench = folder.bench(&["--repetitions=1", "--window-ms=600000"]);
    let mut bench = bench
        .stdout(Stdio::null())
        .stderr(Stdio::piped())
        .spawn()
        .expect("the program starts");
    let begin = Instant::now();
    while !folder
        .entries()
        .iter()
        .any(|entry| entry.join("table").exists())
    {
        assert!(begin.elapsed() < LIMIT, "no table");
        thread::yield_now();
    }
    // Instances have inherited it, so that its end is the end of all.
    let mut log = bench.stderr.take().expect("a pipe");
    bench.kill().expect("it runs");
    bench.wait().expect("it has ended");
    let (sender, ended) = mpsc::channel();
    thread::spawn(move || sender.send(log.read_to_end(&mut Vec::new())));
    let read = ended.recv_timeout(LIMIT).expect("the instances end");
    read.expect("a pipe can be read");
    assert!(folder.entries().is_empty(), "{:?}", folder.entries());
}
