// SPDX-License-Identifier: Apache-2.0
//! Which units are found wrong: every error set of small codes, random ones of large codes.

use stripeline_codec::{Code, Codec, Location};
use stripeline_reference::fingerprint::{explanations, subsets};
use stripeline_testkit::{Random, Stripe, on_every_isa, oracle_code};

use crate::support::{choose, damage, fingerprint, function, locate};

/// Returns what a right location is, by trying every set of units.
fn expected(stripe: &Stripe, units: &[Vec<u8>], missing: &[usize]) -> Location {
    let (k, m) = (stripe.data_units, stripe.parity_units);
    let present = k + m - missing.len();
    if present <= k {
        return Location::Unchecked;
    }
    let equations = present - k;
    let given: Vec<_> = (0..k + m)
        .map(|unit| (!missing.contains(&unit)).then(|| units[unit].clone()))
        .collect();
    for size in 0..equations {
        let sets = explanations(oracle_code(stripe.code), k, m, &given, size);
        if sets.is_empty() {
            continue;
        }
        if size == 0 {
            return Location::Consistent;
        }
        if 2 * size <= equations {
            assert_eq!(sets.len(), 1, "no other set explains the difference");
            return Location::Located(sets.concat());
        }
        let mut candidates = sets.concat();
        candidates.sort_unstable();
        candidates.dedup();
        return Location::Unlocated {
            wrong_min: size,
            candidates,
        };
    }
    Location::Unlocated {
        wrong_min: equations,
        candidates: Vec::new(),
    }
}

/// Checks one damage against the oracle, and against what is really wrong.
fn check(codec: &Codec, stripe: &Stripe, units: &[Vec<u8>], missing: &[usize], wrong: &[usize]) {
    let found = locate(codec, units, missing);
    let name = stripe.name();
    let what = format!("{name}: missing {missing:?}, wrong {wrong:?}");
    assert_eq!(found, expected(stripe, units, missing), "{what}");
    let m = stripe.parity_units;
    let (errors, lost) = (wrong.len(), missing.len());
    if lost >= m {
        assert_eq!(found, Location::Unchecked, "{what}");
    } else if errors == 0 {
        assert_eq!(found, Location::Consistent, "{what}");
    } else if 2 * errors + lost <= m {
        assert_eq!(found, Location::Located(wrong.to_vec()), "{what}");
    } else if errors + lost <= m {
        assert_ne!(found, Location::Consistent, "{what}");
    }
    match found {
        Location::Located(units) => assert!(2 * units.len() + lost <= m, "{what}"),
        Location::Unlocated { wrong_min, .. } => {
            assert!(2 * wrong_min + lost > m, "{what}");
            assert!(wrong_min <= errors, "{what}");
        }
        Location::Consistent | Location::Unchecked => {}
    }
}

const SMALL: [(Code, usize, usize); 8] = [
    (Code::Xor, 2, 1),
    (Code::Rs, 1, 1),
    (Code::Rs, 3, 2),
    (Code::RsLegacy, 3, 2),
    (Code::Rs, 2, 3),
    (Code::RsLegacy, 2, 4),
    (Code::Rs, 3, 4),
    (Code::Rs, 1, 5),
];

/// Every set of missing and of wrong units of small codes, in the three ways in which the errors of
/// units can depend on each other.
#[test]
fn every_error_set_of_small_codes() {
    for (code, k, m) in SMALL {
        let codec = Codec::new(code, k, m).expect("a valid shape");
        let all: Vec<usize> = (0..k + m).collect();
        for columns in [1, 2, 6] {
            let stripe = Stripe::random(code, k, m, columns);
            let mut random = Random::new((k * 100 + m * 10 + columns) as u64);
            for lost in 0..=m {
                for missing in subsets(&all, lost) {
                    let present: Vec<_> = all
                        .iter()
                        .copied()
                        .filter(|unit| !missing.contains(unit))
                        .collect();
                    for errors in 0..=present.len() {
                        for wrong in subsets(&present, errors) {
                            let same = random.bytes(columns);
                            for is_same in [true, false] {
                                let mut units = stripe.units.clone();
                                for unit in &wrong {
                                    let mut delta = match is_same {
                                        true => same.clone(),
                                        false => random.bytes(columns),
                                    };
                                    delta[0] |= 2;
                                    let bytes = units[*unit].iter_mut().zip(delta);
                                    bytes.for_each(|(byte, delta)| *byte ^= delta);
                                }
                                check(&codec, &stripe, &units, &missing, &wrong);
                            }
                        }
                    }
                }
            }
        }
    }
}

