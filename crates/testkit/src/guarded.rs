// SPDX-License-Identifier: Apache-2.0
//! Buffers that detect writes past their ends.

use std::ops::{Deref, DerefMut};

/// The number of guard bytes on each side; the widest store of any kernel is 64 bytes.
const GUARD_BYTES: usize = 64;

/// Offsets are relative to a cache line.
const LINE_BYTES: usize = 64;

/// A buffer at a chosen offset from a cache line, with guard bytes on both sides.
///
/// Dereferences to its bytes, which start as a pattern that no computation produces.
#[derive(Debug)]
pub struct Guarded {
    storage: Vec<u8>,
    start: usize,
    length: usize,
}

impl Guarded {
    /// Creates a buffer of `length` bytes whose address is `offset` modulo 64.
    #[must_use]
    pub fn new(length: usize, offset: usize) -> Self {
        let mut storage = vec![0; length + 2 * GUARD_BYTES + 2 * LINE_BYTES];
        let line = storage.as_ptr().align_offset(LINE_BYTES);
        let start = line + GUARD_BYTES + offset % LINE_BYTES;
        for (index, byte) in storage.iter_mut().enumerate() {
            *byte = guard_byte(index);
        }
        Self {
            storage,
            start,
            length,
        }
    }

    /// As [`Guarded::new`], with these contents.
    #[must_use]
    pub fn holding(bytes: &[u8], offset: usize) -> Self {
        let mut buffer = Self::new(bytes.len(), offset);
        buffer.copy_from_slice(bytes);
        buffer
    }

    /// Returns whether no byte outside the buffer has changed.
    #[must_use]
    pub fn is_intact(&self) -> bool {
        let inside = self.start..self.start + self.length;
        let mut bytes = self.storage.iter().enumerate();
        bytes.all(|(index, byte)| inside.contains(&index) || *byte == guard_byte(index))
    }
}

/// Varies with the index, so that a shifted copy of the guards is detected too.
fn guard_byte(index: usize) -> u8 {
    0xa5 ^ index as u8
}

impl Deref for Guarded {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        &self.storage[self.start..self.start + self.length]
    }
}

impl DerefMut for Guarded {
    fn deref_mut(&mut self) -> &mut [u8] {
        &mut self.storage[self.start..self.start + self.length]
    }
}

/// Returns the bytes of several buffers.
#[must_use]
pub fn slices<B: Deref<Target = [u8]>>(buffers: &[B]) -> Vec<&[u8]> {
    buffers.iter().map(|buffer| &**buffer).collect()
}

/// Returns the bytes of all units that are not in `absent`.
#[must_use]
pub fn all_but<'a, B: Deref<Target = [u8]>>(
    units: &'a [B],
    absent: &[usize],
) -> Vec<Option<&'a [u8]>> {
    let given = units.iter().enumerate();
    given
        .map(|(unit, bytes)| (!absent.contains(&unit)).then_some(&**bytes))
        .collect()
}

/// Returns the bytes of several buffers, mutable.
#[must_use]
pub fn slices_mut<B: DerefMut<Target = [u8]>>(buffers: &mut [B]) -> Vec<&mut [u8]> {
    buffers.iter_mut().map(|buffer| &mut **buffer).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_as_asked_and_guards_work() {
        for offset in 0..64 {
            let mut buffer = Guarded::new(100, offset);
            assert_eq!(buffer.as_ptr().addr() % 64, offset);
            buffer.fill(0);
            assert!(buffer.is_intact());
        }
        for outside in [0, 99 + GUARD_BYTES + 1] {
            let mut buffer = Guarded::new(99, 0);
            let place = buffer.start - GUARD_BYTES + outside;
            buffer.storage[place] ^= 1;
            assert!(!buffer.is_intact());
        }
    }
}
