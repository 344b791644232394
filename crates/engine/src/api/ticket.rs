// SPDX-License-Identifier: Apache-2.0
//! The handle of an issued task.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use stripeline_rail::clock;

use crate::api::error::{Error, ErrorKind};
use crate::core::shared::Core;
use crate::core::sync::Arc;
use crate::core::task::{Hook, Outcome, Task};

/// The handle of an issued task.
///
/// Dropping it does not affect the task. As a [`Future`] it can be awaited on any runtime.
/// In a forked child the task counts as ended, as [`ErrorKind::Closed`].
#[derive(Clone)]
pub struct Ticket {
    pub(crate) core: Arc<Core>,
    pub(crate) task: Arc<Task>,
}

impl Ticket {
    /// Returns the outcome of the task; `None` until it has ended. Never waits.
    #[must_use]
    pub fn test(&self) -> Option<Outcome> {
        match self.core.is_inherited() {
            true => Some(Err(Error::inherited())),
            false => self.task.outcome(),
        }
    }

    /// Waits for the task.
    ///
    /// # Errors
    /// The error with which the task ended.
    pub fn wait(&self) -> Outcome {
        if !self.core.is_inherited() {
            self.core.wait_for(&self.task, None);
        }
        self.test().expect("waited until it was done")
    }

    /// Waits for the task for at most `timeout`; `None` if it has not ended by then. The waiting
    /// thread helps only with work that is expected to end in time.
    #[must_use]
    pub fn wait_timeout(&self, timeout: Duration) -> Option<Outcome> {
        if !self.core.is_inherited() {
            self.core.wait_for(&self.task, until(timeout));
        }
        self.test()
    }

    /// Waits for at most `timeout` until one of these tasks of one engine has ended and returns its
    /// index; `None` if none has ended by then, or `tickets` is empty.
    #[must_use]
    pub fn wait_any(tickets: &[Self], timeout: Option<Duration>) -> Option<usize> {
        let ended = || tickets.iter().position(|ticket| ticket.task.is_done());
        let core = &tickets.first()?.core;
        if core.is_inherited() {
            return Some(0);
        }
        let until = timeout.and_then(until);
        core.wait_until(&core.any, until, || ended().is_some());
        ended()
    }

    /// Cancels the task. Pieces that have not begun are abandoned; the task ends as
    /// [`ErrorKind::Cancelled`] when the rails have finished those that have.
    ///
    /// Returns false if the task had ended already.
    pub fn cancel(&self) -> bool {
        if self.core.is_inherited() {
            return false;
        }
        let error = Error::new(
            ErrorKind::Cancelled,
            "Cannot finish the task: it was cancelled",
        );
        let given_up = self.task.fail(error);
        if given_up {
            self.core.give_up(&self.task);
        }
        given_up
    }

    /// Calls `call` once when the task has ended, on the thread that ended it, or at once if it has
    /// ended already. It must be short and must not wait for another task, nor for room for one. If
    /// that thread already runs such a call, this one runs after it. Its panics are caught.
    pub fn on_end(&self, call: impl FnOnce(&Outcome) + Send + 'static) {
        if self.core.is_inherited() {
            return call(&Err(Error::inherited()));
        }
        self.task.hook(Hook::Call(Box::new(call)));
    }
}

/// Returns the end of a wait that begins now; `None` if it is beyond the range of the clock.
pub(crate) fn until(timeout: Duration) -> Option<Instant> {
    clock::now().checked_add(timeout)
}

impl Future for Ticket {
    type Output = Outcome;

    fn poll(self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Outcome> {
        if let Some(outcome) = self.test() {
            return Poll::Ready(outcome);
        }
        self.task.hook(Hook::Wake(context.waker().clone()));
        match self.test() {
            Some(outcome) => Poll::Ready(outcome),
            None => Poll::Pending,
        }
    }
}

impl fmt::Debug for Ticket {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "Ticket({:?})", self.test())
    }
}
