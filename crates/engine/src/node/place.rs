// SPDX-License-Identifier: Apache-2.0
//! The path of the file, and the checks that it can be trusted.

use std::fs::{File, Metadata, OpenOptions};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use nix::errno::Errno;
use nix::libc::{O_NOCTTY, O_NOFOLLOW, O_NONBLOCK};
use nix::unistd::geteuid;

/// The file through which processes find each other.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Place {
    /// For the processes of one user: created by the first of them, mode 0600.
    User(PathBuf),
    /// For the processes of several users: created by an administrator, never by a process. It
    /// belongs to `root` or to this user, and users outside its group have no access.
    Group(PathBuf),
}

impl Default for Place {
    /// `/dev/shm/stripeline-<effective user id>`, for the processes of this user.
    fn default() -> Self {
        Self::User(format!("/dev/shm/stripeline-{}", geteuid()).into())
    }
}

impl Place {
    /// Returns the path of the file.
    #[must_use]
    pub fn path(&self) -> &Path {
        match self {
            Self::User(path) | Self::Group(path) => path,
        }
    }

    /// Opens the file, or returns the reason why it cannot.
    pub(super) fn open(&self) -> Result<File, String> {
        let opened = match self {
            Self::User(path) => open_or_make(path),
            Self::Group(path) => options().open(path),
        };
        let file = opened.map_err(|error| self.explain(&error))?;
        let found = file.metadata().map_err(|error| error.to_string())?;
        self.check(&found).map(|()| file)
    }

    fn explain(&self, error: &io::Error) -> String {
        match (error.raw_os_error().map(Errno::from_raw), self) {
            (Some(Errno::ELOOP), _) => "it is a symbolic link, which is not followed".to_owned(),
            (Some(Errno::ENOENT), Self::Group(_)) => {
                "it does not exist; an administrator must create it".to_owned()
            }
            _ => error.to_string(),
        }
    }

    /// Checks that the file is what [`Place`] requires. A foreign writer could only slow this
    /// process down; the checks also prevent writing into an unrelated file.
    fn check(&self, found: &Metadata) -> Result<(), String> {
        let (owner, user) = (found.uid(), geteuid().as_raw());
        let mode = found.mode() & 0o7777;
        if !found.is_file() {
            return Err("it is not a regular file".to_owned());
        }
        if found.nlink() > 1 {
            return Err(format!("it has {} hard links", found.nlink()));
        }
        match self {
            Self::User(_) if owner != user => {
                Err(format!("it belongs to user {owner} and not to user {user}"))
            }
            Self::User(_) if mode & 0o077 != 0 => {
                Err(format!("its mode is {mode:04o}, others have access"))
            }
            Self::Group(_) if owner != user && owner != 0 => Err(format!(
                "it belongs to user {owner} and neither to root nor to user {user}"
            )),
            Self::Group(_) if mode & 0o007 != 0 => Err(format!(
                "its mode is {mode:04o}, users outside its group have access"
            )),
            _ => Ok(()),
        }
    }
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
