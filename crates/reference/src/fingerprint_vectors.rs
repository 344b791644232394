// SPDX-License-Identifier: Apache-2.0
//! Golden vectors of fingerprints; `vectors/README.md` describes their form.

use crate::fingerprint::{coefficients, fingerprint};
use crate::vectors::{SplitMix, to_hex};
use crate::{Checksum, checksum};

const SEEDS: [u64; 3] = [0, 0x0123_4567_89ab_cdef, u64::MAX];

/// A byte, a row, parts of rows and several rows.
const LENGTHS: [usize; 4] = [1, 64, 200, 1_000];

/// The rows whose coefficients a case has the checksum of: those of the largest window.
const ROWS: usize = 32_768;

/// The text of the file.
#[must_use]
pub fn to_json() -> String {
    let mut cases = Vec::new();
    for seed in SEEDS {
        let all = coefficients(seed, ROWS);
        for sums in 1..=4 {
            let own: Vec<u8> = all.iter().flat_map(|row| row[..sums].to_vec()).collect();
            let coefficients_crc32c = checksum(Checksum::Crc32c, &own);
            for length in LENGTHS {
                let mut random = SplitMix::new((sums * 10_000 + length) as u64);
                let window: Vec<u8> = (0..length).map(|_| random.next() as u8).collect();
                cases.push(format!(
                    "{{\"seed\":\"{seed:016x}\",\"sums\":{sums},\
                     \"coefficients_crc32c\":\"{coefficients_crc32c:08x}\",\
                     \"window\":\"{}\",\"fingerprint\":\"{}\"}}",
                    to_hex(&window),
                    to_hex(&fingerprint(seed, sums, &window))
                ));
            }
        }
    }
    format!("{{\"cases\":[\n{}\n]}}\n", cases.join(",\n"))
}
