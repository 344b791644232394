// SPDX-License-Identifier: Apache-2.0
//! A gate at which threads wait.

use std::sync::{Condvar, Mutex};

/// A gate at which threads wait until it is opened.
#[derive(Debug, Default)]
pub struct Gate {
    state: Mutex<(bool, usize)>,
    changed: Condvar,
}

impl Gate {
    /// Lets all threads pass from now on.
    pub fn open(&self) {
        self.state.lock().expect("not poisoned").0 = true;
        self.changed.notify_all();
    }

    /// Waits until the gate is open.
    pub fn pass(&self) {
        let mut state = self.state.lock().expect("not poisoned");
        state.1 += 1;
        self.changed.notify_all();
        let waited = self.changed.wait_while(state, |state| !state.0);
        drop(waited.expect("not poisoned"));
    }

    /// Returns the number of arrivals at the gate.
    #[must_use]
    pub fn arrivals(&self) -> usize {
        self.state.lock().expect("not poisoned").1
    }

    /// Waits until `count` threads have arrived at the gate.
    pub fn await_arrivals(&self, count: usize) {
        let state = self.state.lock().expect("not poisoned");
        let waited = self.changed.wait_while(state, |state| state.1 < count);
        drop(waited.expect("not poisoned"));
    }
}
