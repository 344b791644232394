// SPDX-License-Identifier: Apache-2.0
//! Tests that verification accepts sound stripes and finds a single flipped bit at any position.

use stripeline_codec::{Code, Verdict};

use super::{LENGTH_MAX, Open, opened};
use crate::{CodecUnderTest, Random, Stripe, slices};

/// Verifies sound stripes of every length, then flips bits.
pub fn verification(open: Open<'_>) {
    let codec = opened(open, Code::Rs, 6, 3);
    let longest = Stripe::random(Code::Rs, 6, 3, LENGTH_MAX);
    for length in 0..=LENGTH_MAX {
        check_sound(&*codec, &longest.shortened(length));
    }
    every_bit(open);
    long_units(open);
    lowest_offset_wins(&*codec);
}

/// Flips every bit of every unit of a stripe of each code.
fn every_bit(open: Open<'_>) {
    for (code, data_units, parity_units) in
        [(Code::Rs, 3, 2), (Code::RsLegacy, 3, 2), (Code::Xor, 3, 1)]
    {
        let codec = opened(open, code, data_units, parity_units);
        let stripe = Stripe::random(code, data_units, parity_units, 131);
        for unit in 0..stripe.units.len() {
            for bit in 0..8 * stripe.length() {
                check_flip(&*codec, &stripe, unit, bit);
            }
        }
    }
}

/// Tests units longer than any block of the implementation, and wide stripes, whose blocks are
/// short.
fn long_units(open: Open<'_>) {
    let shapes = [
        (Code::Rs, 6, 3, 70_001),
        (Code::Rs, 2, 200, 1_000),
        (Code::Xor, 2, 1, 70_001),
    ];
    for (code, data_units, parity_units, length) in shapes {
        let codec = opened(open, code, data_units, parity_units);
        let stripe = Stripe::random(code, data_units, parity_units, length);
        check_sound(&*codec, &stripe);
        let mut random = Random::new(length as u64);
        for place in [0, length - 1] {
            check_flip(
                &*codec,
                &stripe,
                random.below(stripe.units.len()),
                8 * place,
            );
        }
        for _ in 0..20 {
            let unit = random.below(stripe.units.len());
            check_flip(&*codec, &stripe, unit, random.below(8 * length));
        }
    }
}

fn check_sound(codec: &dyn CodecUnderTest, stripe: &Stripe) {
    let verdict = codec.verify(&slices(stripe.data()), &slices(stripe.parity()));
    assert_eq!(verdict, Ok(Verdict::Sound), "{}", stripe.name());
}

fn check_flip(codec: &dyn CodecUnderTest, sound: &Stripe, unit: usize, bit: usize) {
    let flipped = with_flip(&sound.units[unit], bit);
    let mut units = slices(&sound.units);
    units[unit] = &flipped;
    let (data, parity) = units.split_at(sound.data_units);
    // A wrong data unit changes every parity unit, the lowest of which is reported.
    let parity_unit = unit.saturating_sub(sound.data_units);
    let expected = Verdict::Mismatch {
        parity_unit,
        offset: bit / 8,
    };
    assert_eq!(
        codec.verify(data, parity),
        Ok(expected),
        "{}: unit {unit}",
        sound.name()
    );
}

fn with_flip(unit: &[u8], bit: usize) -> Vec<u8> {
    let mut flipped = unit.to_vec();
    flipped[bit / 8] ^= 1 << (bit % 8);
    flipped
}

/// Of several differences, the one at the lowest offset is reported, and there that of the lowest
/// unit.
fn lowest_offset_wins(codec: &dyn CodecUnderTest) {
    let mut stripe = Stripe::random(Code::Rs, 6, 3, 5_000);
    for (unit, offset) in [(6, 4_000), (7, 3_000), (8, 3_000)] {
        stripe.units[unit][offset] ^= 1;
    }
    let verdict = codec.verify(&slices(stripe.data()), &slices(stripe.parity()));
    assert_eq!(
        verdict,
        Ok(Verdict::Mismatch {
            parity_unit: 1,
            offset: 3_000
        })
    );
}
