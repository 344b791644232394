// SPDX-License-Identifier: Apache-2.0
//! Dot products at every length, alignment and shape.

use std::panic::{AssertUnwindSafe, catch_unwind};

use stripeline_gf::{Coefficients, Kernels, StorePolicy};

use super::Operation;
use super::products::expected_sums;
use crate::{Guarded, Random, slices, slices_mut};

/// Inputs, coefficients and the expected sums.
pub(super) struct Job {
    pub(super) coefficients: Coefficients,
    pub(super) inputs: Vec<Vec<u8>>,
    pub(super) sums: Vec<Vec<u8>>,
}

impl Job {
    pub(super) fn new(coefficients: Coefficients, inputs: Vec<Vec<u8>>) -> Self {
        let sums = expected_sums(&coefficients, &inputs);
        Self {
            coefficients,
            inputs,
            sums,
        }
    }

    pub(super) fn random(rows: usize, columns: usize, length: usize) -> Self {
        let mut random = Random::new((rows * 1_000_003 + columns * 1_009 + length) as u64);
        let mut values = random.bytes(rows * columns);
        // Includes zeros and ones, which a kernel might treat as special cases.
        for value in &mut values {
            *value = if *value < 8 { *value & 1 } else { *value };
        }
        let coefficients =
            Coefficients::new(rows, columns, &values).expect("rows x columns values");
        Self::new(
            coefficients,
            (0..columns).map(|_| random.bytes(length)).collect(),
        )
    }

    /// Runs the first `length` bytes and compares the results; `offset` returns the alignment of
    /// each buffer, inputs first.
    pub(super) fn check(
        &self,
        kernels: &Kernels,
        operation: Operation,
        length: usize,
        offset: impl Fn(usize) -> usize,
    ) {
        let columns = self.inputs.len();
        let inputs: Vec<_> = self
            .inputs
            .iter()
            .enumerate()
            .map(|(column, input)| Guarded::holding(&input[..length], offset(column)))
            .collect();
        let mut outputs: Vec<_> = (0..self.sums.len())
            .map(|row| Guarded::new(length, offset(columns + row)))
            .collect();
        let before: Vec<Vec<u8>> = outputs.iter().map(|output| output.to_vec()).collect();
        run(
            kernels,
            operation,
            &self.coefficients,
            &slices(&inputs),
            &mut slices_mut(&mut outputs),
        );
        for (row, output) in outputs.iter().enumerate() {
            let context = || {
                let (isa, rows) = (kernels.isa(), self.sums.len());
                format!("{isa} {operation:?} {rows} x {columns}, {length} bytes, output {row}")
            };
            assert!(output.is_intact(), "{}: written past its end", context());
            let kept = if operation == Operation::DotAdd {
                0xff
            } else {
                0
            };
            let wrong = output
                .iter()
                .zip(&self.sums[row])
                .zip(&before[row])
                .position(|((output, sum), before)| *output != sum ^ (before & kept));
            assert_eq!(wrong, None, "{}: offset of the first wrong byte", context());
        }
    }
}

fn run(
    kernels: &Kernels,
    operation: Operation,
    coefficients: &Coefficients,
    inputs: &[&[u8]],
    outputs: &mut [&mut [u8]],
) {
    match operation {
        Operation::Dot => kernels.dot(coefficients, inputs, outputs, StorePolicy::Temporal),
        Operation::DotPastCache => {
            kernels.dot(coefficients, inputs, outputs, StorePolicy::NonTemporal);
        }
        Operation::DotAdd => kernels.dot_add(coefficients, inputs, outputs),
    }
}

/// Tests every length from 0 to 300, each with other alignments.
pub fn every_length(kernels: &Kernels) {
    for (rows, columns) in [(1, 1), (3, 6), (4, 10), (9, 5)] {
        let job = Job::random(rows, columns, 300);
        for length in 0..=300 {
            for operation in Operation::ALL {
                job.check(kernels, operation, length, |buffer| 13 * buffer + length);
            }
        }
    }
}

/// Tests every alignment of inputs with every alignment of outputs, then different alignments in
/// one call.
pub fn every_alignment(kernels: &Kernels) {
    let job = Job::random(3, 2, 200);
    for operation in Operation::ALL {
        for input in 0..64 {
            for output in 0..64 {
                job.check(kernels, operation, 200, |buffer| {
                    if buffer < 2 { input } else { output }
                });
            }
        }
        for shift in 0..64 {
            job.check(kernels, operation, 200, |buffer| shift * (2 * buffer + 1));
        }
    }
}

/// Tests 1 to 12 outputs of 1 to 40 and of 200 inputs, and the most outputs that a code can have.
pub fn every_shape(kernels: &Kernels) {
    for rows in 1..=12 {
        for columns in (1..=40).chain([200]) {
            // From one vector step with a tail to several steps: 64 to 191 bytes.
            let length = 64 + (rows * 41 + columns * 7) % 128;
            let job = Job::random(rows, columns, length);
            for operation in Operation::ALL {
                job.check(kernels, operation, length, |buffer| 17 * buffer);
            }
        }
    }
    for (rows, columns) in [(255, 1), (128, 128), (17, 239)] {
        let job = Job::random(rows, columns, 77);
        for operation in Operation::ALL {
            job.check(kernels, operation, 77, |buffer| buffer);
        }
    }
}

/// Tests lengths at which a kernel may work in blocks, store past the cache or prefetch.
pub fn long_buffers(kernels: &Kernels) {
    for length in [4_095, 4_096, 4_097, 65_536, 200_003] {
        let job = Job::random(3, 4, length);
        for operation in Operation::ALL {
            job.check(kernels, operation, length, |_| 0);
            job.check(kernels, operation, length, |buffer| 3 * buffer + 1);
        }
    }
}

/// Tests that mismatched counts and lengths panic and write nothing.
pub fn wrong_shapes(kernels: &Kernels) {
    let coefficients = Coefficients::new(2, 3, &[1; 6]).expect("2 x 3 values");
    // Lengths of inputs and of outputs.
    for (inputs, outputs) in [
        (&[64, 64][..], &[64, 64][..]),
        (&[64, 64, 64, 64], &[64, 64]),
        (&[64, 64, 64], &[64]),
        (&[64, 64, 64], &[64, 64, 64]),
        (&[64, 64, 63], &[64, 64]),
        (&[63, 64, 64], &[64, 64]),
        (&[64, 64, 64], &[64, 65]),
        (&[64, 64, 64], &[0, 64]),
        (&[0, 0, 0], &[0, 1]),
    ] {
        let inputs: Vec<Vec<u8>> = inputs.iter().map(|length| vec![7; *length]).collect();
        for operation in Operation::ALL {
            let mut written: Vec<Vec<u8>> = outputs.iter().map(|length| vec![9; *length]).collect();
            let call = AssertUnwindSafe(|| {
                let mut outputs = slices_mut(&mut written);
                run(
                    kernels,
                    operation,
                    &coefficients,
                    &slices(&inputs),
                    &mut outputs,
                );
            });
            catch_unwind(call).expect_err("shapes that do not fit panic");
            assert!(
                written.concat().iter().all(|byte| *byte == 9),
                "nothing is written"
            );
        }
    }
}
