// SPDX-License-Identifier: Apache-2.0
//! A gate that counts the calls inside and, once closed, admits no more.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};
use std::sync::{Condvar, Mutex, PoisonError};

/// Admits calls until it is closed; the thread that closes it can wait until all have left.
#[derive(Debug, Default)]
pub struct Gate {
    closed: AtomicBool,
    calls: AtomicUsize,
    quiet: Mutex<()>,
    left: Condvar,
}

impl Gate {
    /// Admits a call, which must then [`leave`](Gate::leave); false if the gate is closed.
    pub fn enter(&self) -> bool {
        // Sequentially consistent with `close`: either this load reads the flag, or the thread that
        // closes the gate counts this call.
        self.calls.fetch_add(1, Ordering::SeqCst);
        let admitted = !self.closed.load(Ordering::SeqCst);
        if !admitted {
            self.leave();
        }
        admitted
    }

    /// Ends a call that was admitted.
    pub fn leave(&self) {
        let last = self.calls.fetch_sub(1, Ordering::SeqCst) == 1;
        if last && self.closed.load(Ordering::SeqCst) {
            drop(self.quiet.lock().unwrap_or_else(PoisonError::into_inner));
            self.left.notify_all();
        }
    }

    /// Admits no further call; false if the gate was closed before.
    pub fn close(&self) -> bool {
        !self.closed.swap(true, Ordering::SeqCst)
    }

    /// Waits until all calls have left. The gate must be closed.
    pub fn wait_until_left(&self) {
        let quiet = self.quiet.lock().unwrap_or_else(PoisonError::into_inner);
        let inside = |_: &mut ()| self.calls.load(Ordering::SeqCst) > 0;
        drop(self.left.wait_while(quiet, inside));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_closed_gate_admits_no_call_and_is_left_by_those_inside() {
        let gate = Gate::default();
        assert!(gate.enter());
        assert!(gate.close());
        assert!(!gate.close(), "closed once");
        assert!(!gate.enter());
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| gate.wait_until_left());
            gate.leave();
            waiting.join().expect("no panic");
        });
    }
}
