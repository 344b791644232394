// SPDX-License-Identifier: Apache-2.0
//! Faults ordered by time, and their delayed consequences.

use super::{Fault, FaultKind};

/// An event that affects a rail at some time.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) enum Incident {
    RateFactor(f64),
    Hang,
    Noticed,
    Return,
}

/// Future incidents, the next one last.
#[derive(Debug)]
pub(super) struct Incidents(Vec<(u64, usize, Incident)>);

impl Incidents {
    pub(super) fn new(faults: &[Fault]) -> Self {
        let mut incidents = Vec::new();
        for &Fault { at_ns, rail, kind } in faults {
            match kind {
                FaultKind::RateFactor(rate_factor) => {
                    incidents.push((at_ns, rail, Incident::RateFactor(rate_factor)))
                }
                FaultKind::Hang { noticed_after_ns } => {
                    incidents.push((at_ns, rail, Incident::Hang));
                    incidents.push((at_ns + noticed_after_ns, rail, Incident::Noticed));
                }
                FaultKind::Return => incidents.push((at_ns, rail, Incident::Return)),
            }
        }
        incidents.sort_by_key(|&(at_ns, ..)| std::cmp::Reverse(at_ns));
        Self(incidents)
    }

    pub(super) fn next_ns(&self) -> Option<u64> {
        self.0.last().map(|&(at_ns, ..)| at_ns)
    }

    pub(super) fn take_due(&mut self, now_ns: u64) -> Option<(usize, Incident)> {
        let (_, rail, incident) = self.0.pop_if(|&mut (at_ns, ..)| at_ns <= now_ns)?;
        Some((rail, incident))
    }
}
