// SPDX-License-Identifier: Apache-2.0
//! One operation on one stripe, in the form that every rail can run: a matrix product.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use arrayvec::ArrayVec;
use stripeline_codec::{Code, Codec, Coefficients, Error, StorePolicy, UNITS_MAX};

use crate::{Piece, Region};

/// What a rail does with the products.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Mode {
    /// Outputs become the products: encode and decode.
    Set,
    /// Products are added to outputs: delta update.
    Add,
    /// Products are compared with outputs, which are only read: verify.
    Compare,
}

/// A product `outputs = matrix x inputs` over buffers of one length.
///
/// Memory is only ever touched through a [`Piece`], and every piece keeps its job alive. Whoever
/// lent buffers to a job may have them back when the job is gone.
pub struct Job {
    mode: Mode,
    code: Code,
    store: StorePolicy,
    coefficients: Arc<Coefficients>,
    /// Inputs, then outputs.
    regions: Box<[Region]>,
    bytes: usize,
    /// Dropped with the job: the owner of the buffers, where it is one that can be kept.
    keep: Option<Box<dyn Any + Send + Sync>>,
}

/// A stripe's buffers and what holds them.
#[derive(Debug, Default)]
pub struct Buffers {
    /// The length of every buffer, at least 1.
    pub bytes: usize,
    /// How outputs in host memory are stored.
    pub store: StorePolicy,
    /// What keeps the buffers alive, dropped with the job.
    pub keep: Option<Box<dyn Any + Send + Sync>>,
}

impl Job {
    /// All parity units from all data units.
    ///
    /// # Errors
    /// [`ErrorKind::CountMismatch`](stripeline_codec::ErrorKind) unless there are k data and m
    /// parity units.
    ///
    /// # Safety
    /// Until the job is dropped each region has `bytes` bytes of its kind of memory, nobody writes
    /// to the inputs, and nobody else reads or writes the outputs, which share no byte with another
    /// region.
    pub unsafe fn encode(
        codec: &Codec,
        data: &[Region],
        parity: &[Region],
        buffers: Buffers,
    ) -> Result<Piece, Error> {
        codec.check_units(data.len(), parity.len())?;
        let matrix = Arc::clone(codec.encoding());
        Ok(Self::product(
            Mode::Set,
            codec,
            matrix,
            data,
            parity,
            buffers,
        ))
    }

    /// The units `erased` from those that are there; see [`Codec::decode`].
    ///
    /// # Errors
    /// As [`Codec::decoding`], and `CountMismatch` unless there is an output per unit asked for.
    ///
    /// # Safety
    /// As [`Job::encode`].
    pub unsafe fn decode(
        codec: &Codec,
        units: &[Option<Region>],
        erased: &[usize],
        outputs: &[Region],
        buffers: Buffers,
    ) -> Result<Piece, Error> {
        codec.check_outputs(outputs.len(), erased.len())?;
        let mut inputs = ArrayVec::<Region, UNITS_MAX>::new();
        let matrix = codec.decoding(units, erased, &mut inputs)?;
        Ok(Self::product(
            Mode::Set,
            codec,
            matrix,
            &inputs,
            outputs,
            buffers,
        ))
    }

    /// Parity changed in place for data unit `data_unit` having changed from `old` to `new`.
    ///
    /// # Errors
    /// As [`Codec::update`], lengths aside.
    ///
    /// # Safety
    /// As [`Job::encode`].
    pub unsafe fn update(
        codec: &Codec,
        data_unit: usize,
        old: Region,
        new: Region,
        parity: &[Region],
        buffers: Buffers,
    ) -> Result<Piece, Error> {
        codec.check_units(codec.data_units(), parity.len())?;
        let matrix = codec.updating_matrix(data_unit)?;
        Ok(Self::product(
            Mode::Add,
            codec,
            matrix,
            &[old, new],
            parity,
            buffers,
        ))
    }

    /// Whether parity fits the data.
    ///
    /// # Errors
    /// As [`Job::encode`].
    ///
    /// # Safety
    /// Until the job is dropped each region has `bytes` bytes of its kind of memory that nobody
    /// writes to.
    pub unsafe fn verify(
        codec: &Codec,
        data: &[Region],
        parity: &[Region],
        buffers: Buffers,
    ) -> Result<Piece, Error> {
        codec.check_units(data.len(), parity.len())?;
        let matrix = Arc::clone(codec.encoding());
        Ok(Self::product(
            Mode::Compare,
            codec,
            matrix,
            data,
            parity,
            buffers,
        ))
    }

    fn product(
        mode: Mode,
        codec: &Codec,
        coefficients: Arc<Coefficients>,
        inputs: &[Region],
        outputs: &[Region],
        buffers: Buffers,
    ) -> Piece {
        assert_eq!(
            (coefficients.columns(), coefficients.rows()),
            (inputs.len(), outputs.len()),
            "a matrix of the shape of the buffers"
        );
        Piece::whole(Self {
            mode,
            code: codec.code(),
            store: buffers.store,
            coefficients,
            regions: inputs.iter().chain(outputs).copied().collect(),
            bytes: buffers.bytes,
            keep: buffers.keep,
        })
    }

    /// The same product over the same regions, comparing instead of writing. It keeps `original`
    /// alive, and with it the regions.
    pub(crate) fn comparing(original: &Arc<Self>) -> Self {
        Self {
            mode: Mode::Compare,
            code: original.code,
            store: original.store,
            coefficients: Arc::clone(&original.coefficients),
            regions: original.regions.clone(),
            bytes: original.bytes,
            keep: Some(Box::new(Arc::clone(original))),
        }
    }

    /// Whether this job came from `original` by [`Job::comparing`].
    pub(crate) fn compares(&self, original: &Arc<Self>) -> bool {
        let kept = self
            .keep
            .as_ref()
            .and_then(|keep| keep.downcast_ref::<Arc<Self>>());
        kept.is_some_and(|kept| Arc::ptr_eq(kept, original))
    }

    /// What is done with the products.
    #[must_use]
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// The code that the matrix belongs to.
    #[must_use]
    pub fn code(&self) -> Code {
        self.code
    }

    /// How outputs in host memory are to be stored.
    #[must_use]
    pub fn store(&self) -> StorePolicy {
        self.store
    }

    /// The matrix: a row per output, a column per input.
    #[must_use]
    pub fn matrix(&self) -> &Arc<Coefficients> {
        &self.coefficients
    }

    /// Where the inputs start.
    #[must_use]
    pub fn inputs(&self) -> &[Region] {
        &self.regions[..self.coefficients.columns()]
    }

    /// Where the outputs start.
    #[must_use]
    pub fn outputs(&self) -> &[Region] {
        &self.regions[self.coefficients.columns()..]
    }

    /// The length of every region in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

impl fmt::Debug for Job {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(
            formatter,
            "{:?} {} {}x{} of {} bytes",
            self.mode,
            self.code,
            self.coefficients.rows(),
            self.coefficients.columns(),
            self.bytes
        )
    }
}
