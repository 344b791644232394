// SPDX-License-Identifier: Apache-2.0
//! The errors of this crate. Nothing here allocates: a refused call costs no more than a successful
//! one.

use std::fmt;

use crate::Code;
use crate::fingerprint_function::{FINGERPRINT_SUMS_MAX, FINGERPRINT_WINDOW_BYTES_MAX};

/// The kind of mistake in a call, which determines what the caller can do about it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// No codec has this code and shape. Remedy: choose another number of data or parity units.
    InvalidParameters,
    /// A list has the wrong number of entries. Remedy: pass one buffer for each unit of the call.
    CountMismatch,
    /// Buffers differ in length. Remedy: pass units of one length.
    LengthMismatch,
    /// More units are lost than the code can repair. Remedy: read more units; without them the data
    /// is lost.
    TooManyErasures,
    /// The list of units to decode contains a unit twice, or one that was given. Remedy: list each
    /// absent unit once.
    InvalidErasure,
    /// A unit number is outside the stripe. Units are numbered from 0, data before parity.
    InvalidUnit,
    /// The checksum lists do not match the buffers. `Checksums` documents their shape.
    InvalidChecksums,
}

/// A refused call. Nothing was written to any output.
///
/// The text reads `Cannot <verb> <object>: <reason with values>`.
#[derive(Clone, Copy, PartialEq, Eq)]
pub struct Error {
    reason: Reason,
}

/// The precise reason with its values.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Reason {
    Shape {
        code: Code,
        data_units: usize,
        parity_units: usize,
    },
    Count {
        call: Call,
        what: List,
        given: usize,
        wanted: usize,
    },
    Length {
        call: Call,
        what: Buffer,
        given: usize,
        wanted: usize,
    },
    Empty {
        call: Call,
    },
    ErasedCount {
        erased: usize,
        parity_units: usize,
    },
    TooFewSurvivors {
        present: usize,
        units: usize,
        wanted: usize,
    },
    ErasedTwice {
        unit: usize,
    },
    ErasedPresent {
        unit: usize,
    },
    GivenTwice {
        unit: usize,
    },
    ZeroChunk,
    SumCount {
        of: Buffer,
        given: usize,
        wanted: usize,
    },
    UnitRange {
        call: Call,
        unit: usize,
        units: usize,
    },
    FingerprintSums {
        sums: usize,
    },
    FingerprintWindow {
        window_bytes: usize,
    },
    WindowFull {
        given: usize,
        left: usize,
    },
    FingerprintZeroChunk,
    FingerprintSumCount {
        sums: usize,
        needed: usize,
    },
    FingerprintCount {
        given: usize,
        units: usize,
    },
    FingerprintLength {
        unit: usize,
        given: usize,
        others: usize,
    },
    FingerprintEmpty,
}

/// The operation that the text of an error names.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Call {
    /// "encode".
    Encode,
    /// "decode".
    Decode,
    /// "verify".
    Verify,
    /// "update".
    Update,
}

/// A list of buffers that a call takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum List {
    DataUnits,
    ParityUnits,
    Units,
    Inputs,
    Outputs,
    InputChecksums,
    OutputChecksums,
}

/// One buffer that a call takes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Buffer {
    Data(usize),
    Parity(usize),
    Unit(usize),
    Input(usize),
    Output(usize),
    New,
}

impl Error {
    /// Returns the kind of mistake.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        match self.reason {
            Reason::Shape { .. }
            | Reason::FingerprintSums { .. }
            | Reason::FingerprintWindow { .. } => ErrorKind::InvalidParameters,
            Reason::Count {
                what: List::InputChecksums | List::OutputChecksums,
                ..
            }
            | Reason::ZeroChunk
            | Reason::FingerprintZeroChunk
            | Reason::FingerprintSumCount { .. }
            | Reason::SumCount { .. } => ErrorKind::InvalidChecksums,
            Reason::Count { .. } | Reason::FingerprintCount { .. } => ErrorKind::CountMismatch,
            Reason::Length { .. }
            | Reason::Empty { .. }
            | Reason::WindowFull { .. }
            | Reason::FingerprintLength { .. }
            | Reason::FingerprintEmpty => ErrorKind::LengthMismatch,
            Reason::ErasedCount { .. } | Reason::TooFewSurvivors { .. } => {
                ErrorKind::TooManyErasures
            }
            Reason::ErasedTwice { .. }
            | Reason::ErasedPresent { .. }
            | Reason::GivenTwice { .. } => ErrorKind::InvalidErasure,
            Reason::UnitRange { .. } => ErrorKind::InvalidUnit,
        }
    }
}

impl From<Reason> for Error {
    fn from(reason: Reason) -> Self {
        Self { reason }
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter
            .debug_struct("Error")
            .field("kind", &self.kind())
            .field("reason", &self.reason)
            .finish()
    }
}

impl std::error::Error for Error {}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.reason.fmt(formatter)
    }
}

