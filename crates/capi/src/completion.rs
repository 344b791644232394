// SPDX-License-Identifier: Apache-2.0
//! The end of a task in the C interface: its buffers belong to the caller again and the caller has
//! been notified.
//!
//! Two things end: the task, which then has an outcome, and its job, which held the buffers.
//! Notifications happen after both, and a wait for the future returns only after the notifications,
//! so that after the wait a program may free the callback's context and close its eventfd. It may
//! do so too after it has closed the engine, which may be before a task that hangs has ended: a
//! [`Gate`] then keeps the notifications from being sent.

use std::ffi::c_void;
use std::fs::File;
use std::io::Write;
use std::mem::ManuallyDrop;
use std::os::fd::{FromRawFd, RawFd};
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use ::stripeline_codec::Verdict;
use ::stripeline_engine::Outcome;
use stripeline_boundary::{Finish, Gate};
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
            // SAFETY: the caller lends the places until the task has ended or the engine is closed.
            unsafe { places.write(*verdict) };
        }
        if let Some(callback) = self.callback {
            // SAFETY: the caller guarantees function and context as long as the places.
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
            // SAFETY: the caller keeps the descriptor open as long as the places; it stays his.
            let file = ManuallyDrop::new(unsafe { File::from_raw_fd(event_fd) });
            // The write fails only if the descriptor is not an eventfd, or if it does not block and
            // its number is the largest possible; then it is readable already.
            let _ = (&*file).write_all(&1_u64.to_ne_bytes());
        }
    }
}

/// Whether a task and its job have ended and all notifications have been sent.
#[derive(Debug, Default)]
pub(crate) struct End {
    is_over: Mutex<bool>,
    changed: Condvar,
}

/// The tasks of an engine that have not ended, and the gate of their notifications.
#[derive(Debug, Default)]
pub(crate) struct Unended {
    gate: Gate,
    tasks: AtomicUsize,
}

impl Unended {
    /// Sends no further notification, waits for those that are being sent, and returns whether all
    /// tasks have ended.
    pub(crate) fn close(&self) -> bool {
        self.gate.close();
        self.gate.wait_until_left();
        self.tasks.load(Ordering::SeqCst) == 0
    }
}

/// Returns what the task and the job hold: sends the notifications when both have ended, unless the
/// gate of the engine is closed. It counts as a task of the engine until then; a task without
/// notifications that ends within a call of the program needs neither.
pub(crate) fn finish(
    notice: Notice,
    unended: Option<Arc<Unended>>,
    end: &Arc<End>,
) -> Arc<Finish<impl FnOnce(Option<Outcome>) + Send + Sync + 'static>> {
    let end = Arc::clone(end);
    if let Some(unended) = &unended {
        unended.tasks.fetch_add(1, Ordering::SeqCst);
    }
    Finish::new(move |outcome| {
        let entered = unended
            .as_ref()
            .filter(|unended| outcome.is_some() && notice.is_wanted() && unended.gate.enter());
        if let (Some(_), Some(outcome)) = (entered, outcome) {
            notice.tell(&outcome);
        }
        *end.lock() = true;
        end.changed.notify_all();
        if let Some(unended) = &unended {
            unended.tasks.fetch_sub(1, Ordering::SeqCst);
        }
        // Last: a thread that closes the engine waits for this, and then finds the task ended.
        if let Some(entered) = entered {
            entered.gate.leave();
        }
    })
}

impl End {
    /// Returns whether the buffers have been returned and all notifications have been sent.
    pub(crate) fn is_over(&self) -> bool {
        *self.lock()
    }

    /// Waits until the end is over; returns false if `until` passes first.
    pub(crate) fn wait(&self, until: Option<Instant>) -> bool {
        let mut is_over = self.lock();
        while !*is_over {
            is_over = match until {
                None => self
                    .changed
                    .wait(is_over)
                    .unwrap_or_else(PoisonError::into_inner),
                Some(until) => {
                    let limit = until.saturating_duration_since(clock::now());
                    if limit.is_zero() {
                        return false;
                    }
                    let waited = self.changed.wait_timeout(is_over, limit);
                    waited.unwrap_or_else(PoisonError::into_inner).0
                }
            };
        }
        true
    }

    fn lock(&self) -> MutexGuard<'_, bool> {
        self.is_over.lock().unwrap_or_else(PoisonError::into_inner)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_task_is_unended_until_task_and_job_have_dropped_what_they_hold() {
        let (unended, end) = (Arc::<Unended>::default(), Arc::<End>::default());
        let held = Arc::clone(&unended);
        let of_job = finish(Notice::default(), Some(held), &end);
        let of_task = Arc::clone(&of_job);
        drop(of_job);
        assert!(!unended.close());
        // A thread that still has a reference to the gate does not matter.
        let _later = Arc::clone(&unended);
        drop(of_task);
        assert!(end.is_over());
        assert!(unended.close());
    }
}
