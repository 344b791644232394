// SPDX-License-Identifier: Apache-2.0
//! Checks and conversion of the natives' arguments.

use std::fmt;
use std::ops::ControlFlow;

use arrayvec::ArrayVec;
use jni_sys::{jint, jobject};
use stripeline_boundary::{List, UNITS_MAX, check_memory};
use stripeline_codec::ChecksumKind;

use crate::env::{Env, IntArray, ObjectArray, Reference};
use crate::failure::Failure;

/// The addresses of one list's buffers, on the stack; null for an absent unit.
pub(crate) type Pointers = ArrayVec<*const u8, UNITS_MAX>;

/// The values of an `int[]`, on the stack.
pub(crate) type Ints = ArrayVec<jint, UNITS_MAX>;

/// The source of a list's entries, with the names used in messages.
#[derive(Clone, Copy)]
pub(crate) enum Source {
    /// A Java array of buffers: its name in `NativeBridge`, the array and its positions.
    Array(&'static str, jobject, jobject),
    /// Two buffers that are separate arguments, with their names.
    Pair([(&'static str, jobject); 2]),
}

/// A list of buffers, with the position in each buffer where its unit starts.
pub(crate) struct Units {
    source: Source,
    positions: Ints,
}

/// A step over one slice of all units: takes the inputs (null where absent), the outputs and the
/// number of bytes of each.
pub(crate) type Step<'a> =
    dyn FnMut(&Pointers, &Pointers, usize) -> Result<ControlFlow<()>, Failure> + 'a;

/// Whether entries of a list may be null.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Absence {
    Refused,
    Allowed,
}

/// Converts a length or position that Java passed.
pub(crate) fn non_negative(name: &str, value: jint) -> Result<usize, Failure> {
    usize::try_from(value)
        .map_err(|_| Failure::argument(format_args!("{name} is {value}, below 0")))
}

/// Returns the kind of checksum that Java's number stands for.
pub(crate) fn checksum_kind(kind: jint) -> Result<ChecksumKind, Failure> {
    match kind {
        0 => Ok(ChecksumKind::Crc32c),
        1 => Ok(ChecksumKind::Crc32),
        _ => Err(Failure::argument(format_args!(
            "checksum kind is {kind}, known are 0 (CRC-32C) and 1 (CRC-32)"
        ))),
    }
}

/// Wraps a reference that must not be null.
///
/// # Safety
/// `object` must be null or a live reference to the Java type that `T` stands for.
pub(crate) unsafe fn present<T: Reference>(name: &str, object: jobject) -> Result<T, Failure> {
    if object.is_null() {
        return Err(Failure::argument(format_args!("{name} is null")));
    }
    // SAFETY: not null; the caller guarantees the rest.
    Ok(unsafe { T::from_raw(object) })
}

/// Copies an `int[]` of at most `UNITS_MAX` entries into `target`.
pub(crate) fn read_ints(
    env: Env,
    name: &str,
    array: IntArray,
    target: &mut Ints,
) -> Result<(), Failure> {
    let count = env.length(array);
    if count > UNITS_MAX {
        return Err(Failure::argument(format_args!(
            "{name} has {count} entries, at most {UNITS_MAX} are allowed"
        )));
    }
    target.clear();
    target.extend(std::iter::repeat_n(0, count));
    env.read_ints(array, target);
    Ok(())
}

impl Units {
    /// Creates a list from an array that [`Units::read`] reads later. A list is 1 KiB: it is filled
    /// in place, because returning it through a `Result` copies all of it, which is measurable in a
    /// call of 300 ns.
    pub(crate) fn array(name: &'static str, array: jobject, positions: jobject) -> Self {
        Self {
            source: Source::Array(name, array, positions),
            positions: Ints::new(),
        }
    }

    /// Reads the positions; there must be `count` entries, or any number up to `UNITS_MAX` if
    /// `count` is `None`.
    ///
    /// # Safety
    /// The array must be null or an array of the buffer type in the native's declaration, the
    /// positions null or an `int[]`.
    pub(crate) unsafe fn read(&mut self, env: Env, count: Option<usize>) -> Result<(), Failure> {
        let Source::Array(name, array, positions) = self.source else {
            return Ok(());
        };
        // SAFETY: as the caller guarantees.
        let array: ObjectArray = unsafe { present(name, array)? };
        let entries = env.length(array);
        let wanted = count.unwrap_or(entries);
        if entries != wanted {
            return Err(Failure::argument(format_args!(
                "{name} has {entries} entries, {wanted} needed"
            )));
        }
        // SAFETY: as the caller guarantees.
        let positions: IntArray = unsafe { present("an array of positions", positions)? };
        read_ints(env, "an array of positions", positions, &mut self.positions)?;
        if self.positions.len() != entries {
            return Err(Failure::argument(format_args!(
                "{name} has {entries} entries but {} positions",
                self.positions.len()
            )));
        }
        Ok(())
    }

    /// Creates a list of two buffers that are separate arguments: name, buffer and position of
    /// each.
    pub(crate) fn pair(
        one: (&'static str, jobject, jint),
        other: (&'static str, jobject, jint),
    ) -> Self {
        Self {
            source: Source::Pair([(one.0, one.1), (other.0, other.1)]),
            positions: [one.2, other.2].into_iter().collect(),
        }
    }

    /// Creates a list without entries.
    pub(crate) fn none() -> Self {
        let nothing = ("nothing", std::ptr::null_mut());
        Self {
            source: Source::Pair([nothing; 2]),
            positions: Ints::new(),
        }
    }

    /// Returns the number of entries.
    pub(crate) fn count(&self) -> usize {
        self.positions.len()
    }

    /// Returns one entry; `None` for null.
    ///
    /// # Safety
    /// The entries must be of the Java type that `T` stands for.
    pub(crate) unsafe fn element<T: Reference>(&self, env: Env, index: usize) -> Option<T> {
        match self.source {
            // SAFETY: not null, which `read` has checked; the caller guarantees the rest.
            Source::Array(_, array, _) => unsafe {
                env.element(ObjectArray::from_raw(array), index)
            },
            Source::Pair(objects) => {
                let object = objects[index].1;
                // SAFETY: not null; the caller guarantees the rest.
                (!object.is_null()).then(|| unsafe { T::from_raw(object) })
            }
        }
    }

    /// Returns the position of an entry after checking it against the length of its buffer.
    pub(crate) fn position(
        &self,
        index: usize,
        length: usize,
        capacity: usize,
    ) -> Result<usize, Failure> {
        let given = self.positions[index];
        match usize::try_from(given) {
            // No sum overflows: both are at most 2^31.
            Ok(position) if position + length <= capacity => Ok(position),
            _ => Err(self.refuse(
                index,
                format_args!("has {capacity} bytes, needed are {length} at position {given}"),
            )),
        }
    }

    /// Returns the failure for a mistake in one entry.
    #[cold]
    pub(crate) fn refuse(&self, index: usize, mistake: impl fmt::Display) -> Failure {
        match self.source {
            Source::Array(name, ..) => Failure::argument(format_args!("{name}[{index}] {mistake}")),
            Source::Pair(names) => Failure::argument(format_args!("{} {mistake}", names[index].0)),
        }
    }

    /// Returns the memory of the entries, with their names, for the overlap check.
    pub(crate) fn lists<'a>(&self, starts: &'a Pointers, bytes: usize) -> ArrayVec<List<'a>, 2> {
        let list = |name, pointers| List {
            name,
            pointers,
            bytes,
        };
        match self.source {
            Source::Array(name, ..) => [list(name, starts.as_slice())].into_iter().collect(),
            Source::Pair(names) => names
                .iter()
                .zip(starts.chunks(1))
                .map(|(name, start)| list(name.0, start))
                .collect(),
        }
    }

    /// Refuses outputs that are null or share bytes with another buffer.
    pub(crate) fn check_disjoint(
        inputs: (&Self, &Pointers),
        outputs: (&Self, &Pointers),
        length: usize,
    ) -> Result<(), Failure> {
        let input_lists = inputs.0.lists(inputs.1, length);
        for output_list in outputs.0.lists(outputs.1, length) {
            check_memory(&input_lists, &output_list)?;
        }
        Ok(())
    }
}
