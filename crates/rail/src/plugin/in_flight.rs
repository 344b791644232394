// SPDX-License-Identifier: Apache-2.0
//! A piece in flight: the lane's record of it while the plug-in works on its product.

use super::abi;
use super::owned_product::OwnedProduct;
use crate::lane_piece::LanePiece;
use crate::{Done, Fault, Piece};

/// A piece whose product was submitted to the plug-in.
#[derive(Debug)]
pub(super) struct InFlight {
    ticket: u64,
    piece: LanePiece,
}

impl InFlight {
    /// Releases the buffers if the plug-in works on copies and the engine can revoke the piece.
    pub(super) fn new(ticket: u64, piece: Piece, product: &OwnedProduct) -> Self {
        let piece = LanePiece::of(piece, product.is_staged());
        Self { ticket, piece }
    }

    /// Returns the completed piece.
    ///
    /// # Safety
    /// The plug-in no longer accesses the product's buffers.
    pub(super) unsafe fn completed(self, product: &OwnedProduct, mismatch: abi::Mismatch) -> Done {
        let ticket = self.ticket;
        let Some(mut piece) = self.piece.into_piece() else {
            return Done::revoked(ticket);
        };
        // SAFETY: the caller upholds the same contract.
        let outcome = unsafe { product.deliver(&mut piece, mismatch) };
        Done {
            ticket,
            piece: Some(piece),
            outcome,
        }
    }

    /// Returns the piece undone. The plug-in must not access it any more if it worked in place.
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
