// SPDX-License-Identifier: Apache-2.0
//! The primary context of a device, which all users of the device in a process share: who uses it,
//! how it is ended, and how many pieces are in flight.
//!
//! All [`Context`]s of a device are this one context of the driver. To end it ends all of them, so
//! its state is kept here, once per device and process.

use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use std::sync::{
    Arc, Mutex, MutexGuard, PoisonError, RwLock, RwLockReadGuard, TryLockError, Weak, mpsc,
};
use std::time::{Duration, Instant};

use super::context::Context;
use crate::pages::Pages;
use crate::{Fault, FaultKind, clock};

/// How long a thread that ends the context sleeps while others still use it.
const PAUSE: Duration = Duration::from_micros(100);

/// The state of a device's primary context.
#[derive(Debug, Default)]
pub(super) struct Primary {
    /// Set while the context is being ended: no thread begins to use it. This and the generation
    /// change only while `failed` is locked.
    is_ending: AtomicBool,
    /// How often it has ended. What belongs to an earlier number no longer exists.
    generation: AtomicU64,
    /// Held for reading while objects of the context are in use.
    users: RwLock<()>,
    /// The pieces that the device may work on.
    working: AtomicUsize,
    /// When it could not be ended, unless it has ended since.
    failed: Mutex<Option<Instant>>,
    contexts: Mutex<Vec<Weak<Context>>>,
    /// Held while a context is opened, which may wait for a hung device. What ends the context
    /// does not take it.
    opening: Mutex<()>,
    /// Registered memory that contexts could not free before they were dropped, with their
    /// generation: another context frees it.
    orphans: Mutex<Vec<(u64, Arc<Pages>)>>,
}

impl Primary {
    /// Returns the state for the device with this number of a driver.
    ///
    /// # Arguments
    /// `driver` is the address of one of its functions: a library is loaded once, whatever the name
    /// by which it is asked for.
    pub fn of(driver: usize, ordinal: u16) -> Arc<Self> {
        static KNOWN: Mutex<Vec<(usize, u16, Weak<Primary>)>> = Mutex::new(Vec::new());
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        known.retain(|(.., primary)| primary.strong_count() > 0);
        let same = known
            .iter()
            .filter(|(of, number, _)| (*of, *number) == (driver, ordinal));
        let found = same.filter_map(|(.., primary)| primary.upgrade()).next();
        found.unwrap_or_else(|| {
            let new = Arc::new(Self::default());
            known.push((driver, ordinal, Arc::downgrade(&new)));
            new
        })
    }

    /// Returns how often the context has ended.
    pub fn generation(&self) -> u64 {
        self.generation.load(Ordering::Acquire)
    }

    /// Returns whether objects of this generation may be used.
    pub fn is_current(&self, generation: u64) -> bool {
        !self.is_ending.load(Ordering::Acquire) && self.generation() == generation
    }

    /// Returns whether the context of this generation is being ended and the device may still work.
    pub fn is_ending(&self, generation: u64) -> bool {
        self.is_ending.load(Ordering::Acquire) && self.generation() == generation
    }

