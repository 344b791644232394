// SPDX-License-Identifier: Apache-2.0
//! What a fingerprint is: the oracle's bytes, linear, and never blind to certain damage.

use std::sync::Arc;

use stripeline_codec::{
    ChecksumKind, Code, Codec, FINGERPRINT_WINDOW_BYTES_MAX, Fingerprint, FingerprintFunction,
    Location,
};
use stripeline_reference::{Checksum, checksum, fingerprint as oracle};
use stripeline_testkit::{Random, Stripe, on_every_isa};

use crate::support::{fingerprint, function, locate};

const LENGTHS: [usize; 12] = [
    0, 1, 63, 64, 65, 128, 511, 4_095, 4_096, 4_097, 8_000, 16_384,
];

#[test]
fn bytes_are_the_oracles_in_any_pieces() {
    on_every_isa(|kernels| {
        let mut random = Random::new(50);
        for (sums, seed) in [(1, 0), (2, 1), (2, u64::MAX), (3, 77), (4, 1 << 63)] {
            let function = FingerprintFunction::with_kernels(seed, sums, 16_384, kernels);
            let function = Arc::new(function.expect("valid parameters"));
            let mut fingerprint = Fingerprint::new(function);
            for length in LENGTHS {
                let window = random.bytes(length);
                let expected = oracle::fingerprint(seed, sums, &window);
                for pieces_max in [1, 100, 5_000, 20_000] {
                    fingerprint.reset();
                    let mut rest = &window[..];
                    while !rest.is_empty() {
                        let bytes = rest.len().min(1 + random.below(pieces_max));
                        fingerprint.update(&rest[..bytes]).expect("fits");
                        rest = &rest[bytes..];
                    }
                    assert_eq!(fingerprint.remaining_bytes(), 16_384 - length);
                    assert!(
                        fingerprint.bytes() == expected,
                        "{length} bytes, {sums} sums, pieces of up to {pieces_max}"
                    );
                }
            }
        }
    });
}

#[test]
fn a_whole_usual_window_is_the_oracles() {
    let window = Random::new(51).bytes(1 << 20);
    let expected = oracle::fingerprint(9, 2, &window);
    on_every_isa(|kernels| {
        let function = FingerprintFunction::with_kernels(9, 2, 1 << 20, kernels);
        let function = Arc::new(function.expect("valid parameters"));
        assert_eq!(fingerprint(&function, &window), expected);
    });
}

#[test]
fn coefficients_are_the_oracles_and_no_pair_occurs_twice() {
    let rows = FINGERPRINT_WINDOW_BYTES_MAX / 64;
    for seed in [0, 1, 0x0123_4567_89ab_cdef, u64::MAX] {
        let expected = oracle::coefficients(seed, rows);
        for sums in 1..=4 {
            let function = function(seed, sums, FINGERPRINT_WINDOW_BYTES_MAX);
            let found = function.coefficients();
            assert_eq!(found.len(), rows * sums);
            let of_row = found.chunks_exact(sums).zip(&expected);
            of_row.for_each(|(found, expected)| assert_eq!(found, &expected[..sums]));
            assert!(found.iter().all(|coefficient| *coefficient != 0));
        }
        let mut pairs: Vec<_> = expected.iter().map(|all| (all[0], all[1])).collect();
        pairs.sort_unstable();
        pairs.dedup();
        assert_eq!(pairs.len(), rows, "seed {seed}");
    }
}

/// Whatever the seed: damage within one row, and with two sums rows that are exchanged or damaged
/// in the same way.
#[test]
fn certain_damage_is_never_missed() {
    for seed in 0..40 {
        println!("seed {seed}");
        let mut random = Random::new(seed);
        let window = random.bytes(16 * 1_024);
        for sums in 1..=4 {
            let function = function(seed, sums, window.len());
            let sound = fingerprint(&function, &window);
            for _ in 0..200 {
                let (row, other) = (random.below(256), random.below(256));
                let mut wrong = window.clone();
                let within = &mut wrong[row * 64..][..64];
                let at = random.below(64);
                random.fill(&mut within[at..]);
                if wrong != window {
                    assert_ne!(fingerprint(&function, &wrong), sound, "row {row}");
                }
                if sums < 2 || row == other {
                    continue;
                }
                let mut wrong = window.clone();
                let (first, second) = (row.min(other) * 64, row.max(other) * 64);
                let (left, right) = wrong.split_at_mut(second);
                left[first..first + 64].swap_with_slice(&mut right[..64]);
                assert_ne!(fingerprint(&function, &wrong), sound, "{row} and {other}");
                let mut wrong = window.clone();
                let column = random.below(64);
                wrong[first + column] ^= 4;
                wrong[second + column] ^= 4;
                assert_ne!(fingerprint(&function, &wrong), sound, "{row} and {other}");
            }
        }
    }
}

