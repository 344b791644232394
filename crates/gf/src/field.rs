// SPDX-License-Identifier: Apache-2.0
//! Single-byte arithmetic in GF(2^8) modulo 0x11d, for building matrices; data passes do not use
//! it.

/// The reduction polynomial x^8 + x^4 + x^3 + x^2 + 1, the same as in Hadoop, ISA-L and Jerasure.
pub const POLYNOMIAL: u16 = 0x11d;

/// `EXP[i]` is 2^i for i in 0..510, so that a product of two logarithms needs no reduction.
const EXP: [u8; 510] = exponentials();

/// `LOG[x]` is the power of 2 that gives x; `LOG[0]` is unused.
const LOG: [u8; 256] = logarithms();

const fn exponentials() -> [u8; 510] {
    let mut table = [0; 510];
    let mut value: u16 = 1;
    let mut power = 0;
    while power < 255 {
        table[power] = value as u8;
        table[power + 255] = value as u8;
        value <<= 1;
        if value & 0x100 != 0 {
            value ^= POLYNOMIAL;
        }
        power += 1;
    }
    table
}

const fn logarithms() -> [u8; 256] {
    let mut table = [0; 256];
    let mut power = 0;
    while power < 255 {
        table[EXP[power] as usize] = power as u8;
        power += 1;
    }
    table
}

/// Returns the product of two field elements.
#[must_use]
pub const fn multiply(left: u8, right: u8) -> u8 {
    if left == 0 || right == 0 {
        return 0;
    }
    EXP[LOG[left as usize] as usize + LOG[right as usize] as usize]
}

/// Returns 2 to the given power; 2 generates the multiplicative group, so the power counts modulo
/// 255.
#[must_use]
pub const fn power_of_two(power: usize) -> u8 {
    EXP[power % 255]
}

/// Returns the multiplicative inverse, or `None` for zero, which has none.
#[must_use]
pub const fn inverse(element: u8) -> Option<u8> {
    if element == 0 {
        return None;
    }
    Some(EXP[255 - LOG[element as usize] as usize])
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Multiplies by shift-and-add, following the definition.
    fn multiply_slowly(left: u8, right: u8) -> u8 {
        let mut product = 0u16;
        for bit in (0..8).rev() {
            product <<= 1;
            if product & 0x100 != 0 {
                product ^= POLYNOMIAL;
            }
            if right >> bit & 1 == 1 {
                product ^= u16::from(left);
            }
        }
        product as u8
    }

    #[test]
    fn every_product_matches_the_definition() {
        for left in 0..=255 {
            for right in 0..=255 {
                assert_eq!(multiply(left, right), multiply_slowly(left, right));
            }
        }
    }

    #[test]
    fn every_inverse_multiplies_to_one() {
        assert_eq!(inverse(0), None);
        for element in 1..=255 {
            let inverse = inverse(element).expect("only zero has no inverse");
            assert_eq!(multiply(element, inverse), 1);
        }
    }
}
