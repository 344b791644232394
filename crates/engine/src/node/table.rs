// SPDX-License-Identifier: Apache-2.0
//! The table file: takes a slot, writes it and reads the others.
//!
//! Every member holds a reader's lock on the head. A process that gets the writer's lock there
//! knows that no other process is a member and may write the file from the start; a file that an
//! older version left therefore does no harm.

use std::fs::{self, File};
use std::io;
use std::ops::Range;
use std::os::unix::fs::{FileExt, MetadataExt};
use std::process;

use super::locks::{self, Lock};
use super::place::Place;
use super::slot::{Claim, Head, SLOT_BYTES, head};

/// The number of slots of a file, which then has 16 KiB.
pub const SLOTS: usize = 255;

/// After this many refreshes without a change of its slot another process counts as idle: with one
/// every 250 ms, after ten seconds. It may be stopped, or a child that it forked may keep its slot
/// locked.
pub const STALLED_REFRESHES: u32 = 40;

/// A joining process holds the writer's lock for some microseconds; after this many attempts
/// without either lock another process keeps the file locked.
const ENTRY_ATTEMPTS: usize = 64;
/// How often a slot that was half written is read again.
const READ_ATTEMPTS: usize = 3;

#[derive(Debug)]
pub(super) struct Table {
    file: File,
    place: Place,
    /// Device and inode of the file, to detect when another file takes its name.
    identity: (u64, u64),
    slot: usize,
    /// The process that took the slot, as opposed to a forked child.
    process: u32,
    beats: Vec<Beat>,
}

/// When a slot last changed.
#[derive(Clone, Debug, Default)]
struct Beat {
    last: (u64, u64),
    unchanged: u32,
}

/// Another process whose slot can be read.
#[derive(Debug)]
pub(super) struct Member {
    pub slot: usize,
    pub claim: Claim,
    pub stalled: bool,
}

impl Table {
    /// Takes a slot in the file at `place`, or returns the reason why it cannot.
    pub(super) fn join(place: &Place) -> Result<Self, String> {
        let file = place.open()?;
        enter(&file)?;
        let found = file.metadata().map_err(text)?;
        let slot = claim_slot(&file)?;
        Ok(Self {
            identity: (found.dev(), found.ino()),
            place: place.clone(),
            slot,
            process: process::id(),
            beats: vec![Beat::default(); SLOTS],
            file,
        })
    }

    /// Returns the slot that this process holds.
    pub(super) fn slot(&self) -> usize {
        self.slot
    }

    /// Returns whether this process itself took the slot and the file still has its name.
    pub(super) fn is_current(&self) -> bool {
        let found = fs::symlink_metadata(&self.place.0);
        self.process == process::id()
            && found.is_ok_and(|found| (found.dev(), found.ino()) == self.identity)
    }

    /// Writes the claim of this process and reads all others.
    ///
    /// Writes the head again if the file was truncated or overwritten: this process has verified
    /// that the file is a table.
    pub(super) fn exchange(&mut self, claim: &Claim) -> io::Result<Vec<Member>> {
        let own = range(self.slot).start;
        self.file.write_all_at(&claim.to_bytes(), own)?;
        let bytes = self.read()?;
        if bytes[..SLOT_BYTES] != head() {
            self.file.write_all_at(&head(), 0)?;
        }
        let mut others = Vec::new();
        for slot in (0..SLOTS).filter(|&slot| slot != self.slot) {
            if !locks::is_held(&self.file, range(slot))? {
                continue;
            }
            if let Some(claim) = self.claim_in(slot, &bytes)? {
                let stalled = self.beats[slot].observe((claim.start, claim.beat));
                others.push(Member {
                    slot,
                    claim,
                    stalled,
                });
            }
        }
        Ok(others)
    }

    /// Reads the claim in a held slot. Reading and writing are not atomic, so a slot that is being
    /// written may have to be read again.
    fn claim_in(&self, slot: usize, table: &[u8]) -> io::Result<Option<Claim>> {
        let start = range(slot).start;
        let mut bytes: [u8; SLOT_BYTES] = table[start as usize..][..SLOT_BYTES]
            .try_into()
            .expect("the bytes of a slot");
        for _ in 0..READ_ATTEMPTS {
            if let Ok(claim) = Claim::from_bytes(&bytes) {
                return Ok(Some(claim));
            }
            bytes = [0; SLOT_BYTES];
            fill(&self.file, &mut bytes, start)?;
        }
        Ok(Claim::from_bytes(&bytes).ok())
    }

    /// Reads the whole file, padded with zeros.
    fn read(&self) -> io::Result<Vec<u8>> {
        let mut bytes = vec![0; range(SLOTS).start as usize];
        fill(&self.file, &mut bytes, 0)?;
        Ok(bytes)
    }
}

