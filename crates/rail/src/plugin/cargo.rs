// SPDX-License-Identifier: Apache-2.0
//! What a lane keeps of a piece while the plug-in has its order.

use super::abi;
use super::order::Order;
use crate::{Detached, Done, Fault, FaultKind, Piece};

/// A piece on its way.
#[derive(Debug)]
pub(super) struct Cargo {
    ticket: u64,
    hold: Kept,
}

#[derive(Debug)]
enum Kept {
    Attached(Piece),
    Detached(Detached),
}

impl Cargo {
    /// Lets go of the buffers if the plug-in works on copies and the engine can take the piece away.
    pub(super) fn new(ticket: u64, piece: Piece, order: &Order) -> Self {
        let hold = match order.is_staged() && piece.is_leased() {
            true => Kept::Detached(piece.detach()),
            false => Kept::Attached(piece),
        };
        Self { ticket, hold }
    }

    /// The piece done, after the plug-in said so.
    ///
    /// # Safety
    /// The plug-in touches the order's buffers no more.
    pub(super) unsafe fn delivered(self, order: &Order, mismatch: abi::Mismatch) -> Done {
        let ticket = self.ticket;
        let Some(mut piece) = self.piece() else {
            return revoked(ticket);
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
        let ticket = self.ticket;
        match self.piece() {
            None => revoked(ticket),
            piece => Done {
                ticket,
                piece,
                outcome: Err(fault),
            },
        }
    }

    /// Lets the holder of the lease have the piece: the lane ends without it.
    pub(super) fn abandon(self) {
        match self.hold {
            Kept::Attached(piece) if piece.is_leased() => drop(piece.detach()),
            Kept::Attached(_) | Kept::Detached(_) => (),
        }
    }

    fn piece(self) -> Option<Piece> {
        match self.hold {
            Kept::Attached(piece) => Some(piece),
            Kept::Detached(detached) => detached.attach(),
        }
    }
}

/// What comes back of a piece that was taken away.
fn revoked(ticket: u64) -> Done {
    let text = "the piece was taken away while the device worked";
    Done {
        ticket,
        piece: None,
        outcome: Err(Fault::new(FaultKind::Revoked, text)),
    }
}

/// A piece that could not even be started.
pub(super) fn refused(ticket: u64, piece: Piece, fault: Fault) -> Done {
    Done {
        ticket,
        piece: Some(piece),
        outcome: Err(fault),
    }
}
