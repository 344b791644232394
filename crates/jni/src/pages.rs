// SPDX-License-Identifier: Apache-2.0
//! What the operating system keeps of files in memory.

use std::fs::File;
use std::path::Path;

use nix::fcntl::{PosixFadviseAdvice, posix_fadvise};

/// Drops the pages of a file that are written back from the page cache; returns whether the system
/// took the advice. The pages belong to the file and not to a descriptor, so any open one will do.
pub(crate) fn drop_pages(path: impl AsRef<Path>) -> bool {
    File::open(path).is_ok_and(|file| {
        posix_fadvise(&file, 0, 0, PosixFadviseAdvice::POSIX_FADV_DONTNEED).is_ok()
    })
}
