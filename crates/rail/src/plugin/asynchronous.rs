// SPDX-License-Identifier: Apache-2.0
//! Lanes of asynchronous plug-ins: submit, then poll, on the thread of the lane's user.
//!
//! A plug-in that breaks the rules of tickets makes its lane *broken*: what it works on copies of
//! is failed at once and the copies are kept until the device is done with them, for ever if need
//! be; what it works on in place is waited for.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::abi;
use super::cargo::Cargo;
use super::library::{Broken, Handle, Loaded, Poll, SOUND, Submit};
use super::order::Order;
use super::stage::Stage;
use crate::{Done, Fault, FaultKind, Lane, Piece};

/// Completions fetched by one poll.
const COMPLETIONS: usize = 32;

/// The longest wait within the plug-in: a patience of hours still returns to us now and then.
const POLL: Duration = Duration::from_millis(100);

/// Pauses after a poll that came back early with nothing, so that such a plug-in does not make the
/// lane spin: from 20 µs, twice as long each time, up to 1 ms.
const PAUSE_LEAST: Duration = Duration::from_micros(20);
const PAUSE_MOST: Duration = Duration::from_millis(1);

/// A poll this short has not waited.
const EARLY: Duration = Duration::from_micros(10);

#[derive(Debug)]
pub(super) struct Asynchronous {
    plugin: Arc<Loaded>,
    submit: Submit,
    poll: Poll,
    /// There until the lane is dropped.
    lane: Option<Handle>,
    grace: Duration,
    flights: Vec<Flight>,
    ready: VecDeque<Done>,
    used: Vec<Stage>,
    /// The plug-in's tickets: never used twice, whatever tickets the lane's user chooses.
    next: u64,
    broken: Option<String>,
}

/// An order that the plug-in has. Without cargo it has been failed and only its memory is kept.
#[derive(Debug)]
struct Flight {
    number: u64,
    cargo: Option<Cargo>,
    order: Box<Order>,
}

