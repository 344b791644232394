// SPDX-License-Identifier: Apache-2.0
//! Plug-ins compiled for a test, and access to their test functions.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::time::{Duration, Instant};

use libloading::Library;
use stripeline_rail::Plugin;

/// Compiles `coder.c` with these macros; prints a message and returns `None` if there is no C
/// compiler.
///
/// Every test uses its own names of variants, so that it does not share their counters.
pub fn coder(name: &str, macros: &[&str]) -> Option<PathBuf> {
    let source = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/libraries/coder.c");
    let defines: Vec<String> = macros.iter().map(|one| format!("-D{one}")).collect();
    compile(&source, name, &defines, &["-pthread"])
}

/// Compiles a shared library from C.
pub fn compile(
    source: &Path,
    name: &str,
    options: &[String],
    libraries: &[&str],
) -> Option<PathBuf> {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let library = Path::new(env!("CARGO_TARGET_TMPDIR")).join(format!("lib{name}.so"));
    // Renamed into place when complete, because another run of the tests may have mapped the old
    // file.
    let unfinished = library.with_extension(std::process::id().to_string());
    let compiled = Command::new("cc")
        .args([
            "-std=c11", "-O2", "-Wall", "-Wextra", "-Werror", "-shared", "-fPIC",
        ])
        .args(options)
        .arg("-I")
        .arg(crate_folder.join("include"))
        .arg(source)
        .args(libraries)
        .arg("-o")
        .arg(&unfinished)
        .output();
    let compiled = match compiled {
        Ok(compiled) => compiled,
        Err(error) => return crate::peers::or_skip(Err(format!("no C compiler: {error}"))),
    };
    let said = String::from_utf8_lossy(&compiled.stderr);
    if said.contains("cannot find -l") {
        return crate::peers::or_skip(Err(said.into_owned()));
    }
    assert!(compiled.status.success(), "{name}: {said}");
    std::fs::rename(&unfinished, &library).expect("the folder is ours");
    Some(library)
}

/// Loads a plug-in that [`coder`] compiled and that follows all rules of loading.
pub fn load(path: &Path) -> Plugin {
    Plugin::load(path).expect("a plug-in")
}

/// The test functions of `coder.c`.
pub struct Strings(Library);

impl Strings {
    pub fn of(path: &Path) -> Self {
        // SAFETY: compiled from coder.c, which has no initialisers.
        Self(unsafe { Library::new(path) }.expect("compiled"))
    }

    fn call<R>(&self, name: &str) -> R {
        // SAFETY: coder.c has these functions, without parameters and with this result.
        unsafe {
            let function = self.0.get::<unsafe extern "C" fn() -> R>(name.as_bytes());
            function.expect("coder.c has it")()
        }
    }

    /// Releases the products that hang.
    pub fn release(&self) {
        self.call("test_release")
    }

    /// Makes every later product end with this status.
    pub fn fail_with(&self, status: i32) {
        // SAFETY: coder.c has this function, with this parameter and without a result.
        unsafe {
            let function = self.0.get::<unsafe extern "C" fn(i32)>(b"test_fail_with\0");
            function.expect("coder.c has it")(status);
        }
    }

    /// Waits until every lane is closed.
    pub fn wait_closed(&self) {
        self.call("test_wait_closed")
    }

    /// Waits until a product hangs.
    pub fn wait_hanging(&self) {
        let begin = Instant::now();
        while self.call::<i32>("test_hanging") == 0 {
            assert!(begin.elapsed() < Duration::from_secs(60), "nothing hangs");
            std::thread::yield_now();
        }
    }
}
