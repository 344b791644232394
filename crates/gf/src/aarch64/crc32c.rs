// SPDX-License-Identifier: Apache-2.0
//! CRC-32C with the instructions of the optional CRC extension.

use crate::checksum::ChecksumFunctions;
use std::arch::aarch64::{__crc32cb, __crc32cd};

/// For machines with the CRC extension.
pub(crate) const CRC: ChecksumFunctions = ChecksumFunctions { one, four };

/// See [`crate::checksum::Crc32c`].
///
/// # Safety
/// The machine has the CRC extension.
#[target_feature(enable = "crc")]
unsafe fn one(seed: u32, data: &[u8]) -> u32 {
    let mut crc = !seed;
    let mut words = data.chunks_exact(8);
    for word in &mut words {
        crc = __crc32cd(
            crc,
            u64::from_le_bytes(word.try_into().expect("chunks of eight")),
        );
    }
    for &byte in words.remainder() {
        crc = __crc32cb(crc, byte);
    }
    !crc
}

/// See [`crate::checksum::Crc32cFour`].
///
/// # Safety
/// The machine has the CRC extension.
#[target_feature(enable = "crc")]
unsafe fn four(data: &[u8]) -> [u32; 4] {
    let quarter = data.len() / 4;
    let (first, rest) = data.split_at(quarter);
    let (second, rest) = rest.split_at(quarter);
    let (third, fourth) = rest.split_at(quarter);
    let words = [first, second, third, fourth].map(|piece| piece.as_chunks::<8>());
    let mut sums = [u32::MAX; 4];
    for index in 0..quarter / 8 {
        for (sum, (words, _)) in sums.iter_mut().zip(&words) {
            *sum = __crc32cd(*sum, u64::from_le_bytes(words[index]));
        }
    }
    for (sum, (_, rest)) in sums.iter_mut().zip(&words) {
        for &byte in *rest {
            *sum = __crc32cb(*sum, byte);
        }
        *sum = !*sum;
    }
    sums
}
