// SPDX-License-Identifier: Apache-2.0
//! Files that are generated and committed.

use std::fs;
use std::path::Path;

/// Expects a file to have this text. With `STRIPELINE_BLESS=1` the file is written instead.
///
/// # Panics
/// If it has another text; the message has the first line that differs.
pub fn expect_generated(file: &Path, text: &str) {
    if std::env::var_os("STRIPELINE_BLESS").is_some() {
        fs::write(file, text).expect("the file can be written");
    }
    let committed = fs::read_to_string(file).unwrap_or_default();
    let how = format!("{}: write it with STRIPELINE_BLESS=1", file.display());
    for (number, (committed, text)) in committed.lines().zip(text.lines()).enumerate() {
        assert_eq!(committed, text, "line {} of {how}", number + 1);
    }
    assert_eq!(committed.lines().count(), text.lines().count(), "{how}");
}
