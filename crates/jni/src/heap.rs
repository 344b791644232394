// SPDX-License-Identifier: Apache-2.0
//! Units in `byte[]`.
//!
//! Every array is resolved and checked before the first critical section, because no other JNI call
//! is allowed inside one. [`run`] then processes the units in slices: it pins all arrays, runs the
//! step, and unpins them. HotSpot always pins, but `-Xcheck:jni` copies without reporting it, and
//! the specification allows this. Copies of one array do not see each other's changes and would be
//! written back whole, one over the other. Therefore an array to write is pinned twice: if the JVM
//! returns two addresses, it copies. The slice is then abandoned before the step runs, and the call
//! continues with copies of slices that this module makes.

use std::ffi::c_void;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};

use arrayvec::ArrayVec;
use stripeline_boundary::UNITS_MAX;

use crate::arguments::{Absence, Pointers, Step, Units};
use crate::env::{ByteArray, Env};
use crate::failure::Failure;

/// The bytes of one unit per critical section. With 9 units the collector waits for at most about
/// 100 microseconds, while entering the sections costs less than a thousandth of the coding.
const SLICE_BYTES: usize = 256 << 10;

/// The number of calls that the JVM served with copies, for `describe`.
static COPIED_CALLS: AtomicU64 = AtomicU64::new(0);

/// Returns how many calls the JVM has served with copies of arrays instead of pinning them.
pub(crate) fn copied_calls() -> u64 {
    COPIED_CALLS.load(Ordering::Relaxed)
}

/// Runs `step` over all units, slice by slice, at least once, until it returns `Break`.
///
/// # Safety
/// The entries of both lists must be `byte[]`s.
pub(crate) unsafe fn run(
    env: Env,
    inputs: &Units,
    absence: Absence,
    outputs: &Units,
    length: usize,
    step: &mut Step<'_>,
) -> Result<(), Failure> {
    // Filled in place: these lists are 6 KiB, which each move would copy.
    let (mut input_arrays, mut output_arrays) = (Arrays::new(inputs), Arrays::new(outputs));
    // SAFETY: as the caller guarantees.
    unsafe {
        input_arrays.resolve(env, absence, length)?;
        output_arrays.resolve(env, Absence::Refused, length)?;
    }
    let call = Call {
        env,
        inputs: &input_arrays,
        outputs: &output_arrays,
        length,
    };
    let mut offset = 0;
    loop {
        let bytes = SLICE_BYTES.min(length - offset);
        let Some(flow) = call.pinned_slice(offset, bytes, step)? else {
            return call.copied_units(offset, step);
        };
        offset += bytes;
        if flow.is_break() || offset == length {
            return Ok(());
        }
    }
}

/// The arrays of one list and the position of the unit in each.
struct Arrays<'a> {
    units: &'a Units,
    arrays: ArrayVec<Option<ByteArray>, UNITS_MAX>,
    positions: ArrayVec<usize, UNITS_MAX>,
}

impl<'a> Arrays<'a> {
    fn new(units: &'a Units) -> Self {
        Self {
            units,
            arrays: ArrayVec::new(),
            positions: ArrayVec::new(),
        }
    }

    /// Resolves every array; every unit of `length` bytes must lie within its array.
    ///
    /// # Safety
    /// The entries must be `byte[]`s.
    unsafe fn resolve(&mut self, env: Env, absence: Absence, length: usize) -> Result<(), Failure> {
        for index in 0..self.units.count() {
            // SAFETY: as the caller guarantees.
            let array = unsafe { self.units.element::<ByteArray>(env, index) };
            let position = match array {
                Some(array) => self.units.position(index, length, env.length(array))?,
                None if absence == Absence::Allowed => 0,
                None => return Err(self.units.refuse(index, "is null")),
            };
            self.arrays.push(array);
            self.positions.push(position);
        }
        Ok(())
    }
}

/// One call on arrays.
struct Call<'a> {
    env: Env,
    inputs: &'a Arrays<'a>,
    outputs: &'a Arrays<'a>,
    length: usize,
}

