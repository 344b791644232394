// SPDX-License-Identifier: Apache-2.0
//! Groups of rails on which scheduling policies are compared.

use std::sync::Arc;
use std::time::Duration;

use bench_common::statistics::turns;
use stripeline_engine::{Engine, Options, Scheduling};
use stripeline_rail::Rail;

use crate::arguments::Settings;
use crate::drive::{self, Run};
use crate::failure::Failure;
use crate::load::Load;
use crate::rails::{self, Inventory, Kind};

/// The contention controller tests rails for some hundred milliseconds before its results are
/// reliable.
const LEARNING: Duration = Duration::from_secs(2);

/// A high limit, so that a machine that is busy for a moment does not make a rail look hung.
const STALL: Duration = Duration::from_secs(10);

/// Rails that one engine uses together.
#[derive(Clone, Debug)]
pub struct RailGroup {
    /// The name for reports: `cpu+isal`, `virtual 0.4+1.6 GB/s`.
    pub name: String,
    /// The rails of the group.
    pub kinds: Vec<Kind>,
    /// Whether the rails share no resource.
    pub independent: bool,
    /// The rate of the fastest rail divided by that of the slowest, if it is known beforehand.
    pub apart: Option<f64>,
}

impl RailGroup {
    /// Returns all real rails of the machine, which share its CPUs and memory; `None` if there is
    /// only one.
    pub fn real(inventory: &Inventory) -> Option<Self> {
        let rails: Vec<_> = inventory.present.iter().collect();
        (rails.len() > 1).then(|| Self::of(&rails))
    }

    /// Returns a group of real rails of this machine.
    pub fn of(rails: &[&Arc<dyn Rail>]) -> Self {
        let names: Vec<_> = rails.iter().map(|rail| rail.name()).collect();
        let kinds = rails.iter().map(|rail| Kind::Real(Arc::clone(rail)));
        Self {
            name: names.join("+"),
            kinds: kinds.collect(),
            independent: false,
            apart: None,
        }
    }

    /// Returns a group of rate-limited rails with these rates in 10^9 bytes of data per second.
    pub fn rate_limited(rates: &[f64]) -> Self {
        let most = rates.iter().copied().fold(0.0, f64::max);
        let least = rates.iter().copied().fold(most, f64::min);
        let texts: Vec<_> = rates.iter().map(f64::to_string).collect();
        let kind = |(index, rate): (usize, &f64)| {
            Kind::RateLimited(format!("virtual:{index}"), rate * 1e9)
        };
        Self {
            name: format!("virtual {} GB/s", texts.join("+")),
            kinds: rates.iter().enumerate().map(kind).collect(),
            independent: true,
            apart: Some(most / least),
        }
    }

    /// Returns the window of a measurement: pieces of rate-limited rails take a millisecond, others
    /// microseconds.
    pub fn window(&self, settings: &Settings) -> Duration {
        match self.independent {
            true => settings.window * 3,
            false => settings.window,
        }
    }
}

/// An engine with its name in the comparison.
pub struct Contestant {
    /// A rail's name, `first-come` or `rate-aware`.
    pub name: String,
    /// The engine.
    pub engine: Engine,
}

/// The contestant that has nothing to learn.
const FIRST_COME: &str = "first-come";

/// Opens engines for first-come and rate-aware scheduling of a group, in this order.
pub fn policies(group: &RailGroup) -> Result<Vec<Contestant>, Failure> {
    let policies = [
        (FIRST_COME, Scheduling::FirstCome),
        ("rate-aware", Scheduling::RateAware),
    ];
    let open = |(name, scheduling): (&str, Scheduling)| {
        Ok(Contestant {
            name: name.to_owned(),
            engine: rails::engine(&group.kinds, options(scheduling))?,
        })
    };
    policies.into_iter().map(open).collect()
}

/// Opens an engine for each rail alone.
pub fn singles(group: &RailGroup) -> Result<Vec<Contestant>, Failure> {
    let open = |kind: &Kind| {
        let name = kind.open().name().to_owned();
        let scheduling = Scheduling::Single(name.clone());
        let engine = rails::engine(std::slice::from_ref(kind), options(scheduling))?;
        Ok(Contestant { name, engine })
    };
    group.kinds.iter().map(open).collect()
}

fn options(scheduling: Scheduling) -> Options {
    Options {
        // A check on a virtual rail would use the CPU time of the others.
        check_every: 0,
        stall: STALL,
        ..rails::options(scheduling)
    }
}

/// Runs an engine until it has learned the rates and which rails to use, if it does learn them.
pub fn warm_up(
    contestant: &Contestant,
    load: &mut Load,
    settings: &Settings,
) -> Result<(), Failure> {
    let time = match settings.quick || contestant.name == FIRST_COME {
        true => settings.window,
        false => LEARNING.max(settings.window * 8),
    };
    drive::steady(&contestant.engine, load, time, &contestant.name).map(drop)
}

/// Runs the contestants in turn within every repetition.
pub fn take_turns(
    contestants: &[Contestant],
    load: &mut Load,
    window: Duration,
    repetitions: usize,
) -> Result<Vec<Vec<Run>>, Failure> {
    let mut runs = vec![Vec::new(); contestants.len()];
    for index in turns(contestants.len(), repetitions) {
        let Contestant { name, engine } = &contestants[index];
        runs[index].push(drive::steady(engine, load, window, name)?);
    }
    Ok(runs)
}
