// SPDX-License-Identifier: Apache-2.0
//! Debian's ISA-L, which Hadoop's native coder would use.
//!
//! It is loaded with local symbols, because the other ISA-L of this process has the same names.

use super::isal_calls::IsaL;
use super::{dynamic, refuse_choice};
use crate::engine::{Absence, Engine, EngineName};

pub fn open(name: &EngineName<'_>) -> Result<Box<dyn Engine>, Absence> {
    refuse_choice(name)?;
    let library = dynamic::open("libisal.so.2", "libisal2")?;
    Ok(Box::new(IsaL {
        identity: format!("ISA-L {}, its own dispatch", dynamic::path("libisal.so.2")),
        // SAFETY: the header of soname 2 declares these functions with these types.
        init_tables: unsafe { dynamic::symbol(library, "ec_init_tables")? },
        // SAFETY: as above.
        encode_data: unsafe { dynamic::symbol(library, "ec_encode_data")? },
    }))
}
