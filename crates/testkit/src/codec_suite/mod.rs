// SPDX-License-Identifier: Apache-2.0
//! Tests that every codec must pass, for any interface and instruction set.
//!
//! Each function takes `open`, which creates a codec of a shape. [`right_input`] and
//! [`wrong_patterns`] apply to every interface; [`wrong_buffers`] only to those whose buffers carry
//! a length and whose lists carry a count.

mod checksums;
mod patterns;
mod refusals;
mod updates;
mod vectors;
mod verification;

use stripeline_codec::Code;

use crate::{Opened, Random, Stripe};

pub use checksums::checksums;
pub use patterns::{exhaustive_patterns, wide_codes};
pub use refusals::{wrong_buffers, wrong_patterns};
pub use updates::updates;
pub use vectors::golden_vectors;
pub use verification::verification;

/// Every length up to 300 is tested: all tails of every vector width, and more than one step of the
/// widest.
pub(crate) const LENGTH_MAX: usize = 300;

/// Creates a codec of a code and shape.
pub type Open<'a> = &'a dyn Fn(Code, usize, usize) -> Opened;

/// Runs all tests of correct input.
pub fn right_input(open: Open<'_>) {
    golden_vectors(open);
    every_length(open);
    exhaustive_patterns(open);
    wide_codes(open);
    updates(open);
    verification(open);
    checksums(open);
}

/// Encodes and decodes every length from 0 to 300.
pub fn every_length(open: Open<'_>) {
    for (code, data_units, parity_units) in
        [(Code::Rs, 6, 3), (Code::RsLegacy, 4, 2), (Code::Xor, 2, 1)]
    {
        let codec = opened(open, code, data_units, parity_units);
        let longest = Stripe::random(code, data_units, parity_units, LENGTH_MAX);
        let mut random = Random::new(1);
        for length in 0..=LENGTH_MAX {
            let stripe = longest.shortened(length);
            stripe.check_encode(&*codec);
            let lost = random.choose(parity_units, data_units + parity_units);
            stripe.check_decode(&*codec, &lost, &lost);
        }
    }
}

/// Returns a codec of a shape that must be valid.
pub(crate) fn opened(
    open: Open<'_>,
    code: Code,
    data_units: usize,
    parity_units: usize,
) -> Box<dyn crate::CodecUnderTest> {
    open(code, data_units, parity_units)
        .unwrap_or_else(|refusal| panic!("{code} {data_units}+{parity_units}: {}", refusal.text))
}
