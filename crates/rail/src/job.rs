// SPDX-License-Identifier: Apache-2.0
//! A job: one operation on one stripe as a matrix product, which every rail can run.

use std::any::Any;
use std::fmt;
use std::sync::Arc;

use arrayvec::ArrayVec;
use stripeline_codec::{Call, Code, Codec, Coefficients, Error, UNITS_MAX};

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
/// Memory is accessed only through a [`Piece`], and every piece keeps its job alive. The owner of
/// the buffers may use them again when the job is dropped.
pub struct Job {
    mode: Mode,
    code: Code,
    coefficients: Arc<Coefficients>,
    encoding: Arc<Coefficients>,
    units: Units,
    /// Inputs, then outputs.
    regions: Box<[Region]>,
    bytes: usize,
    /// Keeps the buffers alive; dropped with the job.
    keep: Option<Box<dyn Any + Send + Sync>>,
}

/// Which units of the stripe the regions hold.
#[derive(Clone, Debug)]
enum Units {
    /// All data units, then all parity units.
    Stripe,
    /// One data unit twice, then all parity units.
    Update(u8),
    /// The survivors, then the erased.
    Lost(Box<[u8]>),
}

/// The length of a job's buffers and the value that keeps them alive.
#[derive(Debug, Default)]
pub struct Buffers {
    /// The length of every buffer, at least 1.
    pub bytes: usize,
    /// Keeps the buffers alive; dropped with the job.
    pub keep: Option<Box<dyn Any + Send + Sync>>,
}

impl Job {
    /// Creates the job that computes all parity units from all data units.
    ///
    /// # Errors
    /// [`ErrorKind::CountMismatch`](stripeline_codec::ErrorKind) unless there are k data and m
    /// parity units.
    ///
    /// # Safety
    /// Until the job is dropped, each region has `bytes` bytes of its kind of memory, nothing
    /// writes to the inputs, and nothing else reads or writes the outputs, which share no byte with
    /// another region.
    pub unsafe fn encode(
        codec: &Codec,
        data: &[Region],
        parity: &[Region],
        buffers: Buffers,
    ) -> Result<Piece, Error> {
        codec.check_units(Call::Encode, data.len(), parity.len())?;
        let matrix = Arc::clone(codec.encoding());
        let product = Product {
            mode: Mode::Set,
            matrix,
            units: Units::Stripe,
        };
        Ok(product.job(codec, data, parity, buffers))
    }

