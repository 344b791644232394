// SPDX-License-Identifier: Apache-2.0
//! Erasure patterns: all patterns of small codes, random patterns of large codes.

use stripeline_codec::Code;

use super::{Open, opened};
use crate::{CodecUnderTest, Random, Stripe};

/// Shapes small enough to test the loss of every set of units.
const SMALL: [(Code, usize, usize); 9] = [
    (Code::Rs, 1, 1),
    (Code::Rs, 3, 2),
    (Code::Rs, 6, 3),
    (Code::RsLegacy, 1, 2),
    (Code::RsLegacy, 3, 2),
    (Code::RsLegacy, 6, 3),
    (Code::Xor, 1, 1),
    (Code::Xor, 2, 1),
    (Code::Xor, 6, 1),
];

/// Shapes up to the limits of each code.
const WIDE: [(Code, usize, usize); 12] = [
    (Code::Rs, 12, 4),
    (Code::Rs, 17, 3),
    (Code::Rs, 20, 13),
    (Code::Rs, 128, 128),
    (Code::Rs, 255, 1),
    (Code::Rs, 1, 255),
    (Code::Rs, 240, 16),
    (Code::RsLegacy, 17, 3),
    (Code::RsLegacy, 240, 15),
    (Code::RsLegacy, 1, 254),
    (Code::RsLegacy, 100, 40),
    (Code::Xor, 255, 1),
];

/// One vector step and a tail.
const PATTERN_LENGTH: usize = 67;

/// For small codes, loses every set of up to m units and decodes every subset of the lost units.
///
/// For 10+4 only all lost units are decoded, in ascending and in another order, because the subsets
/// of 1470 sets take too long.
pub fn exhaustive_patterns(open: Open<'_>) {
    for (code, data_units, parity_units) in SMALL {
        let codec = opened(open, code, data_units, parity_units);
        let stripe = Stripe::random(code, data_units, parity_units, PATTERN_LENGTH);
        for lost in lost_sets(&stripe) {
            for part in 0..1u32 << lost.len() {
                let asked: Vec<usize> = (0..lost.len())
                    .filter(|position| part >> position & 1 == 1)
                    .map(|position| lost[position])
                    .collect();
                check_both_orders(&stripe, &*codec, asked, &lost);
            }
        }
    }
    for code in [Code::Rs, Code::RsLegacy] {
        let codec = opened(open, code, 10, 4);
        let stripe = Stripe::random(code, 10, 4, PATTERN_LENGTH);
        for lost in lost_sets(&stripe) {
            check_both_orders(&stripe, &*codec, lost.clone(), &lost);
        }
    }
}

/// Returns every set of at most m units.
fn lost_sets(stripe: &Stripe) -> impl Iterator<Item = Vec<usize>> {
    let (units, parity_units) = (stripe.units.len(), stripe.parity_units);
    (0u32..1 << units)
        .filter(move |set| set.count_ones() as usize <= parity_units)
        .map(move |set| (0..units).filter(|unit| set >> unit & 1 == 1).collect())
}

fn check_both_orders(
    stripe: &Stripe,
    codec: &dyn CodecUnderTest,
    mut asked: Vec<usize>,
    lost: &[usize],
) {
    stripe.check_decode(codec, &asked, lost);
    if asked.len() > 1 {
        // For three and more units, neither ascending nor simply reversed.
        asked.reverse();
        asked.rotate_left(1);
        stripe.check_decode(codec, &asked, lost);
    }
}

/// Tests codes of up to 256 units against the oracle, with random losses.
pub fn wide_codes(open: Open<'_>) {
    for (code, data_units, parity_units) in WIDE {
        let codec = opened(open, code, data_units, parity_units);
        let stripe = Stripe::random(code, data_units, parity_units, 33);
        stripe.check_encode(&*codec);
        let mut random = Random::new(data_units as u64);
        for _ in 0..3 {
            let lost = random.choose(1 + random.clone().below(parity_units), stripe.units.len());
            stripe.check_decode(&*codec, &lost, &lost);
            stripe.check_decode(&*codec, &lost[..lost.len().min(2)], &lost);
        }
        let most = random.choose(parity_units, stripe.units.len());
        stripe.check_decode(&*codec, &most, &most);
    }
}
