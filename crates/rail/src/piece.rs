// SPDX-License-Identifier: Apache-2.0
//! A byte range of a job, and the right to work on it.
//!
//! Pieces of one job never overlap: the first is created with the job, and others come from
//! splitting it. A piece may therefore access its range of every buffer without synchronization.

use std::fmt;
use std::ops::Range;
use std::sync::{Arc, Weak};

use arrayvec::ArrayVec;
use stripeline_codec::{Coefficients, StorePolicy, UNITS_MAX};

use crate::ownership::Ownership;
use crate::{Capability, Job, Mode, Region};

/// The same range of every buffer of a job.
pub struct Piece {
    job: Arc<Job>,
    range: Range<usize>,
    store: StorePolicy,
    ownership: Option<Arc<Ownership>>,
}

impl Piece {
    pub(crate) fn whole(job: Job) -> Self {
        let range = 0..job.bytes();
        Self {
            job: Arc::new(job),
            range,
            store: StorePolicy::Temporal,
            ownership: None,
        }
    }

    /// Returns the job.
    #[must_use]
    pub fn job(&self) -> &Job {
        &self.job
    }

    /// Returns the range of bytes in every buffer.
    #[must_use]
    pub fn range(&self) -> Range<usize> {
        self.range.clone()
    }

    /// Returns the bytes of each buffer.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.range.len()
    }

    /// Returns how a coder that works in place stores the outputs: temporally unless
    /// [`stored`](Self::stored) set another policy. Both parts of a split keep the policy.
    #[must_use]
    pub fn store(&self) -> StorePolicy {
        self.store
    }

    /// Sets the store policy. Adding and comparing read the outputs and therefore always store
    /// temporally.
    #[must_use]
    pub fn stored(self, store: StorePolicy) -> Self {
        Self { store, ..self }
    }

    /// Returns whether the whole job is in host memory.
    #[must_use]
    pub fn is_on_host(&self) -> bool {
        let all = self.job.inputs().iter().chain(self.job.outputs());
        all.into_iter().all(|region| region.kind().is_host())
    }

    /// Cuts the piece in two: its first `bytes` bytes, and the rest.
    ///
    /// # Panics
    /// Unless 0 < `bytes` < length, or if the piece is revocable.
    #[must_use]
    pub fn split(self, bytes: usize) -> (Self, Self) {
        assert!(bytes > 0 && bytes < self.bytes(), "both parts hold bytes");
        let middle = self.range.start + bytes;
        (
            self.part(self.range.start..middle),
            self.part(middle..self.range.end),
        )
    }

    fn part(&self, range: Range<usize>) -> Self {
        assert!(
            self.ownership.is_none(),
            "a piece given to a rail stays whole"
        );
        Self {
            job: Arc::clone(&self.job),
            range,
            store: self.store,
            ownership: None,
        }
    }

    /// Returns the matrix of the job.
    #[must_use]
    pub fn matrix(&self) -> Arc<Coefficients> {
        Arc::clone(self.job.matrix())
    }

    /// Returns where this range of each input starts.
    pub fn inputs(&self) -> impl ExactSizeIterator<Item = Region> {
        let start = self.range.start;
        self.job
            .inputs()
            .iter()
            .map(move |region| region.offset(start))
    }

    /// Returns where this range of each output starts.
    pub fn outputs(&self) -> impl ExactSizeIterator<Item = Region> {
        let start = self.range.start;
        self.job
            .outputs()
            .iter()
            .map(move |region| region.offset(start))
    }

    /// Calls `run` with this range of the inputs and of the outputs.
    ///
    /// # Panics
    /// If the job compares, or is not all in host memory.
    pub fn write<R>(&mut self, run: impl FnOnce(&[&[u8]], &mut [&mut [u8]]) -> R) -> R {
        assert!(self.is_on_host(), "device memory has no slices");
        assert!(self.job.mode() != Mode::Compare, "comparing only reads");
        let bytes = self.bytes();
        let mut inputs = ArrayVec::new();
        self.input_slices(&mut inputs);
        let mut outputs = ArrayVec::<&mut [u8], UNITS_MAX>::new();
        for region in self.outputs() {
            // SAFETY: the creator of the job guarantees that its outputs are exclusive to it; no
            // other piece has this range, and this one is borrowed mutably.
            outputs.push(unsafe { std::slice::from_raw_parts_mut(region.start(), bytes) });
        }
        run(&inputs, &mut outputs)
    }

    /// Calls `run` with this range of the inputs and of the outputs, to read both.
    ///
    /// # Panics
    /// If the job is not all in host memory.
    pub fn read<R>(&self, run: impl FnOnce(&[&[u8]], &[&[u8]]) -> R) -> R {
        assert!(self.is_on_host(), "device memory has no slices");
        let mut outputs = ArrayVec::<&[u8], UNITS_MAX>::new();
        for region in self.outputs() {
            // SAFETY: the creator of the job guarantees that its buffers are valid; no other piece
            // has this range, and this one is borrowed.
            outputs.push(unsafe { std::slice::from_raw_parts(region.start(), self.bytes()) });
        }
        let mut inputs = ArrayVec::new();
        self.input_slices(&mut inputs);
        run(&inputs, &outputs)
    }

    /// Fills a list in place: returning it would copy 4 KiB.
    fn input_slices<'a>(&'a self, inputs: &mut ArrayVec<&'a [u8], UNITS_MAX>) {
        for region in self.inputs() {
            // SAFETY: the creator of the job guarantees that nothing writes to its inputs.
            inputs.push(unsafe { std::slice::from_raw_parts(region.start(), self.bytes()) });
        }
    }

    /// Returns a piece that compares this range with what a rail wrote there, and this piece, which
    /// cannot be written until the comparing one is given back.
    ///
    /// # Panics
    /// Unless the job sets its outputs: after an addition the previous sums are gone.
    #[must_use]
    pub fn into_check(self) -> (Self, WrittenPiece) {
        assert!(
            self.job.mode() == Mode::Set,
            "only set outputs can be checked"
        );
        let check = Self {
            job: Arc::new(Job::comparing(&self.job)),
            range: self.range.clone(),
            store: StorePolicy::Temporal,
            ownership: None,
        };
        (check, WrittenPiece(self))
    }

    /// Makes the piece revocable, so that it can be taken away from a rail that does not answer.
    ///
    /// # Panics
    /// If it is revocable already.
    #[must_use]
    pub fn into_revocable(mut self) -> (Self, RevokeHandle) {
        assert!(self.ownership.is_none(), "made revocable once");
        let ownership = Arc::new(Ownership::new());
        let handle = RevokeHandle {
            job: Arc::clone(&self.job),
            range: self.range.clone(),
            ownership: Arc::clone(&ownership),
        };
        self.ownership = Some(ownership);
        (self, handle)
    }

    /// Returns the piece as a rail of this capability is given it: revocable if the rail detaches.
    ///
    /// # Panics
    /// If it is revocable already.
    #[must_use]
    pub fn for_rail(self, capability: &Capability) -> (Self, Option<RevokeHandle>) {
        if !capability.detaches {
            return (self, None);
        }
        let (piece, handle) = self.into_revocable();
        (piece, Some(handle))
    }

    /// Makes the piece irrevocable again, because the rail has finished it.
    pub fn make_irrevocable(&mut self) {
        self.ownership = None;
    }

    /// Returns whether the piece can be revoked while it is detached.
    #[must_use]
    pub fn is_revocable(&self) -> bool {
        self.ownership.is_some()
    }

    /// Releases the buffers while a device works on copies of them.
    ///
    /// Until [`Detached::attach`] the [`RevokeHandle`] can take the piece away.
    ///
    /// # Panics
    /// Unless the piece is revocable.
    #[must_use]
    pub fn detach(self) -> Detached {
        let ownership = self.ownership.expect("only a revocable piece is detached");
        let detached = Detached {
            job: Arc::downgrade(&self.job),
            range: self.range,
            ownership: Arc::clone(&ownership),
        };
        // Last: from here on the owner of the handle may end the job.
        drop(self.job);
        ownership.detach();
        detached
    }
}

