// SPDX-License-Identifier: Apache-2.0
//! A set of unit numbers below 256, as a bitmap.

/// The set of units of a stripe that a decode reads.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct UnitSet {
    words: [u64; 4],
}

impl UnitSet {
    pub(crate) fn insert(&mut self, unit: usize) {
        self.words[unit / 64] |= 1 << (unit % 64);
    }

    pub(crate) fn contains(&self, unit: usize) -> bool {
        self.words[unit / 64] >> (unit % 64) & 1 == 1
    }

    pub(crate) fn words(&self) -> [u64; 4] {
        self.words
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds_what_was_inserted() {
        let mut set = UnitSet::default();
        for unit in [0, 63, 64, 255] {
            assert!(!set.contains(unit));
            set.insert(unit);
        }
        assert!(
            (0..256)
                .filter(|unit| set.contains(*unit))
                .eq([0, 63, 64, 255])
        );
    }
}
