// SPDX-License-Identifier: Apache-2.0
//! The fault of a piece that a rail did not do.

use std::borrow::Cow;
use std::fmt;

/// What a fault says about the rail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FaultKind {
    /// The rail works but does not take this piece: another rail should do it. Outputs that it
    /// adds to ([`Mode::Add`](crate::Mode)) are unchanged.
    Refused,
    /// The rail failed and should be tested again later.
    Failed,
    /// The device is gone. The rail should be tested again later, as after a failure.
    Gone,
    /// The piece was revoked while the device worked.
    Revoked,
}

/// A piece that was not done. Its outputs may hold anything, except for those of an addition that
/// was refused, which are unchanged.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    kind: FaultKind,
    text: Cow<'static, str>,
}

impl Fault {
    /// Creates a fault with its reason, in lower case and without a full stop.
    pub fn new(kind: FaultKind, text: impl Into<Cow<'static, str>>) -> Self {
        Self {
            kind,
            text: text.into(),
        }
    }

    /// Returns the kind of the fault.
    #[must_use]
    pub fn kind(&self) -> FaultKind {
        self.kind
    }
}

impl fmt::Display for Fault {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.text)
    }
}

impl std::error::Error for Fault {}
