// SPDX-License-Identifier: Apache-2.0
//! The oracle: erasure codes and checksums from their definitions, byte by byte, as slow as they
//! come.
//!
//! Everything that must give the right bytes is compared with this crate, so it shares no code with
//! the crates it judges and does each thing another way than they do: products by shifts instead of
//! tables, `rs-legacy` by polynomial division instead of a matrix, decoding by elimination over
//! whole units instead of a prepared plan.
//!
//! A stripe has k data units and m parity units of one length, numbered 0..k and k..k+m. All
//! functions panic on input that makes no sense: an oracle that guesses is none.

pub mod fingerprint;
pub mod fingerprint_vectors;
pub mod known_answers;
pub mod vectors;

/// A code, by its meaning.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Code {
    /// Parity unit i takes data unit d times 1/(i xor d), where i counts from k.
    Rs,
    /// The stripe is a polynomial with the roots 2^0 .. 2^(m-1); parity comes in its lowest powers.
    RsLegacy,
    /// One parity unit: the sum of all data units.
    Xor,
}

impl Code {
    /// Every code.
    pub const ALL: [Self; 3] = [Self::Rs, Self::RsLegacy, Self::Xor];

    /// The name that HDFS uses.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Rs => "rs",
            Self::RsLegacy => "rs-legacy",
            Self::Xor => "xor",
        }
    }
}

/// The product in GF(2^8): polynomials over GF(2), modulo x^8 + x^4 + x^3 + x^2 + 1.
#[must_use]
pub fn multiply(left: u8, right: u8) -> u8 {
    let mut product = 0;
    let mut shifted = u16::from(left);
    for bit in 0..8 {
        if right >> bit & 1 == 1 {
            product ^= shifted;
        }
        shifted <<= 1;
        if shifted & 0x100 != 0 {
            shifted ^= 0x11d;
        }
    }
    product as u8
}

/// The one element whose product with `element` is 1, found by trying.
///
/// # Panics
/// For 0, which has none.
#[must_use]
pub fn inverse(element: u8) -> u8 {
    (1..=255)
        .find(|other| multiply(element, *other) == 1)
        .expect("0 has no inverse")
}

/// All parity units of a stripe.
///
/// # Panics
/// If there are no data units or their lengths differ.
#[must_use]
pub fn encode(code: Code, parity_units: usize, data: &[Vec<u8>]) -> Vec<Vec<u8>> {
    let length = data[0].len();
    assert!(
        data.iter().all(|unit| unit.len() == length),
        "data units of one length"
    );
    let mut parity = vec![vec![0; length]; parity_units];
    for offset in 0..length {
        let column: Vec<u8> = data.iter().map(|unit| unit[offset]).collect();
        for (unit, byte) in parity
            .iter_mut()
            .zip(encode_column(code, parity_units, &column))
        {
            unit[offset] = byte;
        }
    }
    parity
}

/// The parity bytes of the data bytes at one offset.
fn encode_column(code: Code, parity_units: usize, data: &[u8]) -> Vec<u8> {
    match code {
        Code::Rs => (0..parity_units)
            .map(|unit| cauchy_sum(data, data.len() + unit))
            .collect(),
        Code::RsLegacy => polynomial_remainder(data, parity_units),
        Code::Xor => {
            assert_eq!(parity_units, 1, "xor has one parity unit");
            vec![data.iter().fold(0, |sum, byte| sum ^ byte)]
        }
    }
}

fn cauchy_sum(data: &[u8], row: usize) -> u8 {
    assert!(row < 256, "a row number is a field element");
    let products = data
        .iter()
        .enumerate()
        .map(|(column, byte)| multiply(coefficient(row, column), *byte));
    products.fold(0, |sum, product| sum ^ product)
}

/// 1/(row xor column), remembered: finding it by trying takes long for wide codes.
fn coefficient(row: usize, column: usize) -> u8 {
    static INVERSES: std::sync::LazyLock<Vec<u8>> =
        std::sync::LazyLock::new(|| (1..=255).map(inverse).collect());
    INVERSES[(row ^ column) - 1]
}

