// SPDX-License-Identifier: Apache-2.0
//! Tuning tables: saved as text, refused if invalid, and measured.

#![allow(clippy::unwrap_used)]

use std::path::Path;
use std::sync::Arc;
use std::thread;
use std::time::Duration;

use stripeline_engine::tuning::{
    Machine, Progress, RailTuning, Table, TableFile, cpu_model, measure,
};
use stripeline_rail::{Capability, Cpu, Null, Rail, Synchronous};
use stripeline_testkit::faulty::{Failure, FaultyRail, Script};

fn entry(name: &str) -> RailTuning {
    RailTuning {
        name: name.to_owned(),
        device: "a \"device\" with \\ and \u{e9}\n".to_owned(),
        lanes: 3,
        smallest_data_bytes: 4096,
        stream_from_bytes: Some(1 << 25),
        bytes_per_second: 12_345_000_000,
        piece_bytes: 65536,
    }
}

fn machine(cpu: &str, rails: &[&str]) -> Machine {
    Machine {
        cpu: cpu.to_owned(),
        cpus: 4,
        rails: rails.iter().map(|name| entry(name)).collect(),
    }
}

#[test]
fn a_file_equals_itself_after_writing_and_reading() {
    let bare = RailTuning {
        stream_from_bytes: None,
        ..entry("bare")
    };
    let mut file = TableFile::default();
    assert_eq!(TableFile::parse(&file.to_text()).unwrap(), file);
    file.put(machine("one", &["cpu", "cuda:0"]));
    file.put(Machine {
        cpu: "two # ]]".to_owned(),
        cpus: 4,
        rails: vec![bare],
    });
    let text = file.to_text();
    assert_eq!(TableFile::parse(&text).unwrap(), file, "{text}");
}

#[test]
fn new_measurements_replace_old_ones_and_the_rest_is_kept() {
    let mut file = TableFile::default();
    file.put(machine("one", &["cpu", "isal"]));
    file.put(machine("two", &["cpu"]));
    let mut newer = machine("one", &["cpu"]);
    newer.rails[0].lanes = 9;
    file.put(newer);
    assert_eq!(file.machines.len(), 2);
    let lanes: Vec<_> = file.machines[0]
        .rails
        .iter()
        .map(|rail| (rail.name.as_str(), rail.lanes))
        .collect();
    assert_eq!(lanes, [("isal", 3), ("cpu", 9)]);
}

/// Returns the text with one line replaced, and the number of that line.
fn spoiled(old: &str, new: &str) -> (String, usize) {
    let mut file = TableFile::default();
    file.put(machine("one", &["cpu"]));
    let text = file.to_text();
    let line = 1 + text.lines().position(|line| line.contains(old)).unwrap();
    (text.replacen(old, new, 1), line)
}

#[test]
fn wrong_values_are_named_with_their_line() {
    let cases = [
        ("cpus = 4", "cpus = 0", "cpus is 0, must be 1 to 65536"),
        ("lanes = 3", "lanes = 0", "lanes is 0, must be 1 to 1024"),
        ("lanes = 3", "lanes = -7", "lanes is -7, must be 1 to 1024"),
        (
            "lanes = 3",
            "lanes = 1025",
            "lanes is 1025, must be 1 to 1024",
        ),
        (
            "lanes = 3",
            "lanes = \"3\"",
            "invalid type: string \"3\", expected i64",
        ),
        ("lanes = 3", "lanes = 3\nspeed = 1", "unknown field `speed`"),
        (
            "data_bytes = 4096",
            "data_bytes = 0",
            "smallest_data_bytes is 0, must be 1 to 1099511627776",
        ),
        (
            "_from_bytes = 33554432",
            "_from_bytes = 0",
            "stream_from_bytes is 0, must be 1",
        ),
        (
            "second = 12345",
            "second = 0",
            "megabytes_per_second is 0, must be 1",
        ),
        (
            "second = 12345",
            "second = }",
            "missing inline table opening",
        ),
        (
            "piece_bytes = 65536",
            "piece_bytes = 0",
            "piece_bytes is 0, must be 1 to 1099511627776",
        ),
    ];
    for (old, new, reason) in cases {
        let (text, line) = spoiled(old, new);
        let line = line + new.matches('\n').count();
        let error = TableFile::parse(&text).unwrap_err().to_string();
        let expected = format!("Cannot read tuning table: line {line}: {reason}");
        assert!(error.starts_with(&expected), "{error}, not {expected}");
    }
}

