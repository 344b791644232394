// SPDX-License-Identifier: Apache-2.0
//! Control over the file pages that the operating system keeps in memory.

use std::fs::File;
use std::path::Path;

use nix::fcntl::{PosixFadviseAdvice, posix_fadvise};

/// Drops the clean pages of a file from the page cache; returns whether the system accepted the
/// advice. The pages belong to the file and not to a descriptor, so any open descriptor has this
/// effect.
pub(crate) fn drop_pages(path: impl AsRef<Path>) -> bool {
    File::open(path).is_ok_and(|file| {
        posix_fadvise(&file, 0, 0, PosixFadviseAdvice::POSIX_FADV_DONTNEED).is_ok()
    })
}
