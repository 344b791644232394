// SPDX-License-Identifier: Apache-2.0
//! What a lane keeps of a piece while the plug-in has its order.

use super::abi;
use super::order::Order;
use crate::custody::Custody;
use crate::{Done, Fault, Piece};

/// A piece on its way.
#[derive(Debug)]
pub(super) struct Cargo {
    ticket: u64,
    hold: Custody,
}

impl Cargo {
    /// Lets go of the buffers if the plug-in works on copies and the engine can take the piece away.
    pub(super) fn new(ticket: u64, piece: Piece, order: &Order) -> Self {
        let hold = Custody::of(piece, order.is_staged());
        Self { ticket, hold }
    }

    /// The piece done, after the plug-in said so.
    ///
    /// # Safety
    /// The plug-in touches the order's buffers no more.
    pub(super) unsafe fn delivered(self, order: &Order, mismatch: abi::Mismatch) -> Done {
        let ticket = self.ticket;
        let Some(mut piece) = self.hold.into_piece() else {
            return Done::revoked(ticket);
        };
        // SAFETY: as the caller promised.
        let outcome = unsafe { order.deliver(&mut piece, mismatch) };
        Done {
            ticket,
            piece: Some(piece),
            outcome,
        }
    }

    /// The piece not done. If it was worked on in place, the plug-in touches it no more.
    pub(super) fn failed(self, fault: Fault) -> Done {
        match self.hold.into_piece() {
            None => Done::revoked(self.ticket),
            Some(piece) => Done::failed(self.ticket, piece, fault),
        }
    }

    /// Lets the holder of the lease have the piece: the lane ends without it.
    pub(super) fn abandon(self) {
        match self.hold {
            Custody::Attached(piece) if piece.is_leased() => drop(piece.detach()),
            Custody::Attached(_) | Custody::Detached(_) => (),
        }
    }
}
