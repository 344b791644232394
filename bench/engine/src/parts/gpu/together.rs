// SPDX-License-Identifier: Apache-2.0
//! Compares a GPU and the CPU together with each of them alone.

use stripeline_rail::MemoryKind;

use super::{Device, TOGETHER, trust};
use crate::arguments::Settings;
use crate::failure::Failure;
use crate::load::{Load, Operation, RS_6_3};
use crate::parts::contest::{self, RailGroup};
use crate::parts::rates::{self, What};
use crate::rails::Kind;
use crate::report::{Judgement, Section};

/// Measures with units in pinned memory, and in ordinary memory, which the rail's threads copy.
pub fn measure(settings: &Settings, device: &Device, section: &mut Section) -> Result<(), Failure> {
    let pinned = device.load(RS_6_3, MemoryKind::HostPinned)?;
    contest(settings, device, ("pinned", pinned), section)?;
    let ordinary = Load::new(Operation::Encode, device.cell_bytes, device.window);
    contest(settings, device, ("ordinary", ordinary), section)
}

fn contest(
    settings: &Settings,
    device: &Device,
    (memory, mut load): (&str, Load),
    section: &mut Section,
) -> Result<(), Failure> {
    let cpu = Kind::cpu().open();
    let group = RailGroup::of(&[&cpu, &device.rail]);
    let mut contestants = contest::singles(&group)?;
    let singles = contestants.len();
    contestants.extend(contest::policies(&group)?);
    for contestant in &contestants {
        contest::warm_up(contestant, &mut load, settings)?;
    }
    let (window, repetitions) = (settings.window, settings.repetitions);
    let runs = contest::take_turns(&contestants, &mut load, window, repetitions)?;
    contestants.iter().try_for_each(trust)?;
    let rails = format!("{}, {memory} memory", group.name);
    let what = What {
        operation: Operation::Encode,
        cell_bytes: device.cell_bytes,
        window: device.window,
    };
    let mut found = None;
    for (contestant, own) in contestants.iter().zip(&runs) {
        let point = rates::point((&rails, what), &contestant.name, own, &runs, singles);
        // The last contestant is rate-aware.
        found = point.value("x_best");
        section.points.push(point);
    }
    let (question, limit) = TOGETHER;
    let name = device.about(&format!("RS-6-3 in {memory} memory"), question);
    section
        .judgements
        .push(Judgement::at_least(name, found, limit, settings.quick));
    Ok(())
}
