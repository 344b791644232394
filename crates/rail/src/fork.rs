// SPDX-License-Identifier: Apache-2.0
//! Distinguishes a process from the one that it was forked from.
//!
//! A forked child has the memory of its parent but only the thread that forked. Locks that other
//! threads held stay locked in the child, and their operations never finish there.

use std::ffi::c_int;
use std::sync::Once;
use std::sync::atomic::{AtomicU64, Ordering};

/// The number of forks between this process and the one that loaded the library.
static FORKS: AtomicU64 = AtomicU64::new(0);

type Handler = Option<unsafe extern "C" fn()>;

unsafe extern "C" {
    fn pthread_atfork(prepare: Handler, parent: Handler, child: Handler) -> c_int;
}

/// Runs in every child of `fork()`, but not in those of `vfork()` and `posix_spawn()`, which have
/// the parent's memory itself and only execute another program.
unsafe extern "C" fn count() {
    FORKS.fetch_add(1, Ordering::Relaxed);
}

/// The process that something belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Process(u64);

impl Process {
    /// This one.
    #[must_use]
    pub fn current() -> Self {
        static COUNTING: Once = Once::new();
        COUNTING.call_once(|| {
            // SAFETY: the handler only increments an atomic counter. If the registration fails for
            // lack of memory, forks are not detected.
            unsafe { pthread_atfork(None, None, Some(count)) };
        });
        Self(FORKS.load(Ordering::Relaxed))
    }

    /// Returns whether this value was created in the current process: false in a child that
    /// inherited it. Costs one load.
    #[must_use]
    pub fn is_current(self) -> bool {
        self.0 == FORKS.load(Ordering::Relaxed)
    }
}
