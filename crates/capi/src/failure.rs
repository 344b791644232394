// SPDX-License-Identifier: Apache-2.0
//! Status codes, and what stands behind a status that is not OK.

use std::fmt;

use stripeline_boundary::Refusal;
use stripeline_codec::{Error, ErrorKind};

/// What came of a call. Values are never reused; a program must treat a value that it does not know
/// as STRIPELINE_INTERNAL.
#[allow(non_camel_case_types, reason = "the name in C")]
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum stripeline_status {
    /// Done.
    STRIPELINE_OK = 0,
    /// A bug in Stripeline; outputs may hold anything. Report it with the text of
    /// stripeline_last_error().
    STRIPELINE_INTERNAL = 1,
    /// No codec has this code and shape: choose another number of data or parity units.
    STRIPELINE_INVALID_PARAMETERS = 2,
    /// A list has the wrong number of entries.
    STRIPELINE_COUNT_MISMATCH = 3,
    /// Units differ in length.
    STRIPELINE_LENGTH_MISMATCH = 4,
    /// More units are lost than the code repairs: read more units, or the data is gone.
    STRIPELINE_TOO_MANY_ERASURES = 5,
    /// The list of units to decode names a unit twice, or one that was given.
    STRIPELINE_INVALID_ERASURE = 6,
    /// A unit number is outside the stripe.
    STRIPELINE_INVALID_UNIT = 7,
    /// A checksum is of an unknown kind or covers 0 bytes.
    STRIPELINE_INVALID_CHECKSUMS = 8,
    /// A pointer that must point somewhere is null.
    STRIPELINE_NULL_POINTER = 9,
    /// An output shares bytes with another buffer of the call.
    STRIPELINE_OVERLAP = 10,
    /// A buffer runs past the end of the address space, or a checksum list is not aligned to 4
    /// bytes.
    STRIPELINE_INVALID_MEMORY = 11,
}

/// A refused call, with what its text needs. Nothing here is allocated.
#[derive(Debug)]
pub(crate) enum Failure {
    Codec(Error),
    Memory(&'static str, Refusal),
    NullArgument(&'static str, &'static str),
    UnknownCode(i32),
    UnknownChecksum(i32),
    TooManyErased(usize, usize),
    Misaligned(&'static str, &'static str, usize),
}

impl Failure {
    pub(crate) fn status(&self) -> stripeline_status {
        use stripeline_status::*;
        match self {
            Self::Codec(error) => match error.kind() {
                ErrorKind::InvalidParameters => STRIPELINE_INVALID_PARAMETERS,
                ErrorKind::CountMismatch => STRIPELINE_COUNT_MISMATCH,
                ErrorKind::LengthMismatch => STRIPELINE_LENGTH_MISMATCH,
                ErrorKind::TooManyErasures => STRIPELINE_TOO_MANY_ERASURES,
                ErrorKind::InvalidErasure => STRIPELINE_INVALID_ERASURE,
                ErrorKind::InvalidUnit => STRIPELINE_INVALID_UNIT,
                ErrorKind::InvalidChecksums => STRIPELINE_INVALID_CHECKSUMS,
                _ => STRIPELINE_INTERNAL,
            },
            Self::Memory(_, Refusal::Null(_)) | Self::NullArgument(..) => STRIPELINE_NULL_POINTER,
            Self::Memory(_, Refusal::Overlap(..)) => STRIPELINE_OVERLAP,
            Self::Memory(_, Refusal::TooLong(..)) | Self::Misaligned(..) => {
                STRIPELINE_INVALID_MEMORY
            }
            Self::UnknownCode(_) => STRIPELINE_INVALID_PARAMETERS,
            Self::UnknownChecksum(_) => STRIPELINE_INVALID_CHECKSUMS,
            Self::TooManyErased(..) => STRIPELINE_TOO_MANY_ERASURES,
        }
    }
}

impl From<Error> for Failure {
    fn from(error: Error) -> Self {
        Self::Codec(error)
    }
}

impl fmt::Display for Failure {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Codec(error) => error.fmt(formatter),
            Self::Memory(operation, refusal) => write!(formatter, "Cannot {operation}: {refusal}"),
            Self::NullArgument(operation, name) => {
                write!(formatter, "Cannot {operation}: {name} is null")
            }
            Self::UnknownCode(code) => write!(
                formatter,
                "Cannot open a codec: code is {code}, known are 0 (rs), 1 (rs-legacy) and 2 (xor)"
            ),
            Self::UnknownChecksum(kind) => write!(
                formatter,
                "Cannot compute checksums: kind is {kind}, known are 0 (CRC-32C) and 1 (CRC-32)"
            ),
            Self::TooManyErased(erased, parity_units) => write!(
                formatter,
                "Cannot decode the stripe: units asked for: {erased}, the code repairs: {parity_units}"
            ),
            Self::Misaligned(operation, name, address) => write!(
                formatter,
                "Cannot {operation}: {name} at {address:#x} is not aligned to 4 bytes"
            ),
        }
    }
}
