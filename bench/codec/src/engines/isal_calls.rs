// SPDX-License-Identifier: Apache-2.0
//! Calls to an ISA-L library, linked or loaded.

use std::ffi::c_int;

use crate::arena::Stripe;
use crate::engine::{Coder, Engine, Family, StripeCoder};
use crate::job::Job;

/// `ec_init_tables`: expands a matrix into the tables that the matching `ec_encode_data` reads.
pub type InitTables = unsafe extern "C" fn(c_int, c_int, *const u8, *mut u8);

/// `ec_encode_data`: length, sources, targets, tables, source and target addresses.
pub type EncodeData =
    unsafe extern "C" fn(c_int, c_int, c_int, *const u8, *const *const u8, *const *mut u8);

/// An ISA-L library, linked or loaded.
pub struct IsaL {
    /// Version and level, for the record.
    pub identity: String,
    /// Expands matrices for `encode_data`.
    pub init_tables: InitTables,
    /// Applies the tables; this machine has the required instructions.
    pub encode_data: EncodeData,
}

struct Tables {
    encode_data: EncodeData,
    tables: Box<[Aligned]>,
    k: c_int,
    rows: c_int,
}

/// ISA-L reads tables of whole vectors with aligned loads.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Aligned(#[allow(dead_code)] [u8; 64]);

impl Engine for IsaL {
    fn identity(&self) -> String {
        self.identity.clone()
    }

    fn family(&self) -> Family {
        Family::Cauchy
    }

    fn prepare(&self, job: &Job, _: usize) -> Option<Box<dyn Coder>> {
        // ISA-L documents 32 bytes per coefficient.
        let lines = (32 * job.rows() * job.columns()).div_ceil(64);
        let mut tables = vec![Aligned([0; 64]); lines].into_boxed_slice();
        let (k, rows) = (job.columns() as c_int, job.rows() as c_int);
        // SAFETY: the matrix holds rows x k bytes and the tables 32 x rows x k, as ISA-L asks.
        unsafe {
            (self.init_tables)(
                k,
                rows,
                job.coefficients.as_ptr(),
                tables.as_mut_ptr().cast(),
            );
        }
        Some(Box::new(Tables {
            encode_data: self.encode_data,
            tables,
            k,
            rows,
        }))
    }
}

impl StripeCoder for Tables {
    fn code(&mut self, stripe: &mut Stripe) {
        // SAFETY: k sources and `rows` targets of `cell_bytes` bytes each, as in the job of the
        // tables; the instruction set was detected when the engine was opened.
        unsafe {
            (self.encode_data)(
                stripe.cell_bytes as c_int,
                self.k,
                self.rows,
                self.tables.as_ptr().cast(),
                stripe.sources.as_ptr(),
                stripe.targets.as_ptr(),
            );
        }
    }
}
