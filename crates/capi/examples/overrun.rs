// SPDX-License-Identifier: Apache-2.0
//! Deliberately encodes one byte more than the buffers have: scripts/asan.sh runs it to prove that
//! it detects an overrun in a kernel. `read` overruns a data unit, `write` a parity unit.

use std::process::ExitCode;

use stripeline_capi::*;

/// Not a whole number of vectors, so that the tail code handles the last byte.
const LENGTH: usize = 1000;

fn main() -> ExitCode {
    let (data_length, parity_length) = match std::env::args().nth(1).as_deref() {
        Some("none") => (LENGTH, LENGTH),
        Some("read") => (LENGTH - 1, LENGTH),
        Some("write") => (LENGTH, LENGTH - 1),
        _ => {
            eprintln!("usage: overrun none|read|write");
            return ExitCode::from(2);
        }
    };
    let data = [vec![1_u8; data_length], vec![2; LENGTH]];
    let mut parity = [vec![0_u8; LENGTH], vec![0; parity_length]];
    let data_starts = [data[0].as_ptr(), data[1].as_ptr()];
    let parity_starts = [parity[0].as_mut_ptr(), parity[1].as_mut_ptr()];
    let mut codec = std::ptr::null_mut();
    // SAFETY: sound for `none` only; the others are run under AddressSanitizer, which ends them.
    unsafe {
        stripeline_codec_open(stripeline_code::STRIPELINE_RS as i32, 2, 2, &mut codec);
        stripeline_encode(codec, data_starts.as_ptr(), parity_starts.as_ptr(), LENGTH);
        stripeline_codec_close(codec);
    }
    println!("{}", std::hint::black_box(&parity)[0][LENGTH - 1]);
    ExitCode::SUCCESS
}