impl fmt::Debug for Piece {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:?} [{:?}]", self.job, self.range)
    }
}

/// A piece that a rail has written and that must not be written again while its outputs are
/// compared.
#[derive(Debug)]
pub struct WrittenPiece(Piece);

impl WrittenPiece {
    /// Returns the piece in exchange for the one that compared.
    ///
    /// # Panics
    /// If `check` is not the piece that [`Piece::into_check`] returned with this one.
    #[must_use]
    pub fn into_piece(self, check: Piece) -> Piece {
        // The range too: a part of the check, or the check of another piece of the job, would leave
        // a piece alive that reads what this piece may write again.
        assert!(
            check.job.compares(&self.0.job) && check.range == self.0.range,
            "the check of this very piece"
        );
        self.0
    }
}

/// Takes a revocable piece away from its rail.
#[derive(Debug)]
pub struct RevokeHandle {
    job: Arc<Job>,
    range: Range<usize>,
    ownership: Arc<Ownership>,
}

impl RevokeHandle {
    /// Takes the piece away from a rail that has released the buffers; `None` if the rail may be
    /// accessing them now, or has finished the piece.
    ///
    /// Afterwards the rail can neither read nor write the buffers, whenever it resumes.
    #[must_use]
    pub fn revoke(&self) -> Option<Piece> {
        self.ownership.revoke().then(|| Piece {
            job: Arc::clone(&self.job),
            range: self.range.clone(),
            store: StorePolicy::Temporal,
            ownership: None,
        })
    }
}

/// A piece that a device works on through copies. It does not keep the job alive and may not access
/// the job's buffers.
#[derive(Debug)]
pub struct Detached {
    job: Weak<Job>,
    range: Range<usize>,
    ownership: Arc<Ownership>,
}

impl Detached {
    /// Attaches the piece to its buffers, to write the results; `None` if it was revoked.
    #[must_use]
    pub fn attach(self) -> Option<Piece> {
        if !self.ownership.attach() {
            return None;
        }
        // The handle, which has a reference of its own, is dropped only after the piece came back.
        let job = self.job.upgrade()?;
        Some(Piece {
            job,
            range: self.range,
            store: StorePolicy::Temporal,
            ownership: Some(self.ownership),
        })
    }
}
