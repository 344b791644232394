// SPDX-License-Identifier: Apache-2.0
//! Lanes of blocking plug-ins that work on copies: a thread of the lane makes the calls, so that
//! one that never returns costs a thread and copies, and nothing else.
//!
//! The thread opens the plug-in's lane, runs orders one after another and closes the lane. A lane
//! that is dropped while a call hangs leaves the thread behind; if the call ever returns, the
//! thread frees what it has and ends.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread::JoinHandle;
use std::time::Duration;

use super::abi;
use super::cargo::Cargo;
use super::library::{Loaded, Run};
use super::order::Order;
use super::stage::Stage;
use crate::{Done, Fault, FaultKind, Lane, Piece};

/// How long a plug-in may take to open a lane.
const OPENING: Duration = Duration::from_secs(10);

/// The side of the lane's user.
#[derive(Debug)]
pub(super) struct Courier {
    plugin: Arc<Loaded>,
    desk: Arc<Desk>,
    thread: Option<JoinHandle<()>>,
    /// How long a drop waits for a call that is under way.
    grace: Duration,
    sent: VecDeque<Cargo>,
    ready: VecDeque<Done>,
    used: Option<Stage>,
}

/// What both sides share.
#[derive(Debug, Default)]
struct Desk {
    papers: Mutex<Papers>,
    ordered: Condvar,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct Papers {
    /// Orders are run, and so come back, in the order in which they came.
    orders: VecDeque<Box<Order>>,
    results: VecDeque<(Box<Order>, Result<abi::Mismatch, Fault>)>,
    opened: Option<Result<(), Fault>>,
    closing: bool,
    ended: bool,
}

impl Desk {
    fn papers(&self) -> MutexGuard<'_, Papers> {
        self.papers.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The papers once `ready`, or after `patience`.
    fn wait(&self, patience: Duration, ready: impl Fn(&Papers) -> bool) -> MutexGuard<'_, Papers> {
        let waited = self
            .changed
            .wait_timeout_while(self.papers(), patience, |papers| !ready(papers));
        waited.unwrap_or_else(PoisonError::into_inner).0
    }
}

impl Courier {
    pub(super) fn open(plugin: Arc<Loaded>, run: Run, grace: Duration) -> Result<Self, Fault> {
        let desk = Arc::new(Desk::default());
        let (of_thread, plugin_of_thread) = (Arc::clone(&desk), Arc::clone(&plugin));
        let thread = std::thread::Builder::new()
            .name(format!("plugin-{}", plugin.name))
            .spawn(move || work(&plugin_of_thread, run, &of_thread));
        let thread =
            thread.map_err(|error| Fault::new(FaultKind::Failed, format!("no thread: {error}")))?;
        // From here on a drop ends the thread.
        let courier = Self {
            plugin,
            desk,
            thread: Some(thread),
            grace,
            sent: VecDeque::new(),
            ready: VecDeque::new(),
            used: None,
        };
        let opened = courier
            .desk
            .wait(OPENING, |papers| papers.opened.is_some())
            .opened
            .clone();
        let late = || {
            let text = format!("open_lane has not returned for {} s", OPENING.as_secs());
            Err(Fault::new(FaultKind::Failed, text))
        };
        opened.unwrap_or_else(late)?;
        Ok(courier)
    }

    fn settle(&mut self, patience: Duration) {
        let mut papers = self
            .desk
            .wait(patience, |papers| !papers.results.is_empty());
        let results = std::mem::take(&mut papers.results);
        drop(papers);
        for (order, result) in results {
            let cargo = self.sent.pop_front().expect("a result of something sent");
            self.ready.push_back(match result {
                // SAFETY: the call has returned, so the plug-in is done with the copies.
                Ok(mismatch) => unsafe { cargo.delivered(&order, mismatch) },
                Err(fault) => cargo.failed(fault),
            });
            if let Some(stage) = order.into_stage(&self.plugin.limits) {
                self.used = Some(stage);
            }
        }
    }
}

impl Lane for Courier {
    fn submit(&mut self, ticket: u64, piece: Piece) {
        let order = match Order::new(&piece, &self.plugin.limits, self.used.take()) {
            Ok(order) => order,
            Err(fault) => return self.ready.push_back(Done::failed(ticket, piece, fault)),
        };
        self.sent.push_back(Cargo::new(ticket, piece, &order));
        self.desk.papers().orders.push_back(order);
        self.desk.ordered.notify_one();
    }

    fn reap(&mut self, patience: Duration) -> Option<Done> {
        if self.ready.is_empty() && !self.sent.is_empty() {
            self.settle(patience);
        }
        self.ready.pop_front()
    }

    fn in_flight(&self) -> usize {
        self.sent.len() + self.ready.len()
    }
}

impl Drop for Courier {
    fn drop(&mut self) {
        let mut papers = self.desk.papers();
        papers.closing = true;
        papers.orders.clear();
        drop(papers);
        self.desk.ordered.notify_one();
        let ended = self.desk.wait(self.grace, |papers| papers.ended).ended;
        if let (true, Some(thread)) = (ended, self.thread.take()) {
            // It has nothing left to do; a panic in it would have been printed.
            let _ = thread.join();
        }
        for cargo in self.sent.drain(..) {
            cargo.abandon();
        }
    }
}

/// The thread.
fn work(plugin: &Loaded, run: Run, desk: &Desk) {
    match plugin.open() {
        Err(fault) => desk.papers().opened = Some(Err(fault)),
        Ok(mut lane) => {
            desk.papers().opened = Some(Ok(()));
            desk.changed.notify_one();
            while let Some(order) = next(desk) {
                let (status, mismatch) = plugin.run(run, &mut lane, &order);
                let result = match status {
                    abi::STRIPELINE_PLUGIN_DONE => Ok(mismatch),
                    _ => Err(plugin.fault(&lane, status)),
                };
                desk.papers().results.push_back((order, result));
                desk.changed.notify_one();
            }
            plugin.close(lane);
        }
    }
    desk.papers().ended = true;
    desk.changed.notify_one();
}

/// Waits for an order; `None` when the lane is closed.
fn next(desk: &Desk) -> Option<Box<Order>> {
    let idle = |papers: &mut Papers| papers.orders.is_empty() && !papers.closing;
    let papers = desk.ordered.wait_while(desk.papers(), idle);
    let mut papers = papers.unwrap_or_else(PoisonError::into_inner);
    match papers.closing {
        true => None,
        false => papers.orders.pop_front(),
    }
}
