// SPDX-License-Identifier: Apache-2.0
//! The model and the number of this machine's CPUs.

use std::fs;
use std::thread;

/// Returns the model of this machine's CPU as the kernel names it, `unknown` if it does not.
#[must_use]
pub fn cpu_model() -> String {
    model_in(&fs::read_to_string("/proc/cpuinfo").unwrap_or_default())
}

/// Returns the number of CPUs that this process may use.
pub(super) fn cpu_count() -> usize {
    thread::available_parallelism().map_or(1, usize::from)
}

fn model_in(cpuinfo: &str) -> String {
    let field = |name: &str| {
        cpuinfo.lines().find_map(|line| {
            let (key, value) = line.split_once(':')?;
            (key.trim() == name).then(|| value.trim().to_owned())
        })
    };
    // On Arm there is no name, only the numbers of the implementer and of the part.
    let numbers = || {
        let (implementer, part) = (field("CPU implementer")?, field("CPU part")?);
        Some(format!("implementer {implementer} part {part}"))
    };
    let model = field("model name").filter(|name| !name.is_empty());
    model
        .or_else(numbers)
        .unwrap_or_else(|| "unknown".to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn models_are_found_in_the_text_of_the_operating_system() {
        let intel =
            "processor\t: 0\nmodel\t\t: 143\nmodel name\t: Intel(R) Xeon(R) Platinum 8480+\n";
        assert_eq!(model_in(intel), "Intel(R) Xeon(R) Platinum 8480+");
        let arm = "processor\t: 0\nCPU implementer\t: 0x41\nCPU part\t: 0xd40\n";
        assert_eq!(model_in(arm), "implementer 0x41 part 0xd40");
        assert_eq!(model_in(""), "unknown");
    }

    #[test]
    fn this_cpu_has_one_model() {
        assert_eq!(cpu_model(), cpu_model());
        assert!(!cpu_model().is_empty());
    }
}
