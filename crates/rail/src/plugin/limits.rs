// SPDX-License-Identifier: Apache-2.0
//! Validation of a plug-in's declared capability.

use super::abi;
use crate::{Capability, MemoryKind, Mode, Piece};

const KNOWN_FLAGS: u64 = abi::STRIPELINE_PLUGIN_IN_PLACE
    | abi::STRIPELINE_PLUGIN_ADDS
    | abi::STRIPELINE_PLUGIN_COMPARES
    | abi::STRIPELINE_PLUGIN_TAKES_TAILS
    | abi::STRIPELINE_PLUGIN_CANCEL_IS_FINAL
    | abi::STRIPELINE_PLUGIN_RECOVERS_DATA_ONLY
    | abi::STRIPELINE_PLUGIN_TAKES_DEVICE_MEMORY;

/// The checked form of a plug-in's capability.
#[derive(Clone, Debug)]
pub(super) struct Limits {
    flags: u64,
    device: u16,
    pub(super) inputs_max: usize,
    outputs_max: usize,
    pub(super) granule_bytes: usize,
    pub(super) alignment_bytes: usize,
    lanes: usize,
    depth: usize,
    pub(super) piece_bytes: usize,
}

impl Limits {
    /// Checks every value.
    ///
    /// # Errors
    /// The first invalid value, with the valid range.
    pub(super) fn check(given: abi::Capability) -> Result<Self, String> {
        let unknown = given.flags & !KNOWN_FLAGS;
        if unknown != 0 {
            return Err(format!("its capability has unknown flags {unknown:#x}"));
        }
        between("inputs_max", given.inputs_max, 1, 255)?;
        between("outputs_max", given.outputs_max, 1, 255)?;
        between("granule_bytes", given.granule_bytes, 1, 4_096)?;
        between("alignment_bytes", given.alignment_bytes, 1, 4_096)?;
        between("lanes", given.lanes, 1, 256)?;
        between("depth", given.depth, 1, 1_024)?;
        between("device", given.device, 0, u16::MAX.into())?;
        power_of_two("granule_bytes", given.granule_bytes)?;
        power_of_two("alignment_bytes", given.alignment_bytes)?;
        let granule = u64::from(given.granule_bytes);
        if !(granule..=1 << 30).contains(&given.piece_bytes)
            || !given.piece_bytes.is_multiple_of(granule)
        {
            return Err(format!(
                "its capability has piece_bytes {}, not a multiple of {granule} up to 1073741824",
                given.piece_bytes
            ));
        }
        let limits = Self {
            flags: given.flags,
            device: given.device as u16,
            inputs_max: given.inputs_max as usize,
            outputs_max: given.outputs_max as usize,
            granule_bytes: given.granule_bytes as usize,
            alignment_bytes: given.alignment_bytes as usize,
            lanes: given.lanes as usize,
            depth: given.depth as usize,
            piece_bytes: given.piece_bytes as usize,
        };
        if limits.has(abi::STRIPELINE_PLUGIN_TAKES_DEVICE_MEMORY) && !limits.works_in_place() {
            return Err(
                "its capability accepts device memory but does not work in place".to_owned(),
            );
        }
        Ok(limits)
    }

    fn has(&self, flag: u64) -> bool {
        self.flags & flag != 0
    }

    pub(super) fn works_in_place(&self) -> bool {
        self.has(abi::STRIPELINE_PLUGIN_IN_PLACE)
    }

    pub(super) fn takes_tails(&self) -> bool {
        self.has(abi::STRIPELINE_PLUGIN_TAKES_TAILS)
    }

    pub(super) fn cancel_is_final(&self) -> bool {
        self.has(abi::STRIPELINE_PLUGIN_CANCEL_IS_FINAL)
    }

    /// Returns whether the plug-in can work on the piece's own buffers.
    pub(super) fn takes_in_place(&self, piece: &Piece) -> bool {
        let mode = match piece.job().mode() {
            Mode::Set => true,
            Mode::Add => self.has(abi::STRIPELINE_PLUGIN_ADDS),
            Mode::Compare => self.has(abi::STRIPELINE_PLUGIN_COMPARES),
        };
        let whole = self.takes_tails() || piece.bytes().is_multiple_of(self.granule_bytes);
        let mut regions = piece.inputs().chain(piece.outputs());
        self.works_in_place()
            && mode
            && whole
            && regions.all(|region| region.start().addr().is_multiple_of(self.alignment_bytes))
    }

