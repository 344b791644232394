// SPDX-License-Identifier: Apache-2.0
//! The interface of an implementation for the codec suite.

use stripeline_codec::{
    ChecksumKind, Checksums, Code, Codec, Error, ErrorKind, Kernels, StorePolicy, Verdict,
};

/// A call that was refused.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Refusal {
    /// The kind of mistake.
    pub kind: ErrorKind,
    /// The text for the user.
    pub text: String,
}

impl From<Error> for Refusal {
    fn from(error: Error) -> Self {
        Self {
            kind: error.kind(),
            text: error.to_string(),
        }
    }
}

/// A codec, or the reason why there is none of this shape.
pub type Opened = Result<Box<dyn CodecUnderTest>, Refusal>;

/// A codec of one code and shape, called through any interface.
pub trait CodecUnderTest {
    /// Computes all parity units.
    ///
    /// # Errors
    /// As [`Codec::encode`].
    fn encode(&self, data: &[&[u8]], parity: &mut [&mut [u8]]) -> Result<(), Refusal>;

    /// Computes all parity units, and the checksums of every unit (data first) into `sums`, whose
    /// lists have the right number of entries.
    ///
    /// # Errors
    /// As [`Codec::encode_with_checksums`].
    fn encode_with_checksums(
        &self,
        data: &[&[u8]],
        parity: &mut [&mut [u8]],
        kind: ChecksumKind,
        bytes_per_checksum: usize,
        sums: &mut [Vec<u32>],
    ) -> Result<(), Refusal>;

    /// Computes erased units.
    ///
    /// # Errors
    /// As [`Codec::decode`].
    fn decode(
        &self,
        units: &[Option<&[u8]>],
        erased: &[usize],
        outputs: &mut [&mut [u8]],
    ) -> Result<(), Refusal>;

    /// Compares parity with data.
    ///
    /// # Errors
    /// As [`Codec::verify`].
    fn verify(&self, data: &[&[u8]], parity: &[&[u8]]) -> Result<Verdict, Refusal>;

    /// Updates the parity for one changed data unit.
    ///
    /// # Errors
    /// As [`Codec::update`].
    fn update(
        &self,
        data_unit: usize,
        old: &[u8],
        new: &[u8],
        parity: &mut [&mut [u8]],
    ) -> Result<(), Refusal>;
}

/// The Rust codec on given kernels and with a given store policy.
#[derive(Debug)]
pub struct RustCodec {
    codec: Codec,
    store: StorePolicy,
}

impl RustCodec {
    /// Builds a codec for the suites.
    ///
    /// # Errors
    /// As [`Codec::with_kernels`].
    pub fn open(
        kernels: &'static Kernels,
        store: StorePolicy,
        code: Code,
        data_units: usize,
        parity_units: usize,
    ) -> Opened {
        let codec = Codec::with_kernels(code, data_units, parity_units, kernels)?;
        Ok(Box::new(Self { codec, store }))
    }
}

/// Encodes with checksums by the direct call; `sums` has one list per unit, data first.
///
/// # Errors
/// As [`Codec::encode_with_checksums`].
pub fn encode_with_checksums(
    codec: &Codec,
    store: StorePolicy,
    data: &[&[u8]],
    parity: &mut [&mut [u8]],
    (kind, bytes_per_checksum): (ChecksumKind, usize),
    sums: &mut [Vec<u32>],
) -> Result<(), Refusal> {
    let (inputs, outputs) = sums.split_at_mut(codec.data_units());
    let mut inputs: Vec<&mut [u32]> = inputs.iter_mut().map(|sums| &mut sums[..]).collect();
    let mut outputs: Vec<&mut [u32]> = outputs.iter_mut().map(|sums| &mut sums[..]).collect();
    let sums = Checksums {
        kind,
        bytes_per_checksum,
        inputs: &mut inputs,
        outputs: &mut outputs,
    };
    Ok(codec.encode_with_checksums(data, parity, store, sums)?)
}

impl CodecUnderTest for RustCodec {
    fn encode(&self, data: &[&[u8]], parity: &mut [&mut [u8]]) -> Result<(), Refusal> {
        Ok(self.codec.encode_stored(data, parity, self.store)?)
    }

    fn encode_with_checksums(
        &self,
        data: &[&[u8]],
        parity: &mut [&mut [u8]],
        kind: ChecksumKind,
        bytes_per_checksum: usize,
        sums: &mut [Vec<u32>],
    ) -> Result<(), Refusal> {
        let wanted = (kind, bytes_per_checksum);
        encode_with_checksums(&self.codec, self.store, data, parity, wanted, sums)
    }

    fn decode(
        &self,
        units: &[Option<&[u8]>],
        erased: &[usize],
        outputs: &mut [&mut [u8]],
    ) -> Result<(), Refusal> {
        Ok(self
            .codec
            .decode_stored(units, erased, outputs, self.store)?)
    }

    fn verify(&self, data: &[&[u8]], parity: &[&[u8]]) -> Result<Verdict, Refusal> {
        Ok(self.codec.verify(data, parity)?)
    }

    fn update(
        &self,
        data_unit: usize,
        old: &[u8],
        new: &[u8],
        parity: &mut [&mut [u8]],
    ) -> Result<(), Refusal> {
        Ok(self.codec.update(data_unit, old, new, parity)?)
    }
}