/// Every value of an error of one unit, and every pair of values of an error of two.
#[test]
fn every_error_value_of_one_column() {
    for (code, k, m) in [(Code::Rs, 2, 2), (Code::RsLegacy, 2, 3), (Code::Xor, 2, 1)] {
        let codec = Codec::new(code, k, m).expect("a valid shape");
        let stripe = Stripe::random(code, k, m, 1);
        for unit in 0..k + m {
            for value in 1..=255 {
                let mut units = stripe.units.clone();
                units[unit][0] ^= value;
                check(&codec, &stripe, &units, &[], &[unit]);
            }
        }
    }
    // Two wrong units need m = 4 to be located; all 65,025 pairs of values of one set.
    let codec = Codec::new(Code::Rs, 2, 4).expect("a valid shape");
    let stripe = Stripe::random(Code::Rs, 2, 4, 1);
    for first in 1..=255 {
        for second in 1..=255 {
            let mut units = stripe.units.clone();
            units[1][0] ^= first;
            units[4][0] ^= second;
            let found = locate(&codec, &units, &[]);
            assert_eq!(found, Location::Located(vec![1, 4]), "{first}, {second}");
        }
    }
}

/// Real damage of blocks, seen through fingerprints, of the codes of HDFS and wider ones.
#[test]
fn damage_of_blocks_is_located_through_fingerprints() {
    const WINDOW: usize = 16_384;
    for (code, k, m, rounds) in [
        (Code::Rs, 6, 3, 150),
        (Code::Rs, 10, 4, 150),
        (Code::Rs, 12, 4, 60),
        (Code::RsLegacy, 6, 3, 60),
        (Code::Rs, 17, 3, 40),
        (Code::Xor, 2, 1, 60),
        (Code::Rs, 8, 8, 40),
    ] {
        let codec = Codec::new(code, k, m).expect("a valid shape");
        let stripe = Stripe::random(code, k, m, WINDOW);
        for round in 0..rounds {
            let seed = round * 1_000 + (k * 16 + m) as u64;
            println!("{} seed {seed}", stripe.name());
            let mut random = Random::new(seed);
            let lost = random.below(m + 1);
            let errors = match round % 3 {
                0 => random.below(m.saturating_sub(lost) / 2 + 1),
                1 => (m - lost) / 2,
                _ => (m - lost) / 2 + 1,
            };
            let (missing, wrong) = choose(&mut random, lost, errors, k + m);
            let mut blocks = stripe.units.clone();
            for unit in &wrong {
                damage(&mut blocks[*unit], &mut random);
            }
            let function = function(seed, 2, WINDOW);
            let fingerprints: Vec<_> = blocks.iter().map(|b| fingerprint(&function, b)).collect();
            let found = locate(&codec, &fingerprints, &missing);
            if lost == m {
                assert_eq!(found, Location::Unchecked);
            } else if errors == 0 {
                assert_eq!(found, Location::Consistent);
            } else if 2 * errors + lost <= m {
                assert_eq!(found, Location::Located(wrong));
            } else {
                let Location::Unlocated {
                    wrong_min,
                    candidates,
                } = found
                else {
                    panic!("{found:?} instead of {wrong:?} without {missing:?}");
                };
                assert!(wrong_min <= errors);
                if wrong_min == errors && !candidates.is_empty() {
                    assert!(wrong.iter().all(|unit| candidates.contains(unit)));
                }
            }
        }
    }
}

/// Wide codes: as many wrong units as can be located, damaged independently of each other, or all
/// in the same way.
#[test]
fn wide_codes() {
    for (code, k, m) in [
        (Code::Rs, 128, 128),
        (Code::Rs, 200, 55),
        (Code::RsLegacy, 100, 20),
        (Code::Rs, 252, 4),
    ] {
        let codec = Codec::new(code, k, m).expect("a valid shape");
        let stripe = Stripe::random(code, k, m, 160);
        for seed in 0..2 {
            println!("{} seed {seed}", stripe.name());
            let mut random = Random::new(seed);
            let lost = random.below(m / 2);
            let errors = (m - lost) / 2;
            let (missing, wrong) = choose(&mut random, lost, errors, k + m);
            let mut units = stripe.units.clone();
            for unit in &wrong {
                random.fill(&mut units[*unit]);
            }
            assert_eq!(
                locate(&codec, &units, &missing),
                Location::Located(wrong.clone())
            );

            let mut units = stripe.units.clone();
            for unit in &wrong {
                units[*unit][7] ^= 0x40;
            }
            // Errors that all depend on each other leave a search that may be given up.
            match locate(&codec, &units, &missing) {
                Location::Located(found) => assert_eq!(found, wrong),
                Location::Unlocated {
                    wrong_min,
                    candidates,
                } => {
                    assert!(wrong_min <= errors && candidates.is_empty());
                    assert!(m > 4, "252+4 is searched to its end");
                }
                other => panic!("{other:?}"),
            }
        }
    }
}

#[test]
fn location_is_the_same_on_every_instruction_set() {
    let stripe = Stripe::random(Code::Rs, 10, 4, 128);
    let mut units = stripe.units.clone();
    units[3][100] ^= 1;
    units[12][0] ^= 9;
    on_every_isa(|kernels| {
        let codec = Codec::with_kernels(Code::Rs, 10, 4, kernels).expect("a valid shape");
        assert_eq!(locate(&codec, &units, &[]), Location::Located(vec![3, 12]));
        assert_eq!(locate(&codec, &units, &[12, 0]), Location::Located(vec![3]));
    });
}