impl Asynchronous {
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
            flights: Vec::new(),
            ready: VecDeque::new(),
            used: Vec::new(),
            next: 1,
            broken: None,
        })
    }

    fn lane(&mut self) -> &mut Handle {
        self.lane.as_mut().expect("a lane until it is dropped")
    }

    /// Polls once, waiting at most `patience`. Returns whether anything completed.
    fn poll(&mut self, patience: Duration) -> bool {
        let empty = abi::Completion {
            ticket: 0,
            mismatch: SOUND,
            status: abi::STRIPELINE_PLUGIN_FAILED,
            reserved: 0,
        };
        let mut completions = [empty; COMPLETIONS];
        let timeout = patience.min(POLL).as_micros() as u32;
        let (plugin, poll) = (Arc::clone(&self.plugin), self.poll);
        match plugin.poll(poll, self.lane(), timeout, &mut completions) {
            Ok(count) => {
                for completion in &completions[..count] {
                    self.complete(completion);
                }
                count > 0
            }
            Err(Broken::Lost(reason)) => {
                self.break_lane(reason.clone());
                for Flight { cargo, .. } in std::mem::take(&mut self.flights) {
                    let fault = Fault::new(FaultKind::Failed, reason.clone());
                    self.ready.extend(cargo.map(|cargo| cargo.failed(fault)));
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
            .flights
            .iter()
            .position(|flight| flight.number == number)
        else {
            let never = number == 0 || number >= self.next;
            let what = if never {
                "was never submitted"
            } else {
                "has completed before"
            };
            return self.break_lane(format!("it completed ticket {number}, which {what}"));
        };
        let Flight { cargo, order, .. } = self.flights.swap_remove(index);
        let Some(cargo) = cargo else { return };
        let done = match completion.status {
            // SAFETY: the plug-in said that it is done with the order of this ticket.
            abi::STRIPELINE_PLUGIN_DONE => unsafe { cargo.delivered(&order, completion.mismatch) },
            status => {
                let plugin = Arc::clone(&self.plugin);
                cargo.failed(plugin.fault(self.lane(), status))
            }
        };
        self.ready.push_back(done);
        if self.used.len() <= self.flights.len() {
            self.used.extend(order.into_stage(&self.plugin.limits));
        }
    }

    /// Fails what can be failed, now and from now on.
    fn break_lane(&mut self, reason: String) {
        let reason = self.broken.get_or_insert(reason);
        for flight in self
            .flights
            .iter_mut()
            .filter(|flight| flight.order.is_staged())
        {
            if let Some(cargo) = flight.cargo.take() {
                let fault = Fault::new(FaultKind::Failed, reason.clone());
                self.ready.push_back(cargo.failed(fault));
            }
        }
    }

    /// Polls until `enough`, or for as long as `patience` if there is a bound.
    fn poll_until(&mut self, patience: Option<Duration>, enough: impl Fn(&Self) -> bool) {
        let begin = Instant::now();
        let mut pause = PAUSE_LEAST;
        loop {
            let left = patience.map_or(POLL, |patience| patience.saturating_sub(begin.elapsed()));
            let polled = Instant::now();
            let completed = self.poll(left);
            if enough(self) || patience.is_some() && left.is_zero() {
                return;
            }
            if completed {
                pause = PAUSE_LEAST;
            } else if polled.elapsed() < EARLY {
                std::thread::sleep(pause.min(left));
                pause = (2 * pause).min(PAUSE_MOST);
            }
        }
    }
}

impl Lane for Asynchronous {
    fn submit(&mut self, ticket: u64, piece: Piece) {
        let plugin = Arc::clone(&self.plugin);
        let order = match &self.broken {
            Some(reason) => Err(Fault::new(FaultKind::Failed, reason.clone())),
            None => Order::new(&piece, &plugin.limits, self.used.pop()),
        };
        let order = match order {
            Ok(order) => order,
            Err(fault) => return self.ready.push_back(Done::failed(ticket, piece, fault)),
        };
        let number = self.next;
        self.next += 1;
        let cargo = Cargo::new(ticket, piece, &order);
        let submit = self.submit;
        // SAFETY: the order is boxed and stays among the flights until it has completed or was
        // finally cancelled; its buffers are its own, or those of the piece in the cargo.
        let status = unsafe { plugin.submit(submit, self.lane(), number, &order) };
        if status == abi::STRIPELINE_PLUGIN_DONE {
            self.flights.push(Flight {
                number,
                cargo: Some(cargo),
                order,
            });
        } else {
            let fault = plugin.fault(self.lane(), status);
            self.ready.push_back(cargo.failed(fault));
        }
    }

    fn reap(&mut self, patience: Duration) -> Option<Done> {
        if self.ready.is_empty() && self.in_flight() > 0 {
            self.poll_until(Some(patience), |lane| !lane.ready.is_empty());
        }
        self.ready.pop_front()
    }

    fn in_flight(&self) -> usize {
        let flights = self.flights.iter().filter(|flight| flight.cargo.is_some());
        flights.count() + self.ready.len()
    }
}

impl Drop for Asynchronous {
    fn drop(&mut self) {
        let plugin = Arc::clone(&self.plugin);
        for index in (0..self.flights.len()).rev() {
            let number = self.flights[index].number;
            if plugin.cancel(self.lane(), number) && plugin.limits.cancel_is_final() {
                // Nothing touches its buffers any more.
                let flight = self.flights.swap_remove(index);
                flight.cargo.into_iter().for_each(Cargo::abandon);
            }
        }
        let in_place = |lane: &Self| lane.flights.iter().any(|flight| !flight.order.is_staged());
        if in_place(self) {
            self.poll_until(None, |lane| !in_place(lane));
        }
        if !self.flights.is_empty() {
            self.poll_until(Some(self.grace), |lane| lane.flights.is_empty());
        }
        let lane = self.lane.take().expect("dropped once");
        if self.flights.is_empty() {
            return plugin.close(lane);
        }
        for flight in self.flights.drain(..) {
            flight.cargo.into_iter().for_each(Cargo::abandon);
            // The device may still write: its lane and its copies are left to it.
            Box::leak(flight.order);
        }
    }
}
