// SPDX-License-Identifier: Apache-2.0
//! A byte range of a job, and the right to work on it.
//!
//! Pieces of one job never overlap: the first is made with the job and others come from splitting
//! it. So a piece may touch its range of every buffer without asking anyone.

use std::fmt;
use std::ops::Range;
use std::sync::{Arc, Weak};

use arrayvec::ArrayVec;
use stripeline_codec::{Coefficients, StorePolicy, UNITS_MAX};

use crate::lease::Lease;
use crate::{Job, Mode, Region};

/// The same range of every buffer of a job.
pub struct Piece {
    job: Arc<Job>,
    range: Range<usize>,
    store: StorePolicy,
    lease: Option<Arc<Lease>>,
}

impl Piece {
    pub(crate) fn whole(job: Job) -> Self {
        let range = 0..job.bytes();
        Self {
            job: Arc::new(job),
            range,
            store: StorePolicy::Temporal,
            lease: None,
        }
    }

    /// The job.
    #[must_use]
    pub fn job(&self) -> &Job {
        &self.job
    }

    /// Which bytes of every buffer.
    #[must_use]
    pub fn range(&self) -> Range<usize> {
        self.range.clone()
    }

    /// Bytes of each buffer.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.range.len()
    }

    /// How a coder that works in place is to store its outputs: temporally unless the piece was
    /// [`stored`](Self::stored) otherwise. What comes of a split is stored alike.
    #[must_use]
    pub fn store(&self) -> StorePolicy {
        self.store
    }

    /// The piece, to be stored in this way. Adding and comparing read the outputs, so they know no
    /// other than the temporal one.
    #[must_use]
    pub fn stored(self, store: StorePolicy) -> Self {
        Self { store, ..self }
    }

    /// Whether the whole job is in host memory.
    #[must_use]
    pub fn is_on_host(&self) -> bool {
        let all = self.job.inputs().iter().chain(self.job.outputs());
        all.into_iter().all(|region| region.kind().is_host())
    }

    /// Cuts the piece in two: its first `bytes` bytes, and the rest.
    ///
    /// # Panics
    /// Unless 0 < `bytes` < length, or if the piece is leased to a rail.
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
        assert!(self.lease.is_none(), "a piece given to a rail stays whole");
        Self {
            job: Arc::clone(&self.job),
            range,
            store: self.store,
            lease: None,
        }
    }

    /// The matrix of the job.
    #[must_use]
    pub fn matrix(&self) -> Arc<Coefficients> {
        Arc::clone(self.job.matrix())
    }

    /// Where this range of each input starts.
    pub fn inputs(&self) -> impl ExactSizeIterator<Item = Region> {
        let start = self.range.start;
        self.job
            .inputs()
            .iter()
            .map(move |region| region.offset(start))
    }

    /// Where this range of each output starts.
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
            // SAFETY: whoever made the job vouched that its outputs are memory of its own; no other
            // piece has this range, and this one is borrowed mutably.
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
            // SAFETY: whoever made the job vouched for its buffers; no other piece has this range,
            // and this one is borrowed.
            outputs.push(unsafe { std::slice::from_raw_parts(region.start(), self.bytes()) });
        }
        let mut inputs = ArrayVec::new();
        self.input_slices(&mut inputs);
        run(&inputs, &outputs)
    }

    /// Fills a list in place: it is 4 KiB, which returning it would copy.
    fn input_slices<'a>(&'a self, inputs: &mut ArrayVec<&'a [u8], UNITS_MAX>) {
        for region in self.inputs() {
            // SAFETY: whoever made the job vouched that nobody writes to its inputs.
            inputs.push(unsafe { std::slice::from_raw_parts(region.start(), self.bytes()) });
        }
    }

    /// This range again, to be compared with what a rail wrote there, and the piece itself locked
    /// away until then.
    ///
    /// # Panics
    /// Unless the job sets its outputs: what adds to them cannot be compared any more.
    #[must_use]
    pub fn into_check(self) -> (Self, Written) {
        assert!(
            self.job.mode() == Mode::Set,
            "only set outputs can be checked"
        );
        let check = Self {
            job: Arc::new(Job::comparing(&self.job)),
            range: self.range.clone(),
            store: StorePolicy::Temporal,
            lease: None,
        };
        (check, Written(self))
    }

    /// Leases the piece, so that it can be taken away from a rail that does not answer.
    ///
    /// # Panics
    /// If it is leased already.
    #[must_use]
    pub fn lease(mut self) -> (Self, Hold) {
        assert!(self.lease.is_none(), "one lease at a time");
        let lease = Arc::new(Lease::new());
        let hold = Hold {
            job: Arc::clone(&self.job),
            range: self.range.clone(),
            lease: Arc::clone(&lease),
        };
        self.lease = Some(lease);
        (self, hold)
    }

    /// Ends the lease, if there is one, because the rail is done.
    pub fn end_lease(&mut self) {
        self.lease = None;
    }

    /// Whether the piece may be taken away while it is detached.
    #[must_use]
    pub fn is_leased(&self) -> bool {
        self.lease.is_some()
    }

    /// Lets go of the buffers while a device works on copies of them.
    ///
    /// From here to [`Detached::attach`] the holder of the lease may take the piece away.
    ///
    /// # Panics
    /// Unless the piece is leased.
    #[must_use]
    pub fn detach(self) -> Detached {
        let lease = self.lease.expect("only a leased piece is detached");
        let detached = Detached {
            job: Arc::downgrade(&self.job),
            range: self.range,
            lease: Arc::clone(&lease),
        };
        // Only now: from here on the holder may end the job.
        drop(self.job);
        lease.detach();
        detached
    }
}

