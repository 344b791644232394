// SPDX-License-Identifier: Apache-2.0
//! Who may touch the buffers of a piece: the rail that has it, or nobody but the holder.

use std::sync::atomic::{AtomicU8, Ordering};

const ATTACHED: u8 = 0;
const DETACHED: u8 = 1;
const REVOKED: u8 = 2;

/// The state shared by a leased piece and its holder.
///
/// `attached`: the rail may touch the buffers. `detached`: it works on copies. `revoked`: it never
/// may again. Only a detached lease can be revoked, so a device that is reading or writing the
/// caller's memory is always waited for.
#[derive(Debug)]
pub(crate) struct Lease(AtomicU8);

impl Lease {
    pub(crate) fn new() -> Self {
        Self(AtomicU8::new(ATTACHED))
    }

    pub(crate) fn detach(&self) {
        // Release: what was read of the buffers was read before.
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
