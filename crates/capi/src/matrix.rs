// SPDX-License-Identifier: Apache-2.0
//! The location of the units of an engine's call: strided or scattered, in host or device memory.

use stripeline_boundary::List;
use stripeline_rail::{MemoryKind, Region};

use crate::arguments::{Call, Pointers};
use crate::failure::{Failure, Mistake};

/// The kinds of memory that hold units. Values are never reused.
#[allow(non_camel_case_types, reason = "the name in C")]
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum stripeline_memory {
    /// Ordinary memory of the process.
    STRIPELINE_HOST = 0,
    /// Memory of the process that is locked and registered with a device's driver: from
    /// stripeline_pinned_allocate(), or registered by the program.
    STRIPELINE_HOST_PINNED = 1,
    /// Memory of a device, which only its own rail reads and writes.
    STRIPELINE_DEVICE = 2,
}

/// The units of one side of a call: either `base` and `stride`, or `units`.
///
/// Set everything to 0 and then the fields that are needed:
///
/// ```c
/// stripeline_matrix data = {.size = sizeof data, .units = pointers, .count = 6};
/// stripeline_matrix parity = {.size = sizeof parity, .base = memory, .stride = 65536,
///                             .count = 3};
/// ```
///
/// Units that a call reads are never written: casting `const` away is safe for them.
#[allow(non_camel_case_types, reason = "the name in C")]
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct stripeline_matrix {
    /// sizeof(stripeline_matrix), which tells the library the fields that the program knows.
    pub size: usize,
    /// The start of the first unit; ignored if `units` is given.
    pub base: *mut u8,
    /// The distance between the starts of consecutive units in bytes.
    pub stride: usize,
    /// The start of each unit; NULL if `base` is given. The list is read before the call returns.
    pub units: *const *mut u8,
    /// The number of units.
    pub count: usize,
    /// A stripeline_memory: the kind of memory of all units.
    pub memory: i32,
    /// For STRIPELINE_DEVICE the number of the device, as its driver counts devices; else 0.
    pub device: u32,
}

/// The units of one side of a call, as read from C.
pub(crate) struct Matrix {
    name: &'static str,
    pub(crate) pointers: Pointers,
    pub(crate) is_strided: bool,
    kind: MemoryKind,
    bytes: usize,
}

impl Matrix {
    /// Returns the units as the boundary's checks take them.
    pub(crate) fn list(&self) -> List<'_> {
        List {
            name: self.name,
            pointers: &self.pointers,
            bytes: self.bytes,
        }
    }

    /// Returns the units as a job takes them.
    pub(crate) fn regions(&self) -> Vec<Region> {
        let region = |start: &*const u8| Region::new(start.cast_mut(), self.kind);
        self.pointers.iter().map(region).collect()
    }

    /// Returns the units as a job takes them, `None` where the pointer is null.
    pub(crate) fn present(&self) -> Vec<Option<Region>> {
        let region = |start: &*const u8| Region::new(start.cast_mut(), self.kind);
        let present = |start: &*const u8| (!start.is_null()).then(|| region(start));
        self.pointers.iter().map(present).collect()
    }
}

impl Call {
    /// Reads a matrix of `count` units of `bytes` bytes each.
    ///
    /// # Safety
    /// `matrix` must be null or point to a matrix of the size in its `size` field, whose list must
    /// have `count` entries. `count` must be at most `UNITS_MAX`.
    pub(crate) unsafe fn matrix(
        self,
        name: &'static str,
        matrix: *const stripeline_matrix,
        count: usize,
        bytes: usize,
    ) -> Result<Matrix, Failure> {
        // SAFETY: as the caller guarantees.
        let matrix = unsafe { self.sized(name, matrix) }?;
        if matrix.count != count {
            return Err(self.refuse(Mistake::Count(name, matrix.count, count)));
        }
        let mut read = Matrix {
            name,
            pointers: Pointers::new(),
            is_strided: matrix.units.is_null(),
            kind: self.kind(name, &matrix)?,
            bytes,
        };
        if read.is_strided {
            self.strided(name, &matrix, &mut read.pointers)?;
        } else {
            // SAFETY: not null, so it has `count` entries as the caller guarantees.
            unsafe { self.outputs(name, matrix.units, count, &mut read.pointers) }?;
        }
        Ok(read)
    }

    fn strided(
        self,
        name: &'static str,
        matrix: &stripeline_matrix,
        target: &mut Pointers,
    ) -> Result<(), Failure> {
        if matrix.base.is_null() && matrix.count > 0 {
            return Err(self.refuse(Mistake::Null(name)));
        }
        let span = matrix.stride.checked_mul(matrix.count.saturating_sub(1));
        let end = span.and_then(|span| matrix.base.addr().checked_add(span));
        if end.is_none() {
            return Err(self.refuse(Mistake::Stride(name, matrix.stride)));
        }
        for unit in 0..matrix.count {
            target.push(matrix.base.wrapping_add(unit * matrix.stride).cast_const());
        }
        Ok(())
    }

    fn kind(self, name: &'static str, matrix: &stripeline_matrix) -> Result<MemoryKind, Failure> {
        match (matrix.memory, u16::try_from(matrix.device)) {
            (0, _) => Ok(MemoryKind::Host),
            (1, _) => Ok(MemoryKind::HostPinned),
            (2, Ok(ordinal)) => Ok(MemoryKind::Device { ordinal }),
            (2, Err(_)) => Err(self.refuse(Mistake::UnknownDevice(name, matrix.device))),
            (other, _) => Err(self.refuse(Mistake::UnknownMemory(name, other))),
        }
    }

    /// Copies a structure that begins with its size. When fields are added at its end, the sizes
    /// that releases had must still be accepted, and the fields beyond them be 0.
    ///
    /// # Safety
    /// `structure` must be null or have as many readable bytes as its size field.
    pub(crate) unsafe fn sized<T: Copy>(
        self,
        name: &'static str,
        structure: *const T,
    ) -> Result<T, Failure> {
        if structure.is_null() {
            return Err(self.refuse(Mistake::Null(name)));
        }
        // SAFETY: not null; every such structure begins with its size.
        let size = unsafe { structure.cast::<usize>().read_unaligned() };
        if size != size_of::<T>() {
            return Err(self.refuse(Mistake::Size(name, size, size_of::<T>())));
        }
        // SAFETY: the caller's structure has as many bytes, which are plain numbers and addresses.
        Ok(unsafe { structure.read_unaligned() })
    }
}
