// SPDX-License-Identifier: Apache-2.0
//! A lane: several slots, and waiting for the first to finish.

use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Duration;

use super::batch::Batch;
use super::context::Context;
use super::gpu::Gpu;
use super::poll_backoff::{Machine, PollBackoff};
use super::slot::Slot;
use crate::{Done, Fault, FaultKind, Lane, Piece};

/// A device ends pieces of about the same size in the order of submission. One that has worked for
/// longer than this may have been passed by others.
const IN_ORDER: Duration = Duration::from_millis(1);

/// Several slots, used by one thread.
#[derive(Debug)]
pub(super) struct CudaLane {
    gpu: Arc<Gpu>,
    context: Arc<Context>,
    slots: Vec<Slot>,
    /// Pieces to be started together; no slot has them yet.
    batch: Batch,
    /// The generation of the primary context when the first of them was submitted.
    batch_generation: u64,
    /// The slots that are not idle, in the order in which their pieces were submitted.
    order: VecDeque<usize>,
    /// Finished pieces that have not been reaped yet.
    ready: VecDeque<Done>,
    backoff: PollBackoff,
}

impl CudaLane {
    /// # Errors
    /// If memory or streams are lacking.
    pub fn new(gpu: &Arc<Gpu>) -> Result<Self, Fault> {
        let (context, slots) = open(gpu)?;
        Ok(Self {
            gpu: Arc::clone(gpu),
            context,
            slots,
            batch: Batch::new(gpu.settings.slots),
            batch_generation: 0,
            order: VecDeque::new(),
            ready: VecDeque::new(),
            backoff: PollBackoff::default(),
        })
    }

    /// Opens another context if this one is broken and no slot of the lane is busy.
    fn renew(&mut self) -> Result<(), Fault> {
        if self.context.is_broken() && self.is_idle() {
            let (context, slots) = open(&self.gpu)?;
            let before = std::mem::replace(&mut self.context, context);
            before.keep(std::mem::replace(&mut self.slots, slots).into_iter());
            self.gpu.device.primary.free_finished();
        }
        Ok(())
    }

    /// Starts pieces that one launch can code, submitted when the primary context had this
    /// generation.
    fn start(&mut self, pieces: Vec<(u64, Piece)>, generation: u64) {
        let renewed = self.renew().and_then(|()| {
            let has_ended = self.gpu.device.primary.has_ended(generation);
            match has_ended && pieces.iter().any(|(_, piece)| is_on_device(piece)) {
                true => Err(memory_ended()),
                false => Ok(()),
            }
        });
        if let Err(fault) = renewed {
            let failed = |(ticket, piece)| Done::failed(ticket, piece, fault.clone());
            self.ready.extend(pieces.into_iter().map(failed));
            return;
        }
        let index = self.slots.iter().position(Slot::is_idle);
        let index = index.expect("as many pieces in flight as the capability says");
        self.slots[index].begin(pieces, &mut self.ready);
        if !self.slots[index].is_idle() {
            self.order.push_back(index);
        }
    }

    fn start_batch(&mut self) {
        let pieces = self.batch.take();
        if !pieces.is_empty() {
            self.start(pieces, self.batch_generation);
        }
    }

    /// Collects the pieces that the device has finished, and ends the context if a piece hangs on
    /// the caller's own memory.
    fn look(&mut self) {
        self.advance();
        let limit = self.gpu.settings.hang_limit;
        let hangs = |slot: &Slot| slot.working_in_place().is_some_and(|since| since > limit);
        if self.slots.iter().any(hangs) && self.end_context() {
            self.advance();
        }
    }

    /// Takes the finished pieces from their slots. A query takes longer than a short piece, so the
    /// slots behind one that works are queried only if that takes long.
    fn advance(&mut self) {
        let (slots, ready) = (&mut self.slots, &mut self.ready);
        let mut waits = false;
        self.order.retain(|index| {
            let slot = &mut slots[*index];
            if !waits {
                slot.advance(ready);
                waits = slot.working().is_some_and(|time| time < IN_ORDER);
            }
            !slot.is_idle()
        });
    }

    /// Ends the context; returns whether the device no longer accesses memory of this process.
    fn end_context(&self) -> bool {
        // The fault of the returned pieces has the reason.
        self.context.tear_down(self.gpu.settings.drop_limit).is_ok()
    }

    /// Polls until `enough` holds, the slots are idle, or `limit` is over.
    fn wait(&mut self, limit: Duration, look: fn(&mut Self), enough: impl Fn(&Self) -> bool) {
        let mut backoff = self.backoff;
        backoff.wait(limit, &Machine::start(), || {
            look(self);
            enough(self)
        });
        self.backoff = backoff;
    }

    fn is_idle(&self) -> bool {
        self.slots.iter().all(Slot::is_idle)
    }
}

impl Lane for CudaLane {
    fn submit(&mut self, ticket: u64, piece: Piece) {
        if !self.batch.takes(&piece) {
            self.start_batch();
        }
        let generation = self.gpu.device.primary.generation();
        if !self.batch.takes(&piece) {
            // Not even an empty batch.
            self.start(vec![(ticket, piece)], generation);
            return;
        }
        if self.batch.len() == 0 {
            self.batch_generation = generation;
        }
        if self.batch.push(ticket, piece) {
            self.start_batch();
        }
    }

    fn reap(&mut self, limit: Duration) -> Option<Done> {
        if self.ready.is_empty() {
            // No others come before the caller has waited.
            self.start_batch();
            self.wait(limit, Self::look, |lane| {
                !lane.ready.is_empty() || lane.is_idle()
            });
        }
        self.ready.pop_front()
    }

    fn in_flight(&self) -> usize {
        let working: usize = self.slots.iter().map(Slot::pieces).sum();
        working + self.batch.len() + self.ready.len()
    }
}

impl Drop for CudaLane {
    /// Waits for the device up to the drop limit. If the device still works on a caller's memory
    /// then, its context is ended; work on copies may be left to it.
    fn drop(&mut self) {
        // Without ending the context, which is tried afterwards.
        self.wait(self.gpu.settings.drop_limit, Self::advance, Self::is_idle);
        let in_place = |slot: &Slot| slot.working_in_place().is_some();
        if self.slots.iter().any(in_place) && self.end_context() {
            self.look();
        }
        // Kept with their memory, and with a piece if the device may still access its buffers.
        self.context.keep(self.slots.drain(..));
        self.gpu.device.primary.free_finished();
    }
}

/// Returns whether the kernel would use device memory of the program's.
fn is_on_device(piece: &Piece) -> bool {
    let mut regions = piece.inputs().chain(piece.outputs());
    regions.any(|region| !region.kind().is_host())
}

/// Returns the fault of a piece whose device memory the end of the context has freed.
fn memory_ended() -> Fault {
    let text = "its device memory has ended with the device's context, which was ended after an \
                error";
    Fault::new(FaultKind::Refused, text)
}

/// Returns a context and a lane's slots in it.
fn open(gpu: &Gpu) -> Result<(Arc<Context>, Vec<Slot>), Fault> {
    let context = gpu.context()?;
    let mut slots = context.take_left(gpu.settings.slots, gpu.settings.slot_bytes);
    while slots.len() < gpu.settings.slots {
        match Slot::new(&context, gpu.settings.slot_bytes) {
            Ok(slot) => slots.push(slot),
            Err(fault) => {
                context.note(&fault);
                context.keep(slots.into_iter());
                gpu.device.primary.free_finished();
                return Err(fault);
            }
        }
    }
    Ok((context, slots))
}
