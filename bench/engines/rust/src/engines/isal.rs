// SPDX-License-Identifier: Apache-2.0
//! ISA-L as the crate `isal-sys` builds it from Intel's sources, dispatched by itself or held to a level.

use std::arch::is_x86_feature_detected;
use std::ffi::c_int;

// Links libisal.a; the calls are declared here because the crate binds only the compression half.
use isal_sys as _;

use crate::arena::Stripe;
use crate::engine::{Absence, Coder, Engine, EngineName, Family};
use crate::job::Job;

/// `ec_init_tables`: expands a matrix into the tables that the matching `ec_encode_data` reads.
pub type InitTables = unsafe extern "C" fn(c_int, c_int, *const u8, *mut u8);

/// `ec_encode_data`: length, sources, targets, tables, source and target addresses.
pub type EncodeData =
    unsafe extern "C" fn(c_int, c_int, c_int, *const u8, *const *const u8, *const *mut u8);

unsafe extern "C" {
    fn ec_init_tables(k: c_int, rows: c_int, matrix: *const u8, tables: *mut u8);
    fn ec_init_tables_base(k: c_int, rows: c_int, matrix: *const u8, tables: *mut u8);
    fn ec_init_tables_gfni(k: c_int, rows: c_int, matrix: *const u8, tables: *mut u8);
}

macro_rules! declare_encode_data {
    ($($name:ident)*) => {
        unsafe extern "C" {
            $(fn $name(
                length: c_int,
                k: c_int,
                rows: c_int,
                tables: *const u8,
                sources: *const *const u8,
                targets: *const *mut u8,
            );)*
        }
    };
}

declare_encode_data! {
    ec_encode_data ec_encode_data_base ec_encode_data_sse ec_encode_data_avx2
    ec_encode_data_avx512 ec_encode_data_avx2_gfni ec_encode_data_avx512_gfni
}

/// An ISA-L, whichever way it was found.
pub struct IsaL {
    identity: String,
    init_tables: InitTables,
    encode_data: EncodeData,
}

struct Tables {
    encode_data: EncodeData,
    tables: Box<[Aligned]>,
    k: c_int,
    rows: c_int,
}

/// ISA-L reads its tables with aligned loads where they are whole vectors.
#[derive(Clone, Copy)]
#[repr(align(64))]
struct Aligned(#[allow(dead_code)] [u8; 64]);

pub fn open(name: &EngineName<'_>) -> Result<Box<dyn Engine>, Absence> {
    if let Some(variant) = name.variant {
        return Err(Absence::Unknown(format!(
            "Cannot use variant '{variant}' of isal: it has none"
        )));
    }
    let gfni = is_x86_feature_detected!("gfni");
    let avx2 = is_x86_feature_detected!("avx2");
    let avx512 = is_x86_feature_detected!("avx512bw") && is_x86_feature_detected!("avx512vl");
    let (present, init_tables, encode_data): (bool, InitTables, EncodeData) = match name.isa {
        None => (true, ec_init_tables, ec_encode_data),
        Some("portable") => (true, ec_init_tables_base, ec_encode_data_base),
        Some("ssse3") => (true, ec_init_tables_base, ec_encode_data_sse),
        Some("avx2") => (avx2, ec_init_tables_base, ec_encode_data_avx2),
        Some("avx512") => (avx512, ec_init_tables_base, ec_encode_data_avx512),
        Some("avx2+gfni") => (avx2 && gfni, ec_init_tables_gfni, ec_encode_data_avx2_gfni),
        Some("avx512+gfni") => (
            avx512 && gfni,
            ec_init_tables_gfni,
            ec_encode_data_avx512_gfni,
        ),
        Some(isa) => {
            return Err(Absence::Unknown(format!(
                "Cannot hold isal to '{isa}': known are portable ssse3 avx2 avx512 avx2+gfni avx512+gfni"
            )));
        }
    };
    if !present {
        let isa = name.isa.unwrap_or_default();
        return Err(Absence::Unavailable(format!(
            "Cannot run isal@{isa}: this machine lacks it"
        )));
    }
    let level = name.isa.unwrap_or("its own dispatch");
    let identity = format!("ISA-L 2.31.0+496255c built by isal-sys 0.5.3, {level}");
    Ok(Box::new(IsaL {
        identity,
        init_tables,
        encode_data,
    }))
}

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

impl Coder for Tables {
    fn run(&mut self, stripe: &mut Stripe) {
        // SAFETY: k sources and `rows` targets of `cell_bytes` bytes each, as the job that made the tables
        // has; the instruction set was found present when the engine was opened.
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
