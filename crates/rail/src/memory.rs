// SPDX-License-Identifier: Apache-2.0
//! Regions of memory: an address and the kind of memory.

/// The kind of memory that a buffer lies in.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub enum MemoryKind {
    /// Ordinary memory of the process.
    #[default]
    Host,
    /// Memory of the process that is locked and registered with a device's driver, so that the
    /// device reads and writes it directly.
    HostPinned,
    /// Memory of a device; the CPU must not touch it.
    Device {
        /// The number of the device, as its driver counts.
        ordinal: u16,
    },
}

impl MemoryKind {
    /// Returns whether the CPU can read and write it.
    #[must_use]
    pub const fn is_host(self) -> bool {
        matches!(self, Self::Host | Self::HostPinned)
    }
}

/// The start of a buffer. Its length is that of the job it belongs to.
///
/// A region is only an address: creating one is safe, and the constructors of jobs require the
/// caller to guarantee the memory behind it.
#[derive(Clone, Copy, Debug)]
pub struct Region {
    start: *mut u8,
    kind: MemoryKind,
}

// SAFETY: an address; the code that dereferences it guarantees its validity.
unsafe impl Send for Region {}
// SAFETY: as for `Send`.
unsafe impl Sync for Region {}

impl Region {
    /// Returns a buffer that starts at `start`.
    #[must_use]
    pub const fn new(start: *mut u8, kind: MemoryKind) -> Self {
        Self { start, kind }
    }

    /// Returns a buffer in ordinary memory that starts at `start`.
    #[must_use]
    pub const fn host(start: *mut u8) -> Self {
        Self::new(start, MemoryKind::Host)
    }

    /// Returns the region `bytes` bytes further on.
    #[must_use]
    pub const fn offset(self, bytes: usize) -> Self {
        Self {
            start: self.start.wrapping_add(bytes),
            kind: self.kind,
        }
    }

    /// Returns the address, in the device's terms for device memory.
    #[must_use]
    pub const fn start(self) -> *mut u8 {
        self.start
    }

    /// Returns the kind of memory.
    #[must_use]
    pub const fn kind(self) -> MemoryKind {
        self.kind
    }
}