impl Drop for Table {
    /// Releases the slot at once. A forked child must not: closing its copy of the file keeps the
    /// parent's locks, unlocking would not. If unlocking fails, closing has the same effect unless
    /// a child holds the file.
    fn drop(&mut self) {
        if self.process == process::id() {
            let _ = self
                .file
                .write_all_at(&[0; SLOT_BYTES], range(self.slot).start);
            let _ = locks::set(&self.file, 0..range(SLOTS).start, Lock::Free);
        }
    }
}

impl Beat {
    /// Records the slot's current state and returns whether it has stalled.
    fn observe(&mut self, now: (u64, u64)) -> bool {
        self.unchanged = if self.last == now {
            self.unchanged.saturating_add(1)
        } else {
            0
        };
        self.last = now;
        self.unchanged >= STALLED_REFRESHES
    }
}

/// Returns the bytes of a slot; the head has those before the first.
fn range(slot: usize) -> Range<u64> {
    let start = (SLOT_BYTES * (slot + 1)) as u64;
    start..start + SLOT_BYTES as u64
}

/// Locks the head as a reader; the first member writes it before.
fn enter(file: &File) -> Result<(), String> {
    let head = 0..SLOT_BYTES as u64;
    for _ in 0..ENTRY_ATTEMPTS {
        if locks::set(file, head.clone(), Lock::Write).map_err(text)? {
            begin(file)?;
            locks::set(file, head, Lock::Read).map_err(text)?;
            return Ok(());
        }
        if locks::set(file, head.clone(), Lock::Read).map_err(text)? {
            return match look(file)? {
                Head::Same => Ok(()),
                Head::Version(version) => Err(other_version(&version)),
                // If the holders are members, they are about to write the head again.
                Head::Partial | Head::Foreign => Err("its header is damaged".to_owned()),
            };
        }
        std::thread::yield_now();
    }
    Err("another process keeps its header locked".to_owned())
}

/// Makes the file an empty table, if it has no members.
fn begin(file: &File) -> Result<(), String> {
    if look(file)? == Head::Foreign {
        return Err("it holds other data; remove it if it is not needed".to_owned());
    }
    file.set_len(0).map_err(text)?;
    file.write_all_at(&head(), 0).map_err(text)
}

fn other_version(version: &str) -> String {
    let own = String::from_utf8_lossy(&head())
        .trim_end_matches(['\0', '\n'])
        .to_owned();
    let own = own.rsplit(' ').next().unwrap_or_default().to_owned();
    format!("processes with version {version} of the table use it, this one has version {own}")
}

fn look(file: &File) -> Result<Head, String> {
    let mut bytes = [0; SLOT_BYTES];
    let length = fill(file, &mut bytes, 0).map_err(text)?;
    Ok(Head::of(&bytes[..length]))
}

/// Returns the first free slot.
fn claim_slot(file: &File) -> Result<usize, String> {
    for slot in 0..SLOTS {
        if locks::set(file, range(slot), Lock::Write).map_err(text)? {
            return Ok(slot);
        }
    }
    Err(format!("all of its {SLOTS} slots are in use"))
}

/// Reads until the buffer is full or the file ends; returns how many bytes.
fn fill(file: &File, buffer: &mut [u8], start: u64) -> io::Result<usize> {
    let mut length = 0;
    while length < buffer.len() {
        match file.read_at(&mut buffer[length..], start + length as u64) {
            Ok(0) => break,
            Ok(count) => length += count,
            Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
            Err(error) => return Err(error),
        }
    }
    Ok(length)
}

fn text(error: io::Error) -> String {
    error.to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn place(name: &str) -> Place {
        let file = format!("stripeline-{name}-{}", process::id());
        Place(std::env::temp_dir().join(file))
    }

    /// Returns a forked child's view: the same open file, and another process id.
    fn inherited(parent: &Table) -> Table {
        Table {
            file: parent.file.try_clone().unwrap(),
            place: parent.place.clone(),
            identity: parent.identity,
            slot: parent.slot,
            process: parent.process + 1,
            beats: Vec::new(),
        }
    }

    #[test]
    fn a_forked_child_neither_keeps_nor_frees_its_parents_slot() {
        let place = place("fork");
        let parent = Table::join(&place).unwrap();
        let child = inherited(&parent);
        assert!(parent.is_current());
        assert!(!child.is_current());
        drop(child);
        let other = Table::join(&place).unwrap();
        assert_eq!((parent.slot, other.slot), (0, 1));
        assert!(locks::is_held(&other.file, range(0)).unwrap());
        fs::remove_file(&place.0).unwrap();
    }

    #[test]
    fn a_slot_given_back_is_free_even_if_a_child_holds_the_file() {
        let place = place("child");
        let parent = Table::join(&place).unwrap();
        let child = inherited(&parent);
        let other = Table::join(&place).unwrap();
        drop(parent);
        assert!(!locks::is_held(&other.file, range(0)).unwrap());
        drop(child);
        fs::remove_file(&place.0).unwrap();
    }
}