impl fmt::Debug for Piece {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:?} [{:?}]", self.job, self.range)
    }
}

/// A written piece that must not be written again while its outputs are compared.
#[derive(Debug)]
pub struct Written(Piece);

impl Written {
    /// The piece again, in exchange for the one that compared.
    ///
    /// # Panics
    /// If `check` is not the piece that came with this one.
    #[must_use]
    pub fn redeem(self, check: Piece) -> Piece {
        // The range too: a part of the check, or the check of another piece of the job, would leave
        // one alive that reads what this piece may write again.
        assert!(
            check.job.compares(&self.0.job) && check.range == self.0.range,
            "the check of this very piece"
        );
        self.0
    }
}

/// The side of a lease that can take the piece away.
#[derive(Debug)]
pub struct Hold {
    job: Arc<Job>,
    range: Range<usize>,
    lease: Arc<Lease>,
}

impl Hold {
    /// Takes the piece away from a rail that has let go of the buffers; `None` if it may be
    /// touching them now, or is done with them.
    ///
    /// After that the rail can neither read nor write the buffers, whenever it wakes up.
    #[must_use]
    pub fn revoke(&self) -> Option<Piece> {
        self.lease.revoke().then(|| Piece {
            job: Arc::clone(&self.job),
            range: self.range.clone(),
            store: StorePolicy::Temporal,
            lease: None,
        })
    }
}

/// A piece that works on copies. It neither keeps the job alive nor may touch its buffers.
#[derive(Debug)]
pub struct Detached {
    job: Weak<Job>,
    range: Range<usize>,
    lease: Arc<Lease>,
}

impl Detached {
    /// The piece again, to write its results; `None` if it has been taken away.
    #[must_use]
    pub fn attach(self) -> Option<Piece> {
        if !self.lease.attach() {
            return None;
        }
        // The holder drops its own reference only after the piece came back.
        let job = self.job.upgrade()?;
        Some(Piece {
            job,
            range: self.range,
            store: StorePolicy::Temporal,
            lease: Some(self.lease),
        })
    }
}
