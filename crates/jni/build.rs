// SPDX-License-Identifier: Apache-2.0
//! Lets the JVM not unload the library with its class loader: `fork` and the ends of threads would
//! still call its handlers.

fn main() {
    println!("cargo:rerun-if-changed=build.rs");
    if std::env::var("CARGO_CFG_TARGET_OS").as_deref() == Ok("linux") {
        println!("cargo:rustc-cdylib-link-arg=-Wl,-z,nodelete");
    }
}
