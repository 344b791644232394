// SPDX-License-Identifier: Apache-2.0
//! The CPU time and memory of this process.

use std::time::Duration;

use nix::time::{ClockId, clock_gettime};

/// Returns the CPU time of all threads so far.
pub fn process_cpu() -> Duration {
    let time = clock_gettime(ClockId::CLOCK_PROCESS_CPUTIME_ID);
    Duration::from(time.expect("every Linux has this clock"))
}

/// Returns the resident memory in bytes.
pub fn resident_bytes() -> u64 {
    let status = std::fs::read_to_string("/proc/self/status").unwrap_or_default();
    let line = status.lines().find_map(|line| line.strip_prefix("VmRSS:"));
    let kibibytes =
        line.and_then(|line| line.trim().strip_suffix("kB")?.trim().parse::<u64>().ok());
    kibibytes.unwrap_or(0) << 10
}
