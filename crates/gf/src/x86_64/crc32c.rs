// SPDX-License-Identifier: Apache-2.0
//! CRC-32C with the SSE4.2 instruction.

use crate::checksum::ChecksumFunctions;
use std::arch::x86_64::{_mm_crc32_u8, _mm_crc32_u64};

/// For machines with SSE4.2.
pub(crate) const SSE42: ChecksumFunctions = ChecksumFunctions { one, four };

/// See [`crate::checksum::Crc32c`].
///
/// # Safety
/// The machine has SSE4.2.
#[target_feature(enable = "sse4.2")]
unsafe fn one(seed: u32, data: &[u8]) -> u32 {
    let mut crc = u64::from(!seed);
    let mut words = data.chunks_exact(8);
    for word in &mut words {
        crc = _mm_crc32_u64(
            crc,
            u64::from_le_bytes(word.try_into().expect("chunks of eight")),
        );
    }
    let mut crc = crc as u32;
    for &byte in words.remainder() {
        crc = _mm_crc32_u8(crc, byte);
    }
    !crc
}

/// See [`crate::checksum::Crc32cFour`].
///
/// # Safety
/// The machine has SSE4.2.
#[target_feature(enable = "sse4.2")]
unsafe fn four(data: &[u8]) -> [u32; 4] {
    let quarter = data.len() / 4;
    let (first, rest) = data.split_at(quarter);
    let (second, rest) = rest.split_at(quarter);
    let (third, fourth) = rest.split_at(quarter);
    let words = [first, second, third, fourth].map(|piece| piece.as_chunks::<8>());
    let mut crcs = [u64::from(u32::MAX); 4];
    for index in 0..quarter / 8 {
        for (crc, (words, _)) in crcs.iter_mut().zip(&words) {
            *crc = _mm_crc32_u64(*crc, u64::from_le_bytes(words[index]));
        }
    }
    let mut sums = crcs.map(|crc| crc as u32);
    for (sum, (_, rest)) in sums.iter_mut().zip(&words) {
        for &byte in *rest {
            *sum = _mm_crc32_u8(*sum, byte);
        }
        *sum = !*sum;
    }
    sums
}
