// SPDX-License-Identifier: Apache-2.0
//! The memory that all engines work on: one mapping per thread, with the same cells for every
//! engine.

use std::io;
use std::{ptr, slice};

use arrayvec::ArrayVec;

use crate::job::Job;

/// Page-aligned anonymous memory, filled once with pseudo-random bytes.
#[derive(Debug)]
pub struct Arena {
    base: *mut u8,
    bytes: usize,
}

// SAFETY: this value owns the mapping exclusively; sharing only exposes raw addresses, and each
// thread of a measurement has its own arena.
unsafe impl Send for Arena {}

impl Arena {
    /// Maps and fills `bytes` bytes, on huge pages if requested.
    ///
    /// # Errors
    /// If the system cannot provide the memory.
    pub fn new(bytes: usize, huge_pages: bool, seed: u64) -> io::Result<Self> {
        // SAFETY: a fresh private anonymous mapping touches no other memory.
        let base = unsafe {
            libc::mmap(
                ptr::null_mut(),
                bytes,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_PRIVATE | libc::MAP_ANONYMOUS,
                -1,
                0,
            )
        };
        if base == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let advice = if huge_pages {
            libc::MADV_HUGEPAGE
        } else {
            libc::MADV_NOHUGEPAGE
        };
        // SAFETY: the range is the mapping made above. A kernel without huge pages refuses the
        // advice, which affects all engines alike.
        unsafe { libc::madvise(base, bytes, advice) };
        let arena = Self {
            base: base.cast(),
            bytes,
        };
        arena.fill(seed);
        Ok(arena)
    }

    /// Returns the number of bytes mapped.
    pub fn bytes(&self) -> usize {
        self.bytes
    }

    /// Rewrites everything with the xorshift sequence of `seed`.
    fn fill(&self, seed: u64) {
        let mut state = seed | 1;
        // SAFETY: the mapping is page-aligned, readable and writable over its whole length, and
        // there is no other reference into it while it is being filled.
        let words = unsafe {
            slice::from_raw_parts_mut(self.base.cast::<u64>(), self.bytes / size_of::<u64>())
        };
        for word in words {
            state ^= state << 13;
            state ^= state >> 7;
            state ^= state << 17;
            *word = state;
        }
    }
}

impl Drop for Arena {
    fn drop(&mut self) {
        // SAFETY: base and length are those of the mapping made in `new`.
        unsafe { libc::munmap(self.base.cast(), self.bytes) };
    }
}

/// The positions of cells in an arena.
#[derive(Clone, Copy, Debug)]
pub struct Layout {
    /// The bytes of a cell.
    pub cell_bytes: usize,
    /// Added to the address of every cell; 0 keeps cells on page boundaries, 16 is the offset of
    /// Java's arrays.
    pub offset_bytes: usize,
    /// Added between cells, so that they do not all map to the same cache sets.
    pub stagger_bytes: usize,
}

impl Layout {
    fn cell_stride(self) -> usize {
        self.cell_bytes.next_multiple_of(64) + self.stagger_bytes
    }

    /// Returns the distance from one stripe to the next in bytes.
    pub fn stripe_stride(self, units: usize) -> usize {
        self.cell_stride() * units
    }
}

/// The cells of one call as addresses, which C coders take directly.
#[derive(Debug)]
pub struct Stripe {
    /// The cells to read, one per matrix column.
    pub sources: Vec<*const u8>,
    /// The cells to write, one per matrix row.
    pub targets: Vec<*mut u8>,
    /// The length of each.
    pub cell_bytes: usize,
}

/// The most units that the bench accepts: the limit of the code.
pub const UNITS_MAX: usize = 256;

impl Stripe {
    /// Runs `body` with the cells as slices.
    pub fn with_slices(&mut self, body: impl FnOnce(&[&[u8]], &mut [&mut [u8]])) {
        let length = self.cell_bytes;
        // Filled in place: a list from `collect` is 4 KiB, and copying it takes most of the time of
        // a small call.
        let mut sources = ArrayVec::<&[u8], UNITS_MAX>::new();
        sources.extend(
            self.sources
                .iter()
                // SAFETY: `Rotation` points every source at a cell of `length` bytes of a live
                // arena, and sources and targets of a job are different units.
                .map(|&cell| unsafe { slice::from_raw_parts(cell, length) }),
        );
        let mut targets = ArrayVec::<&mut [u8], UNITS_MAX>::new();
        targets.extend(
            self.targets
                .iter()
                // SAFETY: as above; the targets of a job are distinct units, so the slices are
                // disjoint.
                .map(|&cell| unsafe { slice::from_raw_parts_mut(cell, length) }),
        );
        body(&sources, &mut targets);
    }
}

