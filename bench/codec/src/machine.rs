// SPDX-License-Identifier: Apache-2.0
//! The origin of a record: the machine, the commit and the command.

use std::fs;
use std::process::Command;

use serde::Serialize;

/// The machine of a run.
#[derive(Debug, Serialize)]
pub struct Machine {
    /// Model name of the first processor.
    pub cpu: String,
    /// The number of processors that the system shows.
    pub cpus: usize,
    /// The processor's flags that are relevant to coders.
    pub flags: Vec<String>,
    /// The reported size; a virtual machine may report the cache of the whole socket.
    pub last_level_cache_bytes: usize,
    /// Kernel release.
    pub kernel: String,
    /// The system's setting of transparent huge pages.
    pub transparent_huge_pages: String,
    /// Runnable tasks over the last minute when the run ended.
    pub load_average: String,
}

impl Machine {
    /// Reads what the system reports; values that it does not report stay empty.
    #[must_use]
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

/// Returns the commit of the working directory, marked if files differ from it.
#[must_use]
pub fn commit() -> String {
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

/// Returns the size of the last-level cache as the system reports it, 0 if it does not.
#[must_use]
pub fn last_level_cache_bytes() -> usize {
    (0..8)
        .filter_map(|index| {
            let path = format!("/sys/devices/system/cpu/cpu0/cache/index{index}/size");
            let text = std::fs::read_to_string(path).ok()?;
            text.trim().strip_suffix('K')?.parse::<usize>().ok()
        })
        .max()
        .map_or(0, |kibibytes| kibibytes << 10)
}

/// Returns the command line without the program's directory, and the variable that selects the
/// kernels.
#[must_use]
pub fn command(program: &str) -> String {
    let isa = std::env::var("STRIPELINE_ISA").map(|isa| format!("STRIPELINE_ISA={isa} "));
    let arguments: Vec<_> = std::env::args().skip(1).collect();
    let line = format!(
        "{}{program} {}",
        isa.unwrap_or_default(),
        arguments.join(" ")
    );
    line.trim_end().to_owned()
}
