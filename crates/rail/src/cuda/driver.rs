// SPDX-License-Identifier: Apache-2.0
//! The functions of `libcuda` that the rail calls, looked up in the library at run time.
//!
//! Names and signatures are those of the CUDA driver API, whose versioned symbols (`_v2`) never
//! change their meaning. The build needs no part of CUDA.

use std::ffi::{CStr, c_char, c_int, c_uint, c_void};
use std::mem::ManuallyDrop;
use std::path::Path;
use std::sync::Arc;

use libloading::Library;

use super::status::{Status, kind_of};
use crate::{Fault, FaultKind};

/// A context, module, function or stream: an opaque handle of the driver.
#[repr(transparent)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Handle(pub *mut c_void);

impl Handle {
    pub const NONE: Self = Self(std::ptr::null_mut());
}

// SAFETY: the driver API is thread-safe, and nothing here dereferences a handle.
unsafe impl Send for Handle {}
// SAFETY: as for `Send`.
unsafe impl Sync for Handle {}

/// An address in device memory.
pub(super) type DeviceAddress = u64;

macro_rules! functions {
    ($($name:ident = $symbol:literal ($($parameter:ty),*);)*) => {
        /// One function pointer per driver call.
        #[derive(Debug)]
        pub(super) struct Functions {
            $(pub $name: unsafe extern "C" fn($($parameter),*) -> Status,)*
        }

        impl Functions {
            /// # Safety
            /// The library's symbols of these names have these signatures.
            unsafe fn find(library: &Library) -> Result<Self, libloading::Error> {
                Ok(Self {
                    // SAFETY: the caller guarantees it.
                    $($name: *unsafe { library.get(concat!($symbol, "\0").as_bytes()) }?,)*
                })
            }
        }
    };
}

functions! {
    initialize = "cuInit" (c_uint);
    driver_version = "cuDriverGetVersion" (*mut c_int);
    device_count = "cuDeviceGetCount" (*mut c_int);
    device = "cuDeviceGet" (*mut c_int, c_int);
    device_name = "cuDeviceGetName" (*mut c_char, c_int, c_int);
    device_attribute = "cuDeviceGetAttribute" (*mut c_int, c_int, c_int);
    context_retain = "cuDevicePrimaryCtxRetain" (*mut Handle, c_int);
    context_release = "cuDevicePrimaryCtxRelease_v2" (c_int);
    context_reset = "cuDevicePrimaryCtxReset_v2" (c_int);
    context_push = "cuCtxPushCurrent_v2" (Handle);
    context_pop = "cuCtxPopCurrent_v2" (*mut Handle);
    module_load = "cuModuleLoadData" (*mut Handle, *const c_void);
    module_unload = "cuModuleUnload" (Handle);
    module_function = "cuModuleGetFunction" (*mut Handle, Handle, *const c_char);
    device_allocate = "cuMemAlloc_v2" (*mut DeviceAddress, usize);
    device_free = "cuMemFree_v2" (DeviceAddress);
    pinned_allocate = "cuMemHostAlloc" (*mut *mut c_void, usize, c_uint);
    pinned_free = "cuMemFreeHost" (*mut c_void);
    host_register = "cuMemHostRegister_v2" (*mut c_void, usize, c_uint);
    host_unregister = "cuMemHostUnregister" (*mut c_void);
    copy_in = "cuMemcpyHtoDAsync_v2" (DeviceAddress, *const c_void, usize, Handle);
    copy_out = "cuMemcpyDtoHAsync_v2" (*mut c_void, DeviceAddress, usize, Handle);
    copy_within = "cuMemcpyDtoDAsync_v2" (DeviceAddress, DeviceAddress, usize, Handle);
    stream_create = "cuStreamCreate" (*mut Handle, c_uint);
    stream_destroy = "cuStreamDestroy_v2" (Handle);
    stream_query = "cuStreamQuery" (Handle);
    launch = "cuLaunchKernel" (
        Handle, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, c_uint, Handle,
        *mut *mut c_void, *mut *mut c_void
    );
    error_text = "cuGetErrorString" (Status, *mut *const c_char);
}

/// The driver, loaded and initialised.
#[derive(Debug)]
pub(super) struct Driver {
    pub functions: Functions,
    /// Never unloaded: the driver has its own threads and exit handlers.
    _library: ManuallyDrop<Library>,
}

impl Driver {
    /// Loads a library and initialises the driver in it.
    pub fn load(path: &Path) -> Result<Arc<Self>, Fault> {
        let absent = |reason: String| Fault::new(FaultKind::Gone, reason);
        // SAFETY: the configuration that names the library guarantees that it is a CUDA driver; its
        // initialisers run in any process that uses it.
        let library = unsafe { Library::new(path) }
            .map_err(|error| absent(format!("cannot load {}: {error}", path.display())))?;
        let library = ManuallyDrop::new(library);
        // SAFETY: the signatures are those of the driver API's header for these symbols.
        let functions = unsafe { Functions::find(&library) }
            .map_err(|error| absent(format!("cannot use {}: {error}", path.display())))?;
        let driver = Self {
            functions,
            _library: library,
        };
        // SAFETY: 0 is the only value of the parameter.
        driver.check("start the driver", unsafe {
            (driver.functions.initialize)(0)
        })?;
        Ok(Arc::new(driver))
    }

    /// Returns a number that distinguishes the drivers of a process.
    pub fn identity(&self) -> usize {
        (self.functions.context_retain as *const ()).addr()
    }

    /// Returns the newest version of CUDA that the driver supports, as 1000 x major + 10 x minor.
    pub fn version(&self) -> Result<c_int, Fault> {
        let mut version = 0;
        // SAFETY: the result goes to a local variable.
        let status = unsafe { (self.functions.driver_version)(&raw mut version) };
        self.check("read the driver's version", status)
            .map(|()| version)
    }

    /// Converts a status to a fault that names the failed action.
    pub fn check(&self, action: &str, status: Status) -> Result<(), Fault> {
        let Some(kind) = kind_of(status) else {
            return Ok(());
        };
        let text = format!(
            "cannot {action}: {} (CUDA error {status})",
            self.describe(status)
        );
        Err(Fault::new(kind, text))
    }

    fn describe(&self, status: Status) -> String {
        let mut text = std::ptr::null();
        // SAFETY: the result goes to a local variable.
        let known = unsafe { (self.functions.error_text)(status, &raw mut text) };
        if known != 0 || text.is_null() {
            return "unknown error".to_owned();
        }
        // SAFETY: the driver gives a string that lives as long as the library, which stays loaded.
        unsafe { CStr::from_ptr(text) }
            .to_string_lossy()
            .into_owned()
    }
}