    /// Prevents the end of the context while the result lives; `None` if the generation has ended
    /// or is being ended.
    pub fn enter(&self, generation: u64) -> Option<RwLockReadGuard<'_, ()>> {
        if !self.is_current(generation) {
            return None;
        }
        let user = self.users.read().unwrap_or_else(PoisonError::into_inner);
        // Checked again: a thread that ends the context sets the flag, and then waits for users.
        self.is_current(generation).then_some(user)
    }

    /// Returns whether the context of this generation has ended: the device no longer accesses its
    /// memory.
    pub fn has_ended(&self, generation: u64) -> bool {
        self.generation() != generation
    }

    /// Ends the context and all work in it, so that the device no longer accesses memory of the
    /// process. Other users of the device in this process lose it too.
    ///
    /// # Errors
    /// If users of the context and the driver do not return within `limit`, or if the driver fails:
    /// the device may then access any memory of the process until [`Primary::has_ended`]. After a
    /// failure another attempt is refused for as long.
    pub fn end(
        self: &Arc<Self>,
        generation: u64,
        limit: Duration,
        reset: impl FnOnce() -> Result<(), Fault> + Send + 'static,
    ) -> Result<(), Fault> {
        let begun = clock::now();
        // Kept, so that none is released while the driver ends it.
        let contexts = self.open();
        let failed = self.failed();
        if self.has_ended(generation) {
            return Ok(());
        }
        if self.is_ending.load(Ordering::Acquire) {
            return Err(not_ended("an earlier request has not finished"));
        }
        if failed.is_some_and(|failed| begun - failed < limit) {
            return Err(not_ended("it has just failed"));
        }
        self.is_ending.store(true, Ordering::Release);
        drop(failed);
        // The flag keeps other threads out after this has succeeded, so the lock need not be held.
        while let Err(TryLockError::WouldBlock) = self.users.try_write() {
            if clock::now() - begun > limit {
                return self.conclude(Err(not_ended("a call of the driver has not returned")));
            }
            clock::sleep(PAUSE);
        }
        let (sender, receiver) = mpsc::sync_channel(1);
        let primary = Arc::clone(self);
        // On a separate thread, because a driver may wait for the work that does not end.
        let thread = std::thread::Builder::new().name("stripeline-cuda-reset".to_owned());
        let spawned = thread.spawn(move || {
            let outcome = primary.conclude(reset());
            // The receiver may have stopped waiting.
            drop(sender.send(outcome));
            drop(contexts);
            primary.free_finished();
        });
        if let Err(error) = spawned {
            return self.conclude(Err(not_ended(&error.to_string())));
        }
        receiver
            .recv_timeout(limit.saturating_sub(clock::now() - begun))
            .map_err(|_| not_ended(&format!("the driver did not answer in {limit:?}")))?
    }

    /// Notes the outcome of an attempt to end the context.
    fn conclude(&self, outcome: Result<(), Fault>) -> Result<(), Fault> {
        let mut failed = self.failed();
        *failed = outcome.is_err().then(clock::now);
        if outcome.is_ok() {
            self.generation.fetch_add(1, Ordering::AcqRel);
        }
        self.is_ending.store(false, Ordering::Release);
        outcome
    }

    /// Frees what closed lanes and callers have left in any context, unless the device may use it.
    pub fn free_finished(&self) {
        for context in self.open() {
            context.free_finished();
        }
    }

    /// Keeps registered memory of a context that is being dropped.
    pub fn keep_pages(&self, generation: u64, pages: impl Iterator<Item = Arc<Pages>>) {
        self.orphans()
            .extend(pages.map(|pages| (generation, pages)));
    }

    /// Takes the memory from [`Primary::keep_pages`] of this generation.
    pub fn take_pages(&self, generation: u64) -> Vec<Arc<Pages>> {
        let mut orphans = self.orphans();
        // Other registrations have ended with their context.
        let current = self.generation();
        orphans.retain(|(of, _)| [generation, current].contains(of));
        let taken = orphans.extract_if(.., |(of, _)| *of == generation);
        taken.map(|(_, pages)| pages).collect()
    }

    fn orphans(&self) -> MutexGuard<'_, Vec<(u64, Arc<Pages>)>> {
        self.orphans.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn failed(&self) -> MutexGuard<'_, Option<Instant>> {
        self.failed.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Returns the contexts that exist, of any generation.
    pub fn open(&self) -> Vec<Arc<Context>> {
        self.contexts().iter().filter_map(Weak::upgrade).collect()
    }

    /// Waits until no other thread opens a context. No other begins to while the result lives.
    pub fn begin_opening(&self) -> MutexGuard<'_, ()> {
        self.opening.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Adds a context that has been opened.
    pub fn add(&self, context: &Arc<Context>) {
        self.contexts().push(Arc::downgrade(context));
    }

    /// Returns the contexts. It is locked only for moments: threads with a time limit wait for it.
    fn contexts(&self) -> MutexGuard<'_, Vec<Weak<Context>>> {
        let contexts = self.contexts.lock();
        let mut contexts = contexts.unwrap_or_else(PoisonError::into_inner);
        contexts.retain(|context| context.strong_count() > 0);
        contexts
    }

    /// Counts a piece as in flight until the result is dropped.
    pub fn begin_work(self: &Arc<Self>) -> Working {
        self.working.fetch_add(1, Ordering::AcqRel);
        Working(Arc::clone(self))
    }

    /// Returns whether no piece is in flight.
    pub fn is_idle(&self) -> bool {
        self.working.load(Ordering::Acquire) == 0
    }
}

impl Drop for Primary {
    fn drop(&mut self) {
        let orphans = self.orphans.get_mut();
        let orphans = orphans.unwrap_or_else(PoisonError::into_inner);
        // Registrations end with their context. Others are never unmapped: at their address the
        // driver would take other memory for them.
        let current = *self.generation.get_mut();
        for (generation, pages) in orphans.drain(..) {
            if generation == current {
                std::mem::forget(pages);
            }
        }
    }
}

/// A piece in flight.
#[derive(Debug)]
pub(super) struct Working(Arc<Primary>);

impl Drop for Working {
    fn drop(&mut self) {
        self.0.working.fetch_sub(1, Ordering::AcqRel);
    }
}

fn not_ended(reason: &str) -> Fault {
    let text = format!("cannot end the device's context: {reason}");
    Fault::new(FaultKind::Gone, text)
}
