// SPDX-License-Identifier: Apache-2.0
//! Copies of a piece's buffers, so that a device works on memory that the loader owns.
//!
//! A device that was given up may continue to write. The staging memory is therefore only accessed
//! through raw pointers, and code that gives up a device leaks its staging buffers.

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ptr::NonNull;

use stripeline_codec::{UNITS_MAX, Verdict};

use crate::{Mode, Piece, difference};

use arrayvec::ArrayVec;

/// The distance between the starts of units exceeds a multiple of the page size by this, so that
/// they do not map to the same cache sets.
const STAGGER_BYTES: usize = 64;

/// Memory for the inputs and outputs of one piece.
#[derive(Debug)]
pub(super) struct StagingBuffers {
    start: NonNull<u8>,
    layout: Layout,
    /// The distance between the starts of two units in bytes.
    stride: usize,
    /// Bytes of the piece in each unit.
    bytes: usize,
}

// SAFETY: it owns its memory exclusively, as a box does.
unsafe impl Send for StagingBuffers {}

impl StagingBuffers {
    /// Allocates `units` units of `bytes` bytes, each at a multiple of `alignment`, a power of two,
    /// padded to `padded` bytes.
    pub(super) fn new(units: usize, bytes: usize, padded: usize, alignment: usize) -> Self {
        let alignment = alignment.max(STAGGER_BYTES);
        let stride = padded.next_multiple_of(alignment) + alignment;
        let layout = Layout::from_size_align(stride * units, alignment);
        let layout = layout.expect("units that are in memory fit a second time");
        // SAFETY: the layout is not empty, because a stride is not.
        let start = unsafe { alloc_zeroed(layout) };
        let start = NonNull::new(start).unwrap_or_else(|| handle_alloc_error(layout));
        Self {
            start,
            layout,
            stride,
            bytes,
        }
    }

    /// Adapts the memory to another piece; returns false if it is too small.
    pub(super) fn reuse(&mut self, units: usize, bytes: usize, padded: usize) -> bool {
        let alignment = self.layout.align();
        let stride = padded.next_multiple_of(alignment) + alignment;
        let fits = stride * units <= self.layout.size();
        if fits {
            (self.stride, self.bytes) = (stride, bytes);
        }
        fits
    }

    /// Returns the size of the allocation in bytes.
    pub(super) fn size(&self) -> usize {
        self.layout.size()
    }

    /// Returns the start of a unit; inputs come first.
    pub(super) fn unit(&self, unit: usize) -> *mut u8 {
        assert!(
            unit < self.layout.size() / self.stride,
            "a unit of the staging buffers"
        );
        // SAFETY: the allocation has room for that many strides.
        unsafe { self.start.as_ptr().add(unit * self.stride) }
    }

    /// Copies the inputs in.
    ///
    /// No device works on the buffers: they are exclusively borrowed and have not been passed to a
    /// device.
    pub(super) fn fill(&mut self, piece: &Piece) {
        piece.read(|inputs, _| {
            for (number, input) in inputs.iter().enumerate() {
                assert_eq!(
                    input.len(),
                    self.bytes,
                    "the piece that the buffers were sized for"
                );
                // SAFETY: the unit has room for `bytes` bytes, which is the input's length.
                unsafe {
                    input
                        .as_ptr()
                        .copy_to_nonoverlapping(self.unit(number), input.len())
                };
            }
        });
    }

    /// Stores, adds or compares the outputs, as the job requires.
    ///
    /// # Safety
    /// The device no longer accesses the buffers.
    pub(super) unsafe fn deliver(&self, piece: &mut Piece) -> Verdict {
        let (first, mode) = (piece.job().inputs().len(), piece.job().mode());
        let outputs = first..first + piece.job().outputs().len();
        // SAFETY: the buffers have these units, initialised at allocation, and as the caller
        // guarantees nothing writes to them.
        let unit = |unit| unsafe { std::slice::from_raw_parts(self.unit(unit), self.bytes) };
        let computed: ArrayVec<&[u8], UNITS_MAX> = outputs.map(unit).collect();
        match mode {
            Mode::Set => piece.write(|_, outputs| {
                for (output, computed) in outputs.iter_mut().zip(&computed) {
                    output.copy_from_slice(computed);
                }
            }),
            Mode::Add => piece.write(|_, outputs| {
                for (output, computed) in outputs.iter_mut().zip(&computed) {
                    for (byte, other) in output.iter_mut().zip(*computed) {
                        *byte ^= other;
                    }
                }
            }),
            Mode::Compare => return piece.read(|_, given| difference::find(&computed, given)),
        }
        Verdict::Sound
    }
}

impl Drop for StagingBuffers {
    fn drop(&mut self) {
        // SAFETY: allocated with this layout.
        unsafe { dealloc(self.start.as_ptr(), self.layout) };
    }
}
