// SPDX-License-Identifier: Apache-2.0
//! A directory of one test, and memberships in it.

use std::fs;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use stripeline_engine::node::{Coordination, Cpus, Membership, Options, Place};

/// The CPUs of the node in these tests, which 1 to 10 processes can share equally: a share shows
/// how many processes a process takes into account.
pub const CPUS: usize = 2_520;

/// A directory on shared memory if there is any; removed when dropped.
pub struct Scratch(PathBuf);

impl Scratch {
    pub fn new() -> Self {
        static COUNT: AtomicUsize = AtomicUsize::new(0);
        let shared = Path::new("/dev/shm");
        let parent = if shared.is_dir() {
            shared.to_owned()
        } else {
            std::env::temp_dir()
        };
        let number = COUNT.fetch_add(1, Ordering::Relaxed);
        let path = parent.join(format!("stripeline-test-{}-{number}", std::process::id()));
        fs::create_dir(&path).unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(0o755)).unwrap();
        Self(path)
    }

    pub fn path(&self) -> &Path {
        &self.0
    }

    pub fn file(&self) -> PathBuf {
        self.0.join("table")
    }

    pub fn options(&self) -> Options {
        options(Place(self.file()))
    }

    pub fn join(&self) -> Membership {
        Membership::join(self.options())
    }

    /// Returns an empty file of this mode.
    pub fn file_of_mode(&self, mode: u32) -> PathBuf {
        let path = self.file();
        fs::write(&path, "").unwrap();
        fs::set_permissions(&path, fs::Permissions::from_mode(mode)).unwrap();
        path
    }
}

impl Drop for Scratch {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.0);
    }
}

/// Returns the options of a process that may use every CPU of the node.
pub fn options(place: Place) -> Options {
    Options {
        place,
        cpus: Some(Cpus {
            node: CPUS,
            own: CPUS,
            domain: 0,
        }),
        ..Options::default()
    }
}

/// Returns the reason why a member is alone.
pub fn why(membership: &Membership) -> String {
    match membership.coordination() {
        Coordination::Alone { why } => why,
        Coordination::Shared => panic!("it is not alone"),
    }
}

pub fn assert_shared(membership: &Membership) {
    assert_eq!(membership.coordination(), Coordination::Shared);
}

/// Makes all members refresh twice; afterwards each has read the others' final claims.
pub fn settle(members: &[&Membership]) {
    for member in members.iter().chain(members) {
        let _ = member.refresh();
    }
}
