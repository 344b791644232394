// SPDX-License-Identifier: Apache-2.0
//! Measures this machine and saves the values.

use std::ffi::OsString;
use std::fs::{self, File};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;

use stripeline_rail::Rail;

use super::measure::{Progress, measure};
use super::table::{Table, TableError};
use super::table_file::TableFile;

impl TableFile {
    /// Writes the file atomically.
    ///
    /// # Errors
    /// If a temporary file next to it cannot be written or renamed.
    pub fn save(&self, path: &Path) -> Result<(), TableError> {
        let beside = beside(path);
        let written = File::create(&beside).and_then(|mut file| {
            file.write_all(self.to_text().as_bytes())?;
            file.sync_all()
        });
        let saved = written.and_then(|()| fs::rename(&beside, path));
        saved.map_err(|error| {
            // Removes the remains of the attempt, if any.
            let _ = fs::remove_file(&beside);
            TableError::writing(path, error)
        })
    }
}

/// Measures rails as [`measure`] does and writes their values into the file at `path`, which is
/// created if it does not exist; values of other machines, and of rails that could not be
/// measured, are kept. If no rail was measured, nothing is written.
///
/// # Errors
/// If the file exists and is not a table, which is checked first, or if it cannot be written.
pub fn tune(
    rails: &[Arc<dyn Rail>],
    budget: Duration,
    path: &Path,
    progress: &mut dyn FnMut(Progress<'_>),
) -> Result<Table, TableError> {
    let mut file = match path.try_exists() {
        Ok(false) => TableFile::default(),
        _ => TableFile::load(path)?,
    };
    let table = measure(rails, budget, progress);
    if !table.machine().rails.is_empty() {
        file.put(table.machine().clone());
        file.save(path)?;
    }
    Ok(table)
}

fn beside(path: &Path) -> OsString {
    let mut name = path.as_os_str().to_owned();
    name.push(format!(".{}.new", std::process::id()));
    name
}

#[cfg(test)]
mod tests {
    use super::*;
    use stripeline_rail::Cpu;

    fn folder(name: &str) -> std::path::PathBuf {
        let name = format!("stripeline-tune-{name}-{}", std::process::id());
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder).expect("a temporary folder");
        folder
    }

    #[test]
    fn loaded_values_equal_the_measured_ones() {
        let folder = folder("round-trip");
        let path = folder.join("table.toml");
        let rails: [Arc<dyn Rail>; 1] = [Arc::new(Cpu::rail())];
        let budget = Duration::from_millis(200);
        let table = tune(&rails, budget, &path, &mut |_| ()).expect("written");
        let loaded = Table::load(&path).expect("a table");
        assert_eq!(loaded.machine(), table.machine());
        assert!(loaded.knows(&*rails[0]));
        let names: Vec<_> = fs::read_dir(&folder).expect("there").collect();
        assert_eq!(names.len(), 1, "nothing is left beside it");
        fs::remove_dir_all(folder).expect("ours");
    }

    #[test]
    fn a_file_that_is_not_a_table_is_kept_and_named() {
        let folder = folder("no-table");
        let path = folder.join("table.toml");
        fs::write(&path, "colour = 'red'\n").expect("ours");
        let error = tune(&[], Duration::ZERO, &path, &mut |_| ()).expect_err("no table");
        assert!(error.to_string().contains("table.toml"), "{error}");
        assert_eq!(
            fs::read_to_string(&path).expect("there"),
            "colour = 'red'\n"
        );
        let missing = folder.join("missing").join("table.toml");
        let budget = Duration::from_millis(200);
        let error = tune(&[Arc::new(Cpu::rail())], budget, &missing, &mut |_| ());
        let expected = format!("Cannot write tuning table {}: ", missing.display());
        let error = error.expect_err("no folder").to_string();
        assert!(error.starts_with(&expected), "{error}");
        fs::remove_dir_all(folder).expect("ours");
    }

    #[test]
    fn nothing_is_written_if_nothing_was_measured() {
        let folder = folder("no-rail");
        let path = folder.join("table.toml");
        let table = tune(&[], Duration::ZERO, &path, &mut |_| ());
        assert_eq!(table.expect("no error").machine().rails, []);
        assert!(!path.exists());
        fs::remove_dir_all(folder).expect("ours");
    }
}
