// SPDX-License-Identifier: Apache-2.0
//! One launch of the kernel: its arguments and its number of threads.

use std::ffi::c_void;

use super::context::{Context, Entered};
use super::driver::{DeviceAddress, Handle};
use super::tables::ROWS_MAX;
use crate::Fault;

/// The most buffers of a launch, same as `BUFFERS_MAX` in `kernel.cu`.
pub(super) const BUFFERS_MAX: usize = 255 + ROWS_MAX;

/// Same as `UNIT_BYTES` in `kernel.cu`.
const UNIT_BYTES: u64 = 16;

/// Threads per block, as in the kernel's launch bounds.
const THREADS: u32 = 256;

/// The most blocks per multiprocessor: eight times as many as fit at a time. Multiprocessors end at
/// different times, and the more blocks there are, the less time the last ones take alone: 5 %
/// faster on an H200 than twice as many as fit. With fewer blocks each thread processes more units.
const BLOCKS_PER_MULTIPROCESSOR: u32 = 32;

/// The arguments of a launch, as `struct Product` in `kernel.cu`.
#[repr(C)]
#[derive(Debug)]
struct Arguments {
    buffers: [DeviceAddress; BUFFERS_MAX],
    tables: DeviceAddress,
    bytes: u64,
    columns: u32,
    adds: u32,
    aligned: u32,
    unused: u32,
}

// The size of the kernel's parameter in the PTX.
const _: () = assert!(size_of::<Arguments>() == 2_104);

/// Products of one matrix of up to [`ROWS_MAX`] rows on the device, one for each stripe.
#[derive(Debug)]
pub(super) struct Product<'a> {
    /// The inputs and then the outputs of each stripe.
    pub buffers: &'a [DeviceAddress],
    pub columns: usize,
    pub rows: usize,
    pub tables: DeviceAddress,
    /// The bytes of each buffer.
    pub bytes: usize,
    pub adds: bool,
}

impl Product<'_> {
    /// Puts the launch into a stream.
    pub fn launch(
        &self,
        context: &Context,
        _alive: &Entered<'_>,
        stream: Handle,
    ) -> Result<(), Fault> {
        let mut arguments = self.arguments();
        let mut parameters = [(&raw mut arguments).cast::<c_void>()];
        let driver = &context.device.driver;
        let units = (self.bytes as u64).div_ceil(UNIT_BYTES);
        let blocks_max = context.device.multiprocessors * BLOCKS_PER_MULTIPROCESSOR;
        let blocks = units
            .div_ceil(u64::from(THREADS))
            .min(u64::from(blocks_max)) as u32;
        let stripes = self.buffers.len() / (self.columns + self.rows);
        // SAFETY: the kernel takes one parameter of this layout, which the driver copies within the
        // call. Its addresses have `bytes` bytes each: a slot's addresses by its layout, a caller's
        // by the guarantee of the job's creator.
        let status = unsafe {
            (driver.functions.launch)(
                context.kernel(self.rows),
                blocks,
                stripes as u32,
                1,
                THREADS,
                1,
                1,
                0,
                stream,
                parameters.as_mut_ptr(),
                std::ptr::null_mut(),
            )
        };
        driver.check("launch the kernel", status)
    }

    fn arguments(&self) -> Arguments {
        let mut buffers = [0; BUFFERS_MAX];
        buffers[..self.buffers.len()].copy_from_slice(self.buffers);
        let mut addresses = self.buffers.iter();
        Arguments {
            buffers,
            tables: self.tables,
            bytes: self.bytes as u64,
            columns: self.columns as u32,
            adds: u32::from(self.adds),
            aligned: u32::from(addresses.all(is_aligned)),
            unused: 0,
        }
    }
}

/// Returns whether the kernel can load units from a buffer at this address.
pub(super) fn is_aligned(address: &DeviceAddress) -> bool {
    address.is_multiple_of(UNIT_BYTES)
}
