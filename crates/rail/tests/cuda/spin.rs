// SPDX-License-Identifier: Apache-2.0
//! A kernel that occupies a whole GPU until it is released, so that a real GPU looks hung.

use std::ffi::{c_char, c_int, c_uint, c_void};
use std::ops::Range;
use std::sync::atomic::{AtomicU32, Ordering};

use crate::mock::until;
use crate::program::Program;

/// Each block stores 1 in its word and waits for word 0; it ends after 10 s in any case, so that no
/// GPU stays occupied.
const PTX: &std::ffi::CStr = c"
.version 7.0
.target sm_70
.address_size 64
.visible .entry spin(.param .u64 words)
{
    .reg .pred %p<3>;
    .reg .u32 %r<5>;
    .reg .u64 %d<7>;
    ld.param.u64 %d1, [words];
    mov.u64 %d2, %globaltimer;
    mov.u32 %r1, %tid.x;
    setp.ne.u32 %p1, %r1, 0;
    @%p1 bra wait;
    mov.u32 %r2, %ctaid.x;
    mul.wide.u32 %d3, %r2, 4;
    add.u64 %d4, %d1, %d3;
    mov.u32 %r3, 1;
    st.volatile.global.u32 [%d4+4], %r3;
again:
    ld.volatile.global.u32 %r4, [%d1];
    setp.ne.u32 %p2, %r4, 0;
    @%p2 bra wait;
    mov.u64 %d5, %globaltimer;
    sub.u64 %d6, %d5, %d2;
    setp.lt.u64 %p2, %d6, 10000000000;
    @%p2 bra again;
wait:
    bar.sync 0;
    ret;
}
";

/// Small blocks fill a multiprocessor completely.
const THREADS: c_uint = 256;
const PAGE_BYTES: usize = 4_096;

/// `CU_DEVICE_ATTRIBUTE_MULTIPROCESSOR_COUNT`.
const MULTIPROCESSORS: c_int = 16;
/// `CU_DEVICE_ATTRIBUTE_MAX_THREADS_PER_MULTIPROCESSOR`.
const THREADS_PER_MULTIPROCESSOR: c_int = 39;
/// `CU_STREAM_NON_BLOCKING`.
const NON_BLOCKING: c_uint = 1;

/// A running kernel; ends when this value is dropped.
pub struct Spin<'a> {
    program: &'a Program,
    /// This process's own memory, which also exists after the context has been reset.
    storage: Vec<u8>,
    pages: Range<usize>,
}

impl<'a> Spin<'a> {
    /// Starts the kernel and waits until it occupies the whole GPU.
    pub fn start(program: &'a Program) -> Self {
        let blocks = program.attribute(MULTIPROCESSORS)
            * (program.attribute(THREADS_PER_MULTIPROCESSOR) / THREADS as c_int);
        let blocks = blocks.unsigned_abs();
        let bytes = (4 * (1 + blocks as usize)).next_multiple_of(PAGE_BYTES);
        let mut storage = vec![0; bytes + PAGE_BYTES];
        let first = storage.as_ptr().align_offset(PAGE_BYTES);
        let pages = first..first + bytes;
        program.register(&mut storage[pages.clone()]);
        let spin = Self {
            program,
            storage,
            pages,
        };
        spin.launch(blocks);
        until(
            || (1..=blocks as usize).all(|block| spin.word(block).load(Ordering::Acquire) == 1),
            || "the kernel does not start".to_owned(),
        );
        spin
    }

    fn word(&self, index: usize) -> &AtomicU32 {
        let words = self.storage[self.pages.clone()]
            .as_ptr()
            .cast::<AtomicU32>();
        assert!(4 * index < self.pages.len(), "inside the pages");
        // SAFETY: aligned memory of this value; the device writes whole words.
        unsafe { &*words.wrapping_add(index) }
    }

    fn launch(&self, blocks: c_uint) {
        let (program, start) = (self.program, std::ptr::from_ref(self.word(0)));
        // SAFETY: the signatures of the driver API; results go to local variables, and the kernel
        // takes one address.
        program.call("starting a kernel", || unsafe {
            let (mut module, mut kernel, mut stream, mut address) = (0_usize, 0_usize, 0_usize, 0);
            let load = program.symbol::<unsafe extern "C" fn(*mut usize, *const c_char) -> c_int>(
                "cuModuleLoadData",
            );
            assert_eq!(load(&raw mut module, PTX.as_ptr()), 0, "cuModuleLoadData");
            let function = program
                .symbol::<unsafe extern "C" fn(*mut usize, usize, *const c_char) -> c_int>(
                    "cuModuleGetFunction",
                );
            let found = function(&raw mut kernel, module, c"spin".as_ptr());
            assert_eq!(found, 0, "cuModuleGetFunction");
            let create = program
                .symbol::<unsafe extern "C" fn(*mut usize, c_uint) -> c_int>("cuStreamCreate");
            assert_eq!(create(&raw mut stream, NON_BLOCKING), 0, "cuStreamCreate");
            let device_address =
                program
                    .symbol::<unsafe extern "C" fn(*mut u64, *const AtomicU32, c_uint) -> c_int>(
                        "cuMemHostGetDevicePointer_v2",
                    );
            let found = device_address(&raw mut address, start, 0);
            assert_eq!(found, 0, "cuMemHostGetDevicePointer_v2");
            let launch = program.symbol::<unsafe extern "C" fn(
                usize,
                c_uint,
                c_uint,
                c_uint,
                c_uint,
                c_uint,
                c_uint,
                c_uint,
                usize,
                *mut *mut c_void,
                *mut *mut c_void,
            ) -> c_int>("cuLaunchKernel");
            let mut parameters = [(&raw mut address).cast::<c_void>()];
            let none = std::ptr::null_mut();
            launch(
                kernel,
                blocks,
                1,
                1,
                THREADS,
                1,
                1,
                0,
                stream,
                parameters.as_mut_ptr(),
                none,
            )
        });
    }
}

impl Drop for Spin<'_> {
    fn drop(&mut self) {
        self.word(0).store(1, Ordering::Release);
        let pages = self.pages.clone();
        self.program.unregister(&mut self.storage[pages]);
    }
}
