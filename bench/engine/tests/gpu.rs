// SPDX-License-Identifier: Apache-2.0
//! Tests the part `gpu` on a mock of the driver that runs the real kernel on the host.

use std::path::{Path, PathBuf};
use std::process::{Command, Output};

use serde_json::Value;

/// A folder with the mock under the driver's name, which the loader finds first.
struct Driver(PathBuf);

impl Driver {
    fn new(name: &str) -> Self {
        let own = format!("{name}-{}", std::process::id());
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(own);
        std::fs::create_dir_all(&folder).expect("a folder");
        let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
        let status = Command::new(compiler)
            .args(["-std=gnu11", "-O2", "-Wall", "-Wextra", "-Werror"])
            // The kernel's pragmas are for CUDA's compilers, and it reads byte buffers as words.
            .args(["-Wno-unknown-pragmas", "-fno-strict-aliasing"])
            .args(["-fPIC", "-shared", "-pthread", "-fvisibility=hidden", "-o"])
            .arg(folder.join("libcuda.so.1"))
            .arg(Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/mock_cuda.c"))
            .status()
            .expect("scripts/need.sh asks for a C compiler");
        assert!(status.success(), "the mock compiles");
        Self(folder)
    }

    fn bench(&self, fault: &str, arguments: &[&str]) -> Output {
        bench(&self.0, fault, arguments)
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(&self.0);
    }
}

/// Runs the part in its quick form.
fn bench(libraries: &Path, fault: &str, arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_stripeline-bench-engine"))
        .args(["--quick", "--part=gpu", "--repetitions=2", "--window-ms=4"])
        .args(arguments)
        .env("LD_LIBRARY_PATH", libraries)
        .env("MOCK_FAULT", fault)
        .output()
        .expect("the program starts")
}

fn stderr(output: &Output) -> String {
    String::from_utf8_lossy(&output.stderr).into_owned()
}

fn number(value: &Value) -> f64 {
    // Spreads are lists with the median in the middle.
    value[2].as_f64().expect("a figure")
}

#[test]
fn every_figure_is_measured_and_nothing_is_left_on_the_device() {
    let driver = Driver::new("right");
    let arguments = ["--format=json", "--gpu-cells=64KiB,16KiB"];
    let output = driver.bench("", &arguments);
    let log = stderr(&output);
    assert!(output.status.success(), "{log}");
    let record: Value = serde_json::from_slice(&output.stdout).expect("JSON");
    let section = &record["sections"][0];
    let notes = section["notes"].to_string();
    assert!(notes.contains("cuda:0 is Mock GPU 0"), "{notes}");
    let points = section["points"].as_array().expect("points");
    let of = |by: &str, figure: &str| -> Vec<f64> {
        let points = points.iter().filter(|point| point["by"] == by);
        let points = points.filter(|point| !point[figure].is_null());
        points.map(|point| number(&point[figure])).collect()
    };
    // For two sizes pinned memory, and two codes in device memory; for one pinned and ordinary
    // memory together with the CPU.
    let (allowed, coded) = (of("copies", "gbps"), of("cuda:0", "gbps"));
    assert_eq!((allowed.len(), coded.len()), (6, 8));
    assert!(allowed.iter().chain(&coded).all(|rate| *rate > 0.0));
    assert_eq!(of("cuda:0", "x_bound").len(), 6);
    assert_eq!(of("cuda:0", "close_under_load_ms").len(), 1);
    assert_eq!(of("rate-aware", "x_best").len(), 2);
    // RS-6-3 over the bus, then RS-6-3 and RS-10-4 in memory, where a copied byte is moved twice.
    let parts = [6.0 / 9.0, 12.0 / 9.0, 20.0 / 14.0];
    let copied = of("copies", "copied_gbps");
    for ((allowed, copied), part) in allowed.iter().zip(copied).zip(parts.into_iter().cycle()) {
        // Records have four digits, and both figures come from the same windows.
        assert!((allowed / copied / part - 1.0).abs() < 2e-3, "{points:?}");
    }
    let judgements = section["judgements"].as_array().expect("judgements");
    assert_eq!(judgements.len(), 5);
    for judgement in judgements {
        assert_eq!(judgement["verdict"], "not-judged");
        assert!(judgement["found"].as_f64() > Some(0.0), "{judgement}");
    }
    for left in ["contexts", "device_bytes", "pinned_bytes", "resets"] {
        assert!(log.contains(&format!("mock {left} 0\n")), "{log}");
    }
    // All memory that is declared pinned is pinned, and nothing was written beyond allocated
    // memory.
    assert!(log.contains("mock pageable_copies 0\n"), "{log}");
    assert!(log.contains("mock canaries_broken 0\n"), "{log}");
}

#[test]
fn a_wrong_byte_is_found_wherever_units_are() {
    let driver = Driver::new("wrong");
    for (fault, place, byte) in [
        ("last", "RS-6-3 in pinned memory", "byte 65535 of output"),
        ("first", "RS-6-3 in device memory", "byte 0 of output 0"),
    ] {
        let output = driver.bench(fault, &[]);
        let log = stderr(&output);
        assert_eq!(output.status.code(), Some(1), "{log}");
        let found = format!("Cannot time cuda:0, {place}: encode of stripe");
        assert!(log.contains(&found) && log.contains(byte), "{log}");
    }
}

#[test]
fn without_a_driver_nothing_is_measured_or_judged() {
    // Hides the driver of a machine with a GPU behind a library that is not a driver.
    let folder =
        Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("none-{}", std::process::id()));
    std::fs::create_dir_all(&folder).expect("a folder");
    std::fs::write(folder.join("libcuda.so.1"), "no library").expect("a file");
    let output = bench(&folder, "", &["--enforce"]);
    std::fs::remove_dir_all(&folder).expect("the folder is there");
    assert!(output.status.success(), "{}", stderr(&output));
    let table = String::from_utf8_lossy(&output.stdout).into_owned();
    assert_eq!(
        table.matches("not measured  GPU rail, ").count(),
        3,
        "{table}"
    );
    assert!(!table.contains("gbps"), "{table}");
}
