// SPDX-License-Identifier: Apache-2.0
//! The time until a GPU codes its first stripe, until an engine over it is closed, and until memory
//! is locked for it.

use std::sync::Arc;
use std::time::{Duration, Instant};

use stripeline_engine::Request;
use stripeline_rail::Rail;

use crate::arguments::Settings;
use crate::drive;
use crate::failure::Failure;
use crate::load::{Load, Operation};
use crate::parts::contest::{self, RailGroup};
use crate::report::{Point, Section};

/// Measures before anything else holds the device's context, which each opening here creates.
pub fn measure(
    settings: &Settings,
    (rail, stripes): (&Arc<dyn Rail>, usize),
    section: &mut Section,
) -> Result<(), Failure> {
    let load = Load::new(Operation::Encode, settings.gpu_cells[0], stripes);
    let (mut lanes, mut engines) = (Vec::new(), Vec::new());
    for _ in 0..settings.repetitions {
        let (lane, opened) = timed(|| rail.open_lane());
        let lane = lane.map_err(|fault| Failure::unable("open a lane", fault))?;
        lanes.push([opened, timed(|| drop(lane)).1]);
        engines.push(engine(rail, &load)?);
    }
    let pinned_bytes = load.stripes() * load.data_bytes();
    let pinned = pinned(rail, pinned_bytes, settings.repetitions)?;
    let name = rail.name().to_owned();
    let at = |step: &str| Point::new([("step", step.to_owned()), ("by", name.clone())]);
    let column = |index: usize| engines.iter().map(move |times| times[index]);
    section.points.push(
        at("lane")
            .spread("open_ms", lanes.iter().map(|times| times[0]))
            .spread("close_ms", lanes.iter().map(|times| times[1])),
    );
    section.points.push(
        at("engine")
            .spread("open_ms", column(0))
            .spread("first_stripe_ms", column(1))
            .spread("stripe_ms", column(2))
            .spread("close_under_load_ms", column(3)),
    );
    section.points.push(
        at("pinned memory")
            .once("mib", pinned_bytes as f64 / f64::from(1 << 20))
            .spread("allocate_ms", pinned.iter().map(|times| times[0]))
            .spread("release_ms", pinned.iter().map(|times| times[1])),
    );
    Ok(())
}

/// Returns the milliseconds for allocating pinned memory, which the system fills with zeros, and
/// for releasing it, again and again, while the device has a context.
fn pinned(
    rail: &Arc<dyn Rail>,
    bytes: usize,
    repetitions: usize,
) -> Result<Vec<[f64; 2]>, Failure> {
    let failed = |fault| Failure::unable("allocate pinned memory", fault);
    let _lane = rail.open_lane().map_err(failed)?;
    let mut times = Vec::new();
    for _ in 0..repetitions {
        let (buffer, allocated) = timed(|| rail.allocate_pinned(bytes));
        let buffer = buffer.transpose().map_err(failed)?;
        times.push([allocated, timed(|| drop(buffer)).1]);
    }
    Ok(times)
}

/// Returns the milliseconds for opening an engine, for its first stripe, for its second one, and
/// for closing it while all stripes are outstanding.
fn engine(rail: &Arc<dyn Rail>, load: &Load) -> Result<[f64; 4], Failure> {
    let group = RailGroup::of(&[rail]);
    let (contestants, opened) = timed(|| contest::singles(&group));
    let engine = contestants?.remove(0).engine;
    let (done, first) = timed(|| drive::count(&engine, load, 1));
    done?;
    let (done, second) = timed(|| drive::count(&engine, load, 1));
    done?;
    let issue = |stripe| engine.issue(load.piece(stripe), Request::default());
    let issued = (0..load.stripes())
        .map(issue)
        .collect::<Result<Vec<_>, _>>();
    let (_, closed) = timed(|| drop(engine));
    let tickets = issued.map_err(|rejected| Failure::unable("issue a stripe", rejected.error))?;
    // Stripes that had not begun end as closed; the load is used until all have ended.
    tickets.iter().for_each(|ticket| drop(ticket.wait()));
    Ok([opened, first, second, closed])
}

/// Returns the result of an action and its milliseconds.
fn timed<R>(action: impl FnOnce() -> R) -> (R, f64) {
    let begun = Instant::now();
    let result = action();
    let time: Duration = begun.elapsed();
    (result, time.as_secs_f64() * 1e3)
}
