// SPDX-License-Identifier: Apache-2.0
//! The rails of this machine, and engines over them.

use std::path::Path;
use std::sync::Arc;

use stripeline_engine::{Engine, Event, Options, Scheduling};
use stripeline_rail::Rail;
use stripeline_rail::discover::discover;

use crate::failure::Failure;
use crate::rate_limited::RateLimitedRail;

/// Where an engine's rail comes from.
#[derive(Clone, Debug)]
pub enum Kind {
    /// The machine's; engines may share it.
    Real(Arc<dyn Rail>),
    /// A virtual rail of this name and rate in bytes of data a second, made for each engine anew.
    RateLimited(String, f64),
}

impl Kind {
    /// The CPU's rail.
    pub fn cpu() -> Self {
        Self::named("cpu").expect("every machine has it")
    }

    /// The rail that codes nothing.
    pub fn null() -> Self {
        Self::named("null").expect("every machine has it")
    }

    fn named(name: &str) -> Option<Self> {
        let candidates = discover(&[name]);
        Some(Self::Real(Arc::clone(candidates.first()?.rail()?)))
    }

    /// The rail.
    pub fn open(&self) -> Arc<dyn Rail> {
        match self {
            Self::Real(rail) => Arc::clone(rail),
            Self::RateLimited(name, rate) => Arc::new(RateLimitedRail::rail(name, *rate)),
        }
    }
}

/// The real rails of the machine that give right answers, and why others are not there.
pub struct Inventory {
    /// Those that are there.
    pub present: Vec<Arc<dyn Rail>>,
    /// A line for each that is not.
    pub absent: Vec<String>,
}

impl Inventory {
    /// Tries every rail.
    pub fn take(plugin: &Path) -> Self {
        let plugin = format!("plugin:{}", plugin.display());
        let (mut present, mut absent) = (Vec::new(), Vec::new());
        for candidate in discover(&["cpu", "isal", &plugin, "cuda"]) {
            match candidate.rail() {
                Some(rail) => present.push(Arc::clone(rail)),
                None => absent.push(candidate.to_string()),
            }
        }
        Self { present, absent }
    }

    /// The GPUs among them, by their numbers.
    pub fn gpus(&self) -> impl Iterator<Item = (u16, &Arc<dyn Rail>)> {
        let number = |rail: &Arc<dyn Rail>| rail.name().strip_prefix("cuda:")?.parse().ok();
        let rails = self.present.iter();
        rails.filter_map(move |rail| Some((number(rail)?, rail)))
    }
}

/// An engine over rails of these kinds.
///
/// A rail that fails would be replaced by another without a word in the figures, so that what
/// operators are told is told to the reader.
///
/// # Errors
/// If the engine cannot be started.
pub fn engine(kinds: &[Kind], options: Options) -> Result<Engine, Failure> {
    let rails = kinds.iter().map(Kind::open).collect();
    let tell = |event: &Event| eprintln!("{}", event.text);
    let options = Options {
        listener: Arc::new(tell),
        measure_only: true,
        ..options
    };
    Engine::start(rails, options).map_err(|error| Failure::unable("measure", error))
}

/// Options for figures: one rail or all, and threads that wait do nothing else, so that so many
/// threads code as the rails have workers.
pub fn options(scheduling: Scheduling) -> Options {
    Options {
        scheduling,
        waiting_threads_help: false,
        ..Options::default()
    }
}
