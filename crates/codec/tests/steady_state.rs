// SPDX-License-Identifier: Apache-2.0
//! Tests of allocations: calls allocate nothing once a codec has cached their pattern, refused
//! calls never allocate, and a codec's memory stays within the documented bound.

mod allocations;

use std::sync::Arc;

use allocations::{allocations, bytes_held};
use stripeline_codec::{
    ChecksumKind, Checksums, Code, Codec, ErrorKind, Fingerprint, FingerprintFunction, StorePolicy,
    Verdict,
};
use stripeline_testkit::Random;

/// Makes every kind of call on a 6+3 stripe, with three decode patterns.
fn call_everything(codec: &Codec, units: &mut [[u8; 1_000]; 9], spare: &mut [[u8; 1_000]; 3]) {
    let (data, parity) = units.split_at_mut(6);
    let data = data.each_slice();
    let [p0, p1, p2] = parity else {
        unreachable!("three parity units")
    };
    codec.encode(&data, &mut [p0, p1, p2]).expect("in order");
    let (mut inputs, mut outputs) = ([[0; 2]; 6], [[0; 2]; 3]);
    let [i0, i1, i2, i3, i4, i5] = &mut inputs;
    let [o0, o1, o2] = &mut outputs;
    let checksums = Checksums {
        kind: ChecksumKind::Crc32c,
        bytes_per_checksum: 512,
        inputs: &mut [i0, i1, i2, i3, i4, i5],
        outputs: &mut [o0, o1, o2],
    };
    let store = StorePolicy::Temporal;
    codec
        .encode_with_checksums(&data, &mut [p0, p1, p2], store, checksums)
        .expect("in order");
    assert_eq!(codec.verify(&data, &[p0, p1, p2]), Ok(Verdict::Sound));

    let [s0, s1, s2] = spare;
    let all: [Option<&[u8]>; 9] = std::array::from_fn(|unit| match unit {
        6 => Some(&p0[..]),
        7 => Some(&p1[..]),
        8 => Some(&p2[..]),
        data_unit => Some(data[data_unit]),
    });
    for erased in [[0, 1, 2], [8, 3, 6], [5, 7, 4]] {
        let mut given = all;
        for unit in erased {
            given[unit] = None;
        }
        codec
            .decode(&given, &erased, &mut [s0, s1, s2])
            .expect("in order");
        for (unit, decoded) in erased.iter().zip([&*s0, &*s1, &*s2]) {
            assert_eq!(Some(&decoded[..]), all[*unit]);
        }
    }
    let refused = codec
        .decode(&all, &[0], &mut [s0])
        .expect_err("unit 0 is given");
    assert_eq!(refused.kind(), ErrorKind::InvalidErasure);
    codec
        .update(4, data[4], s0, &mut [p0, p1, p2])
        .expect("in order");
}

/// Returns slices of arrays without allocating a vector.
trait EachSlice {
    fn each_slice(&self) -> [&[u8]; 6];
}

impl EachSlice for [[u8; 1_000]] {
    fn each_slice(&self) -> [&[u8]; 6] {
        std::array::from_fn(|unit| &self[unit][..])
    }
}

#[test]
fn calls_allocate_nothing_once_warm() {
    for code in [Code::Rs, Code::RsLegacy] {
        let codec = Codec::new(code, 6, 3).expect("a valid shape");
        let mut units: [[u8; 1_000]; 9] =
            std::array::from_fn(|unit| std::array::from_fn(|byte| (unit * 31 + byte * 7) as u8));
        let mut spare = [[0; 1_000]; 3];
        let cold = allocations(|| call_everything(&codec, &mut units, &mut spare));
        assert!(cold > 0, "the counter counts the plans of the first calls");
        let warm = allocations(|| {
            for _ in 0..10 {
                call_everything(&codec, &mut units, &mut spare);
            }
        });
        assert_eq!(warm, 0, "{code}");
    }
}

#[test]
fn fingerprints_allocate_nothing_after_their_beginning() {
    let function = FingerprintFunction::new(1, 2, 1 << 20).expect("valid parameters");
    let mut fingerprint = Fingerprint::new(Arc::new(function));
    let (bytes, mut sums, kind) = ([7; 10_000], [0; 20], ChecksumKind::Crc32c);
    let made = allocations(|| {
        for _ in 0..3 {
            fingerprint.reset();
            fingerprint.update(&bytes[..9_999]).expect("fits");
            fingerprint
                .update_with_checksums(&bytes, kind, 512, &mut sums)
                .expect("fits");
            let first = fingerprint.update_verifying(&bytes, kind, 512, &sums);
            assert_eq!(first, Ok(None));
            assert!(fingerprint.update(&[0; 1 << 20]).is_err());
        }
    });
    assert_eq!(made, 0);
}

#[test]
fn sharing_a_codec_allocates_once() {
    let codec = Codec::shared(Code::Rs, 10, 4).expect("a valid shape");
    assert_eq!(allocations(|| drop(Codec::shared(Code::Rs, 10, 4))), 0);
    drop(codec);
}

/// Checks the bounds that [`Codec::new`] documents, with every update prepared and the plan cache
/// overfull.
#[test]
fn memory_stays_within_the_documented_bound() {
    const MIB: isize = 1 << 20;
    for (data_units, parity_units, patterns, bytes_max) in [
        (6, 3, 3_000, 21 * MIB / 10),
        (12, 4, 3_000, 21 * MIB / 10),
        (128, 128, 12, 10 * MIB),
    ] {
        // The first decode of a thread also allocates the thread's own state of `arc-swap`.
        decode_patterns(&Codec::new(Code::Rs, 2, 1).expect("a valid shape"), 1);
        let mut parity = vec![[0]; parity_units];
        let mut parity: Vec<&mut [u8]> = parity.iter_mut().map(|unit| &mut unit[..]).collect();
        let before = bytes_held();
        let codec = Codec::new(Code::Rs, data_units, parity_units).expect("a valid shape");
        decode_patterns(&codec, patterns);
        for data_unit in 0..data_units {
            codec
                .update(data_unit, &[1], &[2], &mut parity)
                .expect("in order");
        }
        let held = bytes_held() - before;
        assert!(
            held < bytes_max,
            "{data_units}+{parity_units} holds {held} bytes"
        );
        drop(codec);
        assert_eq!(bytes_held(), before, "a dropped codec frees everything");
    }
}

/// Decodes `count` random sets of m erased units. A set occurs more than once only by chance, which
/// is likely for small codes.
fn decode_patterns(codec: &Codec, count: usize) {
    let units = vec![[7]; codec.data_units() + codec.parity_units()];
    let mut outputs = vec![[0]; codec.parity_units()];
    let mut random = Random::new(5);
    for _ in 0..count {
        let lost = random.choose(codec.parity_units(), units.len());
        let given: Vec<Option<&[u8]>> = (0..units.len())
            .map(|unit| (!lost.contains(&unit)).then_some(&units[unit][..]))
            .collect();
        let mut outputs: Vec<&mut [u8]> = outputs.iter_mut().map(|unit| &mut unit[..]).collect();
        codec.decode(&given, &lost, &mut outputs).expect("in order");
    }
}
