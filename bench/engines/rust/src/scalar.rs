// SPDX-License-Identifier: Apache-2.0
//! Byte-at-a-time GF(2^8) arithmetic that shares no line with the kernels it checks.
//!
//! Products come from shift-and-add by the definition, the generator from the published formula of
//! Hadoop's `RSUtil.genCauchyMatrix` (ISA-L's `gf_gen_cauchy1_matrix`), inverses by search.

/// x^8 + x^4 + x^3 + x^2 + 1.
const POLYNOMIAL: u16 = 0x11d;

/// The product of two field elements.
pub fn multiply(left: u8, right: u8) -> u8 {
    let (mut product, mut shifted, mut bits) = (0u16, u16::from(left), right);
    while bits != 0 {
        if bits & 1 == 1 {
            product ^= shifted;
        }
        shifted <<= 1;
        if shifted & 0x100 != 0 {
            shifted ^= POLYNOMIAL;
        }
        bits >>= 1;
    }
    product as u8
}

/// The element whose product with `element` is 1.
pub fn invert(element: u8) -> u8 {
    (1..=255)
        .find(|&candidate| multiply(element, candidate) == 1)
        .expect("only zero has no inverse, and a Cauchy matrix has no zero")
}

/// The (data + parity) x data generator: identity on top of the Cauchy rows 1 / (i xor j).
pub fn generator(data: usize, parity: usize) -> Vec<Vec<u8>> {
    let identity = (0..data).map(|row| (0..data).map(|column| u8::from(row == column)).collect());
    let cauchy = (data..data + parity).map(|row| {
        (0..data)
            .map(|column| invert((row ^ column) as u8))
            .collect()
    });
    identity.chain(cauchy).collect()
}

/// The inverse of a square matrix by Gauss and Jordan, or `None` if it has none.
pub fn invert_matrix(mut left: Vec<Vec<u8>>) -> Option<Vec<Vec<u8>>> {
    let size = left.len();
    let mut right = generator(size, 0);
    for pivot in 0..size {
        let row = (pivot..size).find(|&row| left[row][pivot] != 0)?;
        left.swap(pivot, row);
        right.swap(pivot, row);
        let scale = invert(left[pivot][pivot]);
        for matrix in [&mut left, &mut right] {
            matrix[pivot]
                .iter_mut()
                .for_each(|value| *value = multiply(*value, scale));
        }
        for row in (0..size).filter(|&row| row != pivot) {
            let factor = left[row][pivot];
            for matrix in [&mut left, &mut right] {
                for column in 0..size {
                    let addend = multiply(factor, matrix[pivot][column]);
                    matrix[row][column] ^= addend;
                }
            }
        }
    }
    Some(right)
}

/// Adds `coefficient` times `source` into `target`.
pub fn multiply_add(coefficient: u8, source: &[u8], target: &mut [u8]) {
    let products: Vec<u8> = (0..=255).map(|byte| multiply(coefficient, byte)).collect();
    for (out, &byte) in target.iter_mut().zip(source) {
        *out ^= products[usize::from(byte)];
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn any_survivors_of_a_small_code_have_an_inverse() {
        let generator = generator(3, 2);
        for lost in [[0, 1], [0, 4], [2, 3], [3, 4]] {
            let rows = (0..5).filter(|unit| !lost.contains(unit));
            let survivors: Vec<_> = rows.map(|unit| generator[unit].clone()).collect();
            assert!(invert_matrix(survivors).is_some(), "lost {lost:?}");
        }
    }

    #[test]
    fn the_first_parity_row_of_six_plus_three_is_hadoop_s() {
        // RSUtil.genCauchyMatrix for 6+3: row 6 holds 1/6, 1/7, 1/4, 1/5, 1/2, 1/3.
        assert_eq!(generator(6, 3)[6], [122, 186, 71, 167, 142, 244]);
    }
}
