// SPDX-License-Identifier: Apache-2.0
//! Finding the wrong blocks of a group from the fingerprints of its blocks.
//!
//! With s of the k+m fingerprints missing, the k+m-s present ones satisfy r = m-s equations if all
//! blocks are right. What each equation is off by, for every column (byte) of the fingerprints, is
//! the syndrome: an r x columns matrix. The error of unit u adds to each column a multiple of the
//! unit's vector, its coefficients in the r equations. So a set of units explains the syndrome
//! exactly if their vectors span all of its columns. Any r of the vectors are independent, because
//! the codes repair any m erasures (they are MDS); hence
//!
//! * at most one set of up to r/2 units explains a syndrome, and it is right whenever no more units
//!   than that are wrong;
//! * the syndrome's rank is a lower bound of the number of wrong units, and if the errors of the
//!   units are independent, which damage of several columns nearly always is, the wrong units are
//!   those whose vector the columns span (Metzner and Kapturowski, "A general decoding technique
//!   applicable to replicated file disagreement location and concatenated code decoding", IEEE
//!   Transactions on Information Theory, 1990). No search is necessary then;
//! * otherwise each set of `size` units that explains it is spanned by the columns and
//!   `size - rank` of the units, so only sets of so few units are tried.

use arrayvec::ArrayVec;
use stripeline_gf::field::{inverse, multiply};

use crate::Codec;
use crate::decode::UNITS_MAX;
use crate::error::{Error, Reason};
use crate::plan::Plan;
use crate::unit_set::UnitSet;

/// Which blocks of a group are wrong, as [`Codec::locate`] concludes.
#[derive(Clone, Debug, PartialEq, Eq)]
#[must_use]
pub enum Location {
    /// All fingerprints given belong to one stripe.
    Consistent,
    /// These units are wrong, in ascending order, and all others that were given are right,
    /// provided that at most floor((m-s)/2) of them are wrong, where s units are missing. The list
    /// is at most that long.
    Located(Vec<usize>),
    /// Units are wrong, but the fingerprints do not show which.
    Unlocated {
        /// At least this many units are wrong, more than can be located.
        wrong_min: usize,
        /// Advice only, in ascending order: the units of all sets of `wrong_min` units that would
        /// explain the fingerprints. More or other units may be wrong. Empty if every set of that
        /// size would explain them, or if the search was given up.
        candidates: Vec<usize>,
    },
    /// At most k fingerprints were given, and any k belong to some stripe: nothing was checked.
    Unchecked,
}

/// The bound of the search, in multiplications: about a second. RS-10-4 needs less than 20,000 for
/// any damage (106 sets of up to 2 units), and no shape of up to 16 units reaches the bound.
const WORK_MAX: u64 = 1 << 28;

