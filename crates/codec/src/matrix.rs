// SPDX-License-Identifier: Apache-2.0
//! Parity matrices of the codes, and inversion. All matrices are in row-major order, one byte per
//! coefficient.

use stripeline_gf::field::{inverse, multiply, power_of_two};

use crate::Code;

/// Returns the m x k matrix that computes parity units from data units.
pub(crate) fn parity_matrix(code: Code, data_units: usize, parity_units: usize) -> Vec<u8> {
    match code {
        Code::Rs => cauchy(data_units, parity_units),
        Code::RsLegacy => polynomial_remainders(data_units, parity_units),
        Code::Xor => vec![1; data_units * parity_units],
    }
}

/// Returns the Cauchy matrix: the coefficient of data unit d in parity unit p (numbered k+p in the
/// stripe) is 1/((k+p) xor d).
///
/// Row numbers continue after the data units, as in ISA-L's `gf_gen_cauchy1_matrix`; other Cauchy
/// constructions choose other elements and produce other bytes.
fn cauchy(data_units: usize, parity_units: usize) -> Vec<u8> {
    let rows = data_units..data_units + parity_units;
    rows.flat_map(|row| (0..data_units).map(move |column| (row, column)))
        .map(|(row, column)| {
            inverse((row ^ column) as u8).expect("a row never has the number of a column")
        })
        .collect()
}

/// Returns the matrix of Hadoop's legacy code. That code treats the stripe as a polynomial whose
/// lowest m coefficients are the parity units in order and the next k the data units in order, and
/// makes the polynomial a multiple of g(x) = (x - 2^0)(x - 2^1)...(x - 2^(m-1)). Parity is
/// therefore the remainder of data(x) * x^m divided by g(x), which is linear in the data: column d
/// holds the coefficients of x^(m+d) mod g(x), lowest power first.
fn polynomial_remainders(data_units: usize, parity_units: usize) -> Vec<u8> {
    let generator = generator_polynomial(parity_units);
    let mut matrix = vec![0; parity_units * data_units];
    // x^m mod g(x) is g(x) without its leading term: the field has characteristic 2.
    let mut remainder = generator.clone();
    for column in 0..data_units {
        for (row, coefficient) in remainder.iter().enumerate() {
            matrix[row * data_units + column] = *coefficient;
        }
        // Multiplies by x: shifts up by one power and reduces the resulting x^m term.
        let overflow = remainder[parity_units - 1];
        remainder.copy_within(..parity_units - 1, 1);
        remainder[0] = 0;
        for (coefficient, root) in remainder.iter_mut().zip(&generator) {
            *coefficient ^= multiply(overflow, *root);
        }
    }
    matrix
}

/// Returns the coefficients of g(x) from x^0 to x^(degree-1); the coefficient of x^degree is 1.
fn generator_polynomial(degree: usize) -> Vec<u8> {
    let mut coefficients = vec![0; degree + 1];
    coefficients[0] = 1;
    for power in 0..degree {
        // Multiplies by (x + 2^power), from the highest power down so that each step reads
        // unchanged coefficients.
        for index in (0..=power + 1).rev() {
            let below = if index == 0 {
                0
            } else {
                coefficients[index - 1]
            };
            coefficients[index] = below ^ multiply(coefficients[index], power_of_two(power));
        }
    }
    coefficients.truncate(degree);
    coefficients
}

/// Inverts a square matrix; returns `None` if it is singular.
pub(crate) fn invert(mut matrix: Vec<u8>, size: usize) -> Option<Vec<u8>> {
    let mut inverted = vec![0; size * size];
    for diagonal in 0..size {
        inverted[diagonal * size + diagonal] = 1;
    }
    for column in 0..size {
        let pivot = (column..size).find(|row| matrix[row * size + column] != 0)?;
        swap_rows(&mut matrix, size, pivot, column);
        swap_rows(&mut inverted, size, pivot, column);
        let scale = inverse(matrix[column * size + column])?;
        scale_row(&mut matrix, size, column, scale);
        scale_row(&mut inverted, size, column, scale);
        for row in (0..size).filter(|row| *row != column) {
            let factor = matrix[row * size + column];
            add_row(&mut matrix, size, column, factor, row);
            add_row(&mut inverted, size, column, factor, row);
        }
    }
    Some(inverted)
}

fn swap_rows(matrix: &mut [u8], size: usize, first: usize, second: usize) {
    if first != second {
        for column in 0..size {
            matrix.swap(first * size + column, second * size + column);
        }
    }
}

fn scale_row(matrix: &mut [u8], size: usize, row: usize, factor: u8) {
    for value in &mut matrix[row * size..(row + 1) * size] {
        *value = multiply(*value, factor);
    }
}

fn add_row(matrix: &mut [u8], size: usize, source: usize, factor: u8, target: usize) {
    if factor != 0 {
        for column in 0..size {
            matrix[target * size + column] ^= multiply(factor, matrix[source * size + column]);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cauchy_of_rs_3_2_is_the_published_one() {
        // 1/(3^0) 1/(3^1) 1/(3^2); 1/(4^0) 1/(4^1) 1/(4^2)
        assert_eq!(cauchy(3, 2), [244, 142, 1, 71, 167, 122]);
    }

    #[test]
    fn generator_has_its_roots() {
        for degree in 1..=20 {
            let mut generator = generator_polynomial(degree);
            generator.push(1);
            for power in 0..degree {
                let root = power_of_two(power);
                let value = generator
                    .iter()
                    .rev()
                    .fold(0, |sum, c| multiply(sum, root) ^ c);
                assert_eq!(value, 0, "degree {degree}, root 2^{power}");
            }
        }
    }

    #[test]
    fn inverse_undoes_the_matrix() {
        for size in [1, 2, 3, 7, 40, 128] {
            let matrix = cauchy(size, size);
            let inverted = invert(matrix.clone(), size).expect("Cauchy matrices are invertible");
            for row in 0..size {
                for column in 0..size {
                    let value = (0..size).fold(0, |sum, i| {
                        sum ^ multiply(matrix[row * size + i], inverted[i * size + column])
                    });
                    assert_eq!(value, u8::from(row == column));
                }
            }
        }
        assert_eq!(invert(vec![1, 1, 1, 1], 2), None);
        assert_eq!(invert(vec![0, 1, 1, 0], 2), Some(vec![0, 1, 1, 0]));
    }
}
