// SPDX-License-Identifier: Apache-2.0
//! The capability of a rail.

use crate::{Job, MemoryKind, Mode, Piece};

/// Which jobs a rail takes, and the sizes and concurrency that suit it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Capability {
    /// Whether it can add products to outputs ([`Mode::Add`]).
    pub adds: bool,
    /// Whether it can compare products with outputs ([`Mode::Compare`]).
    pub compares: bool,
    /// Which kinds of memory it takes.
    pub memory: Vec<MemoryKind>,
    /// The most inputs of one product.
    pub inputs_max: usize,
    /// The most outputs of one product.
    pub outputs_max: usize,
    /// Pieces are a multiple of this many bytes long, 1 if any length will do.
    pub granule_bytes: usize,
    /// Whether the last bytes of a job may be fewer than a granule.
    pub takes_tails: bool,
    /// The preferred bytes of each buffer in one piece, at least 1, unless a tuning table has
    /// another value.
    pub piece_bytes: usize,
    /// The most bytes of all buffers of a piece together, without those in device memory, that it
    /// can copy at a time. Up to this size a tuning table may set larger pieces than `piece_bytes`;
    /// pieces of work that is entirely in device memory may have any size. `None` if larger pieces
    /// are never faster.
    pub room_bytes: Option<usize>,
    /// How many lanes are worth opening.
    pub lanes: usize,
    /// How many pieces a lane keeps in flight.
    pub depth: usize,
    /// Whether it also decodes lost parity units, not only data units.
    pub recovers_parity: bool,
    /// Whether it releases the buffers while its device works ([`Piece::detach`]), so that a
    /// hanging device costs only time.
    pub detaches: bool,
    /// Whether open lanes occupy many resources, such as a device's context and memory, so that
    /// they should be opened only when there is work for them.
    pub costly_lanes: bool,
    /// Whether it computes on the CPUs that all such rails share: two such rails are usually no
    /// faster than the faster one alone.
    pub shares_cpus: bool,
    /// Whether it leaves outputs unchanged, so that only measurements may use it.
    pub codes_nothing: bool,
    /// Whether a thread that waits for a task may run the coder: it runs on the calling thread and
    /// always returns, which third-party code may not do.
    pub for_waiting_threads: bool,
    /// Whether [`Codec`](stripeline_codec::Codec) and [`Cpu::active`](crate::Cpu::active) compute
    /// with the same kernels, so that callers may use these instead of a lane. False for a rail
    /// that does anything more, such as one that counts, delays or fails pieces of another.
    pub codes_as_codec: bool,
}

impl Capability {
    /// Returns the capability of a coder that runs on the calling thread, on host memory, with any
    /// matrix.
    #[must_use]
    pub fn synchronous() -> Self {
        Self {
            adds: true,
            compares: true,
            memory: vec![MemoryKind::Host, MemoryKind::HostPinned],
            inputs_max: usize::from(u8::MAX),
            outputs_max: usize::from(u8::MAX),
            granule_bytes: 1,
            takes_tails: true,
            piece_bytes: 1 << 20,
            room_bytes: None,
            lanes: 1,
            depth: 1,
            recovers_parity: true,
            detaches: false,
            costly_lanes: false,
            shares_cpus: false,
            codes_nothing: false,
            for_waiting_threads: true,
            codes_as_codec: false,
        }
    }

    /// Returns the most bytes of each buffer of a piece that has `buffers` of them, at least 1.
    #[must_use]
    pub fn piece_bytes_max(&self, buffers: usize) -> usize {
        let room = self.room_bytes.map(|room| room / buffers);
        room.unwrap_or(self.piece_bytes)
    }

    /// Returns whether the rail can do a piece as it is.
    #[must_use]
    pub fn takes(&self, piece: &Piece) -> bool {
        let whole = piece.bytes().is_multiple_of(self.granule_bytes)
            || self.takes_tails && piece.range().end == piece.job().bytes();
        whole && self.takes_job(piece.job())
    }

    /// Returns whether the rail can do a job, regardless of the lengths of its pieces.
    #[must_use]
    pub fn takes_job(&self, job: &Job) -> bool {
        let mode = match job.mode() {
            Mode::Set => true,
            Mode::Add => self.adds,
            Mode::Compare => self.compares,
        };
        let mut regions = job.inputs().iter().chain(job.outputs());
        mode && (self.recovers_parity || !job.recovers_parity())
            && job.inputs().len() <= self.inputs_max
            && job.outputs().len() <= self.outputs_max
            && regions.all(|region| self.memory.contains(&region.kind()))
    }
}
