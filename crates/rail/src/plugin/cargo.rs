// SPDX-License-Identifier: Apache-2.0
//! What a lane keeps of a piece while the plug-in has its order.

use super::abi;
use super::order::Order;
use crate::lane_piece::LanePiece;
use crate::{Done, Fault, Piece};

/// A piece on its way.
#[derive(Debug)]
pub(super) struct Cargo {
    ticket: u64,
    piece: LanePiece,
}

impl Cargo {
    /// Lets go of the buffers if the plug-in works on copies and the engine can take the piece away.
    pub(super) fn new(ticket: u64, piece: Piece, order: &Order) -> Self {
        let piece = LanePiece::of(piece, order.is_staged());
        Self { ticket, piece }
    }

    /// The piece done, after the plug-in said so.
    ///
    /// # Safety
    /// The plug-in touches the order's buffers no more.
    pub(super) unsafe fn delivered(self, order: &Order, mismatch: abi::Mismatch) -> Done {
        let ticket = self.ticket;
        let Some(mut piece) = self.piece.into_piece() else {
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
        match self.piece.into_piece() {
            None => Done::revoked(self.ticket),
            Some(piece) => Done::failed(self.ticket, piece, fault),
        }
    }

    /// Leaves the piece to the owner of its revoke handle: the lane ends without it.
    pub(super) fn abandon(self) {
        match self.piece {
            LanePiece::Attached(piece) if piece.is_revocable() => drop(piece.detach()),
            LanePiece::Attached(_) | LanePiece::Detached(_) => (),
        }
    }
}
