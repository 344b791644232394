// SPDX-License-Identifier: Apache-2.0
//! Tests that every rail must pass, with any device.
//!
//! The oracle is `stripeline-reference`. The tests stay within the rail's capability: shapes within
//! its bounds, lengths that are multiples of its granule, and its modes.

mod feeder;
mod operations;

use stripeline_codec::{Code, Codec, Verdict};
use stripeline_rail::{Piece, Rail, borrowed};

use crate::{Random, Stripe, slices};

pub use feeder::Feeder;
use operations::Operations;

/// All lengths up to this one are tested.
pub const LENGTH_MAX: usize = 300;

/// HDFS's shapes and other common ones, narrow and wide.
const SHAPES: [(Code, usize, usize); 13] = [
    (Code::Rs, 3, 2),
    (Code::Rs, 6, 3),
    (Code::Rs, 10, 4),
    (Code::Rs, 12, 4),
    (Code::Rs, 17, 3),
    (Code::Rs, 1, 1),
    (Code::Rs, 2, 9),
    (Code::RsLegacy, 3, 2),
    (Code::RsLegacy, 6, 3),
    (Code::RsLegacy, 10, 4),
    (Code::Xor, 1, 1),
    (Code::Xor, 2, 1),
    (Code::Xor, 10, 1),
];

/// The widest shapes of the codes; a rail's own bounds may be smaller.
const WIDE: [(Code, usize, usize); 4] = [
    (Code::Rs, 200, 55),
    (Code::Rs, 40, 20),
    (Code::RsLegacy, 230, 25),
    (Code::Xor, 254, 1),
];

/// Runs all tests below.
pub fn all(rail: &dyn Rail) {
    shapes(rail);
    every_length(rail);
    large_units(rail);
    comparisons(rail);
    strided_units(rail);
    several_lanes(rail);
}

/// Encodes, decodes, updates and verifies every shape within the rail's bounds, as a whole and in
/// parts.
pub fn shapes(rail: &dyn Rail) {
    let mut operations = Operations::new(rail, 1);
    for (code, data_units, parity_units) in SHAPES {
        for bytes in [64, 131, 1_024] {
            let Some(stripe) = operations.stripe(code, data_units, parity_units, bytes) else {
                continue;
            };
            operations.encode(&stripe, 3);
            operations.verify(&stripe, 3);
            for lost in 1..=parity_units {
                operations.decode(&stripe, lost, 3);
            }
            for data_unit in [0, data_units - 1] {
                operations.update(&stripe, data_unit, 3);
            }
        }
    }
    for (code, data_units, parity_units) in WIDE {
        let bytes = rail.capability().granule_bytes.max(70).next_multiple_of(64);
        if let Some(stripe) = operations.stripe(code, data_units, parity_units, bytes) {
            operations.encode(&stripe, 1);
            operations.verify(&stripe, 1);
            operations.decode(&stripe, parity_units, 1);
            operations.update(&stripe, data_units / 2, 1);
        }
    }
}

/// Tests every length from 1 to [`LENGTH_MAX`] that the rail takes.
pub fn every_length(rail: &dyn Rail) {
    let mut operations = Operations::new(rail, 2);
    for (code, data_units, parity_units) in [(Code::Rs, 6, 3), (Code::Xor, 3, 1)] {
        let longest = Stripe::random(code, data_units, parity_units, LENGTH_MAX);
        for bytes in 1..=LENGTH_MAX {
            if !operations.takes(&longest) || !operations.takes_length(bytes) {
                continue;
            }
            let stripe = longest.shortened(bytes);
            operations.encode(&stripe, bytes % 3);
            operations.decode(&stripe, 1 + bytes % parity_units, bytes % 2);
            operations.update(&stripe, bytes % data_units, 0);
            operations.verify(&stripe, bytes % 2);
        }
    }
}

/// Tests units of several pages, split at many places, at the rail's own piece size and beyond it.
pub fn large_units(rail: &dyn Rail) {
    let mut operations = Operations::new(rail, 3);
    // Bounded, because the oracle is slow.
    let piece = rail.capability().piece_bytes.min(40_000);
    for bytes in [piece, piece + 64, 2 * piece + 4_096 + 17, 20_000] {
        let bytes = match operations.takes_length(bytes) {
            true => bytes,
            false => bytes.next_multiple_of(rail.capability().granule_bytes),
        };
        if let Some(stripe) = operations.stripe(Code::Rs, 6, 3, bytes) {
            operations.encode(&stripe, 20);
            operations.decode(&stripe, 3, 20);
            operations.update(&stripe, 4, 20);
            operations.verify(&stripe, 20);
        }
    }
}

