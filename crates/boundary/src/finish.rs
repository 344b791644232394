// SPDX-License-Identifier: Apache-2.0
//! The end of an issued task: how it ended is known, and its buffers belong to the caller again.

use std::fmt;
use std::sync::{Arc, OnceLock};

use stripeline_engine::Outcome;

/// Held by a task and by its job. Calls `report` when both have dropped it: the task then has an
/// outcome, and no rail accesses the buffers any more. There is no outcome if the task was not
/// issued.
pub struct Finish<R: FnOnce(Option<Outcome>)> {
    outcome: OnceLock<Outcome>,
    report: Option<R>,
}

impl<R: FnOnce(Option<Outcome>)> Finish<R> {
    /// Returns the reference for the job; that for the task is a clone.
    pub fn new(report: R) -> Arc<Self> {
        Arc::new(Self {
            outcome: OnceLock::new(),
            report: Some(report),
        })
    }

    /// Records how the task ended.
    pub fn note(&self, outcome: &Outcome) {
        let _ = self.outcome.set(outcome.clone());
    }
}

impl<R: FnOnce(Option<Outcome>)> Drop for Finish<R> {
    fn drop(&mut self) {
        let report = self.report.take().expect("dropped once");
        report(self.outcome.take());
    }
}

impl<R: FnOnce(Option<Outcome>)> fmt::Debug for Finish<R> {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Finish({:?})", self.outcome.get())
    }
}
