// SPDX-License-Identifier: Apache-2.0
//! Classes of work, each of which a rail does at one rate.

use stripeline_rail::Mode;

/// The number of size classes. Rates of sizes within a factor of four differ less than rates of one
/// size vary over time; below 64 KiB of data the fixed cost of a piece dominates, above 16 MiB it
/// is negligible.
const SIZES: usize = 6;
const SIZE_FIRST_LOG4: u32 = 8;

/// The number of output classes. The work per byte of data grows with the outputs: 1, 2, 3 to 4,
/// more.
const OUTPUTS: usize = 4;
const MODES: usize = 3;

/// A mode, a range of output counts and a range of data sizes, which together with the rail
/// determine a rate.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Class {
    kind: u8,
    size: u8,
}

impl Class {
    /// The number of classes.
    pub const COUNT: usize = MODES * OUTPUTS * SIZES;

    /// Returns the class of work on `data_bytes` bytes, all inputs together, with `outputs`
    /// outputs.
    #[must_use]
    pub const fn of(mode: Mode, outputs: usize, data_bytes: usize) -> Self {
        let mode = match mode {
            Mode::Set => 0,
            Mode::Add => 1,
            Mode::Compare => 2,
        };
        let outputs = match outputs {
            0 | 1 => 0,
            2 => 1,
            3 | 4 => 2,
            _ => OUTPUTS - 1,
        };
        let kind = (mode * OUTPUTS + outputs) as u8;
        Self { kind, size: 0 }.sized(data_bytes)
    }

    /// The same work on `data_bytes` bytes.
    #[must_use]
    pub const fn sized(self, data_bytes: usize) -> Self {
        let log4 = (data_bytes | 1).ilog2() / 2;
        let step = (log4 + 1).saturating_sub(SIZE_FIRST_LOG4) as usize;
        let size = if step < SIZES { step } else { SIZES - 1 };
        Self {
            kind: self.kind,
            size: size as u8,
        }
    }

    /// Returns the least bytes of data in the size class of `data_bytes`, at least 1.
    #[must_use]
    pub const fn smallest_like(data_bytes: usize) -> usize {
        let most = 1 << (2 * (SIZE_FIRST_LOG4 as usize + SIZES - 2));
        let bytes = if data_bytes < most { data_bytes } else { most };
        1 << ((bytes | 1).ilog2() & !1)
    }

    /// Returns the unique index of the class, less than [`Class::COUNT`].
    #[must_use]
    pub const fn index(self) -> usize {
        self.kind as usize * SIZES + self.size as usize
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_go_by_powers_of_four() {
        let size = |bytes| Class::of(Mode::Set, 1, bytes).index();
        let kib = 1 << 10;
        let sizes = [
            0,
            64 * kib - 1,
            64 * kib,
            256 * kib,
            1024 * kib,
            4096 * kib,
            16_384 * kib,
            usize::MAX,
        ];
        assert_eq!(sizes.map(size), [0, 0, 1, 2, 3, 4, 5, 5]);
    }

    #[test]
    fn every_class_has_an_index_of_its_own() {
        let mut seen = vec![false; Class::COUNT];
        for mode in [Mode::Set, Mode::Add, Mode::Compare] {
            for outputs in [1, 2, 3, 5] {
                for bytes in (0..SIZES).map(|step| 1_usize << (14 + 2 * step)) {
                    let index = Class::of(mode, outputs, bytes).index();
                    assert!(!std::mem::replace(&mut seen[index], true));
                }
            }
        }
        assert!(seen.into_iter().all(|seen| seen));
    }
}
