// SPDX-License-Identifier: Apache-2.0
//! Status codes, and the failures behind a status that is not OK.

use std::ffi::CStr;
use std::fmt;

use stripeline_boundary::Refusal;
use stripeline_codec::{Error, ErrorKind};

/// The outcome of a call. Values are never reused; a program must treat an unknown value as
/// STRIPELINE_INTERNAL.
#[allow(non_camel_case_types, reason = "the name in C")]
#[repr(i32)]
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum stripeline_status {
    /// Success.
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
    /// A pointer that must not be null is null.
    STRIPELINE_NULL_POINTER = 9,
    /// An output shares bytes with another buffer of the call.
    STRIPELINE_OVERLAP = 10,
    /// A buffer runs past the end of the address space, or a checksum list is not aligned to 4
    /// bytes.
    STRIPELINE_INVALID_MEMORY = 11,
    /// An argument has a value that is not allowed, or a structure does not have the size in its
    /// `size` field.
    STRIPELINE_INVALID_ARGUMENT = 12,
    /// The task has not ended yet. Not an error: stripeline_last_error() stays as it was.
    STRIPELINE_PENDING = 13,
    /// The maximum number of tasks is outstanding: wait for one, or configure the engine to wait.
    STRIPELINE_BUSY = 14,
    /// The task was cancelled.
    STRIPELINE_CANCELLED = 15,
    /// The deadline of the task passed before it was done.
    STRIPELINE_DEADLINE_EXCEEDED = 16,
    /// No rail takes such a task, or every rail that does has failed: stripeline_engine_describe()
    /// lists the rails that are out of service, with reasons.
    STRIPELINE_NO_RAIL = 17,
    /// A rail failed while it was changing the outputs in place, so the operation cannot be
    /// repeated: encode the stripe again.
    STRIPELINE_RAIL_FAILED = 18,
    /// The engine was closed before the task was done, or belongs to the process that forked
    /// this one.
    STRIPELINE_CLOSED = 19,
    /// The engine cannot be started as configured.
    STRIPELINE_CONFIGURATION = 20,
    /// The system, or the driver of a device, has not as much memory as was requested.
    STRIPELINE_OUT_OF_MEMORY = 21,
}

/// Returns the name of a status in C.
pub(crate) fn name_of(status: i32) -> &'static CStr {
    match status {
        0 => c"STRIPELINE_OK",
        1 => c"STRIPELINE_INTERNAL",
        2 => c"STRIPELINE_INVALID_PARAMETERS",
        3 => c"STRIPELINE_COUNT_MISMATCH",
        4 => c"STRIPELINE_LENGTH_MISMATCH",
        5 => c"STRIPELINE_TOO_MANY_ERASURES",
        6 => c"STRIPELINE_INVALID_ERASURE",
        7 => c"STRIPELINE_INVALID_UNIT",
        8 => c"STRIPELINE_INVALID_CHECKSUMS",
        9 => c"STRIPELINE_NULL_POINTER",
        10 => c"STRIPELINE_OVERLAP",
        11 => c"STRIPELINE_INVALID_MEMORY",
        12 => c"STRIPELINE_INVALID_ARGUMENT",
        13 => c"STRIPELINE_PENDING",
        14 => c"STRIPELINE_BUSY",
        15 => c"STRIPELINE_CANCELLED",
        16 => c"STRIPELINE_DEADLINE_EXCEEDED",
        17 => c"STRIPELINE_NO_RAIL",
        18 => c"STRIPELINE_RAIL_FAILED",
        19 => c"STRIPELINE_CLOSED",
        20 => c"STRIPELINE_CONFIGURATION",
        21 => c"STRIPELINE_OUT_OF_MEMORY",
        _ => c"unknown status",
    }
}

