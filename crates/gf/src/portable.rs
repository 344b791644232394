// SPDX-License-Identifier: Apache-2.0
//! Kernels without intrinsics.

use crate::{Coefficients, field};

pub(crate) fn dot_add(coefficients: &Coefficients, inputs: &[&[u8]], outputs: &mut [&mut [u8]]) {
    for (row, output) in outputs.iter_mut().enumerate() {
        for (column, input) in inputs.iter().enumerate() {
            let coefficient = coefficients.values()[row * coefficients.columns() + column];
            for (out, byte) in output.iter_mut().zip(*input) {
                *out ^= field::multiply(coefficient, *byte);
            }
        }
    }
}
