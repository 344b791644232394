// SPDX-License-Identifier: Apache-2.0
//! Groups of blocks and their fingerprints.

use std::sync::Arc;

use stripeline_codec::{Codec, Fingerprint, FingerprintFunction, Location};
use stripeline_testkit::{Random, all_but};

pub fn function(seed: u64, sums: usize, window_bytes: usize) -> Arc<FingerprintFunction> {
    Arc::new(FingerprintFunction::new(seed, sums, window_bytes).expect("valid parameters"))
}

/// Returns the fingerprint of one window.
pub fn fingerprint(function: &Arc<FingerprintFunction>, window: &[u8]) -> Vec<u8> {
    let mut fingerprint = Fingerprint::new(Arc::clone(function));
    fingerprint.update(window).expect("one window");
    fingerprint.bytes().to_vec()
}

/// Calls `locate` without the units `missing`.
pub fn locate(codec: &Codec, fingerprints: &[Vec<u8>], missing: &[usize]) -> Location {
    let located = codec.locate(&all_but(fingerprints, missing));
    located.expect("fingerprints of one length")
}

/// Chooses missing units, and wrong ones in ascending order, among `units`.
pub fn choose(
    random: &mut Random,
    missing: usize,
    wrong: usize,
    units: usize,
) -> (Vec<usize>, Vec<usize>) {
    let mut missing_units = random.choose(missing + wrong, units);
    let mut wrong_units = missing_units.split_off(missing);
    wrong_units.sort_unstable();
    (missing_units, wrong_units)
}

/// Changes bytes of a window in one of the ways in which disks and memory fail.
pub fn damage(window: &mut [u8], random: &mut Random) {
    let before = window.to_vec();
    let at = random.below(window.len());
    let end = window.len().min(at + 1 + random.below(5000));
    match random.below(6) {
        0 => window[at] ^= 1 << random.below(8),
        1 => random.fill(&mut window[at..end]),
        2 => window[at..end].fill(0),
        3 => window[at..].fill(0),
        4 => window[at..end].iter_mut().for_each(|byte| *byte |= 0x10),
        _ => window.rotate_right(1 + random.below(600)),
    }
    if window == before {
        window[at] ^= 0x80;
    }
}
