// SPDX-License-Identifier: Apache-2.0
//! The contract between the engine and a device.

use std::fmt;
use std::time::Duration;

use stripeline_codec::Verdict;

use crate::{Capability, Fault, FaultKind, Piece};

/// A device with a coder on it.
pub trait Rail: fmt::Debug + Send + Sync {
    /// A name without spaces that is the rail's own in this process: `cpu`, `isal`, `cuda:0`,
    /// `plugin:jerasure`.
    fn name(&self) -> &str;

    /// What is behind it, for people: instruction set, version of a library, model of a device.
    fn describe(&self) -> String;

    /// What it takes. The value never changes.
    fn capability(&self) -> &Capability;

    /// Opens a way to feed it, for one thread.
    ///
    /// # Errors
    /// If the device has gone or has no room for another.
    fn open_lane(&self) -> Result<Box<dyn Lane>, Fault>;
}

/// One thread's way into a rail.
///
/// # Behavior
/// Every piece submitted comes out of [`Lane::reap`] once, in any order, done or with its fault,
/// unless the lane is dropped before. Dropping a lane waits until its device touches no buffer.
pub trait Lane: Send {
    /// Starts a piece, which the capability takes. `ticket` comes back with it.
    ///
    /// A lane without a device of its own does the piece within the call.
    fn submit(&mut self, ticket: u64, piece: Piece);

    /// Gives back a piece that is done or failed, waiting for one as long as `patience`.
    ///
    /// Returns `None` at once if nothing is in flight.
    fn reap(&mut self, patience: Duration) -> Option<Done>;

    /// Pieces submitted and not yet given back.
    fn in_flight(&self) -> usize;
}

/// A piece that a lane gives back.
#[derive(Debug)]
pub struct Done {
    /// The ticket that it was submitted with.
    pub ticket: u64,
    /// The piece; none if it was taken away meanwhile.
    pub piece: Option<Piece>,
    /// What was found if the job compares, [`Verdict::Sound`] otherwise. Offsets count from the
    /// start of the job.
    pub outcome: Result<Verdict, Fault>,
}

impl Done {
    /// A piece that comes back undone.
    #[must_use]
    pub fn failed(ticket: u64, piece: Piece, fault: Fault) -> Self {
        Self {
            ticket,
            piece: Some(piece),
            outcome: Err(fault),
        }
    }

    /// What comes back of a piece that was taken away.
    #[must_use]
    pub fn revoked(ticket: u64) -> Self {
        let text = "the piece was taken away while the device worked";
        Self {
            ticket,
            piece: None,
            outcome: Err(Fault::new(FaultKind::Revoked, text)),
        }
    }
}
