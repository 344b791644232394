// SPDX-License-Identifier: Apache-2.0
//! The CPUs that a process may use, and which processes share them.

use std::fs;
use std::path::Path;

use nix::unistd::{SysconfVar, sysconf};
use stripeline_codec::hash::fnv_1a;

/// The CPUs of the node, and those that a process may use.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cpus {
    /// Online CPUs of the node, at least 1.
    pub node: usize,
    /// CPUs that affinity and cgroup allow this process, 1..=`node`.
    pub own: usize,
    /// Processes with equal numbers share the CPUs that each of them counts as its own.
    pub domain: u64,
}

impl Cpus {
    /// Reads the values from the kernel.
    #[must_use]
    pub fn detect() -> Self {
        let own = std::thread::available_parallelism().map_or(1, usize::from);
        let online = sysconf(SysconfVar::_NPROCESSORS_ONLN).ok().flatten();
        let node = online
            .and_then(|count| usize::try_from(count).ok())
            .unwrap_or(own);
        let affinity = affinity();
        let mut domain = affinity.clone();
        // A quota makes the count smaller than the affinity's; it applies to all processes of the
        // cgroup.
        if own < count(&affinity) {
            domain += &fs::read_to_string("/proc/self/cgroup").unwrap_or_default();
            let space = fs::read_link(Path::new("/proc/self/ns/cgroup")).unwrap_or_default();
            domain += &space.to_string_lossy();
        }
        Self {
            node: node.max(own),
            own,
            domain: fnv_1a(domain.as_bytes()),
        }
    }
}

/// Returns the mask of CPUs that the process may run on, as hexadecimal text.
fn affinity() -> String {
    let status = fs::read_to_string("/proc/self/status").unwrap_or_default();
    let mask = status
        .lines()
        .find_map(|line| line.strip_prefix("Cpus_allowed:"));
    mask.unwrap_or_default().trim().to_owned()
}

fn count(mask: &str) -> usize {
    let digits = mask.chars().filter_map(|digit| digit.to_digit(16));
    digits.map(|digit| digit.count_ones() as usize).sum()
}

/// Returns the start time of this process in kernel ticks since boot; 0 if unknown.
pub(super) fn process_start() -> u64 {
    let stat = fs::read_to_string("/proc/self/stat").unwrap_or_default();
    // The second field is the program's name in parentheses and may hold anything; the start is the
    // 22nd field, the 20th after the name.
    let after = stat.rsplit_once(')').map_or("", |(_, after)| after);
    let start = after.split_ascii_whitespace().nth(19);
    start.and_then(|ticks| ticks.parse().ok()).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn this_machine_has_cpus_and_a_start() {
        let cpus = Cpus::detect();
        assert!(cpus.own >= 1 && cpus.node >= cpus.own, "{cpus:?}");
        assert_eq!(cpus, Cpus::detect());
        assert!(process_start() > 0);
    }

    #[test]
    fn masks_are_counted() {
        assert_eq!(count("ff,ffffffff"), 40);
        assert_eq!(count("3"), 2);
    }
}
