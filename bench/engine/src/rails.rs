// SPDX-License-Identifier: Apache-2.0
//! The rails of this machine, and engines over them.

use std::sync::Arc;

use stripeline_engine::{Engine, Event, Options, Scheduling};
use stripeline_rail::Rail;
use stripeline_rail::discover::discover;

use crate::failure::Failure;
use crate::rate_limited::RateLimitedRail;

/// The source of an engine's rail.
#[derive(Clone, Debug)]
pub enum Kind {
    /// A rail of the machine; engines may share it.
    Real(Arc<dyn Rail>),
    /// A virtual rail of this name and rate in bytes of data per second, created separately for
    /// each engine.
    RateLimited(String, f64),
}

impl Kind {
    /// Returns the CPU's rail.
    pub fn cpu() -> Self {
        Self::named("cpu").expect("every machine has it")
    }

    /// Returns the rail that codes nothing.
    pub fn null() -> Self {
        Self::named("null").expect("every machine has it")
    }

    fn named(name: &str) -> Option<Self> {
        let candidates = discover(&[name]);
        Some(Self::Real(Arc::clone(candidates.first()?.rail()?)))
    }

    /// Returns the rail.
    pub fn open(&self) -> Arc<dyn Rail> {
        match self {
            Self::Real(rail) => Arc::clone(rail),
            Self::RateLimited(name, rate) => Arc::new(RateLimitedRail::rail(name, *rate)),
        }
    }
}

/// The real rails of the machine that compute right answers, and the reasons why others are absent.
pub struct Inventory {
    /// The available rails.
    pub present: Vec<Arc<dyn Rail>>,
    /// A line for each absent rail.
    pub absent: Vec<String>,
}

impl Inventory {
    /// Tests every rail, with the plug-in that scripts/bench-build.sh puts beside the program.
    pub fn take() -> Self {
        let program = std::env::current_exe().unwrap_or_default();
        let plugin = program.with_file_name("libplugin-jerasure.so");
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

    /// Returns the GPUs among the rails, with their numbers.
    pub fn gpus(&self) -> impl Iterator<Item = (u16, &Arc<dyn Rail>)> {
        let number = |rail: &Arc<dyn Rail>| rail.name().strip_prefix("cuda:")?.parse().ok();
        let rails = self.present.iter();
        rails.filter_map(move |rail| Some((number(rail)?, rail)))
    }
}

/// Opens an engine over rails of these kinds.
///
/// The engine's events are printed, because a rail that fails is replaced by another, which the
/// figures do not show.
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

/// Returns options for measurements: one rail or all, and waiting threads do not code, so that the
/// number of coding threads equals the number of the rails' workers.
pub fn options(scheduling: Scheduling) -> Options {
    Options {
        scheduling,
        waiting_threads_help: false,
        ..Options::default()
    }
}
