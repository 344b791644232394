// SPDX-License-Identifier: Apache-2.0
//! Tests that include/stripeline_plugin.h is the output of cbindgen for src/plugin/abi.rs. With
//! STRIPELINE_BLESS=1 the file is rewritten.

use std::path::Path;

use stripeline_testkit::expect_generated;

#[test]
fn header_is_current() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(folder.join("cbindgen.toml"));
    let mut header = Vec::new();
    cbindgen::Builder::new()
        .with_src(folder.join("src/plugin/abi.rs"))
        .with_config(config.expect("cbindgen.toml is valid"))
        .generate()
        .expect("the interface is understood")
        .write(&mut header);
    let header = String::from_utf8(header).expect("UTF-8");
    let header: String = header
        .lines()
        .map(|line| format!("{}\n", line.trim_end()))
        .collect();
    expect_generated(&folder.join("include/stripeline_plugin.h"), &header);
}
