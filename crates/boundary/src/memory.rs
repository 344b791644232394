// SPDX-License-Identifier: Apache-2.0
//! Conversion from addresses and a length to slices.

use std::fmt;

use arrayvec::ArrayVec;
use stripeline_codec::UNITS_MAX;

/// Inputs, on the stack.
pub type Shared<'a> = ArrayVec<&'a [u8], UNITS_MAX>;
/// Inputs of which some are absent, on the stack.
pub type Optional<'a> = ArrayVec<Option<&'a [u8]>, UNITS_MAX>;
/// Outputs, on the stack.
pub type Exclusive<'a> = ArrayVec<&'a mut [u8], UNITS_MAX>;

/// The buffers of one argument; all have the same length.
#[derive(Clone, Copy, Debug)]
pub struct List<'a> {
    /// The caller's name for the list; a list of one buffer is called by this name alone.
    pub name: &'static str,
    /// Where each buffer starts.
    pub pointers: &'a [*const u8],
    /// The length of each buffer.
    pub bytes: usize,
}

/// Memory that cannot be viewed as slices.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Refusal {
    /// A buffer is null.
    Null(Place),
    /// A buffer is longer than Rust's limit or runs past the end of the address space.
    TooLong(Place, usize),
    /// An output shares bytes with another buffer.
    Overlap(Place, Place),
}

/// One buffer of a list.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Place {
    name: &'static str,
    index: Option<usize>,
}

impl fmt::Display for Place {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.index {
            Some(index) => write!(formatter, "{}[{index}]", self.name),
            None => formatter.write_str(self.name),
        }
    }
}

impl fmt::Display for Refusal {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null(place) => write!(formatter, "{place} is null"),
            Self::TooLong(place, bytes) => {
                write!(
                    formatter,
                    "{place} of {bytes} bytes runs past the end of the address space"
                )
            }
            Self::Overlap(output, other) => write!(formatter, "{output} overlaps {other}"),
        }
    }
}

impl std::error::Error for Refusal {}

impl List<'_> {
    fn place(&self, index: usize) -> Place {
        Place {
            name: self.name,
            index: (self.pointers.len() > 1).then_some(index),
        }
    }

    /// Checks the buffers' ranges. Skips null pointers, which mean absent units: the caller checks
    /// whether a unit may be absent.
    ///
    /// # Errors
    /// [`Refusal::TooLong`] with the first invalid buffer.
    pub fn check_range(&self) -> Result<(), Refusal> {
        let too_long = self.pointers.iter().position(|pointer| {
            isize::try_from(self.bytes).is_err() || pointer.addr().checked_add(self.bytes).is_none()
        });
        match too_long {
            Some(index) => Err(Refusal::TooLong(self.place(index), self.bytes)),
            None => Ok(()),
        }
    }

    /// Checks buffers that are only read and must all be present.
    ///
    /// # Errors
    /// [`Refusal::Null`] or [`Refusal::TooLong`] with the first invalid buffer.
    pub fn check_present(&self) -> Result<(), Refusal> {
        self.check_range()?;
        match self.pointers.iter().position(|pointer| pointer.is_null()) {
            Some(index) => Err(Refusal::Null(self.place(index))),
            None => Ok(()),
        }
    }
}

/// Checks that every output is separate memory: not null, within the address space, and sharing no
/// byte with an input or with another output. Inputs may share bytes with each other and may be
/// null.
///
/// # Errors
/// The first [`Refusal`] found.
pub fn check_memory(inputs: &[List<'_>], outputs: &List<'_>) -> Result<(), Refusal> {
    for input in inputs {
        input.check_range()?;
    }
    outputs.check_present()?;
    for (index, &output) in outputs.pointers.iter().enumerate() {
        for (other, &pointer) in outputs.pointers[..index].iter().enumerate() {
            if overlap(output, outputs.bytes, pointer, outputs.bytes) {
                return Err(Refusal::Overlap(outputs.place(index), outputs.place(other)));
            }
        }
        for input in inputs {
            for (other, &pointer) in input.pointers.iter().enumerate() {
                if !pointer.is_null() && overlap(output, outputs.bytes, pointer, input.bytes) {
                    return Err(Refusal::Overlap(outputs.place(index), input.place(other)));
                }
            }
        }
    }
    Ok(())
}

/// Returns whether the ranges overlap. The sums cannot wrap, because [`List::check_range`] has run
/// for both lists.
fn overlap(a: *const u8, a_bytes: usize, b: *const u8, b_bytes: usize) -> bool {
    a_bytes != 0 && b_bytes != 0 && a.addr() < b.addr() + b_bytes && b.addr() < a.addr() + a_bytes
}

/// Appends to `target` a view of `bytes` bytes at `offset` of each buffer.
///
/// This function, [`optional`] and [`exclusive`] fill a list of the caller: a returned list is 4
/// KiB, and copying it would take a third of the time that a call may add to its coding.
///
/// # Panics
/// If there are more than [`UNITS_MAX`] buffers.
///
/// # Safety
/// Each pointer must be non-null and `offset + bytes` bytes from it must stay readable and
/// unwritten for `'a`, all within one allocation.
pub unsafe fn shared<'a>(
    pointers: &[*const u8],
    offset: usize,
    bytes: usize,
    target: &mut Shared<'a>,
) {
    for pointer in pointers {
        // SAFETY: the caller guarantees non-null, readable and unwritten memory; u8 has no
        // alignment.
        target.push(unsafe { std::slice::from_raw_parts(pointer.add(offset), bytes) });
    }
}

