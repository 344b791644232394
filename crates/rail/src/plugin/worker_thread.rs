// SPDX-License-Identifier: Apache-2.0
//! Lanes of blocking plug-ins that work on copies. Each lane has a thread that makes the calls, so
//! a call that never returns costs only that thread and its copies.
//!
//! The thread opens the plug-in's lane, runs products one after another and closes the lane. A lane
//! that is dropped while a call hangs detaches the thread; if the call ever returns, the thread
//! frees its memory and ends.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use super::abi;
use super::in_flight::InFlight;
use super::library::{Loaded, Run};
use super::owned_product::OwnedProduct;
use super::staging::StagingBuffers;
use crate::{Done, Fault, FaultKind, Lane, Piece};

/// How long a plug-in may take to open a lane.
const OPENING: Duration = Duration::from_secs(10);

/// The lane: the user's side of the thread.
#[derive(Debug)]
pub(super) struct WorkerThread {
    plugin: Arc<Loaded>,
    shared: Arc<Shared>,
    thread: Option<JoinHandle<()>>,
    /// How long a drop waits for a running call.
    grace: Duration,
    sent: VecDeque<InFlight>,
    ready: VecDeque<Done>,
    used: Option<StagingBuffers>,
}

/// State shared by the lane and its thread.
#[derive(Debug, Default)]
struct Shared {
    state: Mutex<State>,
    submitted: Condvar,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    /// Run, and returned, in the order of submission.
    products: VecDeque<Box<OwnedProduct>>,
    results: VecDeque<(Box<OwnedProduct>, Result<abi::Mismatch, Fault>)>,
    opened: Option<Result<(), Fault>>,
    closing: bool,
    /// The lane is gone, and has not waited for the end.
    abandoned: bool,
    ended: bool,
}

impl Shared {
    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Waits until `ready`, for at most `limit`, and returns the state.
    fn wait(&self, limit: Duration, ready: impl Fn(&State) -> bool) -> MutexGuard<'_, State> {
        let waited = self
            .changed
            .wait_timeout_while(self.state(), limit, |state| !ready(state));
        waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

impl WorkerThread {
    pub(super) fn open(plugin: Arc<Loaded>, run: Run, grace: Duration) -> Result<Self, Fault> {
        let shared = Arc::new(Shared::default());
        let (shared_of_thread, plugin_of_thread) = (Arc::clone(&shared), Arc::clone(&plugin));
        let thread = std::thread::Builder::new()
            .name(format!("plugin-{}", plugin.name))
            .spawn(move || work(&plugin_of_thread, run, &shared_of_thread));
        let thread =
            thread.map_err(|error| Fault::new(FaultKind::Failed, format!("no thread: {error}")))?;
        // From here on a drop ends the thread.
        let worker = Self {
            plugin,
            shared,
            thread: Some(thread),
            grace,
            sent: VecDeque::new(),
            ready: VecDeque::new(),
            used: None,
        };
        let opened = worker
            .shared
            .wait(OPENING, |state| state.opened.is_some())
            .opened
            .clone();
        let late = || {
            let text = format!("open_lane has not returned for {} s", OPENING.as_secs());
            Err(Fault::new(FaultKind::Failed, text))
        };
        opened.unwrap_or_else(late)?;
        Ok(worker)
    }

    fn collect_results(&mut self, limit: Duration) {
        let mut state = self.shared.wait(limit, |state| !state.results.is_empty());
        let results = std::mem::take(&mut state.results);
        drop(state);
        for (product, result) in results {
            let in_flight = self.sent.pop_front().expect("a result of something sent");
            self.ready.push_back(match result {
                // SAFETY: the call has returned, so the plug-in no longer accesses the copies.
                Ok(mismatch) => unsafe { in_flight.completed(&product, mismatch) },
                Err(fault) => in_flight.failed(fault),
            });
            if let Some(staging) = product.into_staging(&self.plugin.limits) {
                self.used = Some(staging);
            }
        }
    }
}

impl Lane for WorkerThread {
    fn submit(&mut self, ticket: u64, piece: Piece) {
        let product = match OwnedProduct::new(&piece, &self.plugin.limits, self.used.take()) {
            Ok(product) => product,
            Err(fault) => return self.ready.push_back(Done::failed(ticket, piece, fault)),
        };
        self.sent.push_back(InFlight::new(ticket, piece, &product));
        self.shared.state().products.push_back(product);
        self.shared.submitted.notify_one();
    }

    fn reap(&mut self, limit: Duration) -> Option<Done> {
        if self.ready.is_empty() && !self.sent.is_empty() {
            self.collect_results(limit);
        }
        self.ready.pop_front()
    }

    fn in_flight(&self) -> usize {
        self.sent.len() + self.ready.len()
    }
}

impl Drop for WorkerThread {
    fn drop(&mut self) {
        let mut state = self.shared.state();
        state.closing = true;
        state.products.clear();
        drop(state);
        self.shared.submitted.notify_one();
        let mut state = self.shared.wait(self.grace, |state| state.ended);
        let ended = state.ended;
        if !ended {
            state.abandoned = true;
            self.plugin.abandoned.add();
        }
        drop(state);
        if let (true, Some(thread)) = (ended, self.thread.take()) {
            // Returns at once; a panic of the thread was already printed.
            let _ = thread.join();
        }
        for in_flight in self.sent.drain(..) {
            in_flight.abandon();
        }
    }
}

/// The main function of the thread.
fn work(plugin: &Loaded, run: Run, shared: &Shared) {
    match plugin.open() {
        Err(fault) => shared.state().opened = Some(Err(fault)),
        Ok(mut lane) => {
            shared.state().opened = Some(Ok(()));
            shared.changed.notify_one();
            while let Some(product) = next(shared) {
                let (status, mismatch) = plugin.run(run, &mut lane, &product);
                let result = match status {
                    abi::STRIPELINE_PLUGIN_DONE => Ok(mismatch),
                    _ => Err(plugin.fault(&lane, status)),
                };
                shared.state().results.push_back((product, result));
                shared.changed.notify_one();
            }
            plugin.close(lane);
        }
    }
    let mut state = shared.state();
    state.ended = true;
    if state.abandoned {
        plugin.abandoned.remove();
    }
    drop(state);
    shared.changed.notify_one();
}

/// Waits for a product; `None` when the lane is closed.
fn next(shared: &Shared) -> Option<Box<OwnedProduct>> {
    let idle = |state: &mut State| state.products.is_empty() && !state.closing;
    let state = shared.submitted.wait_while(shared.state(), idle);
    let mut state = state.unwrap_or_else(PoisonError::into_inner);
    match state.closing {
        true => None,
        false => state.products.pop_front(),
    }
}
