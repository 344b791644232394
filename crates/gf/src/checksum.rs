// SPDX-License-Identifier: Apache-2.0
//! CRC-32C and CRC-32, whole and per chunk.
//!
//! CRC-32C per chunk is implemented here because the CRC instruction has a latency of three cycles
//! and a throughput of one per cycle: four adjacent chunks computed side by side run at the
//! throughput, which a general library that receives one 512-byte chunk at a time cannot reach.
//! CRC-32 uses the crate `crc32fast` (carry-less multiplication where the machine has it).

use crate::ChecksumKind;

/// Continues the CRC-32C `seed` (0 at first) over one piece of data.
pub(crate) type Crc32c = unsafe fn(seed: u32, data: &[u8]) -> u32;

/// The CRC-32C of four neighbouring pieces of one length.
pub(crate) type Crc32cFour = unsafe fn(data: &[u8]) -> [u32; 4];

/// Both CRC-32C functions of one instruction set.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ChecksumFunctions {
    pub one: Crc32c,
    pub four: Crc32cFour,
}

/// Tables of eight bytes at a time, in plain Rust.
pub(crate) const PORTABLE: ChecksumFunctions = ChecksumFunctions { one, four };

impl ChecksumFunctions {
    pub fn whole(&self, kind: ChecksumKind, seed: u32, data: &[u8]) -> u32 {
        match kind {
            // SAFETY: the functions belong to an instruction set that this machine has.
            ChecksumKind::Crc32c => unsafe { (self.one)(seed, data) },
            ChecksumKind::Crc32 => {
                let mut hasher = crc32fast::Hasher::new_with_initial(seed);
                hasher.update(data);
                hasher.finalize()
            }
        }
    }

    /// Computes one checksum per `bytes_per_checksum` bytes of `data`; the last chunk may be short.
    pub fn chunks(
        &self,
        kind: ChecksumKind,
        data: &[u8],
        bytes_per_checksum: usize,
        sums: &mut [u32],
    ) {
        let mut done = 0;
        if kind == ChecksumKind::Crc32c {
            for quadruple in data.chunks_exact(bytes_per_checksum.saturating_mul(4)) {
                // SAFETY: as above.
                let four = unsafe { (self.four)(quadruple) };
                sums[done..done + 4].copy_from_slice(&four);
                done += 4;
            }
        }
        let rest = data[done * bytes_per_checksum..].chunks(bytes_per_checksum);
        for (sum, chunk) in sums[done..].iter_mut().zip(rest) {
            *sum = self.whole(kind, 0, chunk);
        }
    }
}

/// The Castagnoli polynomial 0x1EDC6F41, bits reversed.
const POLYNOMIAL: u32 = 0x82f6_3b78;

/// `TABLES[n][b]`: the remainder of byte b followed by n zero bytes.
const TABLES: [[u32; 256]; 8] = tables();

const fn tables() -> [[u32; 256]; 8] {
    let mut tables = [[0; 256]; 8];
    let mut byte = 0;
    while byte < 256 {
        let mut remainder = byte as u32;
        let mut bit = 0;
        while bit < 8 {
            remainder = remainder >> 1 ^ if remainder & 1 == 1 { POLYNOMIAL } else { 0 };
            bit += 1;
        }
        tables[0][byte] = remainder;
        byte += 1;
    }
    let mut zeros = 1;
    while zeros < 8 {
        let mut byte = 0;
        while byte < 256 {
            let before = tables[zeros - 1][byte];
            tables[zeros][byte] = before >> 8 ^ tables[0][(before & 0xff) as usize];
            byte += 1;
        }
        zeros += 1;
    }
    tables
}

fn one(seed: u32, data: &[u8]) -> u32 {
    let mut crc = !seed;
    let mut eights = data.chunks_exact(8);
    for eight in &mut eights {
        let low = crc ^ u32::from_le_bytes([eight[0], eight[1], eight[2], eight[3]]);
        crc = TABLES[7][(low & 0xff) as usize]
            ^ TABLES[6][(low >> 8 & 0xff) as usize]
            ^ TABLES[5][(low >> 16 & 0xff) as usize]
            ^ TABLES[4][(low >> 24) as usize]
            ^ TABLES[3][usize::from(eight[4])]
            ^ TABLES[2][usize::from(eight[5])]
            ^ TABLES[1][usize::from(eight[6])]
            ^ TABLES[0][usize::from(eight[7])];
    }
    for &byte in eights.remainder() {
        crc = crc >> 8 ^ TABLES[0][((crc ^ u32::from(byte)) & 0xff) as usize];
    }
    !crc
}

fn four(data: &[u8]) -> [u32; 4] {
    let quarter = data.len() / 4;
    std::array::from_fn(|index| one(0, &data[index * quarter..(index + 1) * quarter]))
}
