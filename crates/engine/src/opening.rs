// SPDX-License-Identifier: Apache-2.0
//! From a configuration to a running engine: which rails this machine has.

use std::sync::Arc;

use stripeline_rail::{Cpu, Isal, Null, Rail, known_answers};

use crate::configuration::Configuration;
use crate::engine::Engine;
use crate::error::Error;

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
    /// right answers, and tells of each whether it is in.
    ///
    /// # Errors
    /// As [`Engine::start`].
    pub fn open(configuration: &Configuration) -> Result<(Self, Vec<Candidate>), Error> {
        let mut candidates = Vec::new();
        let mut rails = Vec::new();
        for name in &configuration.rails {
            match find(name) {
                Ok(rail) => {
                    candidates.push(Candidate {
                        name: rail.name().to_owned(),
                        description: Some(rail.describe()),
                        reason: None,
                    });
                    rails.push(rail);
                }
                Err(reason) => candidates.push(Candidate {
                    name: name.clone(),
                    description: None,
                    reason: Some(reason),
                }),
            }
        }
        let engine = Self::start(rails, configuration.options.clone())?;
        Ok((engine, candidates))
    }
}

fn find(name: &str) -> Result<Arc<dyn Rail>, String> {
    let rail: Arc<dyn Rail> = match name {
        "auto" | "cpu" => Arc::new(Cpu::rail()),
        // It codes nothing, so there is nothing to check.
        "null" => return Ok(Arc::new(Null::rail())),
        "isal" => Arc::new(Isal::rail()?),
        _ => return Err("no such rail is known".to_owned()),
    };
    known_answers::check(&*rail)?;
    Ok(rail)
}
