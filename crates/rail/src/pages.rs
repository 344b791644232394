// SPDX-License-Identifier: Apache-2.0
//! Pages of memory that drivers of devices can lock.

use std::num::NonZeroUsize;
use std::ptr::NonNull;

use nix::sys::mman::{MapFlags, MmapAdvise, ProtFlags, madvise, mmap_anonymous, munmap};

use crate::{Fault, FaultKind, Process};

/// Whole pages of zeros, which a forked child does not inherit.
///
/// Otherwise the first write of the parent after a fork could move a page that a device has locked:
/// the parent would get a copy, and the device would go on with the original.
#[derive(Debug)]
pub(crate) struct Pages {
    start: NonNull<u8>,
    bytes: usize,
    process: Process,
}

// SAFETY: an address; those who access the bytes ensure that they have the right to.
unsafe impl Send for Pages {}
// SAFETY: as for `Send`.
unsafe impl Sync for Pages {}

impl Pages {
    /// Maps at least `bytes` bytes, and a page even for 0.
    ///
    /// # Errors
    /// [`FaultKind::Refused`] if the system has not that much memory.
    pub fn map(bytes: usize) -> Result<Self, Fault> {
        let refused = |reason: nix::Error| {
            let text = format!("the system refuses {bytes} bytes: {}", reason.desc());
            Fault::new(FaultKind::Refused, text)
        };
        // No slice may be longer.
        if isize::try_from(bytes).is_err() {
            return Err(refused(nix::Error::ENOMEM));
        }
        let length = NonZeroUsize::new(bytes).unwrap_or(NonZeroUsize::MIN);
        let access = ProtFlags::PROT_READ | ProtFlags::PROT_WRITE;
        // SAFETY: new memory at an address of the system's choice.
        let start = unsafe { mmap_anonymous(None, length, access, MapFlags::MAP_PRIVATE) };
        let pages = Self {
            start: start.map_err(refused)?.cast(),
            bytes,
            process: Process::current(),
        };
        // SAFETY: the pages mapped above, which nothing uses yet.
        unsafe { madvise(pages.start.cast(), length.get(), MmapAdvise::MADV_DONTFORK) }
            .map_err(refused)?;
        Ok(pages)
    }

    pub fn start(&self) -> NonNull<u8> {
        self.start
    }

    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Returns whether this process has the pages, as opposed to a forked child.
    pub fn is_mapped(&self) -> bool {
        self.process.is_current()
    }

    /// Fills the pages with zeros.
    ///
    /// # Safety
    /// Nothing else may access them.
    pub unsafe fn clear(&self) {
        // SAFETY: mapped pages of this length; the caller guarantees the rest.
        unsafe { self.start.write_bytes(0, self.bytes) };
    }
}

impl Drop for Pages {
    fn drop(&mut self) {
        // A child may have mapped something else there.
        if self.is_mapped() {
            // SAFETY: mapped in `map`; each access had a share in the ownership of this value.
            // An error is impossible for a whole mapping.
            let _ = unsafe { munmap(self.start.cast(), self.bytes.max(1)) };
        }
    }
}