impl Codec {
    /// Finds the wrong units of a stripe from linear images of all its units: their
    /// [`Fingerprint`](crate::Fingerprint)s of one window and one function, or their own bytes.
    ///
    /// `fingerprints` has one entry per unit, data first; `None` is a unit that is missing or could
    /// not be read. A data block that is shorter than the others, or that a short group does not
    /// have at all, is not missing: past its end its fingerprint is all zeros.
    ///
    /// With s units missing and e wrong, e >= 1, the result is
    ///
    /// * for 2e + s <= m: [`Location::Located`] with exactly the wrong units (for k+m up to 16; for
    ///   wider codes also [`Location::Unlocated`], if the errors of many units depend on each other
    ///   so that the search is given up);
    /// * for 2e + s > m and e + s <= m: [`Location::Unlocated`], or, for damage that equals what
    ///   fewer wrong units could have caused, [`Location::Located`] with these;
    /// * for e + s > m: as before, or even [`Location::Consistent`];
    /// * for s >= m: [`Location::Unchecked`].
    ///
    /// Here a unit counts as wrong if its fingerprint is; a fingerprint misses damage with the
    /// probability that [`FingerprintFunction`](crate::FingerprintFunction) states. One parity
    /// unit, as of XOR, detects one wrong unit and locates none.
    ///
    /// Memory and time: some KiB and microseconds, at most a second if damage of a wide code is to
    /// be searched for.
    ///
    /// # Errors
    /// [`ErrorKind`](crate::ErrorKind) `CountMismatch` unless there are k+m entries,
    /// `LengthMismatch` unless all fingerprints have one length, which is not 0.
    pub fn locate(&self, fingerprints: &[Option<&[u8]>]) -> Result<Location, Error> {
        self.check_fingerprints(fingerprints)?;
        let mut inputs = ArrayVec::<(usize, &[u8]), UNITS_MAX>::new();
        let given = fingerprints.iter().enumerate();
        inputs.extend(given.filter_map(|(unit, bytes)| Some((unit, (*bytes)?))));
        let k = self.data_units;
        if inputs.len() <= k {
            return Ok(Location::Unchecked);
        }
        let (basis, others) = inputs.split_at(k);
        let mut survivors = UnitSet::default();
        basis.iter().for_each(|(unit, _)| survivors.insert(*unit));
        let computed: Vec<usize> = others.iter().map(|(unit, _)| *unit).collect();
        let plan = Plan::build(self.parity_view(), &survivors, &computed);
        let equations = plan.coefficients();

        let mut syndromes: Vec<Vec<u8>> = others.iter().map(|(_, bytes)| bytes.to_vec()).collect();
        let basis_bytes: Vec<&[u8]> = basis.iter().map(|(_, bytes)| *bytes).collect();
        let mut outputs: Vec<&mut [u8]> = syndromes.iter_mut().map(|sum| &mut sum[..]).collect();
        self.kernels.dot_add(equations, &basis_bytes, &mut outputs);
        if syndromes.iter().flatten().all(|byte| *byte == 0) {
            return Ok(Location::Consistent);
        }

        let rows = syndromes.len();
        let vector = |index: usize| -> Vec<u8> {
            match index.checked_sub(k) {
                None => (0..rows)
                    .map(|row| equations.values()[row * k + index])
                    .collect(),
                Some(own) => (0..rows).map(|row| u8::from(row == own)).collect(),
            }
        };
        let columns = (0..basis_bytes[0].len())
            .map(|column| syndromes.iter().map(|sum| sum[column]).collect());
        let mut search = Search {
            rows,
            vectors: (0..inputs.len()).map(vector).collect(),
            columns: Space::spanned_by(columns),
            work: 0,
        };
        Ok(search.run().with_units(|index| inputs[index].0))
    }

    fn check_fingerprints(&self, fingerprints: &[Option<&[u8]>]) -> Result<(), Error> {
        let (given, units) = (fingerprints.len(), self.data_units + self.parity_units);
        if given != units {
            return Err(Reason::FingerprintCount { given, units }.into());
        }
        let Some(first) = fingerprints.iter().flatten().next() else {
            return Ok(());
        };
        let others = first.len();
        if others == 0 {
            return Err(Reason::FingerprintEmpty.into());
        }
        for (unit, bytes) in fingerprints.iter().enumerate() {
            let given = bytes.map_or(others, <[u8]>::len);
            if given != others {
                let reason = Reason::FingerprintLength {
                    unit,
                    given,
                    others,
                };
                return Err(reason.into());
            }
        }
        Ok(())
    }
}

impl Location {
    /// Replaces positions among the present units by unit numbers.
    fn with_units(mut self, unit: impl Fn(usize) -> usize) -> Self {
        if let Self::Located(list)
        | Self::Unlocated {
            candidates: list, ..
        } = &mut self
        {
            list.iter_mut().for_each(|index| *index = unit(*index));
        }
        self
    }
}

/// Finds the smallest sets of present units whose errors can have caused a syndrome other than 0.
struct Search {
    /// The number of equations, r.
    rows: usize,
    /// One vector of r coefficients per present unit.
    vectors: Vec<Vec<u8>>,
    /// The span of the syndrome's columns.
    columns: Space,
    /// The multiplications so far.
    work: u64,
}

