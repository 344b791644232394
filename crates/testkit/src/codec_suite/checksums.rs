// SPDX-License-Identifier: Apache-2.0
//! Tests that encoding with checksums computes the same parity and the oracle's checksums.

use stripeline_codec::{ChecksumKind, Code};
use stripeline_reference::vectors::from_hex;

use super::vectors::read;
use super::{Open, opened};
use crate::kernel_suite::oracle_checksum;
use crate::{CodecUnderTest, Guarded, Stripe, slices, slices_mut};

/// Tests chunks of HDFS's sizes and of unusual sizes against the oracle and the golden vectors.
pub fn checksums(open: Open<'_>) {
    for (code, data_units, parity_units) in [
        (Code::Rs, 6, 3),
        (Code::Rs, 10, 13),
        (Code::RsLegacy, 3, 2),
        (Code::Xor, 2, 1),
    ] {
        let codec = opened(open, code, data_units, parity_units);
        let longest = Stripe::random(code, data_units, parity_units, 2_100);
        for length in [0, 1, 63, 64, 511, 512, 513, 1_024, 2_100] {
            let stripe = longest.shortened(length);
            for bytes_per_checksum in [1, 16, 100, 512, 4_096, usize::MAX] {
                for kind in [ChecksumKind::Crc32c, ChecksumKind::Crc32] {
                    check(&*codec, &stripe, kind, bytes_per_checksum);
                }
            }
        }
    }
    golden_checksums(open);
}

/// Tests the checksums of the golden vectors.
fn golden_checksums(open: Open<'_>) {
    for code in Code::ALL {
        for case in read(code).cases {
            let codec = opened(open, code, case.data_units, case.parity_units);
            let data: Vec<Vec<u8>> = case.data.iter().map(|unit| from_hex(unit)).collect();
            let mut parity = vec![vec![0; case.length]; case.parity_units];
            let kinds = [
                (ChecksumKind::Crc32c, case.crc32c),
                (ChecksumKind::Crc32, case.crc32),
            ];
            for (kind, expected) in kinds {
                let mut sums =
                    vec![vec![0; case.length.div_ceil(case.bytes_per_checksum)]; expected.len()];
                let (data, mut parity) = (slices(&data), slices_mut(&mut parity));
                codec
                    .encode_with_checksums(
                        &data,
                        &mut parity,
                        kind,
                        case.bytes_per_checksum,
                        &mut sums,
                    )
                    .expect("the case is in order");
                let hex = |sums: &Vec<u32>| {
                    sums.iter()
                        .map(|sum| format!("{sum:08x}"))
                        .collect::<String>()
                };
                assert_eq!(sums.iter().map(hex).collect::<Vec<_>>(), expected);
            }
        }
    }
}

fn check(
    codec: &dyn CodecUnderTest,
    stripe: &Stripe,
    kind: ChecksumKind,
    bytes_per_checksum: usize,
) {
    let mut parity: Vec<_> = (0..stripe.parity_units)
        .map(|unit| Guarded::new(stripe.length(), 9 * unit))
        .collect();
    let expected: Vec<Vec<u32>> = stripe
        .units
        .iter()
        .map(|unit| {
            unit.chunks(bytes_per_checksum)
                .map(|chunk| oracle_checksum(kind, chunk))
                .collect()
        })
        .collect();
    let mut sums: Vec<Vec<u32>> = expected.iter().map(|unit| vec![0; unit.len()]).collect();
    let data = slices(stripe.data());
    codec
        .encode_with_checksums(
            &data,
            &mut slices_mut(&mut parity),
            kind,
            bytes_per_checksum,
            &mut sums,
        )
        .expect("the stripe is in order");
    for (computed, expected) in parity.iter().zip(stripe.parity()) {
        assert!(
            **computed == **expected && computed.is_intact(),
            "{}",
            stripe.name()
        );
    }
    assert_eq!(
        sums,
        expected,
        "{}: {kind:?} per {bytes_per_checksum} bytes",
        stripe.name()
    );
}