impl Call<'_> {
    /// Runs one slice on pinned arrays; returns `None`, without running the step, if the JVM copied
    /// an array.
    fn pinned_slice(
        &self,
        offset: usize,
        bytes: usize,
        step: &mut Step<'_>,
    ) -> Result<Option<ControlFlow<()>>, Failure> {
        let mut inputs = Section::new(self.env, self.inputs);
        let mut outputs = Section::new(self.env, self.outputs);
        let copied = inputs.enter()? | outputs.enter()?;
        if copied || (offset == 0 && outputs.is_copied_silently()) {
            return Ok(None);
        }
        outputs.keep = true;
        let (mut input_starts, mut output_starts) = (Pointers::new(), Pointers::new());
        if offset == 0 {
            // Later slices are parts of the whole units, even if the arrays move between slices.
            inputs.unit_starts(0, &mut input_starts);
            outputs.unit_starts(0, &mut output_starts);
            Units::check_disjoint(
                (self.inputs.units, &input_starts),
                (self.outputs.units, &output_starts),
                self.length,
            )?;
        }
        inputs.unit_starts(offset, &mut input_starts);
        outputs.unit_starts(offset, &mut output_starts);
        step(&input_starts, &output_starts, bytes).map(Some)
    }

    /// Runs the slices from `offset` on over copies that this function makes.
    fn copied_units(&self, mut offset: usize, step: &mut Step<'_>) -> Result<(), Failure> {
        COPIED_CALLS.fetch_add(1, Ordering::Relaxed);
        self.check_disjoint_by_identity()?;
        let bytes_max = SLICE_BYTES.min(self.length - offset);
        let mut input_copies = vec![0; bytes_max * self.inputs.arrays.len()];
        let mut output_copies = vec![0; bytes_max * self.outputs.arrays.len()];
        loop {
            let bytes = bytes_max.min(self.length - offset);
            let inputs = self
                .inputs
                .copy_in(self.env, offset, bytes, &mut input_copies);
            // The outputs are copied in too: an update adds to their contents.
            let outputs = self
                .outputs
                .copy_in(self.env, offset, bytes, &mut output_copies);
            let flow = step(&inputs, &outputs, bytes)?;
            self.outputs
                .copy_out(self.env, offset, bytes, &output_copies);
            offset += bytes;
            if flow.is_break() || offset == self.length {
                return Ok(());
            }
        }
    }

    /// Checks for overlaps without addresses: every array gets a separate range of numbers.
    fn check_disjoint_by_identity(&self) -> Result<(), Failure> {
        let all: ArrayVec<Option<ByteArray>, { 2 * UNITS_MAX }> = self
            .inputs
            .arrays
            .iter()
            .chain(&self.outputs.arrays)
            .copied()
            .collect();
        let number = |index: usize, position: usize| -> *const u8 {
            let Some(array) = all[index] else {
                return std::ptr::null();
            };
            let same = |other: &Option<ByteArray>| {
                other.is_some_and(|other| self.env.same_array(array, other))
            };
            let first = all[..index].iter().position(same).unwrap_or(index);
            // An array has less than 2^31 bytes.
            std::ptr::without_provenance(((first + 1) << 32) + position)
        };
        let numbers = |list: &Arrays<'_>, base: usize| -> Pointers {
            let positions = list.positions.iter().enumerate();
            positions
                .map(|(index, position)| number(base + index, *position))
                .collect()
        };
        Units::check_disjoint(
            (self.inputs.units, &numbers(self.inputs, 0)),
            (
                self.outputs.units,
                &numbers(self.outputs, self.inputs.arrays.len()),
            ),
            self.length,
        )
    }
}

/// Critical sections on all arrays of one list, which end when this value is dropped.
struct Section<'a> {
    env: Env,
    list: &'a Arrays<'a>,
    /// One entry per array entered, null for an absent one.
    starts: ArrayVec<*mut c_void, UNITS_MAX>,
    keep: bool,
}

impl<'a> Section<'a> {
    fn new(env: Env, list: &'a Arrays<'a>) -> Self {
        Self {
            env,
            list,
            starts: ArrayVec::new(),
            keep: false,
        }
    }

    /// Enters the sections; returns whether the JVM copied any array.
    fn enter(&mut self) -> Result<bool, Failure> {
        let mut copied = false;
        for array in &self.list.arrays {
            let (start, is_copy) = match array {
                Some(array) => self.env.critical(*array),
                None => (std::ptr::null_mut(), false),
            };
            if start.is_null() && array.is_some() {
                return Err(Failure::NoMemory);
            }
            copied |= is_copy;
            self.starts.push(start);
        }
        Ok(copied)
    }

    /// Returns whether the first array has another address in a second critical section.
    fn is_copied_silently(&self) -> bool {
        let (Some(Some(array)), Some(first)) = (self.list.arrays.first(), self.starts.first())
        else {
            return false;
        };
        let (second, _) = self.env.critical(*array);
        if !second.is_null() {
            // SAFETY: entered just now; nothing was written to it.
            unsafe { self.env.release_critical(*array, second, false) };
        }
        second != *first
    }

    /// Appends the address `offset` bytes into each unit, null for an absent one.
    fn unit_starts(&self, offset: usize, target: &mut Pointers) {
        target.clear();
        for (start, position) in self.starts.iter().zip(&self.list.positions) {
            target.push(match start.is_null() {
                true => std::ptr::null(),
                false => start
                    .cast::<u8>()
                    .wrapping_add(position + offset)
                    .cast_const(),
            });
        }
    }
}

impl Drop for Section<'_> {
    fn drop(&mut self) {
        for (array, start) in self.list.arrays.iter().zip(&self.starts).rev() {
            if let Some(array) = array {
                // SAFETY: entered by `enter`, in which a null start stops the call before it is
                // kept.
                unsafe { self.env.release_critical(*array, *start, self.keep) };
            }
        }
    }
}

impl Arrays<'_> {
    /// Copies one slice of each array to its place in `copies` and returns the addresses there.
    fn copy_in(&self, env: Env, offset: usize, bytes: usize, copies: &mut [u8]) -> Pointers {
        for (index, (array, position)) in self.arrays.iter().zip(&self.positions).enumerate() {
            if let Some(array) = array {
                env.read_bytes(
                    *array,
                    position + offset,
                    &mut copies[index * bytes..][..bytes],
                );
            }
        }
        let start = copies.as_mut_ptr();
        let place = |(index, array): (usize, &Option<ByteArray>)| match array {
            Some(_) => start.wrapping_add(index * bytes).cast_const(),
            None => std::ptr::null(),
        };
        self.arrays.iter().enumerate().map(place).collect()
    }

    /// Copies one slice of each array back from its place in `copies`.
    fn copy_out(&self, env: Env, offset: usize, bytes: usize, copies: &[u8]) {
        for (index, (array, position)) in self.arrays.iter().zip(&self.positions).enumerate() {
            if let Some(array) = array {
                env.write_bytes(*array, position + offset, &copies[index * bytes..][..bytes]);
            }
        }
    }
}
