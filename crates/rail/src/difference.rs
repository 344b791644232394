// SPDX-License-Identifier: Apache-2.0
//! Comparison for coders that can only compute.

use stripeline_codec::Verdict;

/// Finds the lowest offset that differs, and the lowest output there.
///
/// Offsets count from the start of the slices.
pub(crate) fn find<C: AsRef<[u8]>>(computed: &[C], given: &[&[u8]]) -> Verdict {
    let mut first: Option<(usize, usize)> = None;
    for (unit, (computed, given)) in computed.iter().zip(given).enumerate() {
        // Only bytes before the first difference so far matter; comparing slices is fast.
        let end = first.map_or(given.len(), |(offset, _)| offset);
        let (computed, given) = (&computed.as_ref()[..end], &given[..end]);
        if computed != given {
            let same = |(left, right): &(&u8, &u8)| left == right;
            let offset = computed.iter().zip(given).take_while(same).count();
            first = Some((offset, unit));
        }
    }
    verdict(first)
}

/// Returns the verdict for the first (offset, output) that differs.
pub(crate) fn verdict(first: Option<(usize, usize)>) -> Verdict {
    match first {
        None => Verdict::Sound,
        Some((offset, parity_unit)) => Verdict::Mismatch {
            parity_unit,
            offset,
        },
    }
}

/// The same verdict with offsets counted from `bytes` earlier.
pub(crate) fn moved(verdict: Verdict, bytes: usize) -> Verdict {
    match verdict {
        Verdict::Sound => Verdict::Sound,
        Verdict::Mismatch {
            parity_unit,
            offset,
        } => Verdict::Mismatch {
            parity_unit,
            offset: offset + bytes,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lowest_offset_then_lowest_output() {
        let computed = [vec![0; 9], vec![0; 9], vec![0; 9]];
        let mut given = computed.clone();
        given[0][8] = 1;
        given[1][5] = 1;
        given[2][5] = 1;
        let slices: Vec<_> = given.iter().map(Vec::as_slice).collect();
        let found = Verdict::Mismatch {
            parity_unit: 1,
            offset: 5,
        };
        assert_eq!(find(&computed, &slices), found);
        assert_eq!(find(&given, &slices), Verdict::Sound);
        let later = Verdict::Mismatch {
            parity_unit: 1,
            offset: 105,
        };
        assert_eq!(moved(found, 100), later);
    }
}
