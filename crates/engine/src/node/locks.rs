// SPDX-License-Identifier: Apache-2.0
//! Locks on ranges of bytes that belong to the open file (`F_OFD_SETLK`, Linux 3.15).
//!
//! The older locks of POSIX belong to the process: closing any other descriptor of the same file
//! drops them, and two members within one process would not see each other.

use std::fs::File;
use std::io;
use std::ops::Range;

use nix::errno::Errno;
use nix::fcntl::{FcntlArg, fcntl};
use nix::libc;

/// The state of a lock on a range.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lock {
    /// Held as a reader, together with other readers.
    Read,
    /// Held exclusively.
    Write,
    /// Released.
    Free,
}

/// Changes the lock on a range without waiting; `false` if another open file is in the way.
///
/// A lock already held on the same range changes atomically.
pub(super) fn set(file: &File, range: Range<u64>, lock: Lock) -> io::Result<bool> {
    let request = describe(range, lock);
    loop {
        return match fcntl(file, FcntlArg::F_OFD_SETLK(&request)) {
            Ok(_) => Ok(true),
            Err(Errno::EAGAIN | Errno::EACCES) => Ok(false),
            Err(Errno::EINTR) => continue,
            Err(error) => Err(error.into()),
        };
    }
}

/// Returns whether another open file holds any lock on a range.
pub(super) fn is_held(file: &File, range: Range<u64>) -> io::Result<bool> {
    let mut request = describe(range, Lock::Write);
    fcntl(file, FcntlArg::F_OFD_GETLK(&mut request))?;
    Ok(request.l_type != libc::F_UNLCK as libc::c_short)
}

fn describe(range: Range<u64>, lock: Lock) -> libc::flock {
    let kind = match lock {
        Lock::Read => libc::F_RDLCK,
        Lock::Write => libc::F_WRLCK,
        Lock::Free => libc::F_UNLCK,
    };
    // Ranges are within the table, which is a few KiB long.
    libc::flock {
        l_type: kind as libc::c_short,
        l_whence: libc::SEEK_SET as libc::c_short,
        l_start: range.start as libc::off_t,
        l_len: (range.end - range.start) as libc::off_t,
        // Must be 0: these locks have no process.
        l_pid: 0,
    }
}
