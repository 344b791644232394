// SPDX-License-Identifier: Apache-2.0
//! Libraries that are loaded at run time.

use std::path::Path;

use libloading::os::unix::{Library, RTLD_LOCAL, RTLD_NOW};

use crate::engine::Absence;

/// Loads a library for the rest of the process, with local symbols.
///
/// # Errors
/// If it cannot be loaded; the text names the Debian package or the script that provides it.
pub fn open(file: &str, source: &str) -> Result<&'static Library, Absence> {
    // SAFETY: the initialisers of the named libraries have no relevant side effects.
    let library = unsafe { Library::open(Some(file), RTLD_NOW | RTLD_LOCAL) };
    // Never closed: coders hold addresses of its functions.
    library
        .map(|library| &*Box::leak(Box::new(library)))
        .map_err(|error| {
            Absence::Unavailable(format!("Cannot load {file} (from {source}): {error}"))
        })
}

/// Returns the address of a function.
///
/// # Safety
/// `T` must be the function pointer type that the library's header declares for the name.
pub unsafe fn symbol<T: Copy>(library: &'static Library, name: &str) -> Result<T, Absence> {
    // SAFETY: the caller upholds the same contract.
    let symbol = unsafe { library.get::<T>(name) };
    symbol.map(|symbol| *symbol).map_err(|error| {
        Absence::Unavailable(format!("Cannot find {name} in its library: {error}"))
    })
}

/// Returns the file that a library was loaded from, with links resolved so that its name includes
/// the version.
pub fn path(file: &str) -> String {
    let maps = std::fs::read_to_string("/proc/self/maps").unwrap_or_default();
    let stem = file.split(".so").next().unwrap_or(file);
    let mapped = maps
        .lines()
        .filter_map(|line| line.split_whitespace().nth(5));
    let name = mapped
        .filter_map(|path| Path::new(path).file_name()?.to_str())
        .find(|name| name.starts_with(stem));
    name.unwrap_or(file).to_owned()
}
