// SPDX-License-Identifier: Apache-2.0
//! The path of the file, and the checks that it can be trusted.

use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::libc::{O_NOCTTY, O_NOFOLLOW, O_NONBLOCK};
use nix::unistd::geteuid;

/// The file through which the processes of one user find each other: created by the first of them,
/// mode 0600.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place(pub PathBuf);

impl Default for Place {
    /// `/dev/shm/stripeline-<effective user id>`.
    fn default() -> Self {
        Self(format!("/dev/shm/stripeline-{}", geteuid()).into())
    }
}

impl Place {
    /// Opens the file, or returns the reason why it cannot.
    pub(super) fn open(&self) -> Result<File, String> {
        let file = open_or_make(&self.0).map_err(|error| explain(&error))?;
        let found = file.metadata().map_err(|error| error.to_string())?;
        check(&found).map(|()| file)
    }
}

fn explain(error: &io::Error) -> String {
    match error.raw_os_error().map(Errno::from_raw) {
        Some(Errno::ELOOP) => "it is a symbolic link, which is not followed".to_owned(),
        _ => error.to_string(),
    }
}

/// Checks that the file is what [`Place`] requires. A foreign writer could only slow this process
/// down; the checks also prevent writing into an unrelated file.
fn check(found: &Metadata) -> Result<(), String> {
    let (owner, user) = (found.uid(), geteuid().as_raw());
    let mode = found.mode() & 0o7777;
    if !found.is_file() {
        return Err("it is not a regular file".to_owned());
    }
    if found.nlink() > 1 {
        return Err(format!("it has {} hard links", found.nlink()));
    }
    if owner != user {
        return Err(format!("it belongs to user {owner} and not to user {user}"));
    }
    if mode & 0o077 != 0 {
        return Err(format!("its mode is {mode:04o}, others have access"));
    }
    Ok(())
}

fn options() -> OpenOptions {
    let mut options = OpenOptions::new();
    // Non-blocking, so that a pipe or a terminal at this path cannot block the process.
    options
        .read(true)
        .write(true)
        .custom_flags(O_NOFOLLOW | O_NONBLOCK | O_NOCTTY);
    options
}

/// Two steps instead of one `O_CREAT`, which fails on existing files with `fs.protected_regular`.
fn open_or_make(path: &Path) -> io::Result<File> {
    let made = match options().open(path) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => {
            options().create_new(true).mode(0o600).open(path)
        }
        opened => return opened,
    };
    match made {
        // Another process created it in the meantime.
        Err(error) if error.kind() == io::ErrorKind::AlreadyExists => options().open(path),
        made => made,
    }
}
