// SPDX-License-Identifier: Apache-2.0
//! Failures of a run.

use std::fmt::Display;

/// The reason why a run has no figures; it determines the exit status.
#[derive(Debug)]
pub enum Failure {
    /// A rail wrote wrong bytes, or a key-value server returned a wrong value.
    Wrong(String),
    /// The machine lacks a requirement, or the engine failed a task.
    Unable(String),
}

impl Failure {
    /// Creates a failure with the text `Cannot VERB: REASON`.
    pub fn unable(what: &str, why: impl Display) -> Self {
        Self::Unable(format!("Cannot {what}: {why}"))
    }
}