/// Tests that a check finds a flipped bit in any unit, at the right place, and the first one of
/// several.
pub fn comparisons(rail: &dyn Rail) {
    let mut operations = Operations::new(rail, 4);
    if !rail.capability().compares {
        return;
    }
    for (code, data_units, parity_units) in
        [(Code::Rs, 6, 3), (Code::RsLegacy, 3, 2), (Code::Xor, 3, 1)]
    {
        let Some(sound) = operations.stripe(code, data_units, parity_units, 2_048) else {
            continue;
        };
        let mut random = Random::new(5);
        for round in 0..60 {
            let mut stripe = sound.clone();
            let unit = round % stripe.units.len();
            let offset = match round {
                0 => 0,
                1 => 2_047,
                _ => random.below(2_048),
            };
            stripe.units[unit][offset] ^= 1 << random.below(8);
            // A wrong data unit changes every parity unit, the lowest of which is reported.
            let parity_unit = unit.saturating_sub(data_units);
            let expected = Verdict::Mismatch {
                parity_unit,
                offset,
            };
            assert_eq!(operations.verdict(&stripe, round % 4), expected);
        }
        if parity_units > 2 {
            let mut stripe = sound.clone();
            for (parity_unit, offset) in [(0, 1_500), (1, 700), (2, 700)] {
                stripe.units[data_units + parity_unit][offset] ^= 1;
            }
            let expected = Verdict::Mismatch {
                parity_unit: 1,
                offset: 700,
            };
            for cuts in 0..5 {
                assert_eq!(operations.verdict(&stripe, cuts), expected);
            }
        }
    }
}

/// Tests units in one buffer, each one stride after the previous, with other bytes in between.
pub fn strided_units(rail: &dyn Rail) {
    let mut operations = Operations::new(rail, 6);
    for (bytes, stride) in [(64, 65), (256, 300), (1_024, 4_099)] {
        let Some(stripe) = operations.stripe(Code::Rs, 3, 2, bytes) else {
            continue;
        };
        let mut buffer = vec![0xa5; 5 * stride];
        for (place, unit) in buffer.chunks_mut(stride).zip(stripe.data()) {
            place[..bytes].copy_from_slice(unit);
        }
        let codec = Codec::new(Code::Rs, 3, 2).expect("a valid shape");
        let (data, parity) = buffer.split_at_mut(3 * stride);
        let data: Vec<&[u8]> = data.chunks(stride).map(|place| &place[..bytes]).collect();
        let mut parity: Vec<_> = parity
            .chunks_mut(stride)
            .map(|place| &mut place[..bytes])
            .collect();
        let store = stripeline_codec::StorePolicy::NonTemporal;
        let run = |piece: Piece| operations.feeder().run_cut(piece.stored(store), 2);
        let verdict = borrowed::encode(&codec, &data, &mut parity, run).expect("in order");
        assert_eq!(verdict, Ok(Verdict::Sound), "{}", rail.name());
        for (place, unit) in buffer.chunks(stride).zip(&stripe.units) {
            assert!(place[..bytes] == unit[..], "{}: strided", rail.name());
            let between = &place[bytes..];
            assert!(
                between.iter().all(|byte| *byte == 0xa5),
                "{}: a byte between units changed",
                rail.name()
            );
        }
    }
}

/// Uses as many lanes as are worth opening, at most four, each on its own thread.
pub fn several_lanes(rail: &dyn Rail) {
    std::thread::scope(|scope| {
        for lane in 0..rail.capability().lanes.min(4) {
            scope.spawn(move || {
                let mut operations = Operations::new(rail, lane as u64);
                for round in 0..20 {
                    let bytes = 64 * (1 + (lane + round) % 40);
                    let Some(stripe) = operations.stripe(Code::Rs, 6, 3, bytes) else {
                        continue;
                    };
                    operations.encode(&stripe, round % 4);
                    operations.decode(&stripe, 3, round % 4);
                }
            });
        }
    });
}

/// Encodes one stripe on a rail that is supposed to write wrong bytes; returns whether it did.
#[must_use]
pub fn writes_wrong_bytes(rail: &dyn Rail) -> bool {
    let stripe = Stripe::random(Code::Rs, 3, 2, 1_024);
    let codec = Codec::new(Code::Rs, 3, 2).expect("a valid shape");
    let mut parity = vec![vec![0; 1_024]; 2];
    let mut feeder = Feeder::new(rail, 7);
    let verdict = borrowed::encode(
        &codec,
        &slices(stripe.data()),
        &mut crate::slices_mut(&mut parity),
        |piece| feeder.run(piece),
    );
    assert_eq!(verdict, Ok(Ok(Verdict::Sound)));
    parity != stripe.parity()
}
