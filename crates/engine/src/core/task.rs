// SPDX-License-Identifier: Apache-2.0
//! An issued task: its remaining bytes, its outcome and its completion hooks.

use std::panic::{AssertUnwindSafe, catch_unwind};
use std::task::Waker;

use stripeline_codec::{StorePolicy, Verdict};
use stripeline_rail::{MemoryKind, Piece};

use crate::api::callbacks::in_turn;
use crate::api::error::{Error, ErrorKind};
use crate::api::request::Priority;
use crate::core::sync::atomic::{AtomicBool, AtomicU8, AtomicU64, AtomicUsize, Ordering};
use crate::core::sync::{Mutex, lock};
use crate::schedule::{Class, RailSet, Workload};

/// How a task ended.
pub type Outcome = Result<Verdict, Error>;

/// A task; its bytes are counted per buffer.
pub(crate) struct Task {
    pub(crate) class: Class,
    pub(crate) inputs: usize,
    pub(crate) outputs: usize,
    /// Whether all its buffers are in device memory.
    pub(crate) on_device: bool,
    /// Whether none of its buffers is in ordinary memory.
    pub(crate) unstaged: bool,
    pub(crate) bytes: usize,
    pub(crate) priority: Priority,
    /// The rails that take it.
    pub(crate) eligible: RailSet,
    pub(crate) issued: u64,
    /// Its deadline; 0 for none.
    pub(crate) deadline: u64,
    /// The store policy of its outputs, if its issuer has given one.
    pub(crate) store: Option<StorePolicy>,
    /// When its first piece was begun; 0 until then.
    started: AtomicU64,
    /// The whole piece, until a worker takes it or the issuer withdraws it.
    waiting: Mutex<Option<Piece>>,
    /// Bytes neither done nor abandoned.
    left: AtomicUsize,
    /// `DONE` and `NOT_SOUND`.
    state: AtomicU8,
    /// The outcome, if `NOT_SOUND`; written under its lock and only before `DONE`.
    verdict: Mutex<Outcome>,
    has_hooks: AtomicBool,
    hooks: Mutex<Vec<Hook>>,
}

/// The task is final.
const DONE: u8 = 1;
/// The outcome is a mismatch or an error.
const NOT_SOUND: u8 = 2;

/// Called when a task is done.
pub(crate) enum Hook {
    Wake(Waker),
    Call(Box<dyn FnOnce(&Outcome) + Send>),
}

/// The properties that a task is created with.
pub(crate) struct TaskSpec {
    pub(crate) class: Class,
    pub(crate) priority: Priority,
    pub(crate) eligible: RailSet,
    pub(crate) issued: u64,
    pub(crate) deadline: u64,
    pub(crate) store: Option<StorePolicy>,
}

impl Task {
    pub(crate) fn new(spec: TaskSpec, piece: Piece) -> Self {
        let job = piece.job();
        let regions = || job.inputs().iter().chain(job.outputs());
        Self {
            class: spec.class,
            inputs: job.inputs().len(),
            outputs: job.outputs().len(),
            on_device: regions().all(|region| matches!(region.kind(), MemoryKind::Device { .. })),
            unstaged: regions().all(|region| region.kind() != MemoryKind::Host),
            bytes: piece.bytes(),
            priority: spec.priority,
            eligible: spec.eligible,
            issued: spec.issued,
            deadline: spec.deadline,
            store: spec.store,
            started: AtomicU64::new(0),
            left: AtomicUsize::new(piece.bytes()),
            waiting: Mutex::new(Some(piece)),
            state: AtomicU8::new(0),
            verdict: Mutex::new(Ok(Verdict::Sound)),
            has_hooks: AtomicBool::new(false),
            hooks: Mutex::new(Vec::new()),
        }
    }

    /// Returns the work on `bytes` bytes of it, for the scheduler.
    pub(crate) fn workload(&self, bytes: usize) -> Workload {
        Workload {
            class: self.class,
            priority: self.priority,
            inputs: self.inputs,
            outputs: self.outputs,
            on_device: self.on_device,
            unstaged: self.unstaged,
            bytes,
        }
    }

    /// Takes the whole piece, if it is still there.
    pub(crate) fn take(&self) -> Option<Piece> {
        lock(&self.waiting).take()
    }

    /// Records that a piece is begun and returns whether it is the first.
    pub(crate) fn begin(&self, now: u64) -> bool {
        self.started.load(Ordering::Relaxed) == 0
            && self
                .started
                .compare_exchange(0, now, Ordering::Relaxed, Ordering::Relaxed)
                .is_ok()
    }

    /// Returns whether pieces not yet begun are abandoned.
    pub(crate) fn is_abandoned(&self) -> bool {
        // SeqCst, as where a failure is recorded: see `Core::queued`.
        self.state.load(Ordering::SeqCst) & NOT_SOUND != 0 && lock(&self.verdict).is_err()
    }

