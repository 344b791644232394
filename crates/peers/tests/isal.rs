// SPDX-License-Identifier: Apache-2.0
//! `rs` against ISA-L: same matrix, same parity, and each decodes what the other encoded.

use stripeline_codec::{Code, Codec, Isa, Kernels, StorePolicy};
use stripeline_peers::{Isal, or_skip};
use stripeline_testkit::{Random, RustCodec, Stripe, slices, slices_mut};

const SHAPES: [(usize, usize); 8] = [
    (3, 2),
    (6, 3),
    (10, 4),
    (12, 4),
    (17, 3),
    (1, 1),
    (40, 20),
    (200, 55),
];

fn isal() -> Option<Isal> {
    or_skip(Isal::load(), "libisal.so.2 (ISA-L)")
}

#[test]
fn matrices_are_the_same() {
    let Some(isal) = isal() else { return };
    for data_units in 1..=60 {
        for parity_units in 1..=30 {
            let ours = Codec::new(Code::Rs, data_units, parity_units).expect("a valid shape");
            let theirs = isal.cauchy_matrix(data_units, parity_units);
            assert_eq!(ours.parity_matrix(), &theirs[data_units * data_units..]);
        }
    }
    let ours = Codec::new(Code::Rs, 128, 128).expect("a valid shape");
    assert_eq!(
        ours.parity_matrix(),
        &isal.cauchy_matrix(128, 128)[128 * 128..]
    );
}

/// What ISA-L encodes is the stripe that the codec encodes and decodes, on every instruction set.
#[test]
fn we_decode_stripes_of_isal() {
    let Some(isal) = isal() else { return };
    for (data_units, parity_units) in SHAPES {
        for length in [1, 63, 64, 1_000] {
            let stripe = written_by_isal(&isal, data_units, parity_units, length);
            for kernels in Isa::ALL.into_iter().filter_map(Kernels::for_isa) {
                let store = StorePolicy::Temporal;
                let codec = RustCodec::open(kernels, store, Code::Rs, data_units, parity_units);
                let codec = codec.expect("a valid shape");
                stripe.check_encode(&*codec);
                let mut random = Random::new(length as u64);
                for _ in 0..5 {
                    let lost = random.choose(parity_units, stripe.units.len());
                    stripe.check_decode(&*codec, &lost, &lost);
                }
            }
        }
    }
}

fn written_by_isal(isal: &Isal, data_units: usize, parity_units: usize, length: usize) -> Stripe {
    let matrix = isal.cauchy_matrix(data_units, parity_units);
    let mut random = Random::new(length as u64 + 1);
    let mut units: Vec<Vec<u8>> = (0..data_units).map(|_| random.bytes(length)).collect();
    let mut parity = vec![vec![0; length]; parity_units];
    isal.dot(
        &matrix[data_units * data_units..],
        &slices(&units),
        &mut slices_mut(&mut parity),
    );
    units.append(&mut parity);
    Stripe {
        code: Code::Rs,
        data_units,
        parity_units,
        units,
    }
}

#[test]
fn isal_decodes_our_stripes() {
    let Some(isal) = isal() else { return };
    for (data_units, parity_units) in SHAPES {
        let codec = Codec::new(Code::Rs, data_units, parity_units).expect("a valid shape");
        let mut random = Random::new(7);
        let mut units: Vec<Vec<u8>> = (0..data_units).map(|_| random.bytes(777)).collect();
        let mut parity = vec![vec![0; 777]; parity_units];
        codec
            .encode(&slices(&units), &mut slices_mut(&mut parity))
            .expect("in order");
        units.append(&mut parity);
        for _ in 0..5 {
            let lost = random.choose(parity_units, units.len());
            decode_by_isal(&isal, data_units, &units, &lost);
        }
    }
}

/// Recovers the lost data units the way ISA-L's users do: invert the rows of k survivors, multiply.
fn decode_by_isal(isal: &Isal, data_units: usize, units: &[Vec<u8>], lost: &[usize]) {
    let matrix = isal.cauchy_matrix(data_units, units.len() - data_units);
    let survivors: Vec<usize> = (0..units.len())
        .filter(|unit| !lost.contains(unit))
        .take(data_units)
        .collect();
    let row = |unit: &usize| matrix[unit * data_units..(unit + 1) * data_units].to_vec();
    let rows: Vec<u8> = survivors.iter().flat_map(row).collect();
    let inverted = isal
        .invert(rows, data_units)
        .expect("any k units determine the rest");
    let inputs: Vec<&[u8]> = survivors.iter().map(|unit| &units[*unit][..]).collect();
    for unit in lost.iter().filter(|unit| **unit < data_units) {
        let mut output = vec![0; units[0].len()];
        let row = &inverted[unit * data_units..(unit + 1) * data_units];
        isal.dot(row, &inputs, &mut [&mut output]);
        assert_eq!(output, units[*unit], "unit {unit} of {lost:?}");
    }
}