/// Replicas have one fingerprint.
#[test]
fn equal_bytes_have_equal_fingerprints_and_others_do_not() {
    let mut random = Random::new(52);
    let block = random.bytes(100_000);
    let function = function(3, 2, 1 << 20);
    let first = fingerprint(&function, &block);
    assert_eq!(fingerprint(&function, &block.clone()), first);
    for _ in 0..300 {
        let mut other = block.clone();
        crate::support::damage(&mut other, &mut random);
        assert_ne!(fingerprint(&function, &other), first);
    }
}

/// Sound groups are consistent in every window: blocks of several windows, of which data blocks end
/// early, as the last stripe of a file leaves them.
#[test]
fn sound_groups_are_consistent() {
    const WINDOW: usize = 4_096;
    for (code, k, m) in [
        (Code::Rs, 6, 3),
        (Code::Rs, 10, 4),
        (Code::Rs, 3, 2),
        (Code::RsLegacy, 6, 3),
        (Code::Xor, 2, 1),
        (Code::Rs, 200, 55),
    ] {
        let codec = Codec::new(code, k, m).expect("a valid shape");
        for length in [1, 64, 100, WINDOW, WINDOW + 1, 2 * WINDOW + 777] {
            let mut random = Random::new(length as u64);
            // Block 0 is the longest; the others end anywhere, one after 0 bytes.
            let lengths: Vec<usize> = (0..k)
                .map(|unit| match unit {
                    0 => length,
                    1 => 0,
                    _ => random.below(length + 1),
                })
                .collect();
            let data = lengths.iter().map(|own| {
                let mut block = random.bytes(*own);
                block.resize(length, 0);
                block
            });
            let mut blocks = Stripe::of(data.collect(), code, m).units;
            for (block, own) in blocks.iter_mut().zip(&lengths) {
                block.truncate(*own);
            }
            let function = function(length as u64, 2, WINDOW);
            for start in (0..length).step_by(WINDOW) {
                let of_block = |block: &Vec<u8>| {
                    let end = block.len().min(start + WINDOW);
                    fingerprint(&function, &block[start.min(end)..end])
                };
                let fingerprints: Vec<_> = blocks.iter().map(of_block).collect();
                let found = locate(&codec, &fingerprints, &[]);
                assert_eq!(
                    found,
                    Location::Consistent,
                    "{code} {k}+{m}, {length} bytes"
                );
            }
        }
    }
}

#[test]
fn checksums_come_with_the_fingerprint() {
    let kinds = [
        (ChecksumKind::Crc32c, Checksum::Crc32c),
        (ChecksumKind::Crc32, Checksum::Crc32),
    ];
    let mut random = Random::new(53);
    for (kind, oracle_kind) in kinds {
        for chunk in [1, 3, 64, 100, 512, 4_096, 5_000, usize::MAX] {
            for length in LENGTHS {
                let window = random.bytes(length);
                let chunks = window.chunks(chunk.min(1 << 20));
                let expected: Vec<u32> = chunks.map(|c| checksum(oracle_kind, c)).collect();
                let function = function(1, 2, 16_384);
                let sound = fingerprint(&function, &window);

                let mut found = vec![0; expected.len()];
                let mut state = Fingerprint::new(Arc::clone(&function));
                state
                    .update_with_checksums(&window, kind, chunk, &mut found)
                    .expect("lists that fit");
                assert_eq!(found, expected, "{kind:?} of {length} bytes per {chunk}");
                assert_eq!(state.bytes(), sound);

                state.reset();
                let differs = state.update_verifying(&window, kind, chunk, &expected);
                assert_eq!(differs, Ok(None));
                assert_eq!(state.bytes(), sound);

                let mut wrong = expected.clone();
                for _ in 0..2 {
                    if !wrong.is_empty() {
                        let at = random.below(wrong.len());
                        wrong[at] ^= 1;
                    }
                }
                let first = wrong.iter().zip(&expected).position(|(a, b)| a != b);
                state.reset();
                let differs = state.update_verifying(&window, kind, chunk, &wrong);
                assert_eq!(differs, Ok(first), "{kind:?} of {length} bytes per {chunk}");
                assert_eq!(state.bytes(), sound, "all bytes are added");
            }
        }
    }
}
