// SPDX-License-Identifier: Apache-2.0
//! Conversion of coefficients to the kernel's form: tables of products.

use stripeline_codec::Coefficients;

/// The most rows of one launch, same as `ROWS_MAX` in `kernel.cu`.
pub(super) const ROWS_MAX: usize = 4;

/// The columns that share tables, same as `GROUP` in `kernel.cu`.
const GROUP: usize = 3;

/// The tables of one row in a group of columns, of eight products each.
const GROUP_TABLES: usize = 2 * GROUP + 2;

/// The bytes of a group's tables, as in `struct Group` in `kernel.cu`.
const GROUP_BYTES: usize = 8 * GROUP_TABLES * ROWS_MAX;

/// Returns the bytes of the tables of one launch.
pub(super) fn bytes_of_pass(columns: usize) -> usize {
    columns.div_ceil(GROUP) * GROUP_BYTES
}

/// Returns the number of launches for a matrix.
pub(super) fn passes(matrix: &Coefficients) -> usize {
    matrix.rows().div_ceil(ROWS_MAX)
}

/// Returns the bytes of the tables of all launches.
pub(super) fn bytes_of(matrix: &Coefficients) -> usize {
    passes(matrix) * bytes_of_pass(matrix.columns())
}

/// Writes the tables of all launches, one launch after the other.
///
/// # Panics
/// Unless `tables` is [`bytes_of`] bytes long.
pub(super) fn write(matrix: &Coefficients, tables: &mut [u8]) {
    assert_eq!(tables.len(), bytes_of(matrix), "room for the tables");
    tables.fill(0);
    let columns = matrix.columns();
    for (pass, part) in tables.chunks_exact_mut(bytes_of_pass(columns)).enumerate() {
        let rows = matrix.values().chunks_exact(columns);
        for (row, values) in rows.skip(pass * ROWS_MAX).take(ROWS_MAX).enumerate() {
            for (group, values) in part.chunks_exact_mut(GROUP_BYTES).zip(values.chunks(GROUP)) {
                // Words of four products, and of each word one per row.
                let words = group.chunks_exact_mut(4).skip(row).step_by(ROWS_MAX);
                let products = tables_of(values);
                let products = products.as_flattened().chunks_exact(4);
                words
                    .zip(products)
                    .for_each(|(word, products)| word.copy_from_slice(products));
            }
        }
    }
}

/// Returns the tables of a group's coefficients: by bits 0-2 of each column, by bits 4-6 of each,
/// and two by their bits 3 and 7.
fn tables_of(coefficients: &[u8]) -> [[u8; 8]; GROUP_TABLES] {
    let mut of_bit = [[0; 8]; GROUP];
    for (of_bit, coefficient) in of_bit.iter_mut().zip(coefficients) {
        let mut product = *coefficient;
        for of_bit in of_bit {
            *of_bit = product;
            product = doubled(product);
        }
    }
    let [first, second, third] = &of_bit;
    let low = |bits: &[u8; 8]| sums([bits[0], bits[1], bits[2]]);
    let high = |bits: &[u8; 8]| sums([bits[4], bits[5], bits[6]]);
    [
        low(first),
        low(second),
        low(third),
        high(first),
        high(second),
        high(third),
        sums([first[3], first[7], second[3]]),
        sums([second[7], third[3], third[7]]),
    ]
}

/// Returns the sums of all subsets of three products.
fn sums(products: [u8; 3]) -> [u8; 8] {
    std::array::from_fn(|index| {
        let set = (0..3).filter(|bit| index >> bit & 1 == 1);
        set.fold(0, |sum, bit| sum ^ products[bit])
    })
}

/// Multiplies by x modulo 0x11d.
fn doubled(value: u8) -> u8 {
    value << 1 ^ if value & 0x80 == 0 { 0 } else { 0x1d }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn eight_look_ups_make_the_sum_of_three_products() {
        let bits = |value: u8, first: u8| usize::from(value >> first & 7);
        let bit = |value: u8, bit: u8| usize::from(value >> bit & 1);
        for coefficient in 0..=u8::MAX {
            let others = [coefficient ^ 0x5a, coefficient.wrapping_mul(3)];
            let coefficients = [coefficient, others[0], others[1]];
            let tables = tables_of(&coefficients);
            for value in 0..=u8::MAX {
                let values = [value, value.rotate_left(3), !value];
                let mut sum = 0;
                let mut expected = 0;
                for (column, value) in values.into_iter().enumerate() {
                    sum ^= tables[column][bits(value, 0)] ^ tables[3 + column][bits(value, 4)];
                    expected ^= stripeline_reference::multiply(coefficients[column], value);
                }
                let [first, second, third] = values;
                sum ^= tables[6][bit(first, 3) | bit(first, 7) << 1 | bit(second, 3) << 2];
                sum ^= tables[7][bit(second, 7) | bit(third, 3) << 1 | bit(third, 7) << 2];
                assert_eq!(sum, expected, "{coefficients:?} x {values:?}");
            }
        }
    }

    #[test]
    fn rows_beyond_a_launch_start_another() {
        let values: Vec<u8> = (1..=20).collect();
        let matrix = Coefficients::new(5, 4, &values).expect("five rows of four");
        assert_eq!((passes(&matrix), bytes_of(&matrix)), (2, 2 * 2 * 256));
        let mut tables = vec![0xff; bytes_of(&matrix)];
        write(&matrix, &mut tables);
        // The products of 1, in the first word of row 0 of a column's tables, are the coefficient.
        let one = |group: usize, column: usize| tables[256 * group + 32 * column + 1];
        assert_eq!([one(0, 0), one(0, 1), one(0, 2), one(1, 0)], [1, 2, 3, 4]);
        assert_eq!([one(2, 0), one(2, 2), one(3, 0)], [17, 19, 20]);
        assert!(
            tables[256 + 32..][..32].iter().all(|byte| *byte == 0),
            "columns absent"
        );
        assert!(
            tables[512 + 4..][..12].iter().all(|byte| *byte == 0),
            "rows absent"
        );
    }
}
