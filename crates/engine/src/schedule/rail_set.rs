// SPDX-License-Identifier: Apache-2.0
//! A set of rails as a bitmap.

use std::fmt;

/// The most rails of one engine; no node has more devices with a coder.
pub const RAILS_MAX: usize = 16;

/// The index of the single queue that all rails share under
/// [`Policy::FirstCome`](super::Policy::FirstCome).
pub const COMMON: usize = RAILS_MAX;

/// A set of rails by their indices, which are less than [`RAILS_MAX`].
#[derive(Clone, Copy, Default, PartialEq, Eq, Hash)]
pub struct RailSet(u32);

impl RailSet {
    /// The empty set.
    pub const EMPTY: Self = Self(0);

    /// Returns the set of the first `count` rails.
    ///
    /// # Panics
    /// If `count` is greater than [`RAILS_MAX`].
    #[must_use]
    pub const fn first(count: usize) -> Self {
        assert!(count <= RAILS_MAX, "no more rails than that");
        Self((1 << count) - 1)
    }

    /// Returns the set of one rail.
    ///
    /// # Panics
    /// Unless `rail` is less than [`RAILS_MAX`].
    #[must_use]
    pub const fn only(rail: usize) -> Self {
        assert!(rail < RAILS_MAX, "no more rails than that");
        Self(1 << rail)
    }

    pub(super) const fn from_bits(bits: u32) -> Self {
        Self(bits)
    }

    pub(super) const fn bits(self) -> u32 {
        self.0
    }

    /// Returns whether the set contains the rail; false for indices of [`RAILS_MAX`] or more.
    #[must_use]
    pub const fn contains(self, rail: usize) -> bool {
        rail < RAILS_MAX && self.0 & 1 << rail != 0
    }

    /// Returns the set with a rail added.
    #[must_use]
    pub const fn with(self, rail: usize) -> Self {
        Self(self.0 | Self::only(rail).0)
    }

    /// Returns the set with a rail removed.
    #[must_use]
    pub const fn without(self, rail: usize) -> Self {
        Self(self.0 & !Self::only(rail).0)
    }

    /// Returns the intersection of two sets.
    #[must_use]
    pub const fn and(self, other: Self) -> Self {
        Self(self.0 & other.0)
    }

    /// Returns whether the set is empty.
    #[must_use]
    pub const fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Returns the number of rails in the set.
    #[must_use]
    pub const fn count(self) -> usize {
        self.0.count_ones() as usize
    }

    /// Returns the indices, ascending.
    pub fn iter(self) -> impl Iterator<Item = usize> {
        let mut left = self.0;
        std::iter::from_fn(move || {
            let rail = left.trailing_zeros();
            left &= left.wrapping_sub(1);
            (rail < u32::BITS).then_some(rail as usize)
        })
    }
}

impl FromIterator<usize> for RailSet {
    fn from_iter<I: IntoIterator<Item = usize>>(rails: I) -> Self {
        rails.into_iter().fold(Self::EMPTY, Self::with)
    }
}

impl fmt::Debug for RailSet {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.debug_set().entries(self.iter()).finish()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn holds_what_was_put_in() {
        let set: RailSet = [3, 0, 15].into_iter().collect();
        assert_eq!(set.iter().collect::<Vec<_>>(), [0, 3, 15]);
        assert_eq!(format!("{:?}", set.without(3)), "{0, 15}");
        assert!(set.contains(15) && !set.contains(1) && !set.contains(COMMON));
        assert_eq!(RailSet::first(RAILS_MAX).count(), RAILS_MAX);
        assert!(set.and(RailSet::only(1)).is_empty());
    }
}
