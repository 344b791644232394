// SPDX-License-Identifier: Apache-2.0
//! What a lane keeps of a piece while its device works.

use crate::{Detached, Piece};

/// A piece with its buffers, or one whose buffers the lane has let go of.
#[derive(Debug)]
pub(crate) enum Custody {
    /// The device may touch the buffers.
    Attached(Piece),
    /// The device works on copies, and the piece may be taken away.
    Detached(Detached),
}

impl Custody {
    /// Lets go of the buffers if the device works on copies and somebody can take the piece away.
    pub(crate) fn of(piece: Piece, works_on_copies: bool) -> Self {
        match works_on_copies && piece.is_leased() {
            true => Self::Detached(piece.detach()),
            false => Self::Attached(piece),
        }
    }

    /// The piece with its buffers; none if it was taken away.
    pub(crate) fn into_piece(self) -> Option<Piece> {
        match self {
            Self::Attached(piece) => Some(piece),
            Self::Detached(detached) => detached.attach(),
        }
    }
}
