// SPDX-License-Identifier: Apache-2.0
//! Compares the kernel's bytes with the oracle's: many shapes, each with an edge length and a
//! placement.

use stripeline_codec::Code;
use stripeline_testkit::Stripe;

use crate::mock::Mock;
use crate::placement::{Memory, Placement};

/// Lengths around the kernel's units, parts, blocks of threads and their multiples.
const LENGTHS: [usize; 12] = [1, 7, 8, 9, 15, 16, 17, 31, 100, 257, 4_096, 4_099];

/// Numbers of columns up to the largest matrices; numbers of rows of one launch and of several.
const DATA_UNITS: [usize; 12] = [1, 2, 3, 5, 6, 8, 10, 12, 17, 24, 40, 100];
const PARITY_UNITS: [usize; 9] = [1, 2, 3, 4, 5, 6, 7, 8, 13];

#[test]
fn many_codes_have_the_bytes_of_the_oracle() {
    let mock = Mock::new();
    let (rail, program) = (mock.rail(), mock.program());
    let memories: [&[Memory]; 3] = [
        &[Memory::Host],
        &[Memory::Device],
        &[Memory::Device, Memory::Host],
    ];
    let mut placements: Vec<Placement<'_>> = memories
        .into_iter()
        .flat_map(|memories| [0, 5].map(|offset| (memories, offset)))
        .map(|(memories, offset)| Placement::new(&program, &rail, memories, offset))
        .collect();
    let mut round = 0;
    for data_units in DATA_UNITS {
        for parity_units in PARITY_UNITS {
            for code in [Code::Rs, Code::RsLegacy] {
                let mut bytes = LENGTHS[round % LENGTHS.len()];
                if data_units * parity_units > 100 {
                    // The oracle multiplies bit by bit and is slow.
                    bytes = bytes.min(300);
                }
                let stripe = Stripe::random(code, data_units, parity_units, bytes);
                let count = placements.len();
                placements[round / 2 % count].all(&stripe);
                round += 1;
            }
        }
    }
}

#[test]
fn every_pair_of_bytes_is_multiplied_right() {
    let mock = Mock::new();
    let (rail, program) = (mock.rail(), mock.program());
    // The only row is 1 / (255 xor j) for j below 255, which covers every coefficient but 0, and
    // every unit contains every byte.
    let unit = |unit: u8| (0..=u8::MAX).map(|byte| byte.wrapping_add(unit)).collect();
    let stripe = Stripe::of((0..u8::MAX).map(unit).collect(), Code::Rs, 1);
    let mut placement = Placement::new(&program, &rail, &[Memory::Host], 0);
    placement.encode(&stripe);
}
