// SPDX-License-Identifier: Apache-2.0
//! Why a rail did not do a piece.

use std::borrow::Cow;
use std::fmt;

/// What a fault says about the rail.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FaultKind {
    /// The rail works but not on this piece: give it to another, blame nobody.
    Refused,
    /// The rail failed: try it again later.
    Failed,
    /// The device is not there any more.
    Gone,
    /// The piece was taken away while the device worked.
    Revoked,
}

/// A piece that was not done. Its outputs may hold anything.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Fault {
    kind: FaultKind,
    text: Cow<'static, str>,
}

impl Fault {
    /// A fault with its reason, lower case and without a full stop.
    pub fn new(kind: FaultKind, text: impl Into<Cow<'static, str>>) -> Self {
        Self {
            kind,
            text: text.into(),
        }
    }

    /// What it says about the rail.
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