/// The remainder of data(x) * x^m divided by (x - 2^0) .. (x - 2^(m-1)), lowest power first.
fn polynomial_remainder(data: &[u8], parity_units: usize) -> Vec<u8> {
    assert!(
        data.len() + parity_units < 256,
        "powers of 2 repeat after 255"
    );
    let divisor = polynomial_with_roots(parity_units);
    let mut dividend = vec![0; parity_units];
    dividend.extend_from_slice(data);
    for top in (parity_units..dividend.len()).rev() {
        let ratio = dividend[top];
        for (power, factor) in divisor.iter().enumerate() {
            dividend[top - parity_units + power] ^= multiply(ratio, *factor);
        }
    }
    dividend.truncate(parity_units);
    dividend
}

/// The coefficients of (x - 2^0) .. (x - 2^(degree-1)), lowest power first.
fn polynomial_with_roots(degree: usize) -> Vec<u8> {
    let mut product = vec![1];
    let mut root = 1;
    for _ in 0..degree {
        let mut next = vec![0; product.len() + 1];
        for (power, factor) in product.iter().enumerate() {
            next[power] ^= multiply(root, *factor);
            next[power + 1] ^= factor;
        }
        product = next;
        root = multiply(root, 2);
    }
    product
}

/// The m x k matrix of parity coefficients: column d is the parity of data that is 1 in unit d
/// alone.
#[must_use]
pub fn parity_matrix(code: Code, data_units: usize, parity_units: usize) -> Vec<Vec<u8>> {
    let mut matrix = vec![vec![0; data_units]; parity_units];
    for column in 0..data_units {
        let mut data = vec![0; data_units];
        data[column] = 1;
        for (row, byte) in encode_column(code, parity_units, &data)
            .into_iter()
            .enumerate()
        {
            matrix[row][column] = byte;
        }
    }
    matrix
}

/// The units `wanted` of a stripe of which some units are present, or `None` with fewer than k of
/// them.
///
/// Solves for all data units by Gaussian elimination, then encodes again for parity units.
///
/// # Panics
/// If `units` is not k+m long or present units differ in length.
#[must_use]
pub fn decode(
    code: Code,
    data_units: usize,
    parity_units: usize,
    units: &[Option<Vec<u8>>],
    wanted: &[usize],
) -> Option<Vec<Vec<u8>>> {
    assert_eq!(units.len(), data_units + parity_units, "one entry per unit");
    let matrix = parity_matrix(code, data_units, parity_units);
    let mut equations: Vec<(Vec<u8>, Vec<u8>)> = Vec::new();
    for (number, unit) in units.iter().enumerate() {
        if let Some(unit) = unit
            && equations.len() < data_units
        {
            equations.push((row_of_unit(&matrix, data_units, number), unit.clone()));
        }
    }
    if equations.len() < data_units {
        return None;
    }
    solve(&mut equations);
    let data: Vec<Vec<u8>> = equations.into_iter().map(|(_, unit)| unit).collect();
    let parity = encode(code, parity_units, &data);
    let unit = |number: &usize| match number.checked_sub(data_units) {
        None => data[*number].clone(),
        Some(number) => parity[number].clone(),
    };
    Some(wanted.iter().map(unit).collect())
}

/// The coefficients that give one unit from all data units.
fn row_of_unit(matrix: &[Vec<u8>], data_units: usize, number: usize) -> Vec<u8> {
    if number >= data_units {
        return matrix[number - data_units].clone();
    }
    let mut row = vec![0; data_units];
    row[number] = 1;
    row
}

