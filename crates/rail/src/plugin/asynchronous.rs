// SPDX-License-Identifier: Apache-2.0
//! Lanes of asynchronous plug-ins: submit, then poll, on the thread of the lane's user.
//!
//! A plug-in that violates the rules of tickets makes its lane *broken*: pieces that it works on as
//! copies fail at once, and the copies are kept until the device has finished with them, forever if
//! necessary; pieces that it works on in place are waited for.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use super::abi;
use super::in_flight::InFlight;
use super::library::{Broken, Handle, Loaded, Poll, SOUND, Submit};
use super::owned_product::OwnedProduct;
use super::staging::StagingBuffers;
use crate::{Done, Fault, FaultKind, Lane, Piece, clock};

/// Completions fetched by one poll.
const COMPLETIONS: usize = 32;

/// The longest wait within the plug-in, so that the loader regains control during long waits.
const POLL: Duration = Duration::from_millis(100);

/// Pauses after a poll that returned early without a completion, so that such a plug-in does not
/// make the lane spin: from 20 µs, doubled each time, up to 1 ms.
const PAUSE_LEAST: Duration = Duration::from_micros(20);
const PAUSE_MOST: Duration = Duration::from_millis(1);

/// A poll shorter than this has not waited.
const EARLY: Duration = Duration::from_micros(10);

#[derive(Debug)]
pub(super) struct AsynchronousLane {
    plugin: Arc<Loaded>,
    submit: Submit,
    poll: Poll,
    /// `Some` until the lane is dropped.
    lane: Option<Handle>,
    grace: Duration,
    submitted: Vec<SubmittedProduct>,
    ready: VecDeque<Done>,
    used: Vec<StagingBuffers>,
    /// The next ticket for the plug-in: unique, regardless of the tickets that the lane's user
    /// chooses.
    next: u64,
    broken: Option<String>,
}

/// A product that was submitted to the plug-in. Without `in_flight` its piece has already failed,
/// and only the memory is kept.
#[derive(Debug)]
struct SubmittedProduct {
    number: u64,
    in_flight: Option<InFlight>,
    product: Box<OwnedProduct>,
}

impl AsynchronousLane {
    pub(super) fn open(
        plugin: Arc<Loaded>,
        (submit, poll): (Submit, Poll),
        grace: Duration,
    ) -> Result<Self, Fault> {
        let lane = Some(plugin.open()?);
        Ok(Self {
            plugin,
            submit,
            poll,
            lane,
            grace,
            submitted: Vec::new(),
            ready: VecDeque::new(),
            used: Vec::new(),
            next: 1,
            broken: None,
        })
    }

    /// Returns whether the plug-in has finished with everything that was submitted.
    pub(super) fn is_finished(&mut self) -> bool {
        while !self.submitted.is_empty() && self.poll(Duration::ZERO) {}
        self.submitted.is_empty()
    }

    fn lane(&mut self) -> &mut Handle {
        self.lane.as_mut().expect("a lane until it is dropped")
    }

    /// Polls once, waiting for at most `limit`. Returns whether a submitted product completed: a
    /// plug-in may report others without end.
    fn poll(&mut self, limit: Duration) -> bool {
        let empty = abi::Completion {
            ticket: 0,
            mismatch: SOUND,
            status: abi::STRIPELINE_PLUGIN_FAILED,
            reserved: 0,
        };
        let mut completions = [empty; COMPLETIONS];
        let timeout = limit.min(POLL).as_micros() as u32;
        let (plugin, poll) = (Arc::clone(&self.plugin), self.poll);
        let before = self.submitted.len();
        match plugin.poll(poll, self.lane(), timeout, &mut completions) {
            Ok(count) => {
                for completion in &completions[..count] {
                    self.complete(completion);
                }
                self.submitted.len() < before
            }
            Err(Broken::Lost(reason)) => {
                self.break_lane(reason.clone());
                for SubmittedProduct { in_flight, .. } in std::mem::take(&mut self.submitted) {
                    let fault = Fault::new(FaultKind::Failed, reason.clone());
                    self.ready
                        .extend(in_flight.map(|in_flight| in_flight.failed(fault)));
                }
                false
            }
            Err(Broken::Rule(reason)) => {
                self.break_lane(reason);
                false
            }
        }
    }

    fn complete(&mut self, completion: &abi::Completion) {
        let number = completion.ticket;
        let Some(index) = self
            .submitted
            .iter()
            .position(|entry| entry.number == number)
        else {
            let never = number == 0 || number >= self.next;
            let what = if never {
                "was never submitted"
            } else {
                "has completed before"
            };
            return self.break_lane(format!("it completed ticket {number}, which {what}"));
        };
        let SubmittedProduct {
            in_flight, product, ..
        } = self.submitted.swap_remove(index);
        let Some(in_flight) = in_flight else { return };
        let done = match (&self.broken, completion.status) {
            // It may report what it has not written.
            (Some(reason), _) => in_flight.failed(Fault::new(FaultKind::Failed, reason.clone())),
            // SAFETY: the plug-in reported that it has finished the product of this ticket.
            (None, abi::STRIPELINE_PLUGIN_DONE) => unsafe {
                in_flight.completed(&product, completion.mismatch)
            },
            (None, status) => {
                let plugin = Arc::clone(&self.plugin);
                in_flight.failed(plugin.fault(self.lane(), status))
            }
        };
        self.ready.push_back(done);
        if self.used.len() <= self.submitted.len() {
            self.used.extend(product.into_staging(&self.plugin.limits));
        }
    }

