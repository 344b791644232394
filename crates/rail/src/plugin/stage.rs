// SPDX-License-Identifier: Apache-2.0
//! Copies of a piece's buffers, so that a device works on memory of the loader's own.
//!
//! A device that is given up may go on writing. The memory behind a stage is therefore only ever
//! reached through raw pointers, and whoever gives a device up leaks its stage.

use std::alloc::{Layout, alloc_zeroed, dealloc, handle_alloc_error};
use std::ptr::NonNull;

use stripeline_codec::{UNITS_MAX, Verdict};

use crate::{Mode, Piece, difference};

use arrayvec::ArrayVec;

/// Units start this much after a multiple of the page size from one another, so that they do not
/// fall into the same ways of a cache set.
const STAGGER_BYTES: usize = 64;

/// Memory for the inputs and outputs of one piece.
#[derive(Debug)]
pub(super) struct Stage {
    start: NonNull<u8>,
    layout: Layout,
    /// From one unit to the next.
    stride: usize,
    /// What a unit holds of the piece.
    bytes: usize,
}

// SAFETY: it owns its memory as a box does.
unsafe impl Send for Stage {}

impl Stage {
    /// Room for `units` units of `bytes` bytes, each at a multiple of `alignment`, a power of two,
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

    /// The same memory for another piece, if it is large enough.
    pub(super) fn reuse(&mut self, units: usize, bytes: usize, padded: usize) -> bool {
        let alignment = self.layout.align();
        let stride = padded.next_multiple_of(alignment) + alignment;
        let fits = stride * units <= self.layout.size();
        if fits {
            (self.stride, self.bytes) = (stride, bytes);
        }
        fits
    }

    /// The bytes that it takes.
    pub(super) fn size(&self) -> usize {
        self.layout.size()
    }

    /// Where a unit starts; inputs come first.
    pub(super) fn unit(&self, unit: usize) -> *mut u8 {
        assert!(
            unit < self.layout.size() / self.stride,
            "a unit of the stage"
        );
        // SAFETY: the stage has room for that many strides.
        unsafe { self.start.as_ptr().add(unit * self.stride) }
    }

    /// Copies the inputs in.
    ///
    /// No device works on the stage: it is exclusively borrowed and was not handed out.
    pub(super) fn fill(&mut self, piece: &Piece) {
        piece.read(|inputs, _| {
            for (number, input) in inputs.iter().enumerate() {
                assert_eq!(input.len(), self.bytes, "the piece of the stage");
                // SAFETY: the unit has room for `bytes` bytes, which is the input's length.
                unsafe {
                    input
                        .as_ptr()
                        .copy_to_nonoverlapping(self.unit(number), input.len())
                };
            }
        });
    }

    /// Does with the outputs what the job wants: store, add or compare.
    ///
    /// # Safety
    /// The device is done with the stage.
    pub(super) unsafe fn deliver(&self, piece: &mut Piece) -> Verdict {
        let (first, mode) = (piece.job().inputs().len(), piece.job().mode());
        let outputs = first..first + piece.job().outputs().len();
        // SAFETY: the stage has these units, initialised when it was made, and as the caller
        // promised nobody writes to them.
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

impl Drop for Stage {
    fn drop(&mut self) {
        // SAFETY: allocated with this very layout.
        unsafe { dealloc(self.start.as_ptr(), self.layout) };
    }
}
