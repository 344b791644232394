// SPDX-License-Identifier: Apache-2.0
//! Who owns the buffers of a piece: the rail that has it, or its issuer again.

use std::sync::atomic::{AtomicU8, Ordering};

const ATTACHED: u8 = 0;
const DETACHED: u8 = 1;
const REVOKED: u8 = 2;

/// The state shared by a revocable piece and its [`RevokeHandle`](crate::RevokeHandle).
///
/// `ATTACHED`: the rail may access the buffers. `DETACHED`: the rail works on copies. `REVOKED`:
/// the rail may not access the buffers again. Only a detached piece can be revoked, so an operation
/// on the caller's memory is always waited for.
#[derive(Debug)]
pub(crate) struct Ownership(AtomicU8);

impl Ownership {
    pub(crate) fn new() -> Self {
        Self(AtomicU8::new(ATTACHED))
    }

    pub(crate) fn detach(&self) {
        // Release: orders all reads of the buffers before the state change.
        self.0.store(DETACHED, Ordering::Release);
    }

    pub(crate) fn attach(&self) -> bool {
        self.exchange(DETACHED, ATTACHED)
    }

    pub(crate) fn revoke(&self) -> bool {
        self.exchange(DETACHED, REVOKED)
    }

    fn exchange(&self, from: u8, to: u8) -> bool {
        let done = self
            .0
            .compare_exchange(from, to, Ordering::AcqRel, Ordering::Relaxed);
        done.is_ok()
    }
}
