// SPDX-License-Identifier: Apache-2.0
//! Errors of tasks and engines.

use std::fmt;
use std::sync::Arc;

/// The kind of an error, which determines how to handle it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum ErrorKind {
    /// The bounds of outstanding tasks are reached: wait for a task, or let the engine wait.
    Busy,
    /// The task was cancelled by its issuer.
    Cancelled,
    /// The task's deadline passed before it was done.
    DeadlineExceeded,
    /// No rail takes such a task, or every rail that does has failed: see `stripeline doctor`.
    NoRail,
    /// A rail failed while it was changing the outputs, so the task cannot be repeated.
    Failed,
    /// The engine is shutting down, or belongs to the process that forked this one.
    Closed,
    /// The engine cannot be started as configured.
    Configuration,
    /// The system, or the driver of a device, has not as much memory as was requested.
    OutOfMemory,
    /// The codec rejects the call; [`Error::codec_kind`] has the reason.
    Invalid,
}

/// A task that was not done. Its outputs may hold anything.
#[derive(Clone, PartialEq, Eq)]
pub struct Error {
    kind: ErrorKind,
    codec_kind: Option<stripeline_codec::ErrorKind>,
    text: Arc<str>,
}

impl Error {
    pub(crate) fn new(kind: ErrorKind, text: impl Into<Arc<str>>) -> Self {
        Self {
            kind,
            codec_kind: None,
            text: text.into(),
        }
    }

    /// Returns the error of every call on an engine in a child that was forked from the engine's
    /// process.
    pub(crate) fn inherited() -> Self {
        let text = "Cannot use the engine: it belongs to the process that forked this one";
        Self::new(ErrorKind::Closed, text)
    }

    /// Returns the codec's reason, if the codec refused the call.
    #[must_use]
    pub fn codec_kind(&self) -> Option<stripeline_codec::ErrorKind> {
        self.codec_kind
    }

    /// Returns the kind of the error.
    #[must_use]
    pub fn kind(&self) -> ErrorKind {
        self.kind
    }
}

impl fmt::Debug for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(formatter, "{:?}: {}", self.kind, self.text)
    }
}

impl fmt::Display for Error {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

impl std::error::Error for Error {}

impl From<stripeline_codec::Error> for Error {
    fn from(error: stripeline_codec::Error) -> Self {
        Self {
            codec_kind: Some(error.kind()),
            ..Self::new(ErrorKind::Invalid, error.to_string())
        }
    }
}