    /// Returns the rail's capability: with the loader's copies it exceeds the plug-in's own.
    pub(super) fn capability(&self) -> Capability {
        let mut memory = vec![MemoryKind::Host, MemoryKind::HostPinned];
        if self.has(abi::STRIPELINE_PLUGIN_TAKES_DEVICE_MEMORY) {
            memory.push(MemoryKind::Device {
                ordinal: self.device,
            });
        }
        Capability {
            memory,
            inputs_max: self.inputs_max,
            outputs_max: self.outputs_max,
            granule_bytes: self.granule_bytes,
            piece_bytes: self.piece_bytes,
            lanes: self.lanes,
            depth: self.depth,
            recovers_parity: !self.has(abi::STRIPELINE_PLUGIN_RECOVERS_DATA_ONLY),
            detaches: !self.works_in_place(),
            // A plug-in that works on the caller's host memory usually computes on the CPU.
            shares_cpus: self.works_in_place()
                && !self.has(abi::STRIPELINE_PLUGIN_TAKES_DEVICE_MEMORY),
            for_waiting_threads: false,
            ..Capability::synchronous()
        }
    }
}

fn between(name: &str, value: u32, least: u32, most: u32) -> Result<(), String> {
    match (least..=most).contains(&value) {
        true => Ok(()),
        false => Err(format!(
            "its capability has {name} {value}, not {least} to {most}"
        )),
    }
}

fn power_of_two(name: &str, value: u32) -> Result<(), String> {
    match value.is_power_of_two() {
        true => Ok(()),
        false => Err(format!(
            "its capability has {name} {value}, not a power of two"
        )),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn given() -> abi::Capability {
        abi::Capability {
            size_bytes: size_of::<abi::Capability>() as u32,
            device: 3,
            flags: abi::STRIPELINE_PLUGIN_RECOVERS_DATA_ONLY,
            inputs_max: 128,
            outputs_max: 32,
            granule_bytes: 64,
            alignment_bytes: 64,
            lanes: 2,
            depth: 8,
            piece_bytes: 1 << 20,
        }
    }

    #[test]
    fn capability_of_a_device_that_only_computes() {
        let capability = Limits::check(given()).expect("all in order").capability();
        let expected = Capability {
            adds: true,
            compares: true,
            memory: vec![MemoryKind::Host, MemoryKind::HostPinned],
            inputs_max: 128,
            outputs_max: 32,
            granule_bytes: 64,
            takes_tails: true,
            piece_bytes: 1 << 20,
            room_bytes: None,
            lanes: 2,
            depth: 8,
            recovers_parity: false,
            detaches: true,
            costly_lanes: false,
            shares_cpus: false,
            codes_nothing: false,
            for_waiting_threads: false,
            codes_as_codec: false,
        };
        assert_eq!(capability, expected);
    }

    #[test]
    fn device_memory_is_that_of_one_device() {
        let mut given = given();
        given.flags = abi::STRIPELINE_PLUGIN_TAKES_DEVICE_MEMORY;
        let refused = Limits::check(given).expect_err("copies of device memory");
        assert_eq!(
            refused,
            "its capability accepts device memory but does not work in place"
        );
        given.flags |= abi::STRIPELINE_PLUGIN_IN_PLACE;
        let capability = Limits::check(given).expect("in order").capability();
        let ordinal = 3;
        assert!(capability.memory.contains(&MemoryKind::Device { ordinal }));
        assert!(!capability.detaches);
    }

    #[test]
    fn invalid_values_are_named() {
        type Change = fn(&mut abi::Capability);
        let cases: [(Change, &str); 15] = [
            (|c| c.flags = 1 << 40, "has unknown flags 0x10000000000"),
            (|c| c.inputs_max = 0, "has inputs_max 0, not 1 to 255"),
            (|c| c.inputs_max = 256, "has inputs_max 256, not 1 to 255"),
            (|c| c.outputs_max = 0, "has outputs_max 0, not 1 to 255"),
            (
                |c| c.granule_bytes = 0,
                "has granule_bytes 0, not 1 to 4096",
            ),
            (
                |c| c.granule_bytes = 96,
                "has granule_bytes 96, not a power of two",
            ),
            (
                |c| c.granule_bytes = 8_192,
                "has granule_bytes 8192, not 1 to 4096",
            ),
            (
                |c| c.alignment_bytes = 0,
                "has alignment_bytes 0, not 1 to 4096",
            ),
            (
                |c| c.alignment_bytes = 48,
                "has alignment_bytes 48, not a power of two",
            ),
            (|c| c.lanes = 257, "has lanes 257, not 1 to 256"),
            (|c| c.depth = 0, "has depth 0, not 1 to 1024"),
            (|c| c.device = 65_536, "has device 65536, not 0 to 65535"),
            (
                |c| c.piece_bytes = 0,
                "has piece_bytes 0, not a multiple of 64 up to 1073741824",
            ),
            (
                |c| c.piece_bytes = 100,
                "has piece_bytes 100, not a multiple of 64 up to 1073741824",
            ),
            (
                |c| c.piece_bytes = u64::MAX - 63,
                "has piece_bytes 18446744073709551552, not a multiple of 64 up to 1073741824",
            ),
        ];
        for (change, reason) in cases {
            let mut given = given();
            change(&mut given);
            let refused = Limits::check(given).expect_err(reason);
            assert_eq!(refused, format!("its capability {reason}"));
        }
    }
}
