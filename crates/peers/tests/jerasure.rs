// SPDX-License-Identifier: Apache-2.0
//! All codes against Jerasure with our matrices: same parity, and each decodes what the other
//! encoded.

use stripeline_codec::{Code, Codec, Isa, Kernels, StorePolicy};
use stripeline_peers::{Jerasure, or_skip};
use stripeline_testkit::{Guarded, Random, RustCodec, Stripe, slices, slices_mut};

const SHAPES: [(Code, usize, usize); 9] = [
    (Code::Rs, 3, 2),
    (Code::Rs, 6, 3),
    (Code::Rs, 10, 4),
    (Code::Rs, 12, 4),
    (Code::Rs, 17, 3),
    (Code::Rs, 60, 20),
    (Code::RsLegacy, 6, 3),
    (Code::RsLegacy, 10, 4),
    (Code::Xor, 2, 1),
];

/// A multiple of what Jerasure takes.
const LENGTH: usize = 1_008;

fn jerasure() -> Option<Jerasure> {
    or_skip(Jerasure::load(), "libJerasure.so.2 (Jerasure)")
}

#[test]
fn we_decode_stripes_of_jerasure() {
    let Some(jerasure) = jerasure() else { return };
    for (code, data_units, parity_units) in SHAPES {
        let matrix = Codec::new(code, data_units, parity_units).expect("a valid shape");
        let mut random = Random::new(40);
        let data: Vec<_> = (0..data_units)
            .map(|_| Guarded::holding(&random.bytes(LENGTH), 0))
            .collect();
        let mut parity: Vec<_> = (0..parity_units).map(|_| Guarded::new(LENGTH, 0)).collect();
        jerasure.encode(
            matrix.parity_matrix(),
            &slices(&data),
            &mut slices_mut(&mut parity),
        );
        let units = data
            .iter()
            .chain(&parity)
            .map(|unit| unit.to_vec())
            .collect();
        let stripe = Stripe {
            code,
            data_units,
            parity_units,
            units,
        };
        for kernels in Isa::ALL.into_iter().filter_map(Kernels::for_isa) {
            let store = StorePolicy::Temporal;
            let codec = RustCodec::open(kernels, store, code, data_units, parity_units);
            let codec = codec.expect("a valid shape");
            stripe.check_encode(&*codec);
            for _ in 0..5 {
                let lost = random.choose(parity_units, stripe.units.len());
                stripe.check_decode(&*codec, &lost, &lost);
            }
        }
    }
}

#[test]
fn jerasure_decodes_our_stripes() {
    let Some(jerasure) = jerasure() else { return };
    for (code, data_units, parity_units) in SHAPES {
        let codec = Codec::new(code, data_units, parity_units).expect("a valid shape");
        let mut random = Random::new(41);
        let mut units: Vec<_> = (0..data_units)
            .map(|_| Guarded::holding(&random.bytes(LENGTH), 0))
            .collect();
        let mut parity: Vec<_> = (0..parity_units).map(|_| Guarded::new(LENGTH, 0)).collect();
        codec
            .encode(&slices(&units), &mut slices_mut(&mut parity))
            .expect("in order");
        units.append(&mut parity);
        let written: Vec<Vec<u8>> = units.iter().map(|unit| unit.to_vec()).collect();
        for _ in 0..5 {
            let lost = random.choose(parity_units, units.len());
            for unit in &lost {
                units[*unit].fill(0x77);
            }
            jerasure.decode(
                codec.parity_matrix(),
                data_units,
                &lost,
                &mut slices_mut(&mut units),
            );
            for (unit, written) in units.iter().zip(&written) {
                assert_eq!(
                    **unit, **written,
                    "{code} {data_units}+{parity_units} {lost:?}"
                );
            }
        }
    }
}