    /// Creates the job that computes the units `erased` from the available ones; see
    /// [`Codec::decode`].
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
        // The survivors are the first available units; unit numbers are at most 255.
        let present = (0..units.len()).filter(|unit| units[*unit].is_some());
        let numbers = present.take(inputs.len()).chain(erased.iter().copied());
        let numbers = numbers.map(|unit| unit as u8);
        let product = Product {
            mode: Mode::Set,
            matrix,
            units: Units::Lost(numbers.collect()),
        };
        Ok(product.job(codec, &inputs, outputs, buffers))
    }

    /// Creates the job that updates parity in place after data unit `data_unit` changed from `old`
    /// to `new`.
    ///
    /// # Errors
    /// As [`Codec::update`], except for lengths.
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
        let matrix = codec.updating_matrix(data_unit, parity.len())?;
        let product = Product {
            mode: Mode::Add,
            matrix,
            units: Units::Update(data_unit as u8),
        };
        Ok(product.job(codec, &[old, new], parity, buffers))
    }

    /// Creates the job that compares the parity with the data.
    ///
    /// # Errors
    /// As [`Job::encode`].
    ///
    /// # Safety
    /// Until the job is dropped, each region has `bytes` bytes of its kind of memory that nothing
    /// writes to.
    pub unsafe fn verify(
        codec: &Codec,
        data: &[Region],
        parity: &[Region],
        buffers: Buffers,
    ) -> Result<Piece, Error> {
        codec.check_units(Call::Verify, data.len(), parity.len())?;
        let matrix = Arc::clone(codec.encoding());
        let product = Product {
            mode: Mode::Compare,
            matrix,
            units: Units::Stripe,
        };
        Ok(product.job(codec, data, parity, buffers))
    }

    /// Creates a job for the same product over the same regions that compares instead of writing.
    /// The job keeps `original` alive, and with it the regions.
    pub(crate) fn comparing(original: &Arc<Self>) -> Self {
        Self {
            mode: Mode::Compare,
            code: original.code,
            encoding: Arc::clone(&original.encoding),
            units: original.units.clone(),
            coefficients: Arc::clone(&original.coefficients),
            regions: original.regions.clone(),
            bytes: original.bytes,
            keep: Some(Box::new(Arc::clone(original))),
        }
    }

    /// Returns whether this job was created from `original` by [`Job::comparing`].
    pub(crate) fn compares(&self, original: &Arc<Self>) -> bool {
        let kept = self
            .keep
            .as_ref()
            .and_then(|keep| keep.downcast_ref::<Arc<Self>>());
        kept.is_some_and(|kept| Arc::ptr_eq(kept, original))
    }

    /// Returns what is done with the products.
    #[must_use]
    pub fn mode(&self) -> Mode {
        self.mode
    }

    /// Returns the code that the matrix belongs to.
    #[must_use]
    pub fn code(&self) -> Code {
        self.code
    }

    /// Returns the matrix: a row per output, a column per input.
    #[must_use]
    pub fn matrix(&self) -> &Arc<Coefficients> {
        &self.coefficients
    }

    /// Returns the m x k matrix that computes parity from data: with [`Job::code`] it determines
    /// the code.
    #[must_use]
    pub fn encoding(&self) -> &Arc<Coefficients> {
        &self.encoding
    }

    /// Returns the number in the stripe (0..k data, k..k+m parity) of each input, in their order.
    pub fn input_units(&self) -> impl ExactSizeIterator<Item = usize> {
        (0..self.inputs().len()).map(|index| match &self.units {
            Units::Stripe => index,
            Units::Update(data_unit) => usize::from(*data_unit),
            Units::Lost(numbers) => usize::from(numbers[index]),
        })
    }

    /// Returns the number in the stripe of each output, in their order.
    pub fn output_units(&self) -> impl ExactSizeIterator<Item = usize> {
        let inputs = self.inputs().len();
        (0..self.outputs().len()).map(move |index| match &self.units {
            Units::Stripe | Units::Update(_) => self.encoding.columns() + index,
            Units::Lost(numbers) => usize::from(numbers[inputs + index]),
        })
    }

    /// Returns whether an output is a lost parity unit, as opposed to encoding, which computes all
    /// of them.
    #[must_use]
    pub fn recovers_parity(&self) -> bool {
        let mut outputs = self.output_units();
        matches!(self.units, Units::Lost(_)) && outputs.any(|unit| unit >= self.encoding.columns())
    }

    /// Returns where the inputs start.
    #[must_use]
    pub fn inputs(&self) -> &[Region] {
        &self.regions[..self.coefficients.columns()]
    }

    /// Returns where the outputs start.
    #[must_use]
    pub fn outputs(&self) -> &[Region] {
        &self.regions[self.coefficients.columns()..]
    }

    /// Returns the length of every region in bytes.
    #[must_use]
    pub fn bytes(&self) -> usize {
        self.bytes
    }
}

/// The operation as a product, before its buffers.
struct Product {
    mode: Mode,
    matrix: Arc<Coefficients>,
    units: Units,
}

impl Product {
    fn job(self, codec: &Codec, inputs: &[Region], outputs: &[Region], buffers: Buffers) -> Piece {
        assert_eq!(
            (self.matrix.columns(), self.matrix.rows()),
            (inputs.len(), outputs.len()),
            "a matrix of the shape of the buffers"
        );
        Piece::whole(Job {
            mode: self.mode,
            code: codec.code(),
            coefficients: self.matrix,
            encoding: Arc::clone(codec.encoding()),
            units: self.units,
            regions: inputs.iter().chain(outputs).copied().collect(),
            bytes: buffers.bytes,
            keep: buffers.keep,
        })
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