/// A refused call, with the values of its text. Nothing here is allocated, except the text of an
/// engine's error.
#[derive(Debug)]
pub(crate) enum Failure {
    Codec(Error),
    Engine(stripeline_engine::Error),
    Memory(&'static str, Refusal),
    /// A mistake in an argument, and the operation that it prevents.
    Argument(&'static str, Mistake),
    UnknownCode(i32),
    UnknownChecksum(i32),
    TooManyErased(usize, usize),
    FingerprintSize(usize, usize),
}

/// What is wrong with an argument: its name, if several have the type, and the values.
#[derive(Debug)]
pub(crate) enum Mistake {
    Null(&'static str),
    Misaligned(&'static str, usize),
    Count(&'static str, usize, usize),
    Stride(&'static str, usize),
    Size(&'static str, usize, usize),
    UnknownMemory(&'static str, i32),
    UnknownDevice(&'static str, u32),
    UnknownPriority(i32),
    UnknownRail(usize, usize),
    UnknownPinned(usize),
    UnknownFlags(u64),
    NegativeDescriptor(i32),
    NobodyToTell,
    NotText(&'static str, usize),
    OtherEngine(usize),
    NoFuture,
    Inherited,
}

impl Failure {
    pub(crate) fn status(&self) -> stripeline_status {
        use stripeline_status::*;
        match self {
            Self::Codec(error) => status_of_codec(error.kind()),
            Self::Engine(error) => status_of_engine(error),
            Self::Memory(_, Refusal::Null(_)) => STRIPELINE_NULL_POINTER,
            Self::Memory(_, Refusal::Overlap(..)) => STRIPELINE_OVERLAP,
            Self::Memory(_, Refusal::TooLong(..)) => STRIPELINE_INVALID_MEMORY,
            Self::Argument(_, mistake) => mistake.status(),
            Self::FingerprintSize(..) => STRIPELINE_LENGTH_MISMATCH,
            Self::UnknownCode(_) => STRIPELINE_INVALID_PARAMETERS,
            Self::UnknownChecksum(_) => STRIPELINE_INVALID_CHECKSUMS,
            Self::TooManyErased(..) => STRIPELINE_TOO_MANY_ERASURES,
        }
    }
}

impl Mistake {
    fn status(&self) -> stripeline_status {
        use stripeline_status::*;
        match self {
            Self::Null(_) => STRIPELINE_NULL_POINTER,
            Self::Misaligned(..) | Self::Stride(..) => STRIPELINE_INVALID_MEMORY,
            Self::Count(..) => STRIPELINE_COUNT_MISMATCH,
            Self::NotText(..) => STRIPELINE_CONFIGURATION,
            Self::Inherited => STRIPELINE_CLOSED,
            _ => STRIPELINE_INVALID_ARGUMENT,
        }
    }
}

fn status_of_codec(kind: ErrorKind) -> stripeline_status {
    use stripeline_status::*;
    match kind {
        ErrorKind::InvalidParameters => STRIPELINE_INVALID_PARAMETERS,
        ErrorKind::CountMismatch => STRIPELINE_COUNT_MISMATCH,
        ErrorKind::LengthMismatch => STRIPELINE_LENGTH_MISMATCH,
        ErrorKind::TooManyErasures => STRIPELINE_TOO_MANY_ERASURES,
        ErrorKind::InvalidErasure => STRIPELINE_INVALID_ERASURE,
        ErrorKind::InvalidUnit => STRIPELINE_INVALID_UNIT,
        ErrorKind::InvalidChecksums => STRIPELINE_INVALID_CHECKSUMS,
        _ => STRIPELINE_INTERNAL,
    }
}

fn status_of_engine(error: &stripeline_engine::Error) -> stripeline_status {
    use stripeline_engine::ErrorKind as Kind;
    use stripeline_status::*;
    match error.kind() {
        Kind::Busy => STRIPELINE_BUSY,
        Kind::Cancelled => STRIPELINE_CANCELLED,
        Kind::DeadlineExceeded => STRIPELINE_DEADLINE_EXCEEDED,
        Kind::NoRail => STRIPELINE_NO_RAIL,
        Kind::Failed => STRIPELINE_RAIL_FAILED,
        Kind::Closed => STRIPELINE_CLOSED,
        Kind::Configuration => STRIPELINE_CONFIGURATION,
        Kind::OutOfMemory => STRIPELINE_OUT_OF_MEMORY,
        Kind::Invalid => error
            .codec_kind()
            .map_or(STRIPELINE_INTERNAL, status_of_codec),
        _ => STRIPELINE_INTERNAL,
    }
}

impl From<stripeline_engine::Error> for Failure {
    fn from(error: stripeline_engine::Error) -> Self {
        Self::Engine(error)
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
            Self::Engine(error) => error.fmt(formatter),
            Self::Memory(operation, refusal) => write!(formatter, "Cannot {operation}: {refusal}"),
            Self::Argument(operation, mistake) => {
                write!(formatter, "Cannot {operation}: {mistake}")
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
                "Cannot decode the stripe: units asked for: {erased}, the code repairs: \
                 {parity_units}"
            ),
            Self::FingerprintSize(given, needed) => write!(
                formatter,
                "Cannot take the fingerprint: bytes given: {given}, needed: {needed}"
            ),
        }
    }
}

impl fmt::Display for Mistake {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null(name) => write!(formatter, "{name} is null"),
            Self::Misaligned(name, address) => {
                write!(
                    formatter,
                    "{name} at {address:#x} is not aligned to 4 bytes"
                )
            }
            Self::Count(name, given, needed) => {
                write!(formatter, "{name} has {given} units, needed: {needed}")
            }
            Self::Stride(name, stride) => write!(
                formatter,
                "{name} with a stride of {stride} bytes runs past the end of the address space"
            ),
            Self::Size(name, size, known) => {
                write!(formatter, "{name} has size {size}, known is {known}")
            }
            Self::UnknownMemory(name, kind) => write!(
                formatter,
                "{name} has memory {kind}, known are 0 (host), 1 (host, pinned) and 2 (device)"
            ),
            Self::UnknownDevice(name, device) => {
                write!(formatter, "{name} is on device {device}, at most 65535")
            }
            Self::UnknownRail(rail, count) => write!(
                formatter,
                "rail is {rail}, and the engine has {count}, numbered from 0"
            ),
            Self::UnknownPinned(address) => write!(
                formatter,
                "there is none at {address:#x}, or it was released before"
            ),
            Self::UnknownPriority(priority) => write!(
                formatter,
                "priority is {priority}, known are 0 (foreground) and 1 (background)"
            ),
            Self::UnknownFlags(flags) => {
                write!(formatter, "flags are {flags:#x}, known is 0x1 (event_fd)")
            }
            Self::NegativeDescriptor(event_fd) => write!(formatter, "event_fd is {event_fd}"),
            Self::NobodyToTell => {
                formatter.write_str("a call that waits takes neither callback nor event_fd")
            }
            Self::NotText(name, valid) => {
                write!(formatter, "{name} is not UTF-8 from byte {valid} on")
            }
            Self::OtherEngine(index) => {
                write!(formatter, "futures[{index}] belongs to another engine")
            }
            Self::Inherited => {
                formatter.write_str("the engine belongs to the process that forked this one")
            }
            Self::NoFuture => formatter.write_str("there is no future in the list"),
        }
    }
}
