// SPDX-License-Identifier: Apache-2.0
//! Lanes of blocking plug-ins that work in place: called on the thread that submits.

use std::sync::Arc;
use std::time::Duration;

use super::abi;
use super::in_flight::InFlight;
use super::library::{Handle, Loaded, Run};
use super::owned_product::OwnedProduct;
use super::staging::StagingBuffers;
use crate::{Done, Fault, Lane, Piece};

#[derive(Debug)]
pub(super) struct DirectLane {
    plugin: Arc<Loaded>,
    run: Run,
    /// `Some` until the lane is dropped.
    lane: Option<Handle>,
    ready: Option<Done>,
    used: Option<StagingBuffers>,
}

impl DirectLane {
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

impl Lane for DirectLane {
    fn submit(&mut self, ticket: u64, piece: Piece) {
        assert!(self.ready.is_none(), "one piece at a time");
        let lane = self.lane.as_mut().expect("a lane until it is dropped");
        let product = match OwnedProduct::new(&piece, &self.plugin.limits, self.used.take()) {
            Ok(product) => product,
            Err(fault) => return self.ready = Some(Done::failed(ticket, piece, fault)),
        };
        let in_flight = InFlight::new(ticket, piece, &product);
        let (status, mismatch) = self.plugin.run(self.run, lane, &product);
        self.ready = Some(match status {
            // SAFETY: the call has returned, so the plug-in no longer accesses the buffers.
            abi::STRIPELINE_PLUGIN_DONE => unsafe { in_flight.completed(&product, mismatch) },
            _ => in_flight.failed(self.plugin.fault(lane, status)),
        });
        self.used = product.into_staging(&self.plugin.limits);
    }

    fn reap(&mut self, _limit: Duration) -> Option<Done> {
        self.ready.take()
    }

    fn in_flight(&self) -> usize {
        usize::from(self.ready.is_some())
    }
}

impl Drop for DirectLane {
    fn drop(&mut self) {
        if let Some(lane) = self.lane.take() {
            self.plugin.close(lane);
        }
    }
}
