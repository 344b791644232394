// SPDX-License-Identifier: Apache-2.0
//! The engines: one file per library.

mod copy;
mod dynamic;
#[cfg(feature = "peers")]
mod erasure_crate;
#[cfg(feature = "peers")]
mod isal;
mod isal_calls;
mod isal_debian;
mod jerasure;
mod klauspost;
#[cfg(feature = "peers")]
mod simd_crate;
mod stripeline;
mod touch;
mod wrong;

use crate::engine::{Absence, Engine, EngineName};

#[cfg(all(feature = "peers", not(target_arch = "x86_64")))]
compile_error!("the peers feature names ISA-L's x86-64 functions; build without it elsewhere");

type Open = fn(&EngineName<'_>) -> Result<Box<dyn Engine>, Absence>;

/// A library and the function that opens it.
pub struct Row {
    /// The name in definitions.
    pub library: &'static str,
    /// Opens the library at the requested instruction set.
    pub open: Open,
}

/// Every library that the bench knows, including those that this build or machine lacks.
pub const TABLE: &[Row] = &[
    Row {
        library: "stripeline",
        open: stripeline::open,
    },
    Row {
        library: "isal",
        open: compiled::ISAL,
    },
    Row {
        library: "isal-debian",
        open: isal_debian::open,
    },
    Row {
        library: "klauspost",
        open: klauspost::open,
    },
    Row {
        library: "jerasure",
        open: jerasure::open,
    },
    Row {
        library: "reed-solomon-erasure",
        open: compiled::ERASURE_CRATE,
    },
    Row {
        library: "reed-solomon-simd",
        open: compiled::SIMD_CRATE,
    },
    Row {
        library: "memcpy",
        open: copy::open,
    },
    Row {
        library: "touch",
        open: touch::open,
    },
    Row {
        library: "wrong",
        open: wrong::open,
    },
];

/// The engines that are compiled in.
#[cfg(feature = "peers")]
mod compiled {
    use super::{Open, erasure_crate, isal, simd_crate};

    pub const ISAL: Open = isal::open;
    pub const ERASURE_CRATE: Open = erasure_crate::open;
    pub const SIMD_CRATE: Open = simd_crate::open;
}

/// A build without the feature `peers` only knows their names.
#[cfg(not(feature = "peers"))]
mod compiled {
    use super::{Absence, Engine, EngineName, Open};

    pub const ISAL: Open = refuse;
    pub const ERASURE_CRATE: Open = refuse;
    pub const SIMD_CRATE: Open = refuse;

    fn refuse(name: &EngineName<'_>) -> Result<Box<dyn Engine>, Absence> {
        Err(Absence::Unavailable(format!(
            "Cannot run {}: built without the peers feature, run scripts/bench-build.sh",
            name.library
        )))
    }
}

/// Refuses an instruction set or variant for a library that has only one.
fn refuse_choice(name: &EngineName<'_>) -> Result<(), Absence> {
    match (name.isa, name.variant) {
        (None, None) => Ok(()),
        _ => Err(Absence::Unknown(format!(
            "Cannot choose an instruction set or variant of {}: it has none",
            name.library
        ))),
    }
}
