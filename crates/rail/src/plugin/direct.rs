// SPDX-License-Identifier: Apache-2.0
//! Lanes of blocking plug-ins that work in place: called on the thread that submits.

use std::sync::Arc;
use std::time::Duration;

use super::abi;
use super::cargo::Cargo;
use super::library::{Handle, Loaded, Run};
use super::order::Order;
use super::stage::Stage;
use crate::{Done, Fault, Lane, Piece};

#[derive(Debug)]
pub(super) struct Direct {
    plugin: Arc<Loaded>,
    run: Run,
    /// There until the lane is dropped.
    lane: Option<Handle>,
    ready: Option<Done>,
    used: Option<Stage>,
}

impl Direct {
    pub(super) fn open(plugin: Arc<Loaded>, run: Run) -> Result<Self, Fault> {
        let lane = Some(plugin.open()?);
        Ok(Self {
            plugin,
            run,
            lane,
            ready: None,
            used: None,
        })
    }
}

impl Lane for Direct {
    fn submit(&mut self, ticket: u64, piece: Piece) {
        assert!(self.ready.is_none(), "one piece at a time");
        let lane = self.lane.as_mut().expect("a lane until it is dropped");
        let order = match Order::new(&piece, &self.plugin.limits, self.used.take()) {
            Ok(order) => order,
            Err(fault) => return self.ready = Some(Done::failed(ticket, piece, fault)),
        };
        let cargo = Cargo::new(ticket, piece, &order);
        let (status, mismatch) = self.plugin.run(self.run, lane, &order);
        self.ready = Some(match status {
            // SAFETY: the call has returned, so the plug-in is done with the buffers.
            abi::STRIPELINE_PLUGIN_DONE => unsafe { cargo.delivered(&order, mismatch) },
            _ => cargo.failed(self.plugin.fault(lane, status)),
        });
        self.used = order.into_stage(&self.plugin.limits);
    }

    fn reap(&mut self, _patience: Duration) -> Option<Done> {
        self.ready.take()
    }

    fn in_flight(&self) -> usize {
        usize::from(self.ready.is_some())
    }
}

impl Drop for Direct {
    fn drop(&mut self) {
        if let Some(lane) = self.lane.take() {
            self.plugin.close(lane);
        }
    }
}