    /// Marks the lane as broken and fails the pieces that are worked on as copies.
    fn break_lane(&mut self, reason: String) {
        let reason = self.broken.get_or_insert(reason);
        for entry in self
            .submitted
            .iter_mut()
            .filter(|entry| entry.product.is_staged())
        {
            if let Some(in_flight) = entry.in_flight.take() {
                let fault = Fault::new(FaultKind::Failed, reason.clone());
                self.ready.push_back(in_flight.failed(fault));
            }
        }
    }

    /// Polls until `enough`, or for at most `limit` if given.
    fn poll_until(&mut self, limit: Option<Duration>, enough: impl Fn(&Self) -> bool) {
        let begin = clock::now();
        let mut pause = PAUSE_LEAST;
        loop {
            let left = limit.map_or(POLL, |limit| limit.saturating_sub(clock::now() - begin));
            let polled = clock::now();
            let completed = self.poll(left);
            if enough(self) || limit.is_some() && left.is_zero() {
                return;
            }
            if completed {
                pause = PAUSE_LEAST;
            } else if clock::now() - polled < EARLY {
                clock::sleep(pause.min(left));
                pause = (2 * pause).min(PAUSE_MOST);
            }
        }
    }
}

impl Lane for AsynchronousLane {
    fn submit(&mut self, ticket: u64, piece: Piece) {
        let plugin = Arc::clone(&self.plugin);
        let product = match &self.broken {
            Some(reason) => Err(Fault::new(FaultKind::Failed, reason.clone())),
            None => OwnedProduct::new(&piece, &plugin.limits, self.used.pop()),
        };
        let product = match product {
            Ok(product) => product,
            Err(fault) => return self.ready.push_back(Done::failed(ticket, piece, fault)),
        };
        let number = self.next;
        self.next += 1;
        let in_flight = InFlight::new(ticket, piece, &product);
        let submit = self.submit;
        // SAFETY: the product is boxed and stays in `submitted` until it has completed or was
        // finally cancelled; its buffers are its own, or those of the piece in `in_flight`.
        let status = unsafe { plugin.submit(submit, self.lane(), number, &product) };
        if status == abi::STRIPELINE_PLUGIN_DONE {
            self.submitted.push(SubmittedProduct {
                number,
                in_flight: Some(in_flight),
                product,
            });
        } else {
            let fault = plugin.fault(self.lane(), status);
            self.ready.push_back(in_flight.failed(fault));
        }
    }

    fn reap(&mut self, limit: Duration) -> Option<Done> {
        if self.ready.is_empty() && self.in_flight() > 0 {
            self.poll_until(Some(limit), |lane| !lane.ready.is_empty());
        }
        self.ready.pop_front()
    }

    fn in_flight(&self) -> usize {
        let live = self
            .submitted
            .iter()
            .filter(|entry| entry.in_flight.is_some());
        live.count() + self.ready.len()
    }
}

impl Drop for AsynchronousLane {
    fn drop(&mut self) {
        let plugin = Arc::clone(&self.plugin);
        for index in (0..self.submitted.len()).rev() {
            let number = self.submitted[index].number;
            // After another cancel the ticket would never complete, and the buffers never be free.
            if plugin.limits.cancel_is_final() && plugin.cancel(self.lane(), number) {
                // The plug-in no longer accesses its buffers.
                let entry = self.submitted.swap_remove(index);
                entry.in_flight.into_iter().for_each(InFlight::abandon);
            }
        }
        let in_place = |lane: &Self| {
            lane.submitted
                .iter()
                .any(|submitted| !submitted.product.is_staged())
        };
        if in_place(self) {
            self.poll_until(None, |lane| !in_place(lane));
        }
        if !self.submitted.is_empty() {
            self.poll_until(Some(self.grace), |lane| lane.submitted.is_empty());
        }
        let lane = self.lane.take().expect("dropped once");
        if self.submitted.is_empty() {
            return plugin.close(lane);
        }
        let unfinished = self.submitted.iter_mut();
        let in_flight = unfinished.filter_map(|entry| entry.in_flight.take());
        in_flight.for_each(InFlight::abandon);
        // The device may still write, so the lane and the copies are kept.
        let abandoned = Self {
            plugin: Arc::clone(&plugin),
            submit: self.submit,
            poll: self.poll,
            lane: Some(lane),
            grace: Duration::ZERO,
            submitted: std::mem::take(&mut self.submitted),
            ready: VecDeque::new(),
            used: Vec::new(),
            next: self.next,
            broken: None,
        };
        plugin.abandoned.keep(abandoned);
    }
}
