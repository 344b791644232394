// SPDX-License-Identifier: Apache-2.0
//! Tests that wrong input is refused with its kind and its values, and that nothing is written.

use stripeline_codec::{ChecksumKind, Code, ErrorKind};

use super::{Open, opened};
use crate::{CodecUnderTest, Refusal, Stripe, all_but, slices, slices_mut};

/// The contents of outputs before a call that must not write them.
const UNTOUCHED: u8 = 0x5a;

/// Tests wrong shapes and erasure lists, which every interface can express.
pub fn wrong_patterns(open: Open<'_>) {
    wrong_shapes(open);
    wrong_erasures(open);
    let codec = opened(open, Code::Rs, 6, 3);
    let mut parity = vec![vec![UNTOUCHED; 4]; 3];
    let refused = codec.update(6, &[0; 4], &[1; 4], &mut slices_mut(&mut parity));
    expect(
        refused,
        ErrorKind::InvalidUnit,
        "Cannot update unit 6: units are 0 to 5",
    );
    assert!(parity.concat().iter().all(|byte| *byte == UNTOUCHED));
}

/// Tests lists of a wrong count and buffers of a wrong length.
pub fn wrong_buffers(open: Open<'_>) {
    wrong_counts(open);
    wrong_lengths(open);
    wrong_checksums(open);
}

fn wrong_shapes(open: Open<'_>) {
    let limits = "needs at least 1 data and 1 parity unit, at most 256 together";
    let legacy = "needs at least 1 data and 1 parity unit, at most 255 together";
    let xor = "needs 1 to 255 data units and exactly 1 parity unit";
    for (code, data_units, parity_units, reason) in [
        (Code::Rs, 0, 3, limits),
        (Code::Rs, 6, 0, limits),
        (Code::Rs, 0, 0, limits),
        (Code::Rs, 254, 3, limits),
        (Code::Rs, 3, 254, limits),
        (Code::Rs, 1 << 30, 1 << 30, limits),
        (Code::RsLegacy, 0, 1, legacy),
        (Code::RsLegacy, 253, 3, legacy),
        (Code::Xor, 2, 2, xor),
        (Code::Xor, 0, 1, xor),
        (Code::Xor, 2, 0, xor),
        (Code::Xor, 256, 1, xor),
    ] {
        let text = format!("Cannot build a codec {code} {data_units}+{parity_units}: {reason}");
        let refused = open(code, data_units, parity_units).map(|_| ());
        expect(refused, ErrorKind::InvalidParameters, &text);
    }
    for (code, data_units, parity_units) in [
        (Code::Rs, 253, 3),
        (Code::RsLegacy, 253, 2),
        (Code::Xor, 255, 1),
    ] {
        opened(open, code, data_units, parity_units);
    }
}

fn wrong_erasures(open: Open<'_>) {
    let codec = opened(open, Code::Rs, 6, 3);
    let stripe = Stripe::random(Code::Rs, 6, 3, 40);
    let too_many = ErrorKind::TooManyErasures;
    for (erased, absent, kind, text) in [
        (
            &[0, 1, 2, 3][..],
            &[0, 1, 2, 3][..],
            too_many,
            "Cannot decode the stripe: units asked for: 4, the code repairs: 3",
        ),
        (
            &[0],
            &[0, 1, 2, 8],
            too_many,
            "Cannot decode the stripe: units present: 5 of 9, needed: 6",
        ),
        (
            &[2],
            &[0, 1, 2, 3, 4, 5, 6, 7, 8],
            too_many,
            "Cannot decode the stripe: units present: 0 of 9, needed: 6",
        ),
        (
            &[4, 4],
            &[4],
            ErrorKind::InvalidErasure,
            "Cannot decode unit 4: it is asked for twice",
        ),
        (
            &[0, 8],
            &[0],
            ErrorKind::InvalidErasure,
            "Cannot decode unit 8: it is asked for and also given as an input",
        ),
        (
            &[9],
            &[0],
            ErrorKind::InvalidUnit,
            "Cannot decode unit 9: units are 0 to 8",
        ),
        (
            &[4_000_000_000],
            &[0],
            ErrorKind::InvalidUnit,
            "Cannot decode unit 4000000000: units are 0 to 8",
        ),
    ] {
        let mut outputs = vec![vec![UNTOUCHED; 40]; erased.len()];
        let refused = decode(&*codec, &stripe, erased, absent, &mut outputs);
        expect(refused, kind, text);
        assert!(outputs.concat().iter().all(|byte| *byte == UNTOUCHED));
    }
    decode(&*codec, &stripe, &[], &[0], &mut []).expect("asking for nothing is fine");
}

