// SPDX-License-Identifier: Apache-2.0
//! Why a run gave no figures.

use std::fmt::Display;

/// Why, by exit status.
#[derive(Debug)]
pub enum Failure {
    /// A rail wrote wrong bytes, or a key-value server gave a wrong value.
    Wrong(String),
    /// The machine lacks something, or the engine failed a task.
    Unable(String),
}

impl Failure {
    /// `Cannot VERB: REASON`.
    pub fn unable(what: &str, why: impl Display) -> Self {
        Self::Unable(format!("Cannot {what}: {why}"))
    }
}
