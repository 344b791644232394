// SPDX-License-Identifier: Apache-2.0
//! The handle of a task's outcome.

use std::sync::Arc;
use std::time::{Duration, Instant};

use ::stripeline_codec::Verdict;
use ::stripeline_engine::{Outcome, Ticket};

use stripeline_rail::{Process, clock};

use crate::arguments::Call;
use crate::completion::End;
use crate::engine::{stripeline_engine, timeout};
use crate::entry::{guard, guard_pending};
use crate::failure::{Failure, Mistake, stripeline_status};

/// The future result of a task. Opaque; any number of threads may test, wait for and cancel one
/// future at the same time. It stays valid after its engine is closed.
#[allow(non_camel_case_types, reason = "the name in C")]
pub struct stripeline_future {
    /// The number of the engine.
    engine: u64,
    /// The process that opened the engine.
    process: Process,
    /// None where there was nothing to do.
    ticket: Option<Ticket>,
    end: Arc<End>,
}

impl stripeline_future {
    pub(crate) fn new(engine: &stripeline_engine, ticket: Option<Ticket>, end: Arc<End>) -> Self {
        Self {
            engine: engine.number,
            process: engine.process,
            ticket,
            end,
        }
    }

    /// Returns how the task ended once all notifications have been sent; `None` before that.
    fn test(&self) -> Option<Outcome> {
        let outcome = self.outcome()?;
        self.end.is_over().then_some(outcome)
    }

    fn outcome(&self) -> Option<Outcome> {
        match &self.ticket {
            Some(ticket) => ticket.test(),
            None => Some(Ok(Verdict::Sound)),
        }
    }

    /// As [`stripeline_future::test`], after waiting until `until` at most.
    fn wait(&self, until: Option<Instant>) -> Option<Outcome> {
        if let Some(ticket) = &self.ticket {
            let _: Outcome = match until {
                None => ticket.wait(),
                Some(until) => {
                    ticket.wait_timeout(until.saturating_duration_since(clock::now()))?
                }
            };
        }
        self.end.wait(until).then(|| self.outcome()).flatten()
    }
}

impl Call {
    /// # Safety
    /// `future` must be null or come from a non-blocking call and not be released for `'a`.
    unsafe fn future<'a>(
        self,
        future: *const stripeline_future,
    ) -> Result<&'a stripeline_future, Failure> {
        // SAFETY: null or a live handle, as the caller guarantees.
        let future = unsafe { future.as_ref() }.ok_or(self.refuse(Mistake::Null("future")))?;
        self.check_process(future.process)?;
        Ok(future)
    }

    /// Reads a list of futures; entries may be null.
    ///
    /// # Safety
    /// `futures` must be null or have `count` entries as for [`Call::future`].
    unsafe fn futures<'a>(
        self,
        futures: *const *mut stripeline_future,
        count: usize,
    ) -> Result<Vec<(usize, &'a stripeline_future)>, Failure> {
        if futures.is_null() && count != 0 {
            return Err(self.refuse(Mistake::Null("futures")));
        }
        let entry = |index| {
            // SAFETY: `index` is below `count`, the number of entries; null or a live handle.
            let future = unsafe { futures.add(index).read_unaligned().as_ref() };
            let future = future?;
            let checked = self.check_process(future.process);
            Some(checked.map(|()| (index, future)))
        };
        (0..count).filter_map(entry).collect()
    }
}

fn passed(outcome: Outcome) -> Result<(), Failure> {
    Ok(outcome.map(|_verdict| ())?)
}

/// Returns whether a task has ended, and its outcome. Never waits.
///
/// @param future  a future that has not been released
/// @return        STRIPELINE_PENDING while the task has not ended; afterwards always its outcome:
///                STRIPELINE_OK, STRIPELINE_CANCELLED, STRIPELINE_DEADLINE_EXCEEDED,
///                STRIPELINE_NO_RAIL, STRIPELINE_RAIL_FAILED, STRIPELINE_CLOSED. If it is not
///                STRIPELINE_OK, its outputs may hold anything
///
/// # Safety
/// `future` must not be released.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stripeline_future_test(
    future: *const stripeline_future,
) -> stripeline_status {
    let call = Call("test the future");
    guard_pending(call.0, || {
        // SAFETY: as the caller guarantees.
        let outcome = unsafe { call.future(future) }?.test();
        outcome.map(passed).transpose()
    })
}

/// Waits for a task. While it waits, the thread may code parts of this task or of others; with a
/// timeout only those that are expected to end in time. A callback must not wait.
///
/// @param future      a future that has not been released
/// @param timeout_ns  maximum time to wait in nanoseconds; negative for no limit, 0 to return
///                    immediately
/// @return            as stripeline_future_test(): STRIPELINE_PENDING if the time passed first
///
/// # Safety
/// `future` must not be released before this returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stripeline_future_wait(
    future: *const stripeline_future,
    timeout_ns: i64,
) -> stripeline_status {
    let call = Call("wait for the future");
    guard_pending(call.0, || {
        // SAFETY: as the caller guarantees.
        let future = unsafe { call.future(future) }?;
        let outcome = match timeout(timeout_ns) {
            Some(Duration::ZERO) => future.test(),
            timeout => future.wait(timeout.map(|timeout| clock::now() + timeout)),
        };
        outcome.map(passed).transpose()
    })
}

