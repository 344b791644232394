// SPDX-License-Identifier: Apache-2.0
//! Memory of the process for units that devices access in place.
//!
//! The memory is the process's own, and a device's driver only locks and registers it. Memory that
//! a driver allocates vanishes with the context of the device, which a hang may end, and a program
//! that touches it then is killed; memory that is only registered becomes ordinary memory.

use std::collections::BTreeMap;
use std::fmt;
use std::ops::{Deref, DerefMut};
use std::ptr::NonNull;
use std::sync::atomic::{AtomicPtr, Ordering};
use std::sync::{Arc, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use crate::pages::Pages;
use crate::{Fault, MemoryKind, Process, Region};

/// A driver's lock on pages, which ends when this is dropped.
pub(crate) trait Lock: fmt::Debug + Send + Sync {
    /// Returns whether the device still accesses the pages in place.
    fn holds(&self) -> bool;
}

/// Bytes for units in memory that the devices of an engine access in place, as far as it has such
/// devices; see [`Rail::allocate_pinned`](crate::Rail::allocate_pinned).
///
/// The bytes are zero at first and start at a page. A child that is forked does not inherit them:
/// there the buffer has no bytes.
pub struct PinnedBuffer {
    start: NonNull<u8>,
    bytes: usize,
    memory: Arc<Memory>,
}

// SAFETY: this buffer alone gives access to its bytes, as a `Vec<u8>` does.
unsafe impl Send for PinnedBuffer {}
// SAFETY: as for `Send`; shared access only reads.
unsafe impl Sync for PinnedBuffer {}

/// What the parts of one allocation share.
#[derive(Debug)]
struct Memory {
    lock: Option<Arc<dyn Lock>>,
    pages: Arc<Pages>,
}

impl PinnedBuffer {
    /// Returns memory that no device has locked.
    ///
    /// # Errors
    /// If the system refuses that much memory.
    pub fn ordinary(bytes: usize) -> Result<Self, Fault> {
        Ok(Self::new(Arc::new(Pages::map(bytes)?), None))
    }

    /// Returns pages to which nothing else has access.
    pub(crate) fn new(pages: Arc<Pages>, lock: Option<Arc<dyn Lock>>) -> Self {
        let (start, bytes) = (pages.start(), pages.bytes());
        let known = Known {
            bytes,
            lock: lock.clone(),
            leaked: None,
        };
        Registry::current()
            .write()
            .insert(start.addr().get(), known);
        Self {
            start,
            bytes,
            memory: Arc::new(Memory { lock, pages }),
        }
    }

    /// Returns whether a device accesses the bytes in place: false without such a device, and after
    /// a fault that ended the device's context. The bytes are ordinary memory then.
    #[must_use]
    pub fn is_locked(&self) -> bool {
        self.memory.lock.as_ref().is_some_and(|lock| lock.holds())
    }

    /// Cuts the buffer into consecutive buffers of `bytes` bytes each, the last of which may be
    /// shorter. The memory is released when all of them are dropped.
    ///
    /// A device copies neighbours together if each is a multiple of 256 bytes long. Buffers of
    /// several allocations are never copied together.
    ///
    /// # Panics
    /// If `bytes` is 0.
    #[must_use]
    pub fn split(self, bytes: usize) -> Vec<Self> {
        assert!(bytes > 0, "parts have bytes");
        let part = |from: usize| Self {
            // SAFETY: `from` is less than the number of bytes of this buffer.
            start: unsafe { self.start.add(from) },
            bytes: bytes.min(self.bytes - from),
            memory: Arc::clone(&self.memory),
        };
        (0..self.bytes).step_by(bytes).map(part).collect()
    }

    /// Returns the start of the bytes, which stay allocated until [`PinnedBuffer::reclaim`].
    ///
    /// # Panics
    /// If this is a part from [`PinnedBuffer::split`].
    #[must_use]
    pub fn leak(self) -> NonNull<u8> {
        let start = self.start;
        let whole = start == self.memory.pages.start() && self.bytes == self.memory.pages.bytes();
        assert!(whole, "only a whole allocation has an address of its own");
        let mut known = Registry::current().write();
        let entry = known.get_mut(&start.addr().get());
        entry.expect("entered by `new`").leaked = Some(self);
        start
    }

    /// Returns the buffer that starts at this address, if [`PinnedBuffer::leak`] returned it in
    /// this process and it was not reclaimed since.
    #[must_use]
    pub fn reclaim(start: *const u8) -> Option<Self> {
        Registry::current()
            .write()
            .get_mut(&start.addr())?
            .leaked
            .take()
    }

    /// Returns the buffer as a job takes it.
    pub(crate) fn region(&mut self) -> Region {
        let kind = match self.is_locked() {
            true => MemoryKind::HostPinned,
            false => MemoryKind::Host,
        };
        Region::new(self.start.as_ptr(), kind)
    }

    fn is_mapped(&self) -> bool {
        self.memory.pages.is_mapped()
    }
}

impl Deref for PinnedBuffer {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        if !self.is_mapped() {
            return &[];
        }
        // SAFETY: mapped pages, initialised by the system, of which this buffer owns these bytes.
        unsafe { std::slice::from_raw_parts(self.start.as_ptr(), self.bytes) }
    }
}

impl DerefMut for PinnedBuffer {
    fn deref_mut(&mut self) -> &mut [u8] {
        if !self.is_mapped() {
            return &mut [];
        }
        // SAFETY: as for `deref`, and borrowed mutably.
        unsafe { std::slice::from_raw_parts_mut(self.start.as_ptr(), self.bytes) }
    }
}

impl AsRef<[u8]> for PinnedBuffer {
    fn as_ref(&self) -> &[u8] {
        self
    }
}

