// SPDX-License-Identifier: Apache-2.0
//! The end of a task in the C interface: its buffers belong to the caller again and the caller has
//! been notified.
//!
//! Two things end: the task, which then has an outcome, and its job, which held the buffers.
//! Notifications happen after both, and a wait for the future returns only after the notifications,
//! so that after the wait a program may free the callback's context and close its eventfd.

use std::ffi::c_void;
use std::fs::File;
use std::io::Write;
use std::mem::ManuallyDrop;
use std::os::fd::{FromRawFd, RawFd};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use ::stripeline_codec::Verdict;
use ::stripeline_engine::Outcome;
use stripeline_rail::clock;

use crate::entry::with_error;
use crate::failure::{Failure, stripeline_status};
use crate::request::stripeline_callback;

/// The notifications of a task's end and the destination of its verdict.
#[derive(Debug)]
pub(crate) struct Notice {
    pub(crate) callback: stripeline_callback,
    pub(crate) context: *mut c_void,
    pub(crate) event_fd: Option<RawFd>,
    pub(crate) verdict: Option<VerdictPlaces>,
}

/// The addresses that a verdict is written to.
#[derive(Clone, Copy, Debug)]
pub(crate) struct VerdictPlaces {
    /// Not null.
    pub(crate) sound: *mut bool,
    pub(crate) parity_unit: *mut usize,
    pub(crate) offset: *mut usize,
}

// SAFETY: the caller of the non-blocking call lends the context, the descriptor and the places of
// the verdict to whichever thread ends the task, as the documentation of both says.
unsafe impl Send for Notice {}
// SAFETY: as for `Send`; only the one thread that ends a task uses them.
unsafe impl Sync for Notice {}

impl Default for Notice {
    fn default() -> Self {
        Self {
            callback: None,
            context: std::ptr::null_mut(),
            event_fd: None,
            verdict: None,
        }
    }
}

impl VerdictPlaces {
    /// # Safety
    /// The places must be writable; all except `sound` may be null.
    pub(crate) unsafe fn write(self, verdict: Verdict) {
        // SAFETY: as the caller guarantees; alignment is not relied on.
        unsafe {
            self.sound.write(verdict == Verdict::Sound);
            if let Verdict::Mismatch {
                parity_unit,
                offset,
            } = verdict
            {
                if !self.parity_unit.is_null() {
                    self.parity_unit.write_unaligned(parity_unit);
                }
                if !self.offset.is_null() {
                    self.offset.write_unaligned(offset);
                }
            }
        }
    }
}

impl Notice {
    /// Returns whether there is anything to do at the end.
    pub(crate) fn is_wanted(&self) -> bool {
        self.callback.is_some() || self.event_fd.is_some() || self.verdict.is_some()
    }

    fn tell(&self, outcome: &Outcome) {
        if let (Some(places), Ok(verdict)) = (self.verdict, outcome) {
            // SAFETY: the caller lends the places until the task has ended, which it has not.
            unsafe { places.write(*verdict) };
        }
        if let Some(callback) = self.callback {
            // SAFETY: the caller guarantees function and context until the task has ended.
            let call = |status| unsafe { callback(self.context, status) };
            match outcome {
                Ok(_) => call(stripeline_status::STRIPELINE_OK),
                Err(error) => {
                    let failure = Failure::Engine(error.clone());
                    with_error(&failure, || call(failure.status()));
                }
            }
        }
        if let Some(event_fd) = self.event_fd {
            // SAFETY: the caller keeps the descriptor open until the task has ended; it stays his.
            let file = ManuallyDrop::new(unsafe { File::from_raw_fd(event_fd) });
            // The write fails only if the descriptor is not an eventfd, or is readable already.
            let _ = (&*file).write_all(&1_u64.to_ne_bytes());
        }
    }
}

/// The end of a task and of its job.
#[derive(Debug)]
pub(crate) struct End {
    state: Mutex<State>,
    changed: Condvar,
    notice: Notice,
}

#[derive(Debug, Default)]
struct State {
    job_is_gone: bool,
    outcome: Option<Outcome>,
    is_over: bool,
}

impl End {
    pub(crate) fn new(notice: Notice) -> Arc<Self> {
        Arc::new(Self {
            state: Mutex::default(),
            changed: Condvar::new(),
            notice,
        })
    }

    /// Returns whether [`End::task_ended`] must be called.
    pub(crate) fn wants_outcome(&self) -> bool {
        self.notice.is_wanted()
    }

    /// Records how the task ended.
    pub(crate) fn task_ended(&self, outcome: &Outcome) {
        self.note(|state| state.outcome = Some(outcome.clone()));
    }

    /// Returns whether the buffers have been returned and all notifications have been sent.
    pub(crate) fn is_over(&self) -> bool {
        self.lock().is_over
    }

    /// Waits until the end is over; returns false if `until` passes first.
    pub(crate) fn wait(&self, until: Option<Instant>) -> bool {
        let mut state = self.lock();
        while !state.is_over {
            state = match until {
                None => self
                    .changed
                    .wait(state)
                    .unwrap_or_else(PoisonError::into_inner),
                Some(until) => {
                    let limit = until.saturating_duration_since(clock::now());
                    if limit.is_zero() {
                        return false;
                    }
                    let waited = self.changed.wait_timeout(state, limit);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
        true
    }

    fn note(&self, change: impl FnOnce(&mut State)) {
        let mut state = self.lock();
        change(&mut state);
        let is_last = state.job_is_gone && (state.outcome.is_some() || !self.wants_outcome());
        if !is_last {
            return;
        }
        let outcome = state.outcome.take();
        // Not under the lock: the callback may test its future.
        drop(state);
        if let Some(outcome) = outcome {
            self.notice.tell(&outcome);
        }
        self.lock().is_over = true;
        self.changed.notify_all();
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Held by the job: its drop means that the job holds no buffer any more.
#[derive(Debug)]
pub(crate) struct Kept(pub(crate) Arc<End>);

impl Drop for Kept {
    fn drop(&mut self) {
        self.0.note(|state| state.job_is_gone = true);
    }
}

/// Waits for an end when it goes out of scope, also during a panic.
#[derive(Debug)]
pub(crate) struct Waits(pub(crate) Arc<End>);

impl Drop for Waits {
    fn drop(&mut self) {
        self.0.wait(None);
    }
}
