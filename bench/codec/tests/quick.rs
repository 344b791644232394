// SPDX-License-Identifier: Apache-2.0
//! Tests of the whole program in its quick form: checked bytes, a record, exit statuses.

use std::path::PathBuf;
use std::process::{Command, Output};

/// Arguments for the fewest and shortest windows.
const SHORT: [&str; 6] = [
    "--quick",
    "--repetitions=1",
    "--window-ms=1",
    "--shapes=3+2",
    "--cells=4KiB",
    "--operations=encode,decode-m",
];

fn bench(arguments: &[&str]) -> Output {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stripeline-bench"));
    command
        .args(arguments)
        .env_remove("STRIPELINE_ISA")
        .output()
        .expect("the program starts")
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

/// A directory of one test, removed at its end.
struct Scratch(PathBuf);

impl Scratch {
    fn new(name: &str) -> Self {
        let path = PathBuf::from(env!("CARGO_TARGET_TMPDIR"))
            .join(format!("{name}-{}", std::process::id()));
        std::fs::create_dir_all(&path).expect("a directory");
        Self(path)
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

#[test]
fn every_definition_runs_and_is_recorded() {
    let scratch = Scratch::new("record");
    let record = format!("--record={}", scratch.0.display());
    for name in ["codec", "levels", "overhead"] {
        let definition = format!("--definition={name}");
        let output = bench(&[&SHORT[..], &[&definition, &record]].concat());
        assert!(output.status.success(), "{name}: {}", stderr(&output));
        let text = std::fs::read_to_string(scratch.0.join(format!("{name}.json"))).expect("JSON");
        let value: serde_json::Value = serde_json::from_str(&text).expect("JSON");
        assert_eq!(value["definition"], name);
        assert!(value["machine"]["cpus"].as_u64() >= Some(1));
        let figures = value["points"][0]["figures"].as_array().expect("figures");
        assert!(figures[0]["cpu_gbps"][2].as_f64() > Some(0.0), "{name}");
        assert!(scratch.0.join(format!("{name}.svg")).exists());
        assert!(scratch.0.join(format!("{name}.txt")).exists());
    }
}

#[test]
fn json_goes_to_standard_output_alone() {
    let output = bench(
        &[
            &SHORT[..],
            &["--engines=stripeline,memcpy", "--format=json"],
        ]
        .concat(),
    );
    let value: serde_json::Value = serde_json::from_slice(&output.stdout).expect("JSON");
    assert_eq!(value["checked"], serde_json::json!(["stripeline"]));
    assert_eq!(value["schema"], 1);
    assert_documented("", &value);
    assert_documented("points[].", &value["points"][0]);
    assert_documented("points[].figures[].", &value["points"][0]["figures"][0]);
    assert!(stderr(&output).contains("stripeline-gf"));
}

/// Compares the keys of an object in the record with docs/user/json.md.
fn assert_documented(prefix: &str, object: &serde_json::Value) {
    let page = include_str!("../../../docs/user/json.md");
    let (_, rest) = page.split_once("\n## bench codec\n").expect("a section");
    let section = rest.split("\n## ").next().expect("its text");
    for key in object.as_object().expect("an object").keys() {
        assert!(
            section.contains(&format!("| `{prefix}{key}` |")),
            "json.md lacks {prefix}{key}"
        );
    }
}

#[test]
fn wrong_bytes_end_the_run_with_their_place() {
    let output = bench(&[&SHORT[..], &["--engines=stripeline,wrong"]].concat());
    assert_eq!(output.status.code(), Some(1));
    let text = stderr(&output);
    assert!(
        text.contains("Cannot time wrong: 3+2 encode with 4096-byte cells"),
        "{text}"
    );
    assert!(text.contains("offset 4095"), "{text}");
}

#[test]
fn usage_errors_list_the_known_values() {
    for (argument, wanted) in [
        ("--definition=nothing", "known are codec levels overhead"),
        ("--engines=nothing", "known are stripeline"),
        ("--engines=stripeline@sse9", "known are portable"),
        ("--shapes=6x3", "write data+parity"),
        ("--cells=64", "KiB"),
        ("--workloads=lukewarm", "cached and streaming"),
        ("--operations=recode", "decode-m"),
        ("--repetitions=0", "at least 1"),
        ("--threads=0", "0 or more than 1024 threads"),
    ] {
        let output = bench(&["--quick", argument]);
        assert_eq!(output.status.code(), Some(2), "{argument}");
        assert!(
            stderr(&output).contains(wanted),
            "{argument}: {}",
            stderr(&output)
        );
    }
}

#[test]
fn an_unwritable_record_is_detected_before_measuring() {
    let output = bench(&["--record=/dev/null/no"]);
    assert_eq!(output.status.code(), Some(3));
    assert!(stderr(&output).contains("Cannot write record '/dev/null/no'"));
}

#[test]
fn without_any_engine_nothing_can_be_checked() {
    let engine = if cfg!(feature = "peers") {
        "stripeline@neon"
    } else {
        "isal"
    };
    let output = bench(&["--quick", &format!("--engines={engine}")]);
    // A machine that has the engine runs it.
    if !output.status.success() {
        assert_eq!(output.status.code(), Some(3));
        assert!(stderr(&output).contains("Cannot run: none of the engines is available"));
    }
}

#[test]
fn fingerprints_are_right_in_the_quick_form() {
    let mut command = Command::new(env!("CARGO_BIN_EXE_stripeline-bench-fingerprint"));
    let output = command.arg("--quick").output().expect("the program starts");
    assert!(output.status.success(), "{}", stderr(&output));
    let text = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(text.matches("fingerprint t=2, crc32c").count(), 2, "{text}");
}
