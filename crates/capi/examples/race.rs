// SPDX-License-Identifier: Apache-2.0
//! Deliberately writes to a unit that belongs to a task: scripts/tsan.sh runs it to prove that it
//! detects a race between an engine's threads. `none` waits for the task first.

use std::process::ExitCode;
use std::ptr::{null, null_mut};

use stripeline_capi::*;

const LENGTH: usize = 4096;

fn main() -> ExitCode {
    let is_racing = match std::env::args().nth(1).as_deref() {
        Some("none") => false,
        Some("write") => true,
        _ => {
            eprintln!("usage: race none|write");
            return ExitCode::from(2);
        }
    };
    let mut memory = vec![1_u8; 4 * LENGTH];
    let base = memory.as_mut_ptr();
    let matrix = |unit: usize| stripeline_matrix {
        size: size_of::<stripeline_matrix>(),
        base: base.wrapping_add(unit * LENGTH),
        stride: LENGTH,
        units: null(),
        count: 2,
        memory: stripeline_memory::STRIPELINE_HOST as i32,
        device: 0,
    };
    let (data, parity) = (matrix(0), matrix(2));
    let configuration = c"rails=cpu\nworkers-max=1\nwaiting-threads-help=false";
    let (mut codec, mut engine, mut future) = (null_mut(), null_mut(), null_mut());
    // SAFETY: sound for `none` only; the other is run under ThreadSanitizer, which reports it.
    unsafe {
        stripeline_codec_open(stripeline_code::STRIPELINE_RS as i32, 2, 2, &mut codec);
        stripeline_engine_open(configuration.as_ptr(), &mut engine);
        stripeline_iencode(engine, codec, &data, &parity, LENGTH, null(), &mut future);
        if is_racing {
            base.write(2);
        }
        let status = stripeline_future_wait(future, -1);
        assert_eq!(status, stripeline_status::STRIPELINE_OK);
        stripeline_future_release(future);
        stripeline_engine_close(engine);
        stripeline_codec_close(codec);
    }
    ExitCode::SUCCESS
}
