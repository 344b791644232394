// SPDX-License-Identifier: Apache-2.0
//! Submits pieces to a lane as an engine does: split, in any order, several in flight.

use std::collections::HashMap;
use std::time::Duration;

use stripeline_codec::Verdict;
use stripeline_rail::{Capability, Fault, Lane, Piece, Rail, RevokeHandle};

use crate::Random;

/// Longer than any piece of a suite takes on the slowest machine: exceeding it means a hang.
const LIMIT: Duration = Duration::from_secs(60);

/// A lane and the code that submits pieces to it.
pub struct Feeder {
    name: String,
    capability: Capability,
    lane: Box<dyn Lane>,
    random: Random,
    next_ticket: u64,
}

impl Feeder {
    /// Opens a lane.
    ///
    /// # Panics
    /// If it cannot be opened.
    #[must_use]
    pub fn new(rail: &dyn Rail, seed: u64) -> Self {
        let lane = rail.open_lane();
        Self {
            name: rail.name().to_owned(),
            capability: rail.capability().clone(),
            lane: lane.unwrap_or_else(|fault| panic!("{}: no lane: {fault}", rail.name())),
            random: Random::new(seed),
            // Tickets are large numbers, which a lane cannot confuse with its own small numbers.
            next_ticket: u64::MAX / 2,
        }
    }

    /// Returns the capability of the rail.
    #[must_use]
    pub fn capability(&self) -> &Capability {
        &self.capability
    }

    /// Returns whether the rail takes jobs of this length.
    #[must_use]
    pub fn takes_length(&self, bytes: usize) -> bool {
        self.capability.takes_tails || bytes.is_multiple_of(self.capability.granule_bytes)
    }

    /// Runs a whole piece without splitting it.
    ///
    /// # Errors
    /// The rail's fault.
    pub fn run(&mut self, piece: Piece) -> Result<Verdict, Fault> {
        self.run_cut(piece, 0)
    }

    /// Runs a piece that is split at up to `cuts` random places, with the parts in random order.
    ///
    /// # Errors
    /// The first fault of any part; all parts have been returned by then.
    ///
    /// # Panics
    /// If a part is not returned exactly once with its ticket.
    pub fn run_cut(&mut self, piece: Piece, cuts: usize) -> Result<Verdict, Fault> {
        let mut waiting = self.cut(piece, cuts);
        let mut handles: HashMap<u64, Option<RevokeHandle>> = HashMap::new();
        let mut found = Ok(Verdict::Sound);
        loop {
            while handles.len() < self.capability.depth && !waiting.is_empty() {
                let piece = waiting.swap_remove(self.random.below(waiting.len()));
                assert!(self.capability.takes(&piece), "{}: {piece:?}", self.name);
                let (piece, handle) = piece.for_rail(&self.capability);
                self.next_ticket += 1;
                handles.insert(self.next_ticket, handle);
                self.lane.submit(self.next_ticket, piece);
            }
            assert_eq!(self.lane.in_flight(), handles.len(), "{}", self.name);
            if handles.is_empty() {
                assert!(self.lane.reap(LIMIT).is_none(), "{}", self.name);
                return found;
            }
            let done = self.lane.reap(LIMIT);
            let done = done.unwrap_or_else(|| panic!("{}: no answer", self.name));
            let handle = handles.remove(&done.ticket);
            let handle = handle.unwrap_or_else(|| panic!("{}: ticket {}", self.name, done.ticket));
            assert!(done.piece.is_some(), "{}: a piece went away", self.name);
            let revoked = handle.and_then(|handle| handle.revoke());
            assert!(revoked.is_none(), "{}: given back, yet detached", self.name);
            found = combined(found, done.outcome);
        }
    }

    fn cut(&mut self, piece: Piece, cuts: usize) -> Vec<Piece> {
        let granules = piece.bytes().div_ceil(self.capability.granule_bytes);
        let mut places: Vec<usize> = (0..cuts.min(granules - 1))
            .map(|_| self.capability.granule_bytes * (1 + self.random.below(granules - 1)))
            .collect();
        places.sort_unstable();
        places.dedup();
        let (mut parts, mut rest) = (Vec::new(), piece);
        for place in places.into_iter().rev() {
            let (first, last) = rest.split(place);
            parts.push(last);
            rest = first;
        }
        parts.push(rest);
        parts
    }
}

/// Combines two verdicts to the one that a check of both ranges returns.
fn combined(left: Result<Verdict, Fault>, right: Result<Verdict, Fault>) -> Result<Verdict, Fault> {
    let place = |verdict: &Verdict| match *verdict {
        Verdict::Sound => (usize::MAX, usize::MAX),
        Verdict::Mismatch {
            parity_unit,
            offset,
        } => (offset, parity_unit),
    };
    match (left, right) {
        (Ok(left), Ok(right)) if place(&right) < place(&left) => Ok(right),
        (Ok(_), Err(fault)) => Err(fault),
        (left, _) => left,
    }
}
