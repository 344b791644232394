// SPDX-License-Identifier: Apache-2.0
//! Products computed from the definition, in a table.

use std::sync::LazyLock;

use stripeline_gf::{Coefficients, Kernels};

use super::Operation;
use super::dots::Job;

static PRODUCTS: LazyLock<Vec<[u8; 256]>> = LazyLock::new(|| {
    let row = |left| std::array::from_fn(|right| stripeline_reference::multiply(left, right as u8));
    (0..=255).map(row).collect()
});

/// Returns the product of two field elements.
pub(super) fn product(left: u8, right: u8) -> u8 {
    PRODUCTS[usize::from(left)][usize::from(right)]
}

/// Returns the expected sums of a dot product, one list per row.
pub(super) fn expected_sums(coefficients: &Coefficients, inputs: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let length = inputs[0].len();
    let rows = coefficients.values().chunks_exact(coefficients.columns());
    rows.map(|row| {
        let mut sums = vec![0; length];
        for (coefficient, input) in row.iter().zip(inputs) {
            let products = &PRODUCTS[usize::from(*coefficient)];
            for (sum, byte) in sums.iter_mut().zip(input) {
                *sum ^= products[usize::from(*byte)];
            }
        }
        sums
    })
    .collect()
}

/// Tests every coefficient with every byte.
pub fn every_product(kernels: &Kernels) {
    let every_byte: Vec<u8> = (0..=255).collect();
    let coefficients = Coefficients::new(256, 1, &every_byte).expect("256 x 1 values");
    let job = Job::new(coefficients, vec![every_byte]);
    for operation in Operation::ALL {
        job.check(kernels, operation, 256, |_| 0);
    }
}
