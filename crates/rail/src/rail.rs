// SPDX-License-Identifier: Apache-2.0
//! The contract between the engine and a device.

use std::fmt;
use std::time::Duration;

use stripeline_codec::Verdict;

use crate::{Capability, Fault, FaultKind, Piece, PinnedBuffer};

/// A device with a coder on it.
pub trait Rail: fmt::Debug + Send + Sync {
    /// A name without spaces that is the rail's own in this process: `cpu`, `isal`, `cuda:0`,
    /// `plugin:jerasure`.
    fn name(&self) -> &str;

    /// A description for people: instruction set, version of a library, model of a device.
    fn describe(&self) -> String;

    /// Returns the capability, which never changes.
    fn capability(&self) -> &Capability;

    /// Opens a lane, through which one thread submits pieces.
    ///
    /// # Errors
    /// If the device is gone or has no resources for another lane.
    fn open_lane(&self) -> Result<Box<dyn Lane>, Fault>;

    /// Allocates memory of the process that the device, and every other device with the same
    /// driver, accesses in place ([`MemoryKind::HostPinned`](crate::MemoryKind)). `None` if the
    /// rail gains nothing from such memory.
    ///
    /// The device's resources that this needs are held until the memory is released.
    ///
    /// # Errors
    /// [`FaultKind::Refused`] if that much memory is lacking; another kind if the device cannot be
    /// used.
    fn allocate_pinned(&self, _bytes: usize) -> Option<Result<PinnedBuffer, Fault>> {
        None
    }
}

/// A channel through which one thread submits pieces to a rail.
///
/// # Behavior
/// [`Lane::reap`] returns every submitted piece once, in any order, done or with its fault, unless
/// the lane is dropped before. Dropping a lane waits for its device, which may take a limited time
/// only. A piece whose buffers the device may still access then keeps its job alive.
pub trait Lane: Send {
    /// Starts a piece, which the capability must take. `ticket` is returned with it.
    ///
    /// A lane may start it later, together with others, but no later than [`Lane::reap`] waits.
    ///
    /// A lane without a device of its own does the piece within the call.
    fn submit(&mut self, ticket: u64, piece: Piece);

    /// Returns a piece that is done or has failed, waiting for one for at most `limit`.
    ///
    /// Returns `None` at once if nothing is in flight.
    fn reap(&mut self, limit: Duration) -> Option<Done>;

    /// Returns the number of pieces submitted and not yet returned.
    fn in_flight(&self) -> usize;
}

/// A piece that a lane returns.
#[derive(Debug)]
pub struct Done {
    /// The ticket that it was submitted with.
    pub ticket: u64,
    /// The piece; none if it was revoked.
    pub piece: Option<Piece>,
    /// The result of a comparison, [`Verdict::Sound`] for other jobs. Offsets count from the start
    /// of the job.
    pub outcome: Result<Verdict, Fault>,
}

impl Done {
    /// Returns a piece that was not done.
    #[must_use]
    pub fn failed(ticket: u64, piece: Piece, fault: Fault) -> Self {
        Self {
            ticket,
            piece: Some(piece),
            outcome: Err(fault),
        }
    }

    /// Returns the result of a piece that was revoked.
    #[must_use]
    pub fn revoked(ticket: u64) -> Self {
        let text = "the piece was revoked while the device was working";
        Self {
            ticket,
            piece: None,
            outcome: Err(Fault::new(FaultKind::Revoked, text)),
        }
    }
}