/// The geometry of a [`Rotation`].
#[derive(Clone, Copy, Debug)]
pub struct Walk {
    /// The address of unit 0 of stripe 0.
    pub base: *mut u8,
    /// The length of a cell.
    pub cell_bytes: usize,
    /// The distance from a unit to the next in bytes.
    pub cell_stride: usize,
    /// The distance from a stripe to the next in bytes.
    pub stripe_stride: usize,
    /// The number of stripes.
    pub stripes: usize,
    /// The index of the first stripe to code; stripe 0 follows the last.
    pub first: usize,
}

/// Iterates over the stripes of an arena; the first follows the last.
#[derive(Debug)]
pub struct Rotation {
    stripe: Stripe,
    base: *mut u8,
    sources: Vec<usize>,
    targets: Vec<usize>,
    cell_stride: usize,
    stripe_stride: usize,
    stripes: usize,
    index: usize,
}

// SAFETY: the addresses point into an arena that outlives the rotation and that only its thread
// uses.
unsafe impl Send for Rotation {}

impl Rotation {
    /// Lays out at most `stripes` stripes of the job's code in the arena, fewer if fewer fit.
    ///
    /// # Panics
    /// If not even one stripe fits.
    pub fn new(arena: &Arena, job: &Job, layout: Layout, stripes: usize) -> Self {
        let stripe_stride = layout.stripe_stride(job.shape.units());
        let fitting = (arena.bytes - layout.offset_bytes) / stripe_stride;
        assert!(
            fitting >= 1,
            "an arena of {} bytes holds no stripe",
            arena.bytes
        );
        let mut rotation = Self {
            stripe: Stripe {
                sources: vec![ptr::null(); job.columns()],
                targets: vec![ptr::null_mut(); job.rows()],
                cell_bytes: layout.cell_bytes,
            },
            // SAFETY: the offset is inside the mapping, as the subtraction above shows.
            base: unsafe { arena.base.add(layout.offset_bytes) },
            sources: job.sources.clone(),
            targets: job.targets.clone(),
            cell_stride: layout.cell_stride(),
            stripe_stride,
            stripes: stripes.clamp(1, fitting),
            index: 0,
        };
        rotation.point();
        rotation
    }

    /// Returns the number of stripes in the rotation.
    pub fn stripes(&self) -> usize {
        self.stripes
    }

    /// Returns the next stripe. With a single stripe this costs nothing.
    #[inline]
    pub fn advance(&mut self) -> &mut Stripe {
        if self.stripes > 1 {
            self.index = (self.index + 1) % self.stripes;
            self.point();
        }
        &mut self.stripe
    }

    /// Returns the cell of any unit of the current stripe, for filling and checking.
    pub fn cell(&mut self, unit: usize) -> &mut [u8] {
        // SAFETY: the unit lies inside the stripe, the stripe inside the arena; the borrow of
        // `self` keeps callers of this method from holding two.
        unsafe { slice::from_raw_parts_mut(self.address(unit), self.stripe.cell_bytes) }
    }

    /// Returns the cell of the current stripe's last target.
    pub fn last_target(&mut self) -> &mut [u8] {
        let unit = self
            .targets
            .last()
            .copied()
            .expect("every job writes a unit");
        self.cell(unit)
    }

    /// Returns the geometry of the stripes, for a coder that iterates over them itself; the
    /// rotation then advances by `calls` stripes.
    pub fn walk(&mut self, calls: u64) -> Walk {
        let first = (self.index + 1) % self.stripes;
        self.index = ((self.index as u64 + calls) % self.stripes as u64) as usize;
        self.point();
        Walk {
            base: self.base,
            cell_bytes: self.stripe.cell_bytes,
            cell_stride: self.cell_stride,
            stripe_stride: self.stripe_stride,
            stripes: self.stripes,
            first,
        }
    }

    fn address(&self, unit: usize) -> *mut u8 {
        // SAFETY: `new` made sure that `stripes` stripes of all units fit into the arena.
        unsafe {
            self.base
                .add(self.index * self.stripe_stride + unit * self.cell_stride)
        }
    }

    fn point(&mut self) {
        for slot in 0..self.sources.len() {
            self.stripe.sources[slot] = self.address(self.sources[slot]);
        }
        for slot in 0..self.targets.len() {
            self.stripe.targets[slot] = self.address(self.targets[slot]);
        }
    }
}
