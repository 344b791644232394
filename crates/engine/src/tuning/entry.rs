// SPDX-License-Identifier: Apache-2.0
//! The tuning values of one rail.

use stripeline_codec::StorePolicy;
use stripeline_rail::Rail;

/// Built-in rate of a lane that computes on a CPU: what plain kernels reach from memory.
const LANE_RATE: u64 = 5_000_000_000;
/// Built-in rate of a device behind a bus: half of a PCIe 4 slot of 16 lanes.
const DEVICE_RATE: u64 = 12_000_000_000;
/// Built-in smallest task of a CPU: a call costs what some KiB cost.
const SMALLEST: usize = 4 << 10;
/// Built-in smallest task of a device behind a bus, whose fixed cost is some microseconds.
const SMALLEST_OF_DEVICE: usize = 256 << 10;

/// The tuning values of one rail.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RailTuning {
    /// [`Rail::name`](stripeline_rail::Rail::name).
    pub name: String,
    /// [`Rail::describe`](stripeline_rail::Rail::describe): for another device the values do not
    /// apply.
    pub device: String,
    /// The number of lanes worth opening, 1..=1024.
    pub lanes: usize,
    /// Data bytes below which the fixed cost of a task exceeds its work.
    pub smallest_data_bytes: usize,
    /// Bytes of a stripe, data and parity, from which non-temporal stores are faster; `None` if
    /// they never are.
    pub stream_from_bytes: Option<usize>,
    /// Data bytes a second of all lanes together, at least 1,000,000: of tasks that set their
    /// outputs, on 1 MiB of data. Assumed for all tasks until the rail has run.
    pub bytes_per_second: u64,
    /// Bytes of each buffer in a piece, at least 1. Measured for rails whose device works while the
    /// caller does not ([`detaches`](stripeline_rail::Capability::detaches)); for others it is the
    /// value of the rail's capability.
    pub piece_bytes: usize,
}

impl RailTuning {
    /// Returns the built-in values, derived from the rail's capability.
    #[must_use]
    pub fn built_in(rail: &dyn Rail) -> Self {
        let capability = rail.capability();
        let (smallest, rate) = if capability.detaches {
            (SMALLEST_OF_DEVICE, DEVICE_RATE)
        } else {
            (SMALLEST, LANE_RATE * capability.lanes as u64)
        };
        Self {
            name: rail.name().to_owned(),
            device: rail.describe(),
            lanes: capability.lanes,
            smallest_data_bytes: smallest,
            stream_from_bytes: None,
            bytes_per_second: rate,
            piece_bytes: capability.piece_bytes,
        }
    }

    /// Returns whether the values apply to this rail on this device.
    #[must_use]
    pub fn fits(&self, rail: &dyn Rail) -> bool {
        self.name == rail.name() && self.device == rail.describe()
    }

    /// Returns the best store policy for the outputs of a stripe of `stripe_bytes` bytes, data and
    /// parity, that are not read soon. The engine applies it to tasks whose
    /// [`Request`](crate::Request) has no policy; HDFS's requests have one, because HDFS reads the
    /// outputs at once.
    #[must_use]
    pub fn store(&self, stripe_bytes: usize) -> StorePolicy {
        match self.stream_from_bytes {
            Some(from) if stripe_bytes >= from => StorePolicy::NonTemporal,
            _ => StorePolicy::Temporal,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use stripeline_rail::Cpu;

    #[test]
    fn large_stripes_bypass_the_cache() {
        let entry = RailTuning {
            stream_from_bytes: Some(1000),
            ..RailTuning::built_in(&Cpu::rail())
        };
        assert_eq!(entry.store(999), StorePolicy::Temporal);
        assert_eq!(entry.store(1000), StorePolicy::NonTemporal);
    }

    #[test]
    fn built_in_values_come_from_the_capability() {
        let rail = Cpu::rail();
        let entry = RailTuning::built_in(&rail);
        assert!(entry.fits(&rail));
        assert_eq!(entry.lanes, rail.capability().lanes);
        assert_eq!(entry.piece_bytes, rail.capability().piece_bytes);
        assert!(entry.bytes_per_second > 0);
        assert_eq!(entry.store(usize::MAX), StorePolicy::Temporal);
    }
}
