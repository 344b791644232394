// SPDX-License-Identifier: Apache-2.0
//! Compares a GPU's rail with the bound that copies alone set.

use bench_common::statistics::turns;
use stripeline_rail::MemoryKind;

use super::bound::{Allowed, Bound};
use super::{Device, PINNED, RESIDENT, trust};
use crate::arguments::Settings;
use crate::drive::{self, Run};
use crate::failure::Failure;
use crate::load::{RS_6_3, Shape};
use crate::parts::contest::{self, RailGroup};
use crate::parts::size;
use crate::report::{Judgement, Point, Section};

/// The contestant that sets the bound.
const COPIES: &str = "copies";

/// Returns explanations of the bounds.
pub fn notes() -> [String; 2] {
    [
        "pinned: copies are a stripe's k units to the device in one stream and another's m units \
         from it in a second one at the same time; they allow k/(k+m) of the bytes copied a \
         second"
            .to_owned(),
        "device: copies are those of one large block within the device's memory, each byte read \
         and written; coding reads k units and writes m, so they allow 2k/(k+m) of the bytes \
         copied a second"
            .to_owned(),
    ]
}

/// Measures with units in pinned memory.
pub fn pinned(settings: &Settings, device: &Device, section: &mut Section) -> Result<(), Failure> {
    let what = What {
        shape: RS_6_3,
        kind: MemoryKind::HostPinned,
        memory: "pinned",
        threshold: PINNED,
    };
    what.measure(settings, device, Bound::of_bus(device, RS_6_3)?, section)
}

/// Measures with units in the device's memory.
pub fn resident(
    settings: &Settings,
    device: &Device,
    shape: Shape,
    section: &mut Section,
) -> Result<(), Failure> {
    let what = What {
        shape,
        kind: device.gpu.memory_kind(),
        memory: "device",
        threshold: RESIDENT,
    };
    what.measure(settings, device, Bound::of_memory(device, shape)?, section)
}

struct What {
    shape: Shape,
    kind: MemoryKind,
    memory: &'static str,
    threshold: (&'static str, f64),
}

impl What {
    fn code(&self) -> String {
        format!("RS-{}-{}", self.shape.data, self.shape.parity)
    }

    fn measure(
        &self,
        settings: &Settings,
        device: &Device,
        mut bound: Bound,
        section: &mut Section,
    ) -> Result<(), Failure> {
        let mut contestant = contest::singles(&RailGroup::of(&[&device.rail]))?.remove(0);
        contestant.name += &format!(", {} in {} memory", self.code(), self.memory);
        let mut load = device.load(self.shape, self.kind)?;
        contest::warm_up(&contestant, &mut load, settings)?;
        bound.calibrate(settings.window)?;
        let (mut allowed, mut runs) = (Vec::new(), Vec::new());
        for turn in turns(2, settings.repetitions) {
            if turn == 0 {
                allowed.push(bound.measure()?);
                continue;
            }
            let (engine, who) = (&contestant.engine, &contestant.name);
            runs.push(drive::steady(engine, &mut load, settings.window, who)?);
        }
        trust(&contestant)?;
        self.report(settings, device, (&allowed, &runs), section);
        Ok(())
    }

    fn report(
        &self,
        settings: &Settings,
        device: &Device,
        (allowed, runs): (&[Allowed], &[Run]),
        section: &mut Section,
    ) {
        let at = |by: &str| {
            Point::new([
                ("code", self.code()),
                ("memory", self.memory.to_owned()),
                ("cell", size(device.cell_bytes)),
                ("by", by.to_owned()),
            ])
        };
        let copies = at(COPIES)
            .spread("gbps", allowed.iter().map(|allowed| allowed.gbps))
            .spread(
                "copied_gbps",
                allowed.iter().map(|allowed| allowed.copied_gbps),
            );
        let ratios = runs
            .iter()
            .zip(allowed)
            .map(|(run, allowed)| run.gbps / allowed.gbps);
        let rail = at(device.rail.name())
            .spread("gbps", runs.iter().map(|run| run.gbps))
            .spread("cpu_s_per_gb", runs.iter().map(|run| run.cpu_s_per_gb))
            .spread("x_bound", ratios);
        let (what, limit) = self.threshold;
        let name = device.about(&self.code(), what);
        let found = rail.value("x_bound");
        section.points.extend([copies, rail]);
        if device.judged {
            section
                .judgements
                .push(Judgement::at_least(name, found, limit, settings.quick));
        }
    }
}