/// Cancels a task without waiting. Pieces that have not begun are not started; pieces that a rail
/// is working on are finished, then the task ends with STRIPELINE_CANCELLED. A task that has ended
/// keeps its outcome.
///
/// @param future  a future that has not been released
/// @return        STRIPELINE_OK, STRIPELINE_NULL_POINTER
///
/// # Safety
/// `future` must not be released.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stripeline_future_cancel(
    future: *const stripeline_future,
) -> stripeline_status {
    let call = Call("cancel the task");
    guard(call.0, || {
        // SAFETY: as the caller guarantees.
        if let Some(ticket) = &unsafe { call.future(future) }?.ticket {
            ticket.cancel();
        }
        Ok(())
    })
}

/// Releases a future. Its task continues if it has not ended, and its units belong to it until it
/// has. No call may use the future any more, including calls in progress on other threads.
///
/// @param future  a future of a non-blocking call, or NULL, which does nothing
///
/// # Safety
/// `future` must be null or come from a non-blocking call and be released once.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stripeline_future_release(future: *mut stripeline_future) {
    if !future.is_null() {
        guard("release a future", || {
            // SAFETY: made by `Box::into_raw` in a non-blocking call and given back once.
            drop(unsafe { Box::from_raw(future) });
            Ok(())
        });
    }
}

/// Waits until one of several tasks has ended.
///
/// @param futures     `count` futures of one engine; some but not all may be NULL, which are
///                    ignored
/// @param count       the number of futures, at least 1
/// @param timeout_ns  as for stripeline_future_wait()
/// @param index       receives the position in the list of a future whose task has ended;
///                    stripeline_future_test() returns its outcome
/// @return            STRIPELINE_OK, STRIPELINE_PENDING if the time passed first,
///                    STRIPELINE_NULL_POINTER, STRIPELINE_INVALID_ARGUMENT if the futures belong to
///                    several engines or all are NULL
///
/// # Safety
/// No future may be released before this returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stripeline_wait_any(
    futures: *const *mut stripeline_future,
    count: usize,
    timeout_ns: i64,
    index: *mut usize,
) -> stripeline_status {
    let call = Call("wait for one of the futures");
    guard_pending(call.0, || {
        // SAFETY: as the caller guarantees.
        let futures = unsafe { call.futures(futures, count) }?;
        call.check_result("index", index)?;
        let Some((_, first)) = futures.first() else {
            return Err(call.refuse(Mistake::NoFuture));
        };
        let other = |(_, future): &&(usize, &stripeline_future)| future.engine != first.engine;
        if let Some((at, _)) = futures.iter().find(other) {
            return Err(call.refuse(Mistake::OtherEngine(*at)));
        }
        let ended = any_ended(&futures, timeout(timeout_ns));
        if let Some(ended) = ended {
            // SAFETY: not null, so writable as the caller guarantees; alignment is not relied on.
            unsafe { index.write_unaligned(ended) };
        }
        Ok(ended.map(|_index| ()))
    })
}

/// Returns the position of a future that ends within the timeout.
fn any_ended(futures: &[(usize, &stripeline_future)], timeout: Option<Duration>) -> Option<usize> {
    if let Some((index, _)) = futures.iter().find(|(_, future)| future.test().is_some()) {
        return Some(*index);
    }
    if timeout == Some(Duration::ZERO) {
        return None;
    }
    let until = timeout.map(|timeout| clock::now() + timeout);
    // Futures without a task have ended and were found above, unless their notifications are in
    // progress.
    if let Some((index, future)) = futures.iter().find(|(_, future)| future.ticket.is_none()) {
        return future.wait(until).map(|_outcome| *index);
    }
    let tickets: Vec<Ticket> = futures
        .iter()
        .filter_map(|(_, future)| future.ticket.clone())
        .collect();
    let ended = Ticket::wait_any(&tickets, timeout)?;
    let (index, future) = futures[ended];
    future.wait(until).map(|_outcome| index)
}

/// Waits until all of several tasks have ended.
///
/// @param futures     `count` futures; some may be NULL, which are ignored
/// @param count       the number of futures; 0 does nothing
/// @param timeout_ns  as for stripeline_future_wait(), for all of them together
/// @return            STRIPELINE_PENDING if the time passed first; else the outcome of the first
///                    task in the list that did not end with STRIPELINE_OK; else STRIPELINE_OK
///
/// # Safety
/// No future may be released before this returns.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn stripeline_wait_every(
    futures: *const *mut stripeline_future,
    count: usize,
    timeout_ns: i64,
) -> stripeline_status {
    let call = Call("wait for the futures");
    guard_pending(call.0, || {
        // SAFETY: as the caller guarantees.
        let futures = unsafe { call.futures(futures, count) }?;
        let until = timeout(timeout_ns).map(|timeout| clock::now() + timeout);
        let mut worst = Ok(());
        for (_, future) in futures {
            let Some(outcome) = future.wait(until) else {
                return Ok(None);
            };
            worst = worst.and(passed(outcome));
        }
        worst.map(Some)
    })
}
