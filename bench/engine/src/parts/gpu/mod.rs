// SPDX-License-Identifier: Apache-2.0
//! Compares GPU rails with the copies that bound them, and with the GPU and the CPU together.

mod bound;
mod bounded;
mod opening;
mod together;

use std::rc::Rc;
use std::sync::Arc;

use stripeline_engine::RailStatistics;
use stripeline_rail::{MemoryKind, Rail};

use super::contest::Contestant;
use super::size;
use crate::arguments::Settings;
use crate::away::Away;
use crate::failure::Failure;
use crate::gpu::Gpu;
use crate::load::{Load, RS_6_3, Shape};
use crate::rails::Inventory;
use crate::report::{Judgement, Section};

/// Twice as many stripes outstanding as a GPU's lanes have streams, so that no stream waits for the
/// caller; with cells of 1 MiB they exceed the caches of current GPUs.
const WINDOW: usize = 16;

/// Enough for a functional test.
const QUICK_WINDOW: usize = 4;

const RS_10_4: Shape = Shape {
    data: 10,
    parity: 4,
};

/// The thresholds: name and limit.
const PINNED: (&str, f64) = ("host-resident pinned over the measured PCIe copy rate", 0.8);
const RESIDENT: (&str, f64) = (
    "device-resident over the bound of the measured copy bandwidth",
    0.6,
);
const TOGETHER: (&str, f64) = ("CPU and GPU together over the best of them alone", 0.95);

/// A GPU and its rail.
struct Device {
    gpu: Rc<Gpu>,
    rail: Arc<dyn Rail>,
    cell_bytes: usize,
    window: usize,
    /// Whether the thresholds apply to it.
    judged: bool,
}

/// Measures this part.
pub fn run(settings: &Settings, inventory: &Inventory) -> Result<Section, Failure> {
    let mut section = Section::new(
        "gpu",
        "GPU rails over the limit set by copies alone, and together with the CPU; encode, GB/s of \
         data by wall clock",
    );
    let window = if settings.quick { QUICK_WINDOW } else { WINDOW };
    for (ordinal, rail) in inventory.gpus() {
        opening::measure(settings, (rail, window), &mut section)?;
        for (index, cell_bytes) in settings.gpu_cells.iter().enumerate() {
            let device = Device {
                gpu: Gpu::open(ordinal, rail)?,
                rail: Arc::clone(rail),
                cell_bytes: *cell_bytes,
                window,
                judged: index == 0,
            };
            section.notes.push(device.describe());
            bounded::pinned(settings, &device, &mut section)?;
            for shape in [RS_6_3, RS_10_4] {
                bounded::resident(settings, &device, shape, &mut section)?;
            }
            if device.judged {
                together::measure(settings, &device, &mut section)?;
            }
        }
    }
    if section.points.is_empty() {
        let absent = |(what, limit): (&str, f64)| {
            Judgement::not_measured(format!("GPU rail, {what}"), &format!("at least {limit}"))
        };
        section
            .judgements
            .extend([PINNED, RESIDENT, TOGETHER].map(absent));
        return Ok(section);
    }
    section.notes.extend(bounded::notes());
    Ok(section)
}

impl Device {
    fn describe(&self) -> String {
        format!(
            "{} is {}; cells of {}, {} stripes outstanding",
            self.rail.name(),
            self.rail.describe(),
            size(self.cell_bytes),
            self.window
        )
    }

    /// Creates stripes to encode, with units in this kind of memory.
    fn load(&self, shape: Shape, kind: MemoryKind) -> Result<Load, Failure> {
        let units = shape.units() * self.window;
        let away = Away::new(&self.gpu, kind, self.cell_bytes, units)?;
        Load::encode_away(shape, self.window, away)
    }

    /// Returns a threshold's name for this device.
    fn about(&self, place: &str, what: &str) -> String {
        format!("{}, {place}, {what}", self.rail.name())
    }
}

/// Refuses figures that include failures of a rail.
fn trust(contestant: &Contestant) -> Result<(), Failure> {
    for RailStatistics {
        name,
        faults,
        revoked,
        quarantines,
        ..
    } in contestant.engine.statistics().rails
    {
        if faults + revoked + quarantines > 0 {
            let action = format!("trust the figures of {}", contestant.name);
            let reason = format!("{name} failed {faults} pieces, did not answer {revoked} times");
            return Err(Failure::unable(&action, reason));
        }
    }
    Ok(())
}
