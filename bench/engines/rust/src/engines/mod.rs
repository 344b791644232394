// SPDX-License-Identifier: Apache-2.0
//! One file per library.

mod copy;
#[cfg(feature = "peers")]
mod isal;
mod stripeline;
pub mod wrong;

use crate::engine::{Absence, Engine, EngineName};

type Open = fn(&EngineName<'_>) -> Result<Box<dyn Engine>, Absence>;

/// A library and how to open it.
pub struct Row {
    /// The name in definitions.
    pub library: &'static str,
    /// Opens it at the asked instruction set.
    pub open: Open,
}

/// Every library that this build knows.
pub const TABLE: &[Row] = &[
    Row {
        library: "stripeline",
        open: stripeline::open,
    },
    Row {
        library: "isal",
        open: open_isal,
    },
    Row {
        library: "memcpy",
        open: copy::open,
    },
    Row {
        library: "wrong",
        open: wrong::open,
    },
];

#[cfg(feature = "peers")]
use isal::open as open_isal;

#[cfg(not(feature = "peers"))]
fn open_isal(name: &EngineName<'_>) -> Result<Box<dyn Engine>, Absence> {
    Err(not_built(name))
}

#[cfg(not(feature = "peers"))]
fn not_built(name: &EngineName<'_>) -> Absence {
    Absence::Unavailable(format!(
        "Cannot run {}: built without the peers feature, run tools/bench-build.sh",
        name.library
    ))
}

/// Refuses what a library has only one of.
fn refuse_choice(name: &EngineName<'_>) -> Result<(), Absence> {
    match (name.isa, name.variant) {
        (None, None) => Ok(()),
        _ => Err(Absence::Unknown(format!(
            "Cannot choose an instruction set or variant of {}: it has none",
            name.library
        ))),
    }
}
