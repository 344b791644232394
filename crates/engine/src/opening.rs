// SPDX-License-Identifier: Apache-2.0
//! From a configuration to a running engine: which rails this machine has.

use stripeline_rail::discover::discover;

use crate::configuration::Configuration;
use crate::engine::Engine;
use crate::error::Error;
use crate::options::EventKind;

/// A rail that was asked for, in or out.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Candidate {
    /// As it was asked for, or as it is called.
    pub name: String,
    /// What is behind it, if it is in.
    pub description: Option<String>,
    /// Why it is out, if it is.
    pub reason: Option<String>,
}

impl Engine {
    /// Starts an engine over the rails of a configuration that this machine has and that give
    /// right answers, and tells of each whether it is in. The listener is told of those that
    /// should be in and cannot be.
    ///
    /// # Errors
    /// As [`Engine::start`].
    pub fn open(configuration: &Configuration) -> Result<(Self, Vec<Candidate>), Error> {
        let mut candidates = Vec::new();
        let mut rails = Vec::new();
        for found in discover(&configuration.rails) {
            if let Some(text) = found.warning() {
                let options = &configuration.options;
                options.tell(&found.name, EventKind::LeftOut, text);
            }
            candidates.push(Candidate {
                name: found.name.clone(),
                description: found.rail().map(|rail| rail.describe()),
                reason: found.reason().map(str::to_owned),
            });
            rails.extend(found.rail().cloned());
        }
        let engine = Self::start(rails, configuration.options.clone())?;
        Ok((engine, candidates))
    }
}
