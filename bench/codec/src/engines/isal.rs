// SPDX-License-Identifier: Apache-2.0
//! ISA-L as the crate `isal-sys` builds it from Intel's sources, with its own dispatch or limited
//! to a level.

use std::arch::is_x86_feature_detected;
use std::ffi::c_int;

// Links libisal.a; the functions are declared here because the crate only has bindings for the
// compression half.
use isal_sys as _;

use super::isal_calls::{EncodeData, InitTables, IsaL};
use crate::engine::{Absence, Engine, EngineName};

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
                "Cannot use instruction set '{isa}' with isal: known are portable ssse3 avx2 \
                 avx512 avx2+gfni avx512+gfni"
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