#[test]
fn other_versions_and_duplicates_are_refused() {
    let refused = |text: &str| TableFile::parse(text).unwrap_err().to_string();
    let expected = "Cannot read tuning table: version is 2, this library reads version 3; \
                    remove it and measure the machine again with `stripeline tune`";
    assert_eq!(refused("version = 2\nanything = 3"), expected);
    assert!(refused("").ends_with("version is missing, this library reads version 3"));
    assert!(refused("\n\nversion = ").starts_with("Cannot read tuning table: line 3: "));
    let twice =
        "version = 3\n[[machine]]\ncpu = \"x\"\ncpus = 2\n[[machine]]\ncpu = \"x\"\ncpus = 2\n";
    assert!(refused(twice).ends_with("line 6: cpu \"x\" with 2 CPUs occurs twice"));
    let mut file = TableFile::default();
    file.machines.push(machine("one", &["cpu", "cpu"]));
    assert!(refused(&file.to_text()).ends_with("rail \"cpu\" with this device occurs twice"));
}

#[test]
fn a_table_names_the_source_of_its_values() {
    let path = Path::new("/etc/stripeline/tuning.toml");
    let rail = Cpu::rail();
    let mut file = TableFile::default();
    file.put(Machine {
        cpu: "one".to_owned(),
        cpus: 64,
        rails: vec![RailTuning {
            lanes: 77,
            ..RailTuning::built_in(&rail)
        }],
    });
    let table = Table::choose(file.clone(), path, "one", 64);
    assert_eq!(
        table.source(),
        "/etc/stripeline/tuning.toml, measured on 64 x one"
    );
    assert_eq!(table.rail(&rail).lanes, 77);
    assert!(
        !table.knows(&Null::rail()),
        "a device that was not measured"
    );
    assert_eq!(table.rail(&Null::rail()).lanes, 1);
    let other = Table::choose(file.clone(), path, "three", 64);
    let expected =
        "built-in values: /etc/stripeline/tuning.toml has values for 1 machines, but not for three";
    assert_eq!(other.source(), expected);
    assert_eq!(other.rail(&rail), RailTuning::built_in(&rail));
    let fewer = Table::choose(file, path, "one", 2);
    let expected = "measured on 64 x one, but this machine has 2 CPUs: lanes are built-in values";
    assert!(fewer.source().ends_with(expected), "{}", fewer.source());
    assert_eq!(fewer.rail(&rail).lanes, rail.capability().lanes);
    let none = Table::built_in("no table is configured");
    assert_eq!(none.source(), "built-in values: no table is configured");
}

#[test]
fn a_file_that_cannot_be_read_is_named() {
    let folder = std::env::temp_dir().join(format!("stripeline-tuning-{}", std::process::id()));
    std::fs::create_dir(&folder).unwrap();
    let path = folder.join("tuning.toml");
    let refused = || Table::load(&path).unwrap_err().to_string();
    let start = format!("Cannot read tuning table {}: ", path.display());
    assert_eq!(
        refused(),
        start.clone() + "No such file or directory (os error 2)"
    );
    std::fs::write(&path, b"version = 3\n# \xff").unwrap();
    assert!(refused().starts_with(&start), "{}", refused());
    std::fs::write(&path, vec![b'#'; (4 << 20) + 1]).unwrap();
    assert_eq!(
        refused(),
        start + "it has 4194305 bytes, at most 4194304 are read"
    );
    let mut file = TableFile::default();
    file.put(Machine {
        cpus: thread::available_parallelism().unwrap().into(),
        ..machine(&cpu_model(), &["cpu"])
    });
    std::fs::write(&path, file.to_text()).unwrap();
    let table = Table::load(&path).unwrap();
    assert!(
        table.source().ends_with(&format!(" x {}", cpu_model())),
        "{}",
        table.source()
    );
    std::fs::remove_dir_all(&folder).unwrap();
}

