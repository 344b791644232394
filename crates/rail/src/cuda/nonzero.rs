// SPDX-License-Identifier: Apache-2.0
//! The search for differences in the sums of actual and expected bytes.

use stripeline_codec::Verdict;

use crate::difference::verdict;

/// The number of bytes tested at once, without a branch per byte.
const BLOCK_BYTES: usize = 256;

/// Returns the first nonzero byte in any of the outputs' sums, ordered by offset and then by
/// output.
pub(super) fn find<'a>(sums: impl Iterator<Item = &'a [u8]>) -> Verdict {
    let mut first: Option<(usize, usize)> = None;
    for (unit, sum) in sums.enumerate() {
        // A later output counts only if it differs at a lower offset.
        let end = first.map_or(sum.len(), |(offset, _)| offset);
        if let Some(offset) = first_nonzero(&sum[..end]) {
            first = Some((offset, unit));
        }
    }
    verdict(first)
}

fn first_nonzero(bytes: &[u8]) -> Option<usize> {
    let mut blocks = bytes.chunks(BLOCK_BYTES);
    let block = blocks.position(|block| block.iter().fold(0, |all, byte| all | byte) != 0)?;
    let start = block * BLOCK_BYTES;
    let within = bytes[start..].iter().position(|byte| *byte != 0);
    within.map(|offset| start + offset)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lowest_offset_then_lowest_output() {
        let mut sums = vec![vec![0; 1_000]; 3];
        let find_in = |sums: &[Vec<u8>]| find(sums.iter().map(Vec::as_slice));
        assert_eq!(find_in(&sums), Verdict::Sound);
        for (unit, offset, expected) in [(2, 999, (2, 999)), (1, 999, (1, 999)), (2, 257, (2, 257))]
        {
            sums[unit][offset] = 0x80;
            let (parity_unit, offset) = expected;
            assert_eq!(
                find_in(&sums),
                Verdict::Mismatch {
                    parity_unit,
                    offset
                }
            );
        }
    }
}