impl Search {
    fn run(&mut self) -> Location {
        let rank = self.columns.dimension();
        for size in rank..self.rows {
            let mut found = UnitSet::default();
            let is_located = 2 * size <= self.rows;
            let mut space = self.columns.clone();
            let complete = self.extend(&mut space, 0, size - rank, size, is_located, &mut found);
            let units: Vec<usize> = (0..self.vectors.len())
                .filter(|unit| found.contains(*unit))
                .collect();
            if !complete {
                return Location::Unlocated {
                    wrong_min: size,
                    candidates: Vec::new(),
                };
            }
            if !units.is_empty() && is_located {
                return Location::Located(units);
            }
            if !units.is_empty() {
                return Location::Unlocated {
                    wrong_min: size,
                    candidates: units,
                };
            }
        }
        // Any r vectors span everything, so every set of r units explains any syndrome.
        Location::Unlocated {
            wrong_min: self.rows,
            candidates: Vec::new(),
        }
    }

    /// Extends `space` by `more` units from `start` on, and adds to `found` each set of `size`
    /// units whose vectors lie in the extended space: they then span it, and so the columns.
    /// Returns whether it was able to try all, or found one and `first_only` is set.
    fn extend(
        &mut self,
        space: &mut Space,
        start: usize,
        more: usize,
        size: usize,
        first_only: bool,
        found: &mut UnitSet,
    ) -> bool {
        if more == 0 {
            self.work += (self.vectors.len() * self.rows * space.dimension()) as u64;
            if self.work > WORK_MAX {
                return false;
            }
            let inside: Vec<usize> = (0..self.vectors.len())
                .filter(|unit| space.contains(&self.vectors[*unit]))
                .collect();
            if inside.len() == size {
                inside.iter().for_each(|unit| found.insert(*unit));
            }
            return true;
        }
        for unit in start..self.vectors.len() {
            if space.insert(self.vectors[unit].clone()) {
                let complete = self.extend(space, unit + 1, more - 1, size, first_only, found);
                space.remove_last();
                if !complete {
                    return false;
                }
                if first_only && *found != UnitSet::default() {
                    return true;
                }
            }
        }
        true
    }
}

/// A vector space over the field.
#[derive(Clone, Debug)]
struct Space {
    /// Vectors that span it. Each is 1 at its pivot, and 0 at the pivots of those before it.
    basis: Vec<(usize, Vec<u8>)>,
}

impl Space {
    fn spanned_by(vectors: impl Iterator<Item = Vec<u8>>) -> Self {
        let mut space = Self { basis: Vec::new() };
        vectors.for_each(|vector| {
            space.insert(vector);
        });
        space
    }

    fn dimension(&self) -> usize {
        self.basis.len()
    }

    fn contains(&self, vector: &[u8]) -> bool {
        self.reduced(vector.to_vec())
            .iter()
            .all(|value| *value == 0)
    }

    /// Adds a vector to those that span the space; returns whether it was outside before.
    fn insert(&mut self, vector: Vec<u8>) -> bool {
        let mut vector = self.reduced(vector);
        let Some(pivot) = vector.iter().position(|value| *value != 0) else {
            return false;
        };
        let scale = inverse(vector[pivot]).expect("a pivot is not 0");
        vector
            .iter_mut()
            .for_each(|value| *value = multiply(scale, *value));
        self.basis.push((pivot, vector));
        true
    }

    /// Takes back the last [`Space::insert`] that returned true.
    fn remove_last(&mut self) {
        self.basis.pop();
    }

    /// Returns the vector with 0 at all pivots, minus a vector of the space.
    fn reduced(&self, mut vector: Vec<u8>) -> Vec<u8> {
        for (pivot, base) in &self.basis {
            let factor = vector[*pivot];
            if factor != 0 {
                for (value, other) in vector.iter_mut().zip(base) {
                    *value ^= multiply(factor, *other);
                }
            }
        }
        vector
    }
}
