// SPDX-License-Identifier: Apache-2.0
//! The bound 2e + s = m and one beyond, with damage that is chosen to mislead.

use stripeline_codec::{Code, Codec, Location};
use stripeline_testkit::{Random, Stripe};

use crate::support::{choose, locate};

/// At the bound every set is located; beyond it by one, independent errors are never taken for
/// fewer, and candidates are the wrong units themselves while equations are left.
#[test]
fn one_beyond_the_bound_is_not_located() {
    for (code, k, m) in [(Code::Rs, 6, 3), (Code::Rs, 10, 4), (Code::RsLegacy, 5, 5)] {
        let codec = Codec::new(code, k, m).expect("a valid shape");
        let stripe = Stripe::random(code, k, m, 128);
        for seed in 0..200 {
            println!("{} seed {seed}", stripe.name());
            let mut random = Random::new(seed);
            let lost = random.below(m);
            let bound = (m - lost) / 2;
            for errors in [bound, bound + 1] {
                let (missing, wrong) = choose(&mut random, lost, errors, k + m);
                let mut units = stripe.units.clone();
                for unit in &wrong {
                    random.fill(&mut units[*unit]);
                }
                let found = locate(&codec, &units, &missing);
                let expected = match errors {
                    0 => Location::Consistent,
                    _ if errors == bound => Location::Located(wrong),
                    _ => Location::Unlocated {
                        wrong_min: errors,
                        candidates: match errors < m - lost {
                            true => wrong,
                            false => Vec::new(),
                        },
                    },
                };
                assert_eq!(found, expected, "without {missing:?}");
            }
        }
    }
}

/// Errors that are themselves a codeword cannot be noticed by anything: m+1 wrong units at least.
#[test]
fn damage_by_a_codeword_is_consistent() {
    let codec = Codec::new(Code::Rs, 6, 3).expect("a valid shape");
    let stripe = Stripe::random(Code::Rs, 6, 3, 64);
    let mut one_unit = vec![vec![0; 64]; 6];
    one_unit[2] = Random::new(8).bytes(64);
    let word = Stripe::of(one_unit, Code::Rs, 3);
    let mut units = stripe.units.clone();
    let pairs = units.iter_mut().zip(&word.units);
    pairs.for_each(|(unit, delta)| unit.iter_mut().zip(delta).for_each(|(a, b)| *a ^= b));
    assert_eq!(locate(&codec, &units, &[]), Location::Consistent);
    // Three of its four units wrong look as if the fourth alone were: beyond the bound, a location
    // is what the fewest wrong units would have caused, as the documentation says.
    units[8].copy_from_slice(&stripe.units[8]);
    assert_eq!(locate(&codec, &units, &[]), Location::Located(vec![8]));
}

/// Two wrong units of XOR, RS-3-2 and others with one or two equations are noticed, not located.
#[test]
fn one_parity_unit_detects_only() {
    let stripe = Stripe::random(Code::Xor, 2, 1, 128);
    let codec = Codec::new(Code::Xor, 2, 1).expect("a valid shape");
    for unit in 0..3 {
        let mut units = stripe.units.clone();
        units[unit][9] ^= 1;
        let expected = Location::Unlocated {
            wrong_min: 1,
            candidates: Vec::new(),
        };
        assert_eq!(locate(&codec, &units, &[]), expected);
        assert_eq!(
            locate(&codec, &units, &[(unit + 1) % 3]),
            Location::Unchecked
        );
    }
}

#[test]
fn with_m_or_more_units_missing_nothing_is_checked() {
    let stripe = Stripe::random(Code::Rs, 6, 3, 64);
    let codec = Codec::new(Code::Rs, 6, 3).expect("a valid shape");
    for missing in [&[0, 4, 8][..], &[0, 1, 2, 3], &[0, 1, 2, 3, 4, 5, 6, 7, 8]] {
        assert_eq!(locate(&codec, &stripe.units, missing), Location::Unchecked);
    }
}