    /// Records an error, if it is the first; pieces not begun are then abandoned.
    ///
    /// Returns false if the task was done already.
    pub(crate) fn fail(&self, error: Error) -> bool {
        self.update_outcome(|verdict| {
            if verdict.is_ok() {
                *verdict = Err(error);
            }
        })
    }

    /// Records a mismatch; the one at the lowest offset counts, then the one of the lowest unit.
    pub(crate) fn found(&self, found: Verdict) {
        let Verdict::Mismatch {
            parity_unit,
            offset,
        } = found
        else {
            return;
        };
        self.update_outcome(|verdict| {
            let stands = match *verdict {
                Ok(Verdict::Sound) => true,
                Ok(Verdict::Mismatch {
                    parity_unit: unit,
                    offset: at,
                }) => (offset, parity_unit) < (at, unit),
                Err(_) => false,
            };
            if stands {
                *verdict = Ok(found);
            }
        });
    }

    /// Changes the outcome unless the task is done. A task that is `NOT_SOUND` becomes `DONE` only
    /// under this lock, so no reader sees an outcome that still changes.
    fn update_outcome(&self, change: impl FnOnce(&mut Outcome)) -> bool {
        let mut verdict = lock(&self.verdict);
        let live = self
            .state
            .fetch_update(Ordering::SeqCst, Ordering::Acquire, |state| {
                (state & DONE == 0).then_some(state | NOT_SOUND)
            });
        if live.is_ok() {
            change(&mut verdict);
        }
        live.is_ok()
    }

    /// Subtracts bytes done or abandoned, whose piece is gone; true if they were the last.
    pub(crate) fn account(&self, bytes: usize) -> bool {
        // AcqRel: all writes of workers into the outputs are visible to threads that see the task
        // done.
        let before = self.left.fetch_sub(bytes, Ordering::AcqRel);
        assert!(before >= bytes, "bytes are accounted for once");
        before == bytes
    }

    /// Publishes the end and runs the hooks.
    pub(crate) fn finish(&self) {
        let sound = self
            .state
            .compare_exchange(0, DONE, Ordering::SeqCst, Ordering::Relaxed);
        if sound.is_err() {
            let verdict = lock(&self.verdict);
            self.state.fetch_or(DONE, Ordering::SeqCst);
            drop(verdict);
        }
        if self.has_hooks.load(Ordering::SeqCst) {
            self.run_hooks();
        }
    }

    pub(crate) fn is_done(&self) -> bool {
        self.state.load(Ordering::SeqCst) & DONE != 0
    }

    /// Returns the outcome; `None` until the task is done.
    pub(crate) fn outcome(&self) -> Option<Outcome> {
        let state = self.state.load(Ordering::SeqCst);
        if state & DONE == 0 {
            return None;
        }
        Some(match state & NOT_SOUND {
            0 => Ok(Verdict::Sound),
            _ => lock(&self.verdict).clone(),
        })
    }

    /// Runs `hook` when the task is done; at once if it is done already.
    pub(crate) fn hook(&self, hook: Hook) {
        let mut hooks = lock(&self.hooks);
        hooks.retain(|other| !hook.replaces(other));
        hooks.push(hook);
        drop(hooks);
        self.has_hooks.store(true, Ordering::SeqCst);
        // Either this sees the task done or `finish` sees the hook; the thread that takes it runs
        // it.
        if self.is_done() {
            self.run_hooks();
        }
    }

    fn run_hooks(&self) {
        let hooks = std::mem::take(&mut *lock(&self.hooks));
        let outcome = self.outcome().expect("hooks run when the task is done");
        in_turn(move || hooks.into_iter().for_each(|hook| hook.run(&outcome)));
    }

    /// Fails the task because its engine closes.
    pub(crate) fn close(&self) {
        let text = "Cannot finish the task: the engine is shutting down";
        self.fail(Error::new(ErrorKind::Closed, text));
    }

    /// Fails the task because its deadline has passed.
    pub(crate) fn expire(&self) -> bool {
        let text = "Cannot finish the task: its deadline has passed";
        self.fail(Error::new(ErrorKind::DeadlineExceeded, text))
    }
}

impl Hook {
    fn run(self, outcome: &Outcome) {
        // The panic was reported already. It must neither prevent other hooks nor end the thread,
        // which still has to account for the task and is needed for other tasks.
        let _ = catch_unwind(AssertUnwindSafe(|| match self {
            Self::Wake(waker) => waker.wake(),
            Self::Call(call) => call(outcome),
        }));
    }

    /// Returns whether `self` replaces an earlier hook: a future that is polled again sets its
    /// waker again.
    fn replaces(&self, other: &Self) -> bool {
        matches!((self, other), (Self::Wake(new), Self::Wake(old)) if new.will_wake(old))
    }
}