fn measured(rails: &[Arc<dyn Rail>], budget_ms: u64) -> (Table, Vec<String>) {
    let mut left_out = Vec::new();
    let table = measure(
        rails,
        Duration::from_millis(budget_ms),
        &mut |progress| match progress {
            Progress::LeftOut { rail, why } => left_out.push(format!("{rail}: {why}")),
            Progress::Disturbed { .. } => {}
        },
    );
    (table, left_out)
}

#[test]
fn the_cpu_is_measured_within_its_budget() {
    let rail: Arc<dyn Rail> = Arc::new(Cpu::rail());
    let (table, left_out) = measured(&[Arc::clone(&rail)], 300);
    assert_eq!(left_out, [""; 0]);
    assert!(table.knows(&*rail));
    let cpus = thread::available_parallelism().unwrap();
    assert_eq!(
        table.source(),
        format!("measured now on {cpus} x {}", cpu_model())
    );
    let found = table.rail(&*rail);
    assert!(
        (1..=rail.capability().lanes).contains(&found.lanes),
        "{found:?}"
    );
    assert!(found.bytes_per_second > 10_000_000, "{found:?}");
    assert!(
        (1..=4 << 20).contains(&found.smallest_data_bytes),
        "{found:?}"
    );
    assert!((1..=1 << 20).contains(&found.piece_bytes), "{found:?}");
    // Measured values can be saved.
    let mut file = TableFile::default();
    file.put(table.machine().clone());
    assert_eq!(TableFile::parse(&file.to_text()).unwrap(), file);
}

#[test]
fn values_of_a_rail_that_codes_nothing_can_be_saved() {
    let (table, _) = measured(&[Arc::new(Null::rail())], 50);
    let mut file = TableFile::default();
    file.put(table.machine().clone());
    assert!(
        TableFile::parse(&file.to_text()).is_ok(),
        "{}",
        file.to_text()
    );
}

/// Returns a rail on which every piece fails.
fn failing(name: &str, capability: Capability, failure: Failure) -> FaultyRail {
    let rail = Synchronous::new(name, capability, Cpu::portable());
    FaultyRail::new(Arc::new(rail), Script::always(failure))
}

#[test]
fn rails_that_fail_are_left_out_and_the_others_measured() {
    let synchronous = Capability::synchronous;
    let narrow = Capability {
        inputs_max: 2,
        ..synchronous()
    };
    let lanes = Capability {
        lanes: 3,
        ..synchronous()
    };
    let rails: [Arc<dyn Rail>; 5] = [
        Arc::new(failing("failing", lanes, Failure::Fail)),
        Arc::new(failing("panicking", synchronous(), Failure::PanicAtOnce)),
        Arc::new(failing("absent", synchronous(), Failure::Fail).opening_only(0)),
        Arc::new(failing("narrow", narrow, Failure::PanicAtOnce)),
        Arc::new(Null::rail()),
    ];
    let (table, left_out) = measured(&rails, 50);
    let expected = [
        "failing: configured to fail",
        "panicking: it panicked",
        "absent: configured to disappear",
        "narrow: it accepts none of the shapes to measure",
    ];
    assert_eq!(left_out, expected);
    let names: Vec<_> = table
        .machine()
        .rails
        .iter()
        .map(|rail| rail.name.as_str())
        .collect();
    assert_eq!(names, ["null"]);
}

#[test]
fn a_rail_that_hangs_is_abandoned_and_cannot_write_any_more() {
    let rail = failing("hanging", Capability::synchronous(), Failure::Hang);
    let rail = Arc::new(rail.detaching());
    let (table, left_out) = measured(&[Arc::clone(&rail) as Arc<dyn Rail>], 50);
    assert_eq!(left_out, ["hanging: it completed no piece for 2 s"]);
    assert!(table.machine().rails.is_empty());
    assert_eq!(rail.attach_left(), [false], "its piece was taken away");
}
