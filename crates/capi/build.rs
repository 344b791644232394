// SPDX-License-Identifier: Apache-2.0
//! Sets the SONAME of the shared library, so that a program linked with it finds it by name and not
//! by the path that it was linked from; and that `dlclose` does not unload it, after which `fork`
//! and the ends of threads would call its handlers.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        println!("cargo:rustc-cdylib-link-arg=-Wl,-soname,libstripeline.so");
        println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
    }
}
