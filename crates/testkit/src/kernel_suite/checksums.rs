// SPDX-License-Identifier: Apache-2.0
//! Compares checksums (whole, per chunk and fused into a dot product) with the oracle's, which are
//! computed bit by bit.

use stripeline_gf::{ChecksumKind, Checksums, Coefficients, Kernels, StorePolicy};
use stripeline_reference::Checksum;

use super::dots::Job;
use crate::{Guarded, Random, slices, slices_mut};

const KINDS: [ChecksumKind; 2] = [ChecksumKind::Crc32c, ChecksumKind::Crc32];

/// Chunks of HDFS's size and of sizes around and below a kernel's step.
const CHUNKS: [usize; 9] = [1, 3, 8, 63, 64, 100, 511, 512, 4_096];

/// Tests whole buffers of every length and alignment, in one piece and in two.
pub fn whole_checksums(kernels: &Kernels) {
    let bytes = Random::new(30).bytes(20_000);
    for kind in KINDS {
        assert_eq!(kernels.checksum(kind, 0, &[]), 0);
        for length in (1..=300).chain([511, 512, 513, 4_096, 20_000]) {
            let buffer = Guarded::holding(&bytes[..length], length);
            let expected = oracle(kind, &bytes[..length]);
            assert_eq!(
                kernels.checksum(kind, 0, &buffer),
                expected,
                "{kind:?} of {length} bytes"
            );
            let (first, second) = buffer.split_at(length / 3);
            let resumed = kernels.checksum(kind, kernels.checksum(kind, 0, first), second);
            assert_eq!(
                resumed, expected,
                "{kind:?} of {length} bytes in two pieces"
            );
        }
    }
}

/// Tests buffers in chunks.
pub fn chunk_checksums(kernels: &Kernels) {
    let bytes = Random::new(31).bytes(9_000);
    for kind in KINDS {
        for chunk in CHUNKS {
            for length in (0..=70).chain([255, 511, 512, 2_047, 2_048, 2_049, 4_097, 9_000]) {
                let buffer = Guarded::holding(&bytes[..length], chunk);
                let expected = oracle_chunks(kind, &buffer, chunk);
                let mut sums = vec![7; expected.len()];
                kernels.chunk_checksums(kind, &buffer, chunk, &mut sums);
                assert_eq!(sums, expected, "{kind:?} of {length} bytes per {chunk}");
            }
        }
    }
}

/// Tests dot products with checksums of the outputs only, and of the inputs too.
pub fn fused_checksums(kernels: &Kernels) {
    for (rows, columns, lengths) in [
        (3, 6, &[0, 1, 64, 511, 512, 513, 2_048, 70_001][..]),
        (12, 5, &[100, 1_025]),
        (1, 40, &[600]),
    ] {
        for length in lengths.iter().copied() {
            let job = Job::random(rows, columns, length);
            for chunk in [64, 100, 512, 100_000] {
                for kind in KINDS {
                    let store = [StorePolicy::Temporal, StorePolicy::NonTemporal];
                    check_fused(kernels, &job, kind, chunk, store[chunk / 100 % 2]);
                }
            }
        }
    }
    fused_of_wrong_shape(kernels);
}

fn check_fused(
    kernels: &Kernels,
    job: &Job,
    kind: ChecksumKind,
    bytes_per_checksum: usize,
    store: StorePolicy,
) {
    let length = job.inputs[0].len();
    let sums_of = |units: &[Vec<u8>]| -> Vec<Vec<u32>> {
        units
            .iter()
            .map(|unit| oracle_chunks(kind, unit, bytes_per_checksum))
            .collect()
    };
    let (expected_inputs, expected_outputs) = (sums_of(&job.inputs), sums_of(&job.sums));
    for with_inputs in [true, false] {
        let mut outputs: Vec<_> = (0..job.sums.len())
            .map(|row| Guarded::new(length, 3 * row))
            .collect();
        let mut input_sums: Vec<_> = expected_inputs
            .iter()
            .map(|sums| vec![0; sums.len()])
            .collect();
        let mut output_sums: Vec<_> = expected_outputs
            .iter()
            .map(|sums| vec![0; sums.len()])
            .collect();
        let mut inputs: Vec<&mut [u32]> = input_sums.iter_mut().map(|sums| &mut sums[..]).collect();
        if !with_inputs {
            inputs.clear();
        }
        let checksums = Checksums {
            kind,
            bytes_per_checksum,
            inputs: &mut inputs,
            outputs: &mut output_sums
                .iter_mut()
                .map(|sums| &mut sums[..])
                .collect::<Vec<_>>(),
        };
        let (from, mut to) = (slices(&job.inputs), slices_mut(&mut outputs));
        kernels.dot_with_checksums(&job.coefficients, &from, &mut to, store, checksums);
        for (row, output) in outputs.iter().enumerate() {
            assert!(
                output.is_intact() && **output == *job.sums[row],
                "output {row} of {length} bytes"
            );
        }
        assert_eq!(
            output_sums, expected_outputs,
            "{kind:?} per {bytes_per_checksum}, outputs"
        );
        if with_inputs {
            assert_eq!(
                input_sums, expected_inputs,
                "{kind:?} per {bytes_per_checksum}, inputs"
            );
        }
    }
}

fn fused_of_wrong_shape(kernels: &Kernels) {
    let coefficients = Coefficients::new(1, 1, &[1]).expect("1 x 1 value");
    // Bytes per checksum, then the numbers of checksums of the input and of the output.
    for (bytes_per_checksum, input_sums, output_sums) in
        [(0, 1, 1), (4, 1, 2), (4, 2, 3), (8, 1, 0)]
    {
        let mut output = [9; 8];
        let call = std::panic::AssertUnwindSafe(|| {
            let checksums = Checksums {
                kind: ChecksumKind::Crc32c,
                bytes_per_checksum,
                inputs: &mut [&mut vec![0; input_sums]],
                outputs: &mut [&mut vec![0; output_sums]],
            };
            let outputs = &mut [&mut output[..]];
            let store = StorePolicy::Temporal;
            kernels.dot_with_checksums(&coefficients, &[&[1; 8]], outputs, store, checksums);
        });
        std::panic::catch_unwind(call).expect_err("lists that do not fit panic");
        assert_eq!(output, [9; 8], "nothing is written");
    }
}

fn oracle_chunks(kind: ChecksumKind, bytes: &[u8], chunk: usize) -> Vec<u32> {
    bytes
        .chunks(chunk)
        .map(|chunk| oracle(kind, chunk))
        .collect()
}

/// Returns the oracle's checksum.
pub(crate) fn oracle(kind: ChecksumKind, bytes: &[u8]) -> u32 {
    let kind = match kind {
        ChecksumKind::Crc32c => Checksum::Crc32c,
        ChecksumKind::Crc32 => Checksum::Crc32,
    };
    stripeline_reference::checksum(kind, bytes)
}
