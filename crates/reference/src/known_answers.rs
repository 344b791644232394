// SPDX-License-Identifier: Apache-2.0
//! Fingerprints of parity, by which a rail proves itself without the oracle at hand.
//!
//! `crates/rail/src/known_answers` computes the same data by the same rule and compares the
//! fingerprints of what a rail makes of it.

use std::fmt::Write;

use crate::vectors::SplitMix;
use crate::{Code, encode};

/// HDFS's shapes, a wide one, and the least of each code.
const SHAPES: [(Code, usize, usize); 13] = [
    (Code::Rs, 1, 1),
    (Code::Rs, 3, 2),
    (Code::Rs, 6, 3),
    (Code::Rs, 10, 4),
    (Code::Rs, 12, 4),
    (Code::Rs, 17, 3),
    (Code::Rs, 30, 12),
    (Code::RsLegacy, 3, 2),
    (Code::RsLegacy, 6, 3),
    (Code::RsLegacy, 10, 4),
    (Code::Xor, 1, 1),
    (Code::Xor, 2, 1),
    (Code::Xor, 10, 1),
];

/// Bytes of a unit: the largest granule of any rail, and a tail that is odd.
pub const UNIT_BYTES: usize = 4_096 + 77;

/// Bytes of a unit without its tail.
pub const WHOLE_BYTES: usize = 4_096;

/// The bytes of a data unit: those of SplitMix64, lowest first, with this seed. `version` is 0
/// before and 1 after an update.
#[must_use]
pub fn data_unit(data_units: usize, parity_units: usize, unit: usize, version: usize) -> Vec<u8> {
    let seed = data_units << 32 | parity_units << 16 | unit << 1 | version;
    let mut random = SplitMix::new(seed as u64);
    let words = std::iter::repeat_with(|| random.next().to_le_bytes());
    words.flatten().take(UNIT_BYTES).collect()
}

/// Fowler, Noll and Vo's 64-bit hash, variant 1a.
#[must_use]
pub fn fingerprint(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, byte| {
        (hash ^ u64::from(*byte)).wrapping_mul(0x0100_0000_01b3)
    })
}

/// The table as Rust source.
#[must_use]
pub fn table() -> String {
    let mut text = String::from(
        "// SPDX-License-Identifier: Apache-2.0\n\
         //! The oracle's answers.\n\
         //! Written by `cargo run -p stripeline-reference --bin write-known-answers FILE`.\n\n\
         use stripeline_codec::Code;\n\n\
         use super::Answer;\n\n\
         pub(super) static ANSWERS: &[Answer] = &[\n",
    );
    for (code, data_units, parity_units) in SHAPES {
        let mut data: Vec<Vec<u8>> = (0..data_units)
            .map(|unit| data_unit(data_units, parity_units, unit, 0))
            .collect();
        let before = encode(code, parity_units, &data);
        let changed = data_units / 2;
        data[changed] = data_unit(data_units, parity_units, changed, 1);
        let after = encode(code, parity_units, &data);
        let rows = |units: &[Vec<u8>]| -> String {
            let row = |unit: &Vec<u8>| {
                let (whole, all) = (fingerprint(&unit[..WHOLE_BYTES]), fingerprint(unit));
                format!("            [0x{whole:016x}, 0x{all:016x}],\n")
            };
            units.iter().map(row).collect()
        };
        write!(
            text,
            "    Answer {{\n        code: Code::{code:?},\n        data_units: {data_units},\n\
             \x20       parity: &[\n{}        ],\n        updated: &[\n{}        ],\n    }},\n",
            rows(&before),
            rows(&after)
        )
        .expect("a string takes all");
    }
    text + "];\n"
}
