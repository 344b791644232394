// SPDX-License-Identifier: Apache-2.0
//! Pieces that are collected to be coded by one launch.

use super::launch::{BUFFERS_MAX, is_aligned};
use super::layout::address_in_place;
use super::tables::ROWS_MAX;
use crate::{Mode, Piece, Region};

/// The most bytes of all buffers of a launch of several pieces. More take longer than putting a
/// launch into a stream, 4 us, so that collecting them would only delay the first.
const BATCH_BYTES: usize = 32 << 20;

/// Pieces that have not been started: of one code, mode and length, with all units in device
/// memory. The kernel codes such pieces in one launch.
#[derive(Debug)]
pub(super) struct Batch {
    pieces: Vec<(u64, Piece)>,
    /// The most pieces of a launch.
    pieces_max: usize,
}

impl Batch {
    /// Creates an empty batch for a lane with `slots` slots. A batch holds at most half as many
    /// pieces as there are slots, so that the device can work on the other half at the same time.
    pub fn new(slots: usize) -> Self {
        Self {
            pieces: Vec::new(),
            pieces_max: slots.div_ceil(2),
        }
    }

    pub fn len(&self) -> usize {
        self.pieces.len()
    }

    /// Returns whether one launch can code this piece and those collected so far.
    pub fn takes(&self, piece: &Piece) -> bool {
        let suits = |(_, first): &(u64, Piece)| {
            std::ptr::eq(&**first.job().matrix(), &**piece.job().matrix())
                && first.job().mode() == piece.job().mode()
                && first.bytes() == piece.bytes()
        };
        self.pieces_max(piece) > 1 && self.pieces.first().is_none_or(suits)
    }

    /// Returns how many pieces like this one a launch can code.
    fn pieces_max(&self, piece: &Piece) -> usize {
        let in_place = |region: Region| address_in_place(region).is_some_and(|at| is_aligned(&at));
        let job = piece.job();
        let outputs = job.outputs().len();
        // A comparison needs a copy of its outputs.
        if job.mode() == Mode::Compare
            || outputs > ROWS_MAX
            || !piece.inputs().chain(piece.outputs()).all(in_place)
        {
            return 1;
        }
        let buffers = job.inputs().len() + outputs;
        let fit = (BUFFERS_MAX / buffers).min(BATCH_BYTES / (buffers * piece.bytes()));
        fit.min(self.pieces_max)
    }

    /// Collects a piece that the batch takes; returns whether no other fits.
    pub fn push(&mut self, ticket: u64, piece: Piece) -> bool {
        let pieces_max = self.pieces_max(&piece);
        self.pieces.push((ticket, piece));
        self.pieces.len() >= pieces_max
    }

    /// Returns the pieces, the oldest first.
    pub fn take(&mut self) -> Vec<(u64, Piece)> {
        std::mem::take(&mut self.pieces)
    }
}