impl fmt::Display for Reason {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::Shape {
                code,
                data_units,
                parity_units,
            } => {
                write!(
                    formatter,
                    "Cannot build a codec {code} {data_units}+{parity_units}: "
                )?;
                if code == Code::Xor {
                    return write!(
                        formatter,
                        "needs 1 to 255 data units and exactly 1 parity unit"
                    );
                }
                let max = code.units_max();
                write!(
                    formatter,
                    "needs at least 1 data and 1 parity unit, at most {max} together"
                )
            }
            Self::Count {
                call,
                what,
                given,
                wanted,
            } => {
                write!(
                    formatter,
                    "Cannot {call} the stripe: {what} given: {given}, needed: {wanted}"
                )
            }
            Self::Length {
                call,
                what,
                given,
                wanted,
            } => write!(
                formatter,
                "Cannot {call} the stripe: {what} has {given} bytes, the others have {wanted}"
            ),
            Self::Empty { call } => {
                write!(
                    formatter,
                    "Cannot {call} the stripe: the units have 0 bytes"
                )
            }
            Self::ErasedCount {
                erased,
                parity_units,
            } => write!(
                formatter,
                "Cannot decode the stripe: units asked for: {erased}, \
                 the code repairs: {parity_units}"
            ),
            Self::TooFewSurvivors {
                present,
                units,
                wanted,
            } => write!(
                formatter,
                "Cannot decode the stripe: units present: {present} of {units}, needed: {wanted}"
            ),
            Self::ZeroChunk => {
                formatter.write_str("Cannot encode the stripe: bytes per checksum is 0")
            }
            Self::SumCount { of, given, wanted } => write!(
                formatter,
                "Cannot encode the stripe: checksums given for {of}: {given}, needed: {wanted}"
            ),
            Self::ErasedTwice { unit } => {
                write!(
                    formatter,
                    "Cannot decode unit {unit}: it is asked for twice"
                )
            }
            Self::ErasedPresent { unit } => write!(
                formatter,
                "Cannot decode unit {unit}: it is asked for and also given as an input"
            ),
            Self::GivenTwice { unit } => {
                write!(
                    formatter,
                    "Cannot decode the stripe: unit {unit} is given twice"
                )
            }
            Self::UnitRange { call, unit, units } => {
                write!(
                    formatter,
                    "Cannot {call} unit {unit}: units are 0 to {}",
                    units - 1
                )
            }
            _ => self.fmt_fingerprint(formatter),
        }
    }
}

impl Reason {
    /// Writes the text of a refused call about fingerprints.
    fn fmt_fingerprint(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match *self {
            Self::FingerprintSums { sums } => write!(
                formatter,
                "Cannot build a fingerprinting function: sums asked for: {sums}, allowed: 1 to \
                 {FINGERPRINT_SUMS_MAX}"
            ),
            Self::FingerprintWindow { window_bytes } => write!(
                formatter,
                "Cannot build a fingerprinting function: the window is {window_bytes} bytes, \
                 allowed: multiples of 64 up to {FINGERPRINT_WINDOW_BYTES_MAX}"
            ),
            Self::WindowFull { given, left } => write!(
                formatter,
                "Cannot add to the fingerprint: bytes given: {given}, the window takes: {left}"
            ),
            Self::FingerprintZeroChunk => {
                formatter.write_str("Cannot add to the fingerprint: bytes per checksum is 0")
            }
            Self::FingerprintSumCount { sums, needed } => write!(
                formatter,
                "Cannot add to the fingerprint: checksums given: {sums}, needed: {needed}"
            ),
            Self::FingerprintCount { given, units } => write!(
                formatter,
                "Cannot locate wrong blocks: fingerprints given: {given}, needed: {units}"
            ),
            Self::FingerprintLength {
                unit,
                given,
                others,
            } => write!(
                formatter,
                "Cannot locate wrong blocks: fingerprint {unit} has {given} bytes, the others \
                 have {others}"
            ),
            _ => formatter.write_str("Cannot locate wrong blocks: fingerprints have 0 bytes"),
        }
    }
}

impl fmt::Display for Call {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::Encode => "encode",
            Self::Decode => "decode",
            Self::Verify => "verify",
            Self::Update => "update",
        })
    }
}

impl fmt::Display for List {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(match self {
            Self::DataUnits => "data units",
            Self::ParityUnits => "parity units",
            Self::Units => "units",
            Self::Inputs => "inputs",
            Self::Outputs => "outputs",
            Self::InputChecksums => "checksum lists of data units",
            Self::OutputChecksums => "checksum lists of parity units",
        })
    }
}

impl fmt::Display for Buffer {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Data(unit) => write!(formatter, "data unit {unit}"),
            Self::Parity(unit) => write!(formatter, "parity unit {unit}"),
            Self::Unit(unit) => write!(formatter, "unit {unit}"),
            Self::Input(index) => write!(formatter, "input {index}"),
            Self::Output(index) => write!(formatter, "output {index}"),
            Self::New => formatter.write_str("the new data"),
        }
    }
}
