// SPDX-License-Identifier: Apache-2.0
//! What an issuer holds: the promise of a task's outcome.

use std::fmt;
use std::future::Future;
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use crate::api::error::{Error, ErrorKind};
use crate::core::shared::Core;
use crate::core::sync::Arc;
use crate::core::task::{Hook, Outcome, Task};

/// The promise of a task's outcome.
///
/// Dropping it changes nothing: the task goes on. As a [`Future`] it can be awaited on any runtime.
/// In a forked child the task counts as ended, as [`ErrorKind::Closed`].
#[derive(Clone)]
pub struct Ticket {
    pub(crate) core: Arc<Core>,
    pub(crate) task: Arc<Task>,
}

impl Ticket {
    /// How the task ended; `None` while it has not. Never waits.
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
    /// As the task ended.
    pub fn wait(&self) -> Outcome {
        if !self.core.is_inherited() {
            self.core.wait_for(&self.task, None);
        }
        self.test().expect("waited until it was done")
    }

    /// Waits for the task so long at most; `None` if it has not ended by then. The thread codes
    /// meanwhile only what can be expected to end in time.
    #[must_use]
    pub fn wait_timeout(&self, timeout: Duration) -> Option<Outcome> {
        if !self.core.is_inherited() {
            self.core.wait_for(&self.task, until(timeout));
        }
        self.test()
    }

    /// Waits so long at most until one of these tasks of one engine has ended and returns its index;
    /// `None` if none has by then, or there is none.
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

    /// Gives the task up. What has not begun is not begun any more; what a rail is working on is
    /// finished, and only then has the task ended, as [`ErrorKind::Cancelled`].
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
            self.core.withdraw(&self.task);
        }
        given_up
    }

    /// Has `call` run once when the task has ended, on the thread that ended it, or at once if it
    /// has. It must be short and must not wait for another task, nor for room for one. If that
    /// thread is in such a call already, this one runs after it. Its panics are caught.
    pub fn on_end(&self, call: impl FnOnce(&Outcome) + Send + 'static) {
        if self.core.is_inherited() {
            return call(&Err(Error::inherited()));
        }
        self.task.hook(Hook::Call(Box::new(call)));
    }
}

/// When a wait that begins now ends; none if the clock does not reach so far.
pub(crate) fn until(timeout: Duration) -> Option<Instant> {
    Instant::now().checked_add(timeout)
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
