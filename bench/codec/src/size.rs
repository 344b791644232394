// SPDX-License-Identifier: Apache-2.0
//! Sizes with units.

/// Parses `4KiB`, `64 KiB`, `1MiB`, `64B`.
///
/// # Errors
/// If the unit is missing or unknown, or the number is 0 or too large.
pub fn parse_size(text: &str) -> Result<usize, String> {
    let digits = text.trim_end_matches(|letter: char| !letter.is_ascii_digit());
    let factor = match text[digits.len()..].trim() {
        "B" => Some(1),
        "KiB" => Some(1 << 10),
        "MiB" => Some(1 << 20),
        "GiB" => Some(1 << 30),
        _ => None,
    };
    factor
        .and_then(|factor| digits.trim().parse::<usize>().ok()?.checked_mul(factor))
        .filter(|&bytes| bytes > 0)
        .ok_or_else(|| format!("Cannot use size '{text}': write a number with B, KiB, MiB or GiB"))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_carry_units() {
        assert_eq!(parse_size("64 KiB"), Ok(65536));
        assert_eq!(parse_size("1MiB"), Ok(1 << 20));
        for bad in ["64", "0KiB", "KiB", "64kb", ""] {
            assert!(
                parse_size(bad).expect_err("no size").contains("MiB"),
                "{bad}"
            );
        }
    }
}
