// SPDX-License-Identifier: Apache-2.0
//! A program's own memory on a device, allocated in the primary context as CUDA's runtime does.

use std::ffi::c_int;
use std::path::Path;

use libloading::{Library, Symbol};

/// Another user of the driver, on its first device.
pub struct Program {
    library: Library,
    context: usize,
}

impl Program {
    pub fn new(library: &Path) -> Self {
        // SAFETY: a CUDA driver, as the rail loads it.
        let library = unsafe { Library::new(library) }.expect("the rail loaded it");
        let mut program = Self {
            library,
            context: 0,
        };
        // SAFETY: the signatures of the driver API; results go to a field of a local variable.
        let status = unsafe {
            let initialize: Symbol<unsafe extern "C" fn(u32) -> c_int> = program.symbol("cuInit");
            assert_eq!(initialize(0), 0, "cuInit");
            let retain: Symbol<unsafe extern "C" fn(*mut usize, c_int) -> c_int> =
                program.symbol("cuDevicePrimaryCtxRetain");
            retain(&raw mut program.context, 0)
        };
        assert_eq!(status, 0, "cuDevicePrimaryCtxRetain");
        program
    }

    /// Allocates device memory that contains these bytes.
    pub fn allocate(&self, contents: &[u8]) -> u64 {
        let mut address = 0;
        // SAFETY: the signatures of the driver API; the slice is read within the call.
        self.call("cuMemAlloc_v2 and cuMemcpyHtoD_v2", || unsafe {
            let allocate: Symbol<unsafe extern "C" fn(*mut u64, usize) -> c_int> =
                self.symbol("cuMemAlloc_v2");
            let copy: Symbol<unsafe extern "C" fn(u64, *const u8, usize) -> c_int> =
                self.symbol("cuMemcpyHtoD_v2");
            match allocate(&raw mut address, contents.len()) {
                0 => copy(address, contents.as_ptr(), contents.len()),
                status => status,
            }
        });
        address
    }

    pub fn read(&self, address: u64, contents: &mut [u8]) {
        // SAFETY: as for `allocate`; the slice is written within the call.
        self.call("cuMemcpyDtoH_v2", || unsafe {
            let copy: Symbol<unsafe extern "C" fn(*mut u8, u64, usize) -> c_int> =
                self.symbol("cuMemcpyDtoH_v2");
            copy(contents.as_mut_ptr(), address, contents.len())
        });
    }

    /// Frees memory from `allocate`, unless the context was reset and its memory freed.
    pub fn free(&self, address: u64) {
        // SAFETY: as for `allocate`.
        self.try_call(|| unsafe {
            let free: Symbol<unsafe extern "C" fn(u64) -> c_int> = self.symbol("cuMemFree_v2");
            free(address)
        });
    }

    /// Lets the device read and write memory of this process, which callers keep until they
    /// unregister it.
    pub fn register(&self, buffer: &mut [u8]) {
        // SAFETY: as for `allocate`.
        self.call("cuMemHostRegister_v2", || unsafe {
            let register: Symbol<unsafe extern "C" fn(*mut u8, usize, u32) -> c_int> =
                self.symbol("cuMemHostRegister_v2");
            register(buffer.as_mut_ptr(), buffer.len(), 0)
        });
    }

    /// As [`Program::free`], for registered memory.
    pub fn unregister(&self, buffer: &mut [u8]) {
        // SAFETY: as for `allocate`.
        self.try_call(|| unsafe {
            let unregister: Symbol<unsafe extern "C" fn(*mut u8) -> c_int> =
                self.symbol("cuMemHostUnregister");
            unregister(buffer.as_mut_ptr())
        });
    }

    /// Returns a property of the device.
    pub fn attribute(&self, attribute: c_int) -> c_int {
        let mut value = 0;
        // SAFETY: as for `allocate`.
        self.call("cuDeviceGetAttribute", || unsafe {
            let get: Symbol<unsafe extern "C" fn(*mut c_int, c_int, c_int) -> c_int> =
                self.symbol("cuDeviceGetAttribute");
            get(&raw mut value, attribute, 0)
        });
        value
    }

    /// Calls the driver with the context current, and expects success.
    pub fn call(&self, what: &str, call: impl FnOnce() -> c_int) {
        assert_eq!(self.try_call(call), Some(0), "{what}");
    }

    /// Calls the driver with the context current; returns `None` if the context is gone.
    fn try_call(&self, call: impl FnOnce() -> c_int) -> Option<c_int> {
        let mut popped = 0;
        // SAFETY: the signatures of the driver API.
        unsafe {
            let push: Symbol<unsafe extern "C" fn(usize) -> c_int> =
                self.symbol("cuCtxPushCurrent_v2");
            if push(self.context) != 0 {
                return None;
            }
            let status = call();
            let pop: Symbol<unsafe extern "C" fn(*mut usize) -> c_int> =
                self.symbol("cuCtxPopCurrent_v2");
            assert_eq!(pop(&raw mut popped), 0, "cuCtxPopCurrent_v2");
            Some(status)
        }
    }

    /// # Safety
    /// The symbol has this type.
    pub unsafe fn symbol<T>(&self, name: &str) -> Symbol<'_, T> {
        // SAFETY: the caller guarantees it.
        unsafe { self.library.get(name.as_bytes()) }.expect("a CUDA driver has it")
    }
}

impl Drop for Program {
    fn drop(&mut self) {
        // SAFETY: the signature of the driver API; retained once in `new`.
        unsafe {
            let release: Symbol<unsafe extern "C" fn(c_int) -> c_int> =
                self.symbol("cuDevicePrimaryCtxRelease_v2");
            release(0);
        }
    }
}
