// SPDX-License-Identifier: Apache-2.0
//! Compares weighted sums of rows with products computed from the definition.

use stripeline_gf::{Kernels, ROW_BYTES, ROW_SUMS_MAX};

use super::products::product;
use crate::{Guarded, Random};

/// Tests every coefficient with every byte, then numbers of rows and alignments, all added to
/// previous contents.
pub fn row_sums(kernels: &Kernels) {
    let mut random = Random::new(40);
    let coefficients: Vec<u8> = (0..=255).collect();
    for first in (0..256).step_by(ROW_BYTES) {
        for coefficient in &coefficients {
            let row: Vec<u8> = (first..first + ROW_BYTES).map(|byte| byte as u8).collect();
            check(kernels, &[*coefficient], &row, 1, 0);
        }
    }
    for sums in 1..=ROW_SUMS_MAX {
        for rows in (0..=20).chain([63, 64, 65, 300]) {
            let coefficients = random.bytes(rows * sums);
            let bytes = random.bytes(rows * ROW_BYTES);
            check(kernels, &coefficients, &bytes, sums, rows);
        }
    }
    rows_of_wrong_shape(kernels);
}

fn check(kernels: &Kernels, coefficients: &[u8], bytes: &[u8], sums: usize, offset: usize) {
    let rows = Guarded::holding(bytes, offset);
    let mut found: Vec<[u8; ROW_BYTES]> = vec![[0x5a; ROW_BYTES]; sums];
    let mut expected = found.clone();
    for (row, coefficients) in bytes
        .chunks_exact(ROW_BYTES)
        .zip(coefficients.chunks_exact(sums))
    {
        for (sum, coefficient) in expected.iter_mut().zip(coefficients) {
            for (byte, other) in sum.iter_mut().zip(row) {
                *byte ^= product(*coefficient, *other);
            }
        }
    }
    kernels.add_rows(coefficients, &rows, &mut found);
    let count = bytes.len() / ROW_BYTES;
    assert_eq!(found, expected, "{sums} sums of {count} rows");
}

fn rows_of_wrong_shape(kernels: &Kernels) {
    // Numbers of sums, coefficients and bytes.
    for (sums, coefficients, bytes) in [
        (0, 0, 0),
        (ROW_SUMS_MAX + 1, ROW_SUMS_MAX + 1, ROW_BYTES),
        (1, 1, ROW_BYTES - 1),
        (1, 1, ROW_BYTES + 1),
        (2, 1, ROW_BYTES),
        (2, 3, ROW_BYTES),
        (1, 2, ROW_BYTES),
    ] {
        let mut found = vec![[9; ROW_BYTES]; sums];
        let call = std::panic::AssertUnwindSafe(|| {
            kernels.add_rows(&vec![3; coefficients], &vec![5; bytes], &mut found);
        });
        std::panic::catch_unwind(call).expect_err("lists that do not fit panic");
        assert_eq!(found, vec![[9; ROW_BYTES]; sums], "nothing is written");
    }
}
