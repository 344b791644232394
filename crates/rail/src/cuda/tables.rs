// SPDX-License-Identifier: Apache-2.0
//! Conversion of coefficients to the kernel's form: tables of products.

use stripeline_codec::Coefficients;

/// The most rows of one launch, same as `ROWS_MAX` in `kernel.cu`.
pub(super) const ROWS_MAX: usize = 4;

/// The words of one column's tables, as in `struct Column` in `kernel.cu`.
const COLUMN_WORDS: usize = 5 * ROWS_MAX;

/// Returns the bytes of the tables of one launch.
pub(super) fn bytes_of_pass(columns: usize) -> usize {
    columns * COLUMN_WORDS * size_of::<u32>()
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
    let columns = matrix.columns();
    for (pass, part) in tables.chunks_exact_mut(bytes_of_pass(columns)).enumerate() {
        let first = pass * ROWS_MAX;
        let rows = ROWS_MAX.min(matrix.rows() - first);
        for (column, bytes) in part
            .chunks_exact_mut(COLUMN_WORDS * size_of::<u32>())
            .enumerate()
        {
            let mut words = [0_u32; COLUMN_WORDS];
            for row in 0..rows {
                let value = matrix.values()[(first + row) * columns + column];
                for (member, word) in words_of(value).into_iter().enumerate() {
                    words[member * ROWS_MAX + row] = word;
                }
            }
            for (place, word) in bytes.chunks_exact_mut(4).zip(words) {
                place.copy_from_slice(&word.to_le_bytes());
            }
        }
    }
}

/// Returns the five words of a coefficient: products by bits 0-2, by bits 4-6, by bits 3 and 7.
fn words_of(coefficient: u8) -> [u32; 5] {
    // Products with single bits; XOR of these produces all others.
    let mut of_bit = [coefficient; 8];
    for bit in 1..8 {
        of_bit[bit] = doubled(of_bit[bit - 1]);
    }
    let table = |bits: [u8; 3]| -> [u8; 8] {
        std::array::from_fn(|index| {
            let set = (0..3).filter(|bit| index >> bit & 1 == 1);
            set.fold(0, |sum, bit| sum ^ bits[bit])
        })
    };
    let word = |bytes: &[u8]| u32::from_le_bytes([bytes[0], bytes[1], bytes[2], bytes[3]]);
    let low = table([of_bit[0], of_bit[1], of_bit[2]]);
    let high = table([of_bit[4], of_bit[5], of_bit[6]]);
    let rest = table([of_bit[3], of_bit[7], 0]);
    [
        word(&low[..4]),
        word(&low[4..]),
        word(&high[..4]),
        word(&high[4..]),
        word(&rest[..4]),
    ]
}

/// Multiplies by x modulo 0x11d.
fn doubled(value: u8) -> u8 {
    value << 1 ^ if value & 0x80 == 0 { 0 } else { 0x1d }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn three_look_ups_make_every_product() {
        for coefficient in 0..=u8::MAX {
            let bytes: Vec<u8> = words_of(coefficient)
                .into_iter()
                .flat_map(u32::to_le_bytes)
                .collect();
            for value in 0..=u8::MAX {
                let low = bytes[usize::from(value & 7)];
                let high = bytes[8 + usize::from(value >> 4 & 7)];
                let rest = bytes[16 + usize::from(value >> 3 & 1 | value >> 6 & 2)];
                let expected = stripeline_reference::multiply(coefficient, value);
                assert_eq!(low ^ high ^ rest, expected, "{coefficient} x {value}");
            }
        }
    }

    #[test]
    fn rows_beyond_a_launch_start_another() {
        let values: Vec<u8> = (1..=10).collect();
        let matrix = Coefficients::new(5, 2, &values).expect("five rows of two");
        assert_eq!((passes(&matrix), bytes_of(&matrix)), (2, 4 * 80));
        let mut tables = vec![0xff; bytes_of(&matrix)];
        write(&matrix, &mut tables);
        // The products of 1, in the first word of row 0 of a column's tables, are the coefficient.
        let ones = [tables[1], tables[80 + 1], tables[160 + 1], tables[240 + 1]];
        assert_eq!(ones, [values[0], values[1], values[8], values[9]]);
        assert!(
            tables[164..176].iter().all(|byte| *byte == 0),
            "rows absent"
        );
    }
}
