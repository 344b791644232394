// SPDX-License-Identifier: Apache-2.0
//! Units in memory that a GPU accesses directly: pinned memory of the host, or its own.

use std::rc::Rc;

use stripeline_rail::{MemoryKind, Region};

use crate::failure::Failure;
use crate::gpu::{Copy, Gpu, Memory};

/// A number of units of one length in one block of memory.
pub struct Away {
    gpu: Rc<Gpu>,
    units: Memory,
    /// The buffer of a unit in transit between the program's own memory and the device's: the
    /// driver's copies from ordinary memory may return before the bytes have arrived.
    staging: Memory,
    unit_bytes: usize,
}

impl Away {
    /// Allocates the units.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn new(
        gpu: &Rc<Gpu>,
        kind: MemoryKind,
        unit_bytes: usize,
        units: usize,
    ) -> Result<Self, Failure> {
        Ok(Self {
            gpu: Rc::clone(gpu),
            units: Memory::new(gpu, kind, units * unit_bytes)?,
            staging: Memory::new(gpu, MemoryKind::HostPinned, unit_bytes)?,
            unit_bytes,
        })
    }

    /// Returns the length of each unit in bytes.
    pub fn unit_bytes(&self) -> usize {
        self.unit_bytes
    }

    /// Returns the position of a unit.
    pub fn region(&self, unit: usize) -> Region {
        self.units.region(unit * self.unit_bytes)
    }

    /// Writes a unit.
    ///
    /// # Errors
    /// If the device fails.
    pub fn put(&mut self, unit: usize, bytes: &[u8]) -> Result<(), Failure> {
        let start = unit * self.unit_bytes;
        let place = start..start + self.unit_bytes;
        if self.units.is_on_host() {
            self.units.slice_mut(place).copy_from_slice(bytes);
            return Ok(());
        }
        let staging = self.staging.slice_mut(0..self.unit_bytes);
        staging.copy_from_slice(bytes);
        self.carry((&self.units, start), (&self.staging, 0))
    }

    /// Reads a unit.
    ///
    /// # Errors
    /// If the device fails.
    pub fn get(&self, unit: usize, bytes: &mut [u8]) -> Result<(), Failure> {
        let start = unit * self.unit_bytes;
        let place = start..start + self.unit_bytes;
        if self.units.is_on_host() {
            bytes.copy_from_slice(self.units.slice(place));
            return Ok(());
        }
        self.carry((&self.staging, 0), (&self.units, start))?;
        bytes.copy_from_slice(self.staging.slice(0..self.unit_bytes));
        Ok(())
    }

    fn carry(&self, to: (&Memory, usize), from: (&Memory, usize)) -> Result<(), Failure> {
        let copy = Copy {
            stream: 0,
            to,
            from,
            bytes: self.unit_bytes,
        };
        self.gpu.copy(&[copy], 1).map(drop)
    }
}