fn wrong_counts(open: Open<'_>) {
    let codec = opened(open, Code::Rs, 3, 2);
    let stripe = Stripe::random(Code::Rs, 3, 2, 8);
    let (data, parity) = (slices(stripe.data()), slices(stripe.parity()));
    let count = ErrorKind::CountMismatch;
    let mut outputs = vec![vec![UNTOUCHED; 8]; 4];
    let mut out = slices_mut(&mut outputs);
    expect(
        codec.encode(&data[..2], &mut out[..2]),
        count,
        "Cannot encode the stripe: data units given: 2, needed: 3",
    );
    expect(
        codec.encode(&data, &mut out),
        count,
        "Cannot encode the stripe: parity units given: 4, needed: 2",
    );
    expect(
        codec.verify(&[], &parity),
        count,
        "Cannot verify the stripe: data units given: 0, needed: 3",
    );
    expect(
        codec.verify(&data, &parity[..1]),
        count,
        "Cannot verify the stripe: parity units given: 1, needed: 2",
    );
    expect(
        codec.update(0, data[0], data[1], &mut out[..1]),
        count,
        "Cannot update the stripe: parity units given: 1, needed: 2",
    );
    expect(
        codec.decode(&[None; 4], &[0], &mut out[..1]),
        count,
        "Cannot decode the stripe: units given: 4, needed: 5",
    );
    expect(
        codec.decode(&[None; 5], &[0, 1], &mut out[..1]),
        count,
        "Cannot decode the stripe: outputs given: 1, needed: 2",
    );
    assert!(outputs.concat().iter().all(|byte| *byte == UNTOUCHED));
}

fn wrong_lengths(open: Open<'_>) {
    let codec = opened(open, Code::Rs, 3, 2);
    let stripe = Stripe::random(Code::Rs, 3, 2, 8);
    let (mut data, mut parity) = (slices(stripe.data()), slices(stripe.parity()));
    let length = ErrorKind::LengthMismatch;
    let mut outputs = vec![vec![UNTOUCHED; 8], vec![UNTOUCHED; 9]];
    let mut out = slices_mut(&mut outputs);
    expect(
        codec.encode(&data, &mut out),
        length,
        "Cannot encode the stripe: parity unit 1 has 9 bytes, the others have 8",
    );
    expect(
        codec.update(0, data[0], data[1], &mut out),
        length,
        "Cannot update the stripe: parity unit 1 has 9 bytes, the others have 8",
    );
    expect(
        codec.update(0, data[0], &data[1][..7], &mut out),
        length,
        "Cannot update the stripe: the new data has 7 bytes, the others have 8",
    );
    let units = [None, None, Some(data[2]), Some(parity[0]), Some(parity[1])];
    expect(
        codec.decode(&units, &[0, 1], &mut out),
        length,
        "Cannot decode the stripe: output 1 has 9 bytes, the others have 8",
    );
    let units = [
        None,
        Some(data[1]),
        Some(data[2]),
        Some(parity[0]),
        Some(&parity[1][1..]),
    ];
    expect(
        codec.decode(&units, &[0], &mut out[..1]),
        length,
        "Cannot decode the stripe: unit 4 has 7 bytes, the others have 8",
    );
    parity[1] = &parity[1][..0];
    expect(
        codec.verify(&data, &parity),
        length,
        "Cannot verify the stripe: parity unit 1 has 0 bytes, the others have 8",
    );
    data[2] = &data[2][..5];
    expect(
        codec.encode(&data, &mut out),
        length,
        "Cannot encode the stripe: data unit 2 has 5 bytes, the others have 8",
    );
    assert!(outputs.concat().iter().all(|byte| *byte == UNTOUCHED));
}

fn wrong_checksums(open: Open<'_>) {
    let codec = opened(open, Code::Rs, 3, 2);
    let stripe = Stripe::random(Code::Rs, 3, 2, 8);
    let data = slices(stripe.data());
    let mut outputs = vec![vec![UNTOUCHED; 8]; 2];
    for (bytes_per_checksum, counts, text) in [
        (0, [8; 5], "bytes per checksum is 0"),
        (
            4,
            [2, 2, 1, 2, 2],
            "checksums given for data unit 2: 1, needed: 2",
        ),
        (
            3,
            [3, 3, 3, 3, 4],
            "checksums given for parity unit 1: 4, needed: 3",
        ),
        (
            usize::MAX,
            [1, 1, 1, 0, 1],
            "checksums given for parity unit 0: 0, needed: 1",
        ),
    ] {
        let mut sums: Vec<Vec<u32>> = counts.iter().map(|count| vec![7; *count]).collect();
        let mut parity = slices_mut(&mut outputs);
        let kind = ChecksumKind::Crc32c;
        let refused =
            codec.encode_with_checksums(&data, &mut parity, kind, bytes_per_checksum, &mut sums);
        let text = format!("Cannot encode the stripe: {text}");
        expect(refused, ErrorKind::InvalidChecksums, &text);
        assert!(sums.concat().iter().all(|sum| *sum == 7));
    }
    assert!(outputs.concat().iter().all(|byte| *byte == UNTOUCHED));
}

fn decode(
    codec: &dyn CodecUnderTest,
    stripe: &Stripe,
    erased: &[usize],
    absent: &[usize],
    outputs: &mut [Vec<u8>],
) -> Result<(), Refusal> {
    let units = all_but(&stripe.units, absent);
    codec.decode(&units, erased, &mut slices_mut(outputs))
}

fn expect<T: std::fmt::Debug>(refused: Result<T, Refusal>, kind: ErrorKind, text: &str) {
    let refusal = refused.expect_err(text);
    assert_eq!((refusal.kind, refusal.text.as_str()), (kind, text));
}
