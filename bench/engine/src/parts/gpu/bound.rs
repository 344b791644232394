// SPDX-License-Identifier: Apache-2.0
//! The upper bound that copies alone set, measured on the same memory layout as the rail.

use std::rc::Rc;
use std::time::Duration;

use stripeline_rail::MemoryKind;

use super::Device;
use crate::failure::Failure;
use crate::gpu::{Copy, Gpu, Memory};
use crate::load::Shape;

/// A device copies inputs in one stream and outputs in another.
const INWARD: usize = 0;
const OUTWARD: usize = 1;

/// Copies that move as many bytes over the limiting resource as coding does, and no more.
pub struct Bound {
    gpu: Rc<Gpu>,
    shape: Shape,
    cell_bytes: usize,
    stripes: usize,
    here: Memory,
    there: Memory,
    /// The number of rounds in a window.
    rounds: usize,
}

/// The result of a measurement.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Allowed {
    /// 10^9 bytes copied per second of wall time.
    pub copied_gbps: f64,
    /// 10^9 bytes of data that could be coded per second at this rate.
    pub gbps: f64,
}

impl Bound {
    /// Between pinned memory and the device: for each stripe the data units are copied in while the
    /// parity units of another are copied out.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn of_bus(device: &Device, shape: Shape) -> Result<Self, Failure> {
        Self::new(device, shape, MemoryKind::HostPinned)
    }

    /// Within the device's memory: each copied byte is read once and written once.
    ///
    /// # Errors
    /// If there is not enough memory.
    pub fn of_memory(device: &Device, shape: Shape) -> Result<Self, Failure> {
        Self::new(device, shape, device.gpu.memory_kind())
    }

    fn new(device: &Device, shape: Shape, kind: MemoryKind) -> Result<Self, Failure> {
        let (cell_bytes, stripes) = (device.cell_bytes, device.window);
        let bytes = shape.units() * cell_bytes * stripes;
        Ok(Self {
            gpu: Rc::clone(&device.gpu),
            shape,
            cell_bytes,
            stripes,
            here: Memory::new(&device.gpu, kind, bytes)?,
            there: Memory::new(&device.gpu, device.gpu.memory_kind(), bytes)?,
            rounds: 1,
        })
    }

    /// Finds the number of rounds that fill a window.
    ///
    /// # Errors
    /// If the device fails.
    pub fn calibrate(&mut self, window: Duration) -> Result<(), Failure> {
        let copies = self.copies();
        let mut rounds = 1;
        let mut time = self.gpu.copy(&copies, rounds)?;
        while time < window / 4 {
            rounds *= 2;
            time = self.gpu.copy(&copies, rounds)?;
        }
        drop(copies);
        let each = time.as_secs_f64() / rounds as f64;
        self.rounds = ((window.as_secs_f64() / each) as usize).max(1);
        Ok(())
    }

    /// Runs the copies for a window.
    ///
    /// # Errors
    /// If the device fails.
    pub fn measure(&self) -> Result<Allowed, Failure> {
        let time = self.gpu.copy(&self.copies(), self.rounds)?;
        let bytes = self.shape.units() * self.cell_bytes * self.stripes * self.rounds;
        let copied_gbps = bytes as f64 / 1e9 / time.as_secs_f64();
        Ok(allowed(self.shape, self.here.is_on_host(), copied_gbps))
    }

    /// Returns the copies, as large as possible: the fixed cost of a copy must not lower the bound.
    fn copies(&self) -> Vec<Copy<'_>> {
        let (here, there) = (&self.here, &self.there);
        let stripe_bytes = self.shape.units() * self.cell_bytes;
        if !here.is_on_host() {
            return vec![Copy {
                stream: INWARD,
                to: (there, 0),
                from: (here, 0),
                bytes: stripe_bytes * self.stripes,
            }];
        }
        let data_bytes = self.shape.data * self.cell_bytes;
        let of_stripe = |stripe: usize| {
            let data = stripe * stripe_bytes;
            let parity = data + data_bytes;
            [
                Copy {
                    stream: INWARD,
                    to: (there, data),
                    from: (here, data),
                    bytes: data_bytes,
                },
                Copy {
                    stream: OUTWARD,
                    to: (here, parity),
                    from: (there, parity),
                    bytes: stripe_bytes - data_bytes,
                },
            ]
        };
        (0..self.stripes).flat_map(of_stripe).collect()
    }
}

/// Computes the coding rate that a copy rate allows. Over the bus a coder moves the same bytes as
/// the copies: of k + m units k are data. In the device's memory it reads k units and writes m,
/// while each copied unit is both read and written.
fn allowed(shape: Shape, over_the_bus: bool, copied_gbps: f64) -> Allowed {
    let data = shape.data as f64 / shape.units() as f64;
    let moved = if over_the_bus { 1.0 } else { 2.0 };
    Allowed {
        copied_gbps,
        gbps: moved * copied_gbps * data,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::RS_6_3;

    #[test]
    fn copies_allow_what_they_move() {
        // 9 units per second over the bus are 6 of data; the same copies in memory move 18 units.
        let bus = allowed(RS_6_3, true, 9.0);
        let memory = allowed(RS_6_3, false, 9.0);
        assert!((bus.gbps - 6.0).abs() < 1e-12, "{bus:?}");
        assert!((memory.gbps - 12.0).abs() < 1e-12, "{memory:?}");
    }
}
