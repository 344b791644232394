// SPDX-License-Identifier: Apache-2.0
//! Copies of the lists that a caller passes.

use ::stripeline_codec::Codec;
use arrayvec::ArrayVec;
use stripeline_boundary::{List, UNITS_MAX, check_memory};

use crate::codec::stripeline_codec;
use crate::failure::{Failure, Mistake};

/// The addresses of one list, on the stack.
pub(crate) type Pointers = ArrayVec<*const u8, UNITS_MAX>;

/// Returns a list of buffers as the boundary's checks take it.
pub(crate) fn list<'a>(name: &'static str, pointers: &'a [*const u8], bytes: usize) -> List<'a> {
    List {
        name,
        pointers,
        bytes,
    }
}

/// The name of a function in messages.
#[derive(Clone, Copy)]
pub(crate) struct Call(pub(crate) &'static str);

impl Call {
    /// Returns the failure for a mistake in an argument.
    pub(crate) fn refuse(self, mistake: Mistake) -> Failure {
        Failure::Argument(self.0, mistake)
    }

    /// Reads a handle.
    ///
    /// # Safety
    /// `codec` must be null or come from `stripeline_codec_open` and not be closed for `'a`.
    pub(crate) unsafe fn codec<'a>(
        self,
        codec: *const stripeline_codec,
    ) -> Result<&'a stripeline_codec, Failure> {
        // SAFETY: null or a live handle, as the caller guarantees.
        unsafe { codec.as_ref() }.ok_or(self.refuse(Mistake::Null("codec")))
    }

    /// Copies a list of `count` values, which may be at any alignment, into `target`, which is
    /// filled in place because returning it through a `Result` copies all of its capacity.
    ///
    /// # Safety
    /// `list` must be null or have `count` readable values. `count` must be at most `UNITS_MAX`.
    pub(crate) unsafe fn list<T: Copy>(
        self,
        name: &'static str,
        list: *const T,
        count: usize,
        target: &mut ArrayVec<T, UNITS_MAX>,
    ) -> Result<(), Failure> {
        if list.is_null() && count != 0 {
            return Err(self.refuse(Mistake::Null(name)));
        }
        for index in 0..count {
            // SAFETY: `index` is below `count`, the number of readable values.
            target.push(unsafe { list.add(index).read_unaligned() });
        }
        Ok(())
    }

    /// Copies a list of buffers to write.
    ///
    /// # Safety
    /// As [`Call::list`].
    pub(crate) unsafe fn outputs(
        self,
        name: &'static str,
        list: *const *mut u8,
        count: usize,
        target: &mut Pointers,
    ) -> Result<(), Failure> {
        // SAFETY: as the caller guarantees; `*const u8` and `*mut u8` are of one layout.
        unsafe { self.list(name, list.cast::<*const u8>(), count, target) }
    }

    /// Copies the numbers of the units that a decode computes.
    ///
    /// # Safety
    /// `erased` must be null or have `count` readable values.
    pub(crate) unsafe fn erased(
        self,
        codec: &Codec,
        erased: *const u32,
        count: usize,
    ) -> Result<ArrayVec<usize, UNITS_MAX>, Failure> {
        // More numbers than units do not fit the list; smaller counts are checked together with the
        // units.
        if count > codec.data_units() + codec.parity_units() {
            return Err(Failure::TooManyErased(count, codec.parity_units()));
        }
        let mut numbers = ArrayVec::<u32, UNITS_MAX>::new();
        // SAFETY: as the caller guarantees.
        unsafe { self.list("erased", erased, count, &mut numbers) }?;
        Ok(numbers.iter().map(|unit| *unit as usize).collect())
    }

    /// Refuses inputs if one of them is null.
    pub(crate) fn check_present(self, list: &List<'_>) -> Result<(), Failure> {
        list.check_present()
            .map_err(|refusal| Failure::Memory(self.0, refusal))
    }

    /// Refuses buffers that run past the end of the address space; null is an absent buffer.
    pub(crate) fn check_range(self, list: &List<'_>) -> Result<(), Failure> {
        list.check_range()
            .map_err(|refusal| Failure::Memory(self.0, refusal))
    }

    /// Refuses outputs that are null or share bytes with another buffer.
    pub(crate) fn check_memory(
        self,
        inputs: &[List<'_>],
        outputs: &List<'_>,
    ) -> Result<(), Failure> {
        check_memory(inputs, outputs).map_err(|refusal| Failure::Memory(self.0, refusal))
    }

    /// Refuses a null pointer to a result.
    pub(crate) fn check_result<T>(self, name: &'static str, result: *mut T) -> Result<(), Failure> {
        if result.is_null() {
            Err(self.refuse(Mistake::Null(name)))
        } else {
            Ok(())
        }
    }
}
