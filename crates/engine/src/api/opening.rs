// SPDX-License-Identifier: Apache-2.0
//! From a configuration to a running engine: which rails this machine has.

use stripeline_rail::discover::{Candidate, discover_unverified};

use crate::api::configuration::Configuration;
use crate::api::engine::Engine;
use crate::api::error::Error;
use crate::api::options::EventKind;

impl Engine {
    /// Starts an engine over the rails of a configuration that this machine has and that give
    /// right answers, and tells of each whether it is in. One whose lanes are costly is in until the
    /// first work for it: only then it is tried, and left out if its answers are wrong. The listener
    /// is told of those that should be in and cannot be.
    ///
    /// # Errors
    /// As [`Engine::start`], with the reason of each rail that is out.
    pub fn open(configuration: &Configuration) -> Result<(Self, Vec<Candidate>), Error> {
        let candidates = discover_unverified(&configuration.rails);
        let options = &configuration.options;
        for found in &candidates {
            if let Some(text) = found.warning() {
                options.notify(&found.name, EventKind::LeftOut, text);
            }
        }
        let rails = candidates.iter().filter_map(Candidate::rail).cloned();
        let engine = Self::start(rails.collect(), options.clone())
            .map_err(|error| explained(&error, &candidates))?;
        Ok((engine, candidates))
    }
}

/// An error of starting with the reasons why rails are out: one of these is the cause where the rail
/// that is missing was asked for.
fn explained(error: &Error, candidates: &[Candidate]) -> Error {
    let mut text = error.to_string();
    for found in candidates {
        if let Some(reason) = found.reason() {
            text += &format!("; rail {} is out: {reason}", found.name);
        }
    }
    Error::new(error.kind(), text)
}