/// Turns as many equations as unknowns into "unknown i = its unit", by Gauss and Jordan.
fn solve(equations: &mut [(Vec<u8>, Vec<u8>)]) {
    let count = equations.len();
    for unknown in 0..count {
        let pivot = (unknown..count).find(|row| equations[*row].0[unknown] != 0);
        equations.swap(unknown, pivot.expect("any k units determine the stripe"));
        let scale = inverse(equations[unknown].0[unknown]);
        scale_both(&mut equations[unknown], scale);
        let solved = equations[unknown].clone();
        for (row, equation) in equations.iter_mut().enumerate() {
            let factor = equation.0[unknown];
            if row != unknown && factor != 0 {
                add_scaled(&mut equation.0, factor, &solved.0);
                add_scaled(&mut equation.1, factor, &solved.1);
            }
        }
    }
}

fn scale_both(equation: &mut (Vec<u8>, Vec<u8>), factor: u8) {
    for byte in equation.0.iter_mut().chain(&mut equation.1) {
        *byte = multiply(*byte, factor);
    }
}

fn add_scaled(target: &mut [u8], factor: u8, source: &[u8]) {
    assert_eq!(target.len(), source.len(), "units of one length");
    for (byte, other) in target.iter_mut().zip(source) {
        *byte ^= multiply(factor, *other);
    }
}

/// A checksum of HDFS.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Checksum {
    /// CRC-32C, Castagnoli's polynomial.
    Crc32c,
    /// CRC-32 of zlib.
    Crc32,
}

/// The checksum of some bytes, bit by bit.
#[must_use]
pub fn checksum(kind: Checksum, bytes: &[u8]) -> u32 {
    let reflected_polynomial = match kind {
        Checksum::Crc32c => 0x82f6_3b78,
        Checksum::Crc32 => 0xedb8_8320,
    };
    let mut remainder = !0u32;
    for byte in bytes {
        remainder ^= u32::from(*byte);
        for _ in 0..8 {
            let overflow = remainder & 1 == 1;
            remainder >>= 1;
            if overflow {
                remainder ^= reflected_polynomial;
            }
        }
    }
    !remainder
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn field_is_the_one_of_hadoop() {
        assert_eq!(multiply(2, 128), 0x1d);
        assert_eq!(multiply(0x80, 0x80), 0x13);
        assert_eq!(inverse(2), 142);
        for element in 1..=255 {
            assert_eq!(multiply(element, inverse(element)), 1);
        }
    }

    #[test]
    fn legacy_stripes_are_zero_at_the_roots() {
        let data: Vec<u8> = (1..=10).map(|byte| byte * 25).collect();
        let mut stripe = polynomial_remainder(&data, 4);
        stripe.extend_from_slice(&data);
        let mut root = 1;
        for _ in 0..4 {
            assert_eq!(
                stripe
                    .iter()
                    .rev()
                    .fold(0, |sum, byte| multiply(sum, root) ^ byte),
                0
            );
            root = multiply(root, 2);
        }
    }

    #[test]
    fn any_lost_units_are_restored() {
        let data: Vec<Vec<u8>> = (0..4).map(|unit| vec![unit * 50, 255 - unit, 7]).collect();
        for (code, parity_units) in [(Code::Rs, 3), (Code::RsLegacy, 3), (Code::Xor, 1)] {
            let mut stripe = data.clone();
            stripe.extend(encode(code, parity_units, &data));
            for lost in 0u32..1 << stripe.len() {
                let is_lost = |unit: &usize| lost >> unit & 1 == 1;
                let units: Vec<_> = (0..stripe.len())
                    .map(|unit| (!is_lost(&unit)).then(|| stripe[unit].clone()))
                    .collect();
                let wanted: Vec<_> = (0..stripe.len()).filter(is_lost).collect();
                let expected: Vec<_> = wanted.iter().map(|unit| stripe[*unit].clone()).collect();
                let decodable = wanted.len() <= parity_units;
                let decoded = decode(code, 4, parity_units, &units, &wanted);
                assert_eq!(decoded, decodable.then_some(expected), "{code:?} {lost:b}");
            }
        }
    }

    #[test]
    fn checksums_match_their_check_values() {
        assert_eq!(checksum(Checksum::Crc32c, b"123456789"), 0xe306_9283);
        assert_eq!(checksum(Checksum::Crc32, b"123456789"), 0xcbf4_3926);
    }
}
