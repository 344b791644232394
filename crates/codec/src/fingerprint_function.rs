// SPDX-License-Identifier: Apache-2.0
//! The fingerprinting function that a seed determines.

use stripeline_gf::{Kernels, ROW_BYTES, ROW_SUMS_MAX};

use crate::error::{Error, Reason};
use crate::hash::split_mix;

/// The bytes of one row of a window, and of each sum of a fingerprint.
pub const FINGERPRINT_ROW_BYTES: usize = ROW_BYTES;

/// The most sums of a fingerprint.
pub const FINGERPRINT_SUMS_MAX: usize = ROW_SUMS_MAX;

/// The sums of a fingerprint unless a caller has reasons for others: a wrong column is missed about
/// once in 65,000.
pub const FINGERPRINT_SUMS: usize = 2;

/// The usual window: 1 MiB.
pub const FINGERPRINT_WINDOW_BYTES: usize = 1 << 20;

/// The largest window: 2 MiB. With more rows, the pairs of coefficients that are left for the last
/// rows would be so few that damage there is missed noticeably more often.
pub const FINGERPRINT_WINDOW_BYTES_MAX: usize = 2 << 20;

/// The number of pairs of coefficients other than 0.
const PAIRS: u32 = 255 * 255;

/// A fingerprinting function: the coefficients that a seed determines.
///
/// All blocks that are compared need the same function. A pass over many blocks draws one seed at
/// random, so that damage that one pass misses is found by the next. Takes `sums` bytes of memory
/// per row: 32 KiB for the usual window and 2 sums.
#[derive(Debug)]
pub struct FingerprintFunction {
    seed: u64,
    pub(crate) sums: usize,
    window_bytes: usize,
    /// Row by row, one coefficient per sum.
    pub(crate) coefficients: Box<[u8]>,
    pub(crate) kernels: &'static Kernels,
}

impl FingerprintFunction {
    /// Builds the function of a seed; takes about a millisecond.
    ///
    /// `sums`, 1 to [`FINGERPRINT_SUMS_MAX`], is the number of independent sums, t: a fingerprint
    /// has 64 x t bytes, and a wrong column is missed with a probability of about 2^-8t. With 2
    /// sums or more, two rows that are exchanged, or damaged in the same way, are always noticed.
    /// The fingerprint with fewer sums is the beginning of the one with more.
    ///
    /// `window_bytes`, a multiple of 64 up to [`FINGERPRINT_WINDOW_BYTES_MAX`], is the number of
    /// bytes that one fingerprint covers.
    ///
    /// # Errors
    /// [`ErrorKind::InvalidParameters`](crate::ErrorKind) for other values.
    pub fn new(seed: u64, sums: usize, window_bytes: usize) -> Result<Self, Error> {
        Self::with_kernels(seed, sums, window_bytes, Kernels::active())
    }

    /// Builds the function on the given kernels, for tests and measurements of one instruction set.
    ///
    /// # Errors
    /// As [`FingerprintFunction::new`].
    pub fn with_kernels(
        seed: u64,
        sums: usize,
        window_bytes: usize,
        kernels: &'static Kernels,
    ) -> Result<Self, Error> {
        if !(1..=FINGERPRINT_SUMS_MAX).contains(&sums) {
            return Err(Reason::FingerprintSums { sums }.into());
        }
        let whole_rows = window_bytes.is_multiple_of(ROW_BYTES);
        if !whole_rows || !(ROW_BYTES..=FINGERPRINT_WINDOW_BYTES_MAX).contains(&window_bytes) {
            return Err(Reason::FingerprintWindow { window_bytes }.into());
        }
        Ok(Self {
            seed,
            sums,
            window_bytes,
            coefficients: coefficients(seed, sums, window_bytes / ROW_BYTES),
            kernels,
        })
    }

    /// Returns the seed.
    #[must_use]
    pub fn seed(&self) -> u64 {
        self.seed
    }

    /// Returns the number of sums, t.
    #[must_use]
    pub fn sums(&self) -> usize {
        self.sums
    }

    /// Returns the bytes that one fingerprint covers.
    #[must_use]
    pub fn window_bytes(&self) -> usize {
        self.window_bytes
    }

    /// Returns the coefficients, row by row, t for each row.
    #[must_use]
    pub fn coefficients(&self) -> &[u8] {
        &self.coefficients
    }
}

/// Draws the coefficients of `rows` rows.
///
/// The first two of a row are a pair that no other row has: a random permutation of all pairs, of
/// which as many are drawn as there are rows (Fisher and Yates). All four are always drawn, so that
/// the number of sums does not change them.
fn coefficients(seed: u64, sums: usize, rows: usize) -> Box<[u8]> {
    let mut state = seed;
    let mut below = |bound: u32| below(&mut state, bound);
    let mut pairs: Vec<u16> = (0..PAIRS as u16).collect();
    let mut coefficients = Vec::with_capacity(rows * sums);
    for row in 0..rows {
        let other = row + below(PAIRS - row as u32) as usize;
        pairs.swap(row, other);
        let pair = u32::from(pairs[row]);
        let all = [pair % 255, pair / 255, below(255), below(255)];
        coefficients.extend(all[..sums].iter().map(|number| 1 + *number as u8));
    }
    coefficients.into()
}

/// Returns a number below `bound` from the generator with this state; none is more frequent than
/// another by more than 2^-16 of its frequency.
fn below(state: &mut u64, bound: u32) -> u32 {
    let upper = split_mix(state) >> 32;
    ((upper * u64::from(bound)) >> 32) as u32
}