impl PartialEq for PinnedBuffer {
    fn eq(&self, other: &Self) -> bool {
        **self == **other
    }
}

impl Eq for PinnedBuffer {}

impl fmt::Debug for PinnedBuffer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        let kind = if self.is_locked() {
            "pinned"
        } else {
            "ordinary"
        };
        write!(formatter, "PinnedBuffer of {} bytes, {kind}", self.bytes)
    }
}

impl Drop for Memory {
    fn drop(&mut self) {
        if self.pages.is_mapped() {
            let start = self.pages.start().addr().get();
            // Its lock is dropped with this memory, not while the registry is locked.
            let known = Registry::current().write().remove(&start);
            drop(known);
        } else {
            // The context of a lock is the parent's.
            std::mem::forget(self.lock.take());
        }
    }
}

/// The allocations of a process, by address.
struct Registry {
    process: Process,
    known: RwLock<BTreeMap<usize, Known>>,
}

/// An allocation.
struct Known {
    bytes: usize,
    lock: Option<Arc<dyn Lock>>,
    /// The buffer itself, if only its address is used.
    leaked: Option<PinnedBuffer>,
}

impl Registry {
    /// Returns that of this process. A forked child gets another one: it lacks the memory of its
    /// parent, one of whose threads may have held the lock of the parent's during the fork.
    fn current() -> &'static Self {
        static CURRENT: AtomicPtr<Registry> = AtomicPtr::new(std::ptr::null_mut());
        let found = CURRENT.load(Ordering::Acquire);
        // SAFETY: null, or made by `Box::into_raw` below and never freed.
        if let Some(registry) = unsafe { found.as_ref() }
            && registry.process.is_current()
        {
            return registry;
        }
        let new = Box::into_raw(Box::new(Self {
            process: Process::current(),
            known: RwLock::default(),
        }));
        let exchanged = CURRENT.compare_exchange(found, new, Ordering::AcqRel, Ordering::Acquire);
        let current = match exchanged {
            Ok(_) => new,
            Err(other) => {
                // SAFETY: made above, and not published.
                drop(unsafe { Box::from_raw(new) });
                other
            }
        };
        // SAFETY: as above; another thread of this process has published it if not this one.
        unsafe { &*current }
    }

    fn read(&self) -> RwLockReadGuard<'_, BTreeMap<usize, Known>> {
        self.known.read().unwrap_or_else(PoisonError::into_inner)
    }

    fn write(&self) -> RwLockWriteGuard<'_, BTreeMap<usize, Known>> {
        self.known.write().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Returns whether this byte is in a [`PinnedBuffer`] and a device accesses it in place; `None` if
/// it is in no such buffer of this process.
#[must_use]
pub fn is_locked(byte: *const u8) -> Option<bool> {
    let known = Registry::current().read();
    let (start, before) = known.range(..=byte.addr()).next_back()?;
    let within = byte.addr() - start < before.bytes.max(1);
    within.then(|| before.lock.as_ref().is_some_and(|lock| lock.holds()))
}

/// Returns whether both bytes, of which the second has the higher address, are in the same
/// allocation of [`PinnedBuffer`]s of this process.
pub(crate) fn are_one_allocation(first: *const u8, second: *const u8) -> bool {
    let known = Registry::current().read();
    let before = known.range(..=second.addr()).next_back();
    before
        .is_some_and(|(start, known)| *start <= first.addr() && second.addr() - start < known.bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn bytes_are_zero_and_start_at_a_page() {
        let mut buffer = PinnedBuffer::ordinary(5_000).expect("room");
        assert_eq!((buffer.len(), buffer.is_locked()), (5_000, false));
        assert!(buffer.as_ptr().addr().is_multiple_of(4_096));
        assert!(buffer.iter().all(|byte| *byte == 0));
        buffer[4_999] = 7;
        assert_eq!(buffer[4_999], 7);
        assert_eq!(buffer.region().kind(), MemoryKind::Host);
        assert!(PinnedBuffer::ordinary(0).expect("room").is_empty());
    }

    #[test]
    fn memory_is_known_until_the_last_part_is_dropped() {
        let buffer = PinnedBuffer::ordinary(10_000).expect("room");
        let start = buffer.as_ptr();
        let mut parts = buffer.split(4_096);
        let lengths: Vec<usize> = parts.iter().map(|part| part.len()).collect();
        assert_eq!(lengths, [4_096, 4_096, 1_808]);
        parts.truncate(1);
        assert_eq!(is_locked(start.wrapping_add(9_999)), Some(false));
        assert_eq!(is_locked(start.wrapping_add(10_000)), None);
        drop(parts);
        assert_eq!(is_locked(start), None);
    }

    #[test]
    fn a_leaked_buffer_is_reclaimed_once() {
        let start = PinnedBuffer::ordinary(100).expect("room").leak();
        assert_eq!(is_locked(start.as_ptr()), Some(false));
        assert!(PinnedBuffer::reclaim(start.as_ptr().wrapping_add(1)).is_none());
        let buffer = PinnedBuffer::reclaim(start.as_ptr()).expect("leaked");
        assert!(PinnedBuffer::reclaim(start.as_ptr()).is_none());
        drop(buffer);
        assert!(PinnedBuffer::reclaim(start.as_ptr()).is_none());
    }

    #[test]
    fn too_much_memory_is_refused_with_its_size() {
        let fault = PinnedBuffer::ordinary(usize::MAX).expect_err("no machine has that");
        let text = fault.to_string();
        assert!(
            text.starts_with("the system refuses 18446744073709551615 bytes: "),
            "{text}"
        );
    }
}
