// SPDX-License-Identifier: Apache-2.0
//! Tests that include/stripeline_plugin.h is the output of cbindgen for src/plugin/abi.rs. With
//! STRIPELINE_BLESS=1 the file is rewritten.

use std::path::Path;

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
    let file = folder.join("include/stripeline_plugin.h");
    if std::env::var_os("STRIPELINE_BLESS").is_some() {
        std::fs::write(&file, &header).expect("the header can be written");
    }
    let committed = std::fs::read_to_string(&file).unwrap_or_default();
    for (number, (committed, generated)) in committed.lines().zip(header.lines()).enumerate() {
        let line = number + 1;
        assert_eq!(
            committed, generated,
            "line {line}: regenerate it with STRIPELINE_BLESS=1"
        );
    }
    assert_eq!(
        committed.lines().count(),
        header.lines().count(),
        "regenerate the header"
    );
}
