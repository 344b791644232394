// SPDX-License-Identifier: Apache-2.0
//! Where bytes are: an address and the kind of memory behind it.

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
    /// Whether the CPU can read and write it.
    #[must_use]
    pub const fn is_host(self) -> bool {
        matches!(self, Self::Host | Self::HostPinned)
    }
}

/// The start of a buffer. Its length is that of the job it belongs to.
///
/// A region is an address and nothing more: making one is safe, and only the constructors of jobs
/// ask the caller to vouch for what lies there.
#[derive(Clone, Copy, Debug)]
pub struct Region {
    start: *mut u8,
    kind: MemoryKind,
}

// SAFETY: an address; whoever dereferences it answers for that.
unsafe impl Send for Region {}
// SAFETY: as for `Send`.
unsafe impl Sync for Region {}

impl Region {
    /// A buffer that starts at `start`.
    #[must_use]
    pub const fn new(start: *mut u8, kind: MemoryKind) -> Self {
        Self { start, kind }
    }

    /// A buffer in ordinary memory that starts at `start`.
    #[must_use]
    pub const fn host(start: *mut u8) -> Self {
        Self::new(start, MemoryKind::Host)
    }

    /// `count` buffers of which each starts `stride` bytes after the one before.
    pub fn strided(self, stride: usize, count: usize) -> impl Iterator<Item = Self> {
        (0..count).map(move |index| self.offset(index * stride))
    }

    /// The region `bytes` bytes further on.
    #[must_use]
    pub const fn offset(self, bytes: usize) -> Self {
        Self {
            start: self.start.wrapping_add(bytes),
            kind: self.kind,
        }
    }

    /// The address, in the device's terms for device memory.
    #[must_use]
    pub const fn start(self) -> *mut u8 {
        self.start
    }

    /// The kind of memory.
    #[must_use]
    pub const fn kind(self) -> MemoryKind {
        self.kind
    }
}
