// SPDX-License-Identifier: Apache-2.0
//! A temporary directory with the table through which the instances of one measurement share CPUs.

use std::fs;
use std::path::PathBuf;
use std::time::SystemTime;

use crate::failure::Failure;

/// The directory; removed with the table when dropped.
///
/// The process that creates it removes it. If that process is killed, the instances remove it.
pub struct NodeDirectory(PathBuf);

impl NodeDirectory {
    /// Creates a new one.
    ///
    /// # Errors
    /// If the system's temporary files cannot be written.
    pub fn create() -> Result<Self, Failure> {
        let now = SystemTime::UNIX_EPOCH.elapsed().unwrap_or_default();
        let (process, now) = (std::process::id(), now.as_nanos());
        let path = std::env::temp_dir().join(format!("stripeline-bench-node-{process}-{now}"));
        match fs::create_dir(&path) {
            Ok(()) => Ok(Self(path)),
            Err(error) => {
                let what = format!("create directory '{}'", path.display());
                Err(Failure::unable(&what, error))
            }
        }
    }

    /// Returns the one that another process has created.
    pub fn at(path: PathBuf) -> Self {
        Self(path)
    }

    /// Returns the path of the directory.
    pub fn path(&self) -> &PathBuf {
        &self.0
    }

    /// Returns the path of the table.
    pub fn table(&self) -> PathBuf {
        self.0.join("table")
    }
}

impl Drop for NodeDirectory {
    fn drop(&mut self) {
        // An engine that still runs may create the table again in between.
        while fs::remove_file(self.table()).is_ok() && fs::remove_dir(&self.0).is_err() {}
        let _ = fs::remove_dir(&self.0);
    }
}
