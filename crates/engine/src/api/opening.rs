// SPDX-License-Identifier: Apache-2.0
//! Starts an engine from a configuration: discovers which of its rails this machine has.

use stripeline_rail::discover::{Candidate, discover_unverified};

use crate::api::configuration::Configuration;
use crate::api::engine::Engine;
use crate::api::error::Error;
use crate::api::options::EventKind;

impl Engine {
    /// Starts an engine over the configuration's rails that this machine has and that compute right
    /// answers, and returns for each rail whether it is available. A rail with costly lanes is
    /// available until the first work for it: only then is it verified, and left out if its answers
    /// are wrong. The listener receives an event for each rail that is present or was named but
    /// cannot be used.
    ///
    /// # Errors
    /// As [`Engine::start`], with the reason of each rail that is not available.
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

/// Adds the reasons why rails are not available to an error of starting: one of them is the cause
/// if the missing rail was requested.
fn explained(error: &Error, candidates: &[Candidate]) -> Error {
    let mut text = error.to_string();
    for found in candidates {
        if let Some(reason) = found.reason() {
            text += &format!("; rail {} is not used: {reason}", found.name);
        }
    }
    Error::new(error.kind(), text)
}
