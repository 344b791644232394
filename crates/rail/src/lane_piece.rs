// SPDX-License-Identifier: Apache-2.0
//! A piece as a lane keeps it while its device works.

use crate::{Detached, Piece};

/// A piece with its buffers, or one whose buffers the lane has released.
#[derive(Debug)]
pub enum LanePiece {
    /// The device may access the buffers.
    Attached(Piece),
    /// The device works on copies, and the piece may be revoked.
    Detached(Detached),
}

impl LanePiece {
    /// Releases the buffers if the device works on copies and the piece is revocable.
    #[must_use]
    pub fn of(piece: Piece, works_on_copies: bool) -> Self {
        match works_on_copies && piece.is_revocable() {
            true => Self::Detached(piece.detach()),
            false => Self::Attached(piece),
        }
    }

    /// Returns the piece with its buffers; none if it was revoked.
    #[must_use]
    pub fn into_piece(self) -> Option<Piece> {
        match self {
            Self::Attached(piece) => Some(piece),
            Self::Detached(detached) => detached.attach(),
        }
    }
}
