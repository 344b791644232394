// SPDX-License-Identifier: Apache-2.0
//! The mock driver as a library, compiled once per process and loaded once per test.

use std::ffi::{CString, c_char, c_long};
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::{Duration, Instant};

use libloading::{Library, Symbol};
use stripeline_rail::{Cuda, CudaSettings, Rail};

use crate::program::Program;

/// Longer than any operation takes on the slowest machine.
pub const LIMIT: Duration = Duration::from_secs(60);

/// A driver with its own state, so that tests can run in parallel.
pub struct Mock {
    library: Library,
    path: PathBuf,
}

impl Mock {
    pub fn new() -> Self {
        static COUNT: AtomicU32 = AtomicU32::new(0);
        // A copy, because a loader opens the same file only once.
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = compiled().with_extension(format!("{}-{number}.so", std::process::id()));
        std::fs::copy(compiled(), &path).expect("the target folder is writable");
        // SAFETY: the mock has no initialisers.
        let library = unsafe { Library::new(&path) }.expect("the mock loads");
        Self { library, path }
    }

    /// Returns another user of the driver in this process.
    pub fn program(&self) -> Program {
        Program::new(&self.path)
    }

    /// Returns settings with small slots and long time limits.
    pub fn settings(&self) -> CudaSettings {
        CudaSettings {
            library: self.path.clone(),
            slot_bytes: 2 << 20,
            hang_limit: LIMIT,
            drop_limit: LIMIT,
            ..CudaSettings::default()
        }
    }

    /// As [`Mock::rail`], but a device that does not answer at once counts as hanging.
    pub fn short_limit_rail(&self) -> Cuda {
        self.rail_with(&CudaSettings {
            hang_limit: Duration::from_millis(20),
            drop_limit: Duration::from_millis(20),
            ..self.settings()
        })
    }

    pub fn rail(&self) -> Cuda {
        self.rail_with(&self.settings())
    }

    pub fn rail_with(&self, settings: &CudaSettings) -> Cuda {
        let mut found = Cuda::rails_with(settings).expect("the mock has a device");
        found.remove(0).rail.expect("it runs the kernel")
    }

    /// Sets one of the mock's injections.
    pub fn set(&self, name: &str, value: i64) {
        let name = CString::new(name).expect("no zeros");
        // SAFETY: the signature of the mock's function.
        let set: Symbol<unsafe extern "C" fn(*const c_char, c_long)> =
            unsafe { self.library.get(b"mock_set\0") }.expect("the mock has it");
        // SAFETY: a name with a 0 at its end.
        unsafe { set(name.as_ptr(), value) };
    }

    /// Returns one of the mock's counters.
    pub fn get(&self, name: &str) -> i64 {
        let name = CString::new(name).expect("no zeros");
        // SAFETY: the signature of the mock's function.
        let get: Symbol<unsafe extern "C" fn(*const c_char) -> c_long> =
            unsafe { self.library.get(b"mock_get\0") }.expect("the mock has it");
        // SAFETY: a name with a 0 at its end.
        unsafe { get(name.as_ptr()) }
    }

    /// Waits until the counter has this value.
    pub fn wait_for(&self, name: &str, value: i64) {
        until(
            || self.get(name) == value,
            || format!("{name} is not {value}"),
        );
    }

    /// Expects that the rail holds nothing in the driver.
    pub fn expect_empty(&self) {
        self.wait_for("streams", 0);
        for name in [
            "contexts",
            "device_bytes",
            "pinned_bytes",
            "registered_bytes",
        ] {
            assert_eq!(self.get(name), 0, "{name} left");
        }
    }
}

impl Drop for Mock {
    fn drop(&mut self) {
        // Ends the threads of the streams.
        self.set("hang", 0);
        self.set("hang_reset", 0);
        self.set("hang_load", 0);
        std::fs::remove_file(&self.path).expect("the copy is there");
        if !std::thread::panicking() {
            assert_eq!(self.get("canaries_broken"), 0, "written beyond memory");
            assert_eq!(
                self.get("pageable_copies"),
                0,
                "copies that would not overlap"
            );
        }
    }
}

/// Waits for a condition.
pub fn until(condition: impl Fn() -> bool, complaint: impl Fn() -> String) {
    let begun = Instant::now();
    while !condition() {
        assert!(begun.elapsed() < LIMIT, "{}", complaint());
        std::thread::yield_now();
    }
}

/// Waits until a lane opens.
pub fn wait_for_lane(rail: &dyn Rail) {
    until(|| rail.open_lane().is_ok(), || "no lane opens".to_owned());
}

fn compiled() -> &'static Path {
    static COMPILED: OnceLock<PathBuf> = OnceLock::new();
    COMPILED.get_or_init(|| {
        // The engine's tests use this file too.
        let sources = Path::new(env!("CARGO_MANIFEST_DIR")).join("../rail/tests/mock_cuda");
        let library = Path::new(env!("CARGO_TARGET_TMPDIR")).join("mock_cuda");
        // Renamed into place as a whole: another process may be running the tests too.
        let made = library.with_extension(std::process::id().to_string());
        let compiler = std::env::var_os("CC").unwrap_or_else(|| "cc".into());
        let status = Command::new(compiler)
            .args(["-std=gnu11", "-O2", "-g", "-Wall", "-Wextra", "-Werror"])
            // The kernel's pragmas are for CUDA's compilers, and it reads byte buffers as words.
            .args(["-Wno-unknown-pragmas", "-fno-strict-aliasing"])
            .args(["-fPIC", "-shared", "-pthread", "-fvisibility=hidden", "-o"])
            .arg(&made)
            .arg(sources.join("mock_cuda.c"))
            .status()
            .expect("scripts/need.sh asks for a C compiler");
        assert!(status.success(), "the mock compiles");
        std::fs::rename(&made, &library).expect("the target folder is writable");
        library
    })
}
