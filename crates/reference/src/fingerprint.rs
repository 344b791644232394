// SPDX-License-Identifier: Apache-2.0
//! Fingerprints of blocks, byte by byte, and the sets of wrong blocks that explain a difference,
//! by trying every set. The definition is docs/decisions/0015-fingerprints.md.

use std::collections::BTreeMap;

use crate::{Code, decode, multiply};

/// Bytes of a row, and of each sum.
const ROW_BYTES: usize = 64;

/// The fingerprint of one window, or of its beginning: `sums` sums of 64 bytes.
///
/// # Panics
/// If `sums` is not 1 to 4 or the window has more than 65,025 rows.
#[must_use]
pub fn fingerprint(seed: u64, sums: usize, window: &[u8]) -> Vec<u8> {
    assert!((1..=4).contains(&sums), "1 to 4 sums");
    let coefficients = coefficients(seed, window.len().div_ceil(ROW_BYTES));
    let mut fingerprint = vec![0; sums * ROW_BYTES];
    for (offset, byte) in window.iter().enumerate() {
        for sum in 0..sums {
            let product = multiply(coefficients[offset / ROW_BYTES][sum], *byte);
            fingerprint[sum * ROW_BYTES + offset % ROW_BYTES] ^= product;
        }
    }
    fingerprint
}

/// The four coefficients of each of the first rows of a window.
///
/// # Panics
/// If there are more than 65,025 rows.
#[must_use]
pub fn coefficients(seed: u64, rows: usize) -> Vec<[u8; 4]> {
    let mut state = seed;
    // Where the list of the numbers below 65,025 differs from the ascending one.
    let mut moved: BTreeMap<u64, u64> = BTreeMap::new();
    let mut list = Vec::new();
    for row in 0..rows as u64 {
        let other = row + below(&mut state, 255 * 255 - row);
        let chosen = moved.get(&other).copied().unwrap_or(other);
        let given = moved.get(&row).copied().unwrap_or(row);
        moved.insert(other, given);
        let pair = [1 + chosen % 255, 1 + chosen / 255];
        let third = 1 + below(&mut state, 255);
        let fourth = 1 + below(&mut state, 255);
        list.push([pair[0], pair[1], third, fourth].map(|number| number as u8));
    }
    list
}

/// A number below `bound` from the next output of SplitMix64.
fn below(state: &mut u64, bound: u64) -> u64 {
    *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
    let mut mixed = *state;
    mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    mixed ^= mixed >> 31;
    ((mixed >> 32) * bound) >> 32
}

/// Every set of `size` present units without which the others are a part of one stripe.
///
/// # Panics
/// If `units` is not k+m long, present units differ in length, or fewer than k remain.
#[must_use]
pub fn explanations(
    code: Code,
    data_units: usize,
    parity_units: usize,
    units: &[Option<Vec<u8>>],
    size: usize,
) -> Vec<Vec<usize>> {
    let present: Vec<usize> = (0..units.len()).filter(|u| units[*u].is_some()).collect();
    let mut found = Vec::new();
    for set in subsets(&present, size) {
        let mut others = units.to_vec();
        for unit in &set {
            others[*unit] = None;
        }
        let wanted: Vec<usize> = (0..units.len()).filter(|u| others[*u].is_some()).collect();
        let decoded = decode(code, data_units, parity_units, &others, &wanted);
        let decoded = decoded.expect("at least k units remain");
        if wanted
            .iter()
            .zip(&decoded)
            .all(|(unit, bytes)| others[*unit].as_ref() == Some(bytes))
        {
            found.push(set);
        }
    }
    found
}

/// Every subset of `size` elements, in ascending order.
#[must_use]
pub fn subsets(elements: &[usize], size: usize) -> Vec<Vec<usize>> {
    if size == 0 {
        return vec![Vec::new()];
    }
    let Some((first, rest)) = elements.split_first() else {
        return Vec::new();
    };
    let mut all = subsets(rest, size - 1);
    for set in &mut all {
        set.insert(0, *first);
    }
    all.extend(subsets(rest, size));
    all
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pairs_are_distinct_and_nothing_is_zero() {
        let list = coefficients(7, 255 * 255);
        let pairs: std::collections::BTreeSet<_> = list.iter().map(|c| (c[0], c[1])).collect();
        assert_eq!(pairs.len(), list.len());
        assert!(list.iter().flatten().all(|coefficient| *coefficient != 0));
    }

    #[test]
    fn generator_is_split_mix() {
        // The first output of SplitMix64 for seed 0 is 0xe220a8397b1dcdaf.
        assert_eq!(below(&mut 0, 1 << 32), 0xe220_a839);
    }
}