/// As [`shared`], with `None` for null pointers.
///
/// # Panics
/// If there are more than [`UNITS_MAX`] buffers.
///
/// # Safety
/// As [`shared`] for each pointer that is not null.
pub unsafe fn optional<'a>(
    pointers: &[*const u8],
    offset: usize,
    bytes: usize,
    target: &mut Optional<'a>,
) {
    for pointer in pointers {
        target.push((!pointer.is_null()).then(|| {
            // SAFETY: not null; the caller guarantees the rest.
            unsafe { std::slice::from_raw_parts(pointer.add(offset), bytes) }
        }));
    }
}

/// As [`shared`], for buffers that are written.
///
/// # Panics
/// If there are more than [`UNITS_MAX`] buffers.
///
/// # Safety
/// Each pointer must be non-null, derived from a mutable one, and `offset + bytes` bytes from it
/// must be writable and accessed by nothing else for `'a`; [`check_memory`] ensures that the
/// buffers of one call do not overlap each other.
pub unsafe fn exclusive<'a>(
    pointers: &[*const u8],
    offset: usize,
    bytes: usize,
    target: &mut Exclusive<'a>,
) {
    for pointer in pointers {
        // SAFETY: the caller guarantees non-null, writable memory that nothing else reaches.
        target
            .push(unsafe { std::slice::from_raw_parts_mut(pointer.add(offset).cast_mut(), bytes) });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn list<'a>(name: &'static str, pointers: &'a [*const u8], bytes: usize) -> List<'a> {
        List {
            name,
            pointers,
            bytes,
        }
    }

    fn refused(inputs: &[List<'_>], outputs: &List<'_>) -> String {
        check_memory(inputs, outputs)
            .expect_err("must be refused")
            .to_string()
    }

    #[test]
    fn touching_buffers_do_not_overlap() {
        let memory = [0_u8; 30];
        let [a, b, c] = [0, 10, 20].map(|offset| memory[offset..].as_ptr());
        assert_eq!(
            check_memory(&[list("data", &[a, a, c], 10)], &list("parity", &[b], 10)),
            Ok(())
        );
        assert_eq!(
            check_memory(&[list("data", &[b], 0)], &list("parity", &[b, b], 0)),
            Ok(())
        );
        assert_eq!(
            check_memory(
                &[list("data", &[a, std::ptr::null()], 10)],
                &list("out", &[b], 10)
            ),
            Ok(())
        );
    }

    #[test]
    fn sharing_one_byte_is_refused_in_every_arrangement() {
        let memory = [0_u8; 40];
        let at = |offset: usize| memory[offset..].as_ptr();
        for (input, output) in [(0, 9), (9, 0), (5, 5), (3, 4)] {
            let text = refused(
                &[list("data", &[at(25), at(input)], 10)],
                &list("parity", &[at(output)], 10),
            );
            assert_eq!(text, "parity overlaps data[1]");
        }
        assert_eq!(
            refused(&[], &list("outputs", &[at(0), at(20), at(9)], 10)),
            "outputs[2] overlaps outputs[0]"
        );
        // An input that is longer than the output and contains it.
        assert_eq!(
            refused(&[list("old", &[at(0)], 40)], &list("sums", &[at(20)], 4)),
            "sums overlaps old"
        );
    }

    #[test]
    fn null_outputs_and_wrapping_ranges_are_refused() {
        let byte = [0_u8];
        let null = std::ptr::null();
        assert_eq!(
            refused(&[], &list("parity", &[byte.as_ptr(), null], 1)),
            "parity[1] is null"
        );
        let text = refused(&[], &list("parity", &[byte.as_ptr()], usize::MAX));
        assert_eq!(
            text,
            format!(
                "parity of {} bytes runs past the end of the address space",
                usize::MAX
            )
        );
        let high = std::ptr::without_provenance(usize::MAX - 3);
        let text = refused(
            &[list("data", &[high], 8)],
            &list("parity", &[byte.as_ptr()], 8),
        );
        assert_eq!(
            text,
            "data of 8 bytes runs past the end of the address space"
        );
    }

    #[test]
    fn views_cover_the_slice_asked_for() {
        let mut memory = *b"abcdefgh";
        let pointers = [memory.as_ptr(), std::ptr::null()];
        // SAFETY: 8 readable bytes, nothing written while the views live.
        unsafe {
            let mut views = Shared::new();
            shared(&pointers[..1], 2, 3, &mut views);
            assert_eq!(views.as_slice(), &[b"cde"]);
            let mut views = Optional::new();
            optional(&pointers, 0, 2, &mut views);
            assert_eq!(views.as_slice(), &[Some(&b"ab"[..]), None]);
        }
        let pointers = [memory.as_mut_ptr().cast_const()];
        // SAFETY: 8 writable bytes that nothing else reaches while the view lives.
        unsafe {
            let mut views = Exclusive::new();
            exclusive(&pointers, 6, 2, &mut views);
            views[0].copy_from_slice(b"GH");
        }
        assert_eq!(&memory, b"abcdefGH");
    }
}
