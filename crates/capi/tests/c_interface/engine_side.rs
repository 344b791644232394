// SPDX-License-Identifier: Apache-2.0
//! Helpers of the engine tests: an engine and stripes for it, as a program in C has them.

use std::ffi::CString;
use std::ptr::{null, null_mut};

use crate::c_codec::{self, CCodec, last_error, refused};
use stripeline_capi::stripeline_status::{self, *};
use stripeline_capi::*;

/// An open engine.
pub struct OpenEngine(pub *mut stripeline_engine);

// SAFETY: any number of threads may use an engine.
unsafe impl Send for OpenEngine {}
// SAFETY: as for `Send`.
unsafe impl Sync for OpenEngine {}

impl OpenEngine {
    pub fn new(configuration: &str) -> Self {
        let configuration = CString::new(configuration).expect("no NUL");
        let mut engine = null_mut();
        // SAFETY: a text and room for the handle.
        let status = unsafe { stripeline_engine_open(configuration.as_ptr(), &mut engine) };
        assert_eq!(status, STRIPELINE_OK, "{}", last_error());
        Self(engine)
    }
}

impl Drop for OpenEngine {
    fn drop(&mut self) {
        // SAFETY: open until now.
        let closed = unsafe { stripeline_engine_close(self.0) };
        assert!(closed == STRIPELINE_OK || std::thread::panicking());
    }
}

/// Returns a matrix of scattered units in ordinary memory.
pub fn scattered(units: &[*mut u8]) -> stripeline_matrix {
    stripeline_matrix {
        size: size_of::<stripeline_matrix>(),
        base: null_mut(),
        stride: 0,
        units: units.as_ptr(),
        count: units.len(),
        memory: 0,
        device: 0,
    }
}

/// Returns a matrix of strided units in ordinary memory.
pub fn strided(base: *mut u8, stride: usize, count: usize) -> stripeline_matrix {
    stripeline_matrix {
        size: size_of::<stripeline_matrix>(),
        base,
        stride,
        units: null(),
        count,
        memory: 0,
        device: 0,
    }
}

/// Returns a request with default options.
pub fn request() -> stripeline_request {
    stripeline_request {
        size: size_of::<stripeline_request>(),
        priority: 0,
        event_fd: 0,
        deadline_ns: 0,
        callback: None,
        context: null_mut(),
        flags: 0,
    }
}

/// The contents of outputs before a call.
const UNTOUCHED: u8 = 0x5a;

/// A codec 3+2 and a stripe for it in one block of memory, unit after unit.
pub struct Bench {
    pub codec: *mut stripeline_codec,
    pub memory: Vec<u8>,
    pub length: usize,
    _open: CCodec,
}

/// Returns the units of a stripe that is not encoded yet.
fn stripe(length: usize) -> Vec<u8> {
    let mut memory: Vec<u8> = (0..3 * length).map(|byte| (byte * 7 + 1) as u8).collect();
    memory.resize(5 * length, UNTOUCHED);
    memory
}

impl Bench {
    pub fn new(length: usize) -> Self {
        let open = c_codec::rs(3, 2);
        Self {
            codec: open.codec,
            memory: stripe(length),
            length,
            _open: open,
        }
    }

    pub fn unit(&mut self, unit: usize) -> *mut u8 {
        self.memory[unit * self.length..].as_mut_ptr()
    }

    pub fn data(&mut self) -> stripeline_matrix {
        strided(self.unit(0), self.length, 3)
    }

    pub fn parity(&mut self) -> stripeline_matrix {
        strided(self.unit(3), self.length, 2)
    }

    /// Asserts that a call was refused with this text, and that no unit was written.
    pub fn expect(&self, status: stripeline_status, expected: stripeline_status, text: &str) {
        refused(status, expected, text);
        assert!(self.memory == stripe(self.length), "{text}: written");
    }

    /// Returns whether the parity equals what the direct call computes.
    pub fn is_encoded(&mut self) -> bool {
        let units = [0, 1, 2, 3, 4].map(|unit| self.unit(unit).cast_const());
        let mut sound = false;
        // SAFETY: an open codec 3+2 and its units.
        let status = unsafe {
            stripeline_verify(
                self.codec,
                units.as_ptr(),
                units[3..].as_ptr(),
                self.length,
                &mut sound,
                null_mut(),
                null_mut(),
            )
        };
        assert_eq!(status, STRIPELINE_OK);
        sound
    }

    /// Issues the encoding of the stripe, which must not move until the task has ended.
    pub fn issue(
        &mut self,
        engine: &OpenEngine,
        request: &stripeline_request,
    ) -> (stripeline_status, *mut stripeline_future) {
        let (data, parity) = (self.data(), self.parity());
        let mut future = null_mut();
        // SAFETY: open handles; the tests wait for the task before they drop the stripe.
        let status = unsafe {
            stripeline_iencode(
                engine.0,
                self.codec,
                &data,
                &parity,
                self.length,
                request,
                &mut future,
            )
        };
        (status, future)
    }
}
