// SPDX-License-Identifier: Apache-2.0
//! NVIDIA GPUs, one rail each, if the system has NVIDIA's driver.
//!
//! `libcuda.so.1` is loaded at run time and the kernel is embedded as text that the driver
//! compiles, so no part of CUDA is needed to build, or to run without a GPU.
//!
//! A lane has a few slots, each a stream with its own pinned and device memory. Units in ordinary
//! memory are staged through pinned memory, and the caller's buffers are released while the device
//! works: a device that hangs costs a slot, whose memory is freed only when the device has
//! finished. Units in pinned or device memory are used in place; if the device hangs on those, its
//! context is ended before the piece is returned.
//!
//! Coding on a GPU pays off if the units are there already, or if CPU time costs more than the
//! transfer over the bus. Small pieces are faster on a CPU.

mod batch;
mod buffers;
mod context;
mod device;
mod driver;
mod gpu;
mod lane;
mod launch;
mod layout;
mod nonzero;
mod poll_backoff;
mod primary;
mod registration;
mod slot;
mod status;
mod tables;

use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use device::Device;
use driver::Driver;
use gpu::Gpu;
use lane::CudaLane;

use crate::pinned::PinnedBuffer;
use crate::{Capability, Fault, Lane, MemoryKind, Rail};

/// The most bytes of each buffer in a piece, unless a tuning table sets another value.
///
/// On an H200 the driver's calls for a piece, its copies and its launch take 7 to 16 us, and the
/// bus carries 80 GB/s, both directions together (PCIe 5 with 16 lanes). 2 MiB of each of six
/// inputs and three outputs take 240 us there, more than ten times the fixed cost. `tune` finds the
/// best size for a machine.
///
/// This limit does not split units in device memory: 2 MiB of each of ten inputs take that GPU 13
/// us, not much more than the 5 us that a launch takes.
const PIECE_BYTES: usize = 2 << 20;

/// The resources of a GPU's lanes, and their time limits.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct CudaSettings {
    /// The driver's library: a path or a name that the loader resolves.
    pub library: PathBuf,
    /// Lanes per GPU. More than one, so that several threads can stage at the same time.
    pub lanes: usize,
    /// Streams per lane, each with a piece in flight: one copied in, one coded, one copied out, and
    /// one being staged.
    pub slots: usize,
    /// The most bytes of pinned memory, and of device memory, that a slot uses at a time; at least
    /// 2 MiB. A slot begins with 2 MiB and grows when a piece needs more; the outgrown memory, less
    /// than twice as much, stays allocated until its lane is dropped.
    pub slot_bytes: usize,
    /// How long the device may work on a caller's pinned or device memory before it counts as
    /// hanging and its context is ended.
    pub hang_limit: Duration,
    /// How long dropping a lane waits for the device, and then for the driver to end the context.
    pub drop_limit: Duration,
}

impl Default for CudaSettings {
    fn default() -> Self {
        Self {
            library: PathBuf::from("libcuda.so.1"),
            lanes: 2,
            slots: 4,
            // 4 MiB of each of ten inputs and four outputs: more than the default piece, so that a
            // measurement can determine whether larger pieces are faster.
            slot_bytes: 64 << 20,
            hang_limit: Duration::from_secs(10),
            drop_limit: Duration::from_secs(2),
        }
    }
}

/// A GPU that the driver reports, with its rail or the reason why there is none.
#[derive(Debug)]
pub struct FoundGpu {
    /// The rail's name: `cuda:0` for the first.
    pub name: String,
    /// The rail, or the reason why this GPU cannot be one.
    pub rail: Result<Cuda, String>,
}

/// One GPU.
#[derive(Debug)]
pub struct Cuda {
    name: String,
    capability: Capability,
    driver_version: String,
    gpu: Arc<Gpu>,
}

impl Cuda {
    /// Returns the GPUs of this machine.
    ///
    /// # Errors
    /// The reason why there are none: no driver, or a driver without devices.
    pub fn rails() -> Result<Vec<FoundGpu>, String> {
        Self::rails_with(&CudaSettings::default())
    }

    /// Returns the GPUs of this machine, with settings other than the default ones.
    ///
    /// # Errors
    /// As [`Cuda::rails`].
    ///
    /// # Panics
    /// If the settings have no slots, no lanes, or slots of less than 2 MiB.
    pub fn rails_with(settings: &CudaSettings) -> Result<Vec<FoundGpu>, String> {
        assert!(
            settings.slots > 0
                && settings.lanes > 0
                && settings.slot_bytes >= layout::SLOT_BYTES_MIN,
            "lanes, slots and room for any matrix: {settings:?}"
        );
        let found = || -> Result<_, Fault> {
            let driver = Driver::load(Path::new(&settings.library))?;
            Ok((Device::count(&driver)?, driver.version()?, driver))
        };
        let (count, version, driver) = found().map_err(|fault| fault.to_string())?;
        if count == 0 {
            return Err("the driver has no devices".to_owned());
        }
        let version = format!("{}.{}", version / 1_000, version % 1_000 / 10);
        let gpu = |ordinal| FoundGpu {
            name: format!("cuda:{ordinal}"),
            rail: Device::new(&driver, ordinal)
                .map(|device| Self::new(device, &version, settings))
                .map_err(|fault| fault.to_string()),
        };
        Ok((0..count).map(gpu).collect())
    }

    fn new(device: Arc<Device>, driver_version: &str, settings: &CudaSettings) -> Self {
        let ordinal = device.ordinal;
        let capability = Capability {
            memory: vec![
                MemoryKind::Host,
                MemoryKind::HostPinned,
                MemoryKind::Device { ordinal },
            ],
            lanes: settings.lanes,
            depth: settings.slots,
            piece_bytes: PIECE_BYTES,
            room_bytes: Some(layout::room_bytes(settings.slot_bytes)),
            detaches: true,
            costly_lanes: true,
            ..Capability::synchronous()
        };
        Self {
            name: format!("cuda:{ordinal}"),
            capability,
            driver_version: driver_version.to_owned(),
            gpu: Arc::new(Gpu::new(device, settings)),
        }
    }
}

impl Rail for Cuda {
    fn name(&self) -> &str {
        &self.name
    }

    fn describe(&self) -> String {
        let device = &self.gpu.device;
        let (major, minor) = device.capability;
        format!(
            "{}, compute capability {major}.{minor}, driver for CUDA {}",
            device.name, self.driver_version
        )
    }

    fn capability(&self) -> &Capability {
        &self.capability
    }

    fn open_lane(&self) -> Result<Box<dyn Lane>, Fault> {
        Ok(Box::new(CudaLane::new(&self.gpu)?))
    }

    fn allocate_pinned(&self, bytes: usize) -> Option<Result<PinnedBuffer, Fault>> {
        Some(registration::allocate(&self.gpu, bytes))
    }
}
