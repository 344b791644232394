// SPDX-License-Identifier: Apache-2.0
//! Tests that include/stripeline.h is the output of cbindgen for src/. With STRIPELINE_BLESS=1 the
//! file is rewritten.

use std::ffi::CStr;
use std::path::Path;

use stripeline_testkit::expect_generated;

#[test]
fn header_is_current() {
    let crate_folder = Path::new(env!("CARGO_MANIFEST_DIR"));
    let config = cbindgen::Config::from_file(crate_folder.join("cbindgen.toml"))
        .expect("cbindgen.toml is valid");
    let mut header = Vec::new();
    cbindgen::Builder::new()
        .with_crate(crate_folder)
        .with_config(config)
        .generate()
        .expect("src/ is understood")
        .write(&mut header);
    // The sections on Rust's safety contract repeat, in Rust's terms, the descriptions of the
    // parameters.
    let header = without_safety_sections(&String::from_utf8(header).expect("UTF-8"));
    expect_generated(&crate_folder.join("include/stripeline.h"), &header);
}

/// Removes `# Safety` up to the end of its comment, and the empty line before it.
fn without_safety_sections(header: &str) -> String {
    let mut kept: Vec<&str> = Vec::new();
    let mut skipping = false;
    for line in header.lines() {
        if line.trim() == "* # Safety" {
            skipping = true;
            kept.pop_if(|before| before.trim() == "*");
        } else if line.trim() == "*/" {
            skipping = false;
        }
        if !skipping {
            kept.push(line.trim_end());
        }
    }
    kept.join("\n") + "\n"
}

#[test]
fn each_status_of_the_header_has_its_name() {
    let header = include_str!("../include/stripeline.h");
    let statuses = header
        .split_once("enum stripeline_status")
        .and_then(|(_, rest)| rest.split_once("};"))
        .expect("the header has the statuses")
        .0;
    let mut found = 0;
    for line in statuses.lines() {
        let Some((name, value)) = line.trim().trim_end_matches(',').split_once(" = ") else {
            continue;
        };
        let value = value.parse().expect("a status is a number");
        assert_eq!(name_of(value), name);
        found += 1;
    }
    assert!(found > 20, "{found} statuses");
    for value in [-1, found, i32::MAX] {
        assert_eq!(name_of(value), "unknown status");
    }
}

fn name_of(status: i32) -> &'static str {
    // SAFETY: the text is never freed.
    unsafe { CStr::from_ptr(stripeline_capi::stripeline_status_name(status)) }
        .to_str()
        .expect("a name is ASCII")
}
