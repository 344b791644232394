// SPDX-License-Identifier: Apache-2.0
//! Tests that the committed PTX belongs to the committed kernel. `scripts/cuda-ptx.sh` tests more,
//! if NVIDIA's compilers are available.

const SOURCE: &str = include_str!("../../src/cuda/kernel.cu");
const PTX: &str = include_str!("../../src/cuda/generated/kernel.ptx");

#[test]
fn the_ptx_was_made_from_this_source() {
    let sum = format!("(CRC-32 {:08x})", crc32(SOURCE.as_bytes()));
    assert!(
        PTX.contains(&sum),
        "run scripts/cuda-ptx.sh --write: {sum} is not in kernel.ptx"
    );
}

#[test]
fn the_ptx_has_the_functions_that_the_rail_uses() {
    for line in [".version 7.0", ".target sm_70", ".address_size 64"] {
        assert!(PTX.contains(line), "{line}");
    }
    for rows in 1..=4 {
        let entry = format!(".visible .entry product_{rows}(\n");
        let parameter = format!("product_{rows}_param_0[2104]\n");
        assert!(PTX.contains(&entry) && PTX.contains(&parameter), "{rows}");
    }
}

/// Computes the CRC-32 of zlib, bit by bit.
fn crc32(bytes: &[u8]) -> u32 {
    let step = |sum: u32| sum >> 1 ^ if sum & 1 == 1 { 0xedb8_8320 } else { 0 };
    !bytes.iter().fold(!0, |sum, byte| {
        (0..8).fold(sum ^ u32::from(*byte), |sum, _| step(sum))
    })
}
