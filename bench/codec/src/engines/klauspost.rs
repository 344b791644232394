// SPDX-License-Identifier: Apache-2.0
//! klauspost/reedsolomon, a Go library, in this process and on the same buffers.
//!
//! bench/competitors/klauspost is compiled to a C shared library. A call from C into Go costs some
//! hundred nanoseconds, which a Go program would not spend, so one call runs a whole window in Go.

use std::env;
use std::ffi::{CStr, c_char, c_int, c_longlong};
use std::path::PathBuf;

use super::{dynamic, refuse_choice};
use crate::arena::{Rotation, Walk};
use crate::engine::{Absence, Coder, Engine, EngineName, Family};
use crate::job::Job;

/// The library that scripts/bench-build.sh puts into the program's directory.
const LIBRARY: &str = "libstripeline_bench_klauspost.so";

/// `KlauspostOpen`: data, parity, sources, source count, targets, target count; returns a handle, 0
/// if refused.
type Open =
    unsafe extern "C" fn(c_int, c_int, *const c_int, c_int, *const c_int, c_int) -> c_longlong;

/// `KlauspostClose`: handle.
type Close = unsafe extern "C" fn(c_longlong);

/// `KlauspostRun`: handle, base, cell bytes, cell stride, stripe stride, stripes, first, calls;
/// returns 0 on success.
type Run = unsafe extern "C" fn(
    c_longlong,
    *mut u8,
    c_longlong,
    c_longlong,
    c_longlong,
    c_longlong,
    c_longlong,
    c_longlong,
) -> c_int;

/// `KlauspostVersion`: a text that lives as long as the process.
type Version = unsafe extern "C" fn() -> *const c_char;

#[derive(Clone, Copy)]
struct Functions {
    open: Open,
    close: Close,
    run: Run,
    version: Version,
}

struct Klauspost {
    functions: Functions,
}

struct Handle {
    functions: Functions,
    handle: c_longlong,
}

pub fn open(name: &EngineName<'_>) -> Result<Box<dyn Engine>, Absence> {
    refuse_choice(name)?;
    let beside = env::current_exe()
        .ok()
        .and_then(|program| Some(program.parent()?.join(LIBRARY)));
    let path = beside
        .filter(|path| path.exists())
        .unwrap_or_else(|| PathBuf::from(LIBRARY));
    let library = dynamic::open(
        &path.to_string_lossy(),
        "scripts/bench-build.sh with Go 1.24 or newer",
    )?;
    // SAFETY: engine.go exports these functions with these types.
    let functions = unsafe {
        Functions {
            open: dynamic::symbol(library, "KlauspostOpen")?,
            close: dynamic::symbol(library, "KlauspostClose")?,
            run: dynamic::symbol(library, "KlauspostRun")?,
            version: dynamic::symbol(library, "KlauspostVersion")?,
        }
    };
    Ok(Box::new(Klauspost { functions }))
}

impl Engine for Klauspost {
    fn identity(&self) -> String {
        // SAFETY: the text ends with a zero and is never freed.
        let version = unsafe { CStr::from_ptr((self.functions.version)()) };
        format!(
            "klauspost/reedsolomon {}, Cauchy matrix, one goroutine",
            version.to_string_lossy()
        )
    }

    fn family(&self) -> Family {
        Family::Cauchy
    }

    fn prepare(&self, job: &Job, _: usize) -> Option<Box<dyn Coder>> {
        let units = |units: &[usize]| units.iter().map(|&unit| unit as c_int).collect::<Vec<_>>();
        let (sources, targets) = (units(&job.sources), units(&job.targets));
        // SAFETY: both lists have the given lengths; Go copies them.
        let handle = unsafe {
            (self.functions.open)(
                job.shape.data as c_int,
                job.shape.parity as c_int,
                sources.as_ptr(),
                sources.len() as c_int,
                targets.as_ptr(),
                targets.len() as c_int,
            )
        };
        (handle != 0).then(|| {
            Box::new(Handle {
                functions: self.functions,
                handle,
            }) as Box<dyn Coder>
        })
    }
}

impl Coder for Handle {
    fn run(&mut self, rotation: &mut Rotation, calls: u64) {
        let Walk {
            base,
            cell_bytes,
            cell_stride,
            stripe_stride,
            stripes,
            first,
        } = rotation.walk(calls);
        // SAFETY: the rotation's geometry lies inside its arena, which only this thread uses during
        // the call.
        let status = unsafe {
            (self.functions.run)(
                self.handle,
                base,
                cell_bytes as c_longlong,
                cell_stride as c_longlong,
                stripe_stride as c_longlong,
                stripes as c_longlong,
                first as c_longlong,
                calls as c_longlong,
            )
        };
        assert_eq!(
            status, 0,
            "klauspost/reedsolomon refused a stripe of its own shape"
        );
    }
}

impl Drop for Handle {
    fn drop(&mut self) {
        // SAFETY: this value owns the handle, which is not used again.
        unsafe { (self.functions.close)(self.handle) };
    }
}
