// SPDX-License-Identifier: Apache-2.0
//! Debian's packages of Jerasure 2 and gf-complete.

use std::ffi::{c_char, c_int};
use std::sync::Once;

use super::{dynamic, refuse_choice};
use crate::arena::Stripe;
use crate::engine::{Absence, Coder, Engine, EngineName, Family, StripeCoder};
use crate::job::Job;

/// `jerasure_matrix_encode`: k, rows, word size, matrix, sources, targets, length.
type MatrixEncode = unsafe extern "C" fn(
    c_int,
    c_int,
    c_int,
    *const c_int,
    *const *const c_char,
    *const *mut c_char,
    c_int,
);

/// GF(2^8), whose default polynomial in gf-complete is 0x11d too.
const WORD_BITS: c_int = 8;

/// Jerasure only codes whole machine words.
const LENGTH_MULTIPLE: usize = 16;

struct Jerasure {
    encode: MatrixEncode,
}

struct Matrix {
    encode: MatrixEncode,
    values: Vec<c_int>,
    k: c_int,
    rows: c_int,
}

pub fn open(name: &EngineName<'_>) -> Result<Box<dyn Engine>, Absence> {
    refuse_choice(name)?;
    let library = dynamic::open("libJerasure.so.2", "libjerasure2")?;
    // SAFETY: jerasure.h of soname 2 declares the function with these types.
    let encode: MatrixEncode = unsafe { dynamic::symbol(library, "jerasure_matrix_encode")? };
    make_field(encode);
    Ok(Box::new(Jerasure { encode }))
}

/// Makes the first call, which builds the field's tables without a lock, before there are threads.
fn make_field(encode: MatrixEncode) {
    static MADE: Once = Once::new();
    MADE.call_once(|| {
        let (source, mut target) = ([0u8; LENGTH_MULTIPLE], [0u8; LENGTH_MULTIPLE]);
        let (sources, targets) = ([source.as_ptr().cast()], [target.as_mut_ptr().cast()]);
        // SAFETY: a 1 x 1 matrix, one source and one target of the given length.
        unsafe {
            encode(
                1,
                1,
                WORD_BITS,
                [2].as_ptr(),
                sources.as_ptr(),
                targets.as_ptr(),
                LENGTH_MULTIPLE as c_int,
            );
        }
    });
}

impl Engine for Jerasure {
    fn identity(&self) -> String {
        format!(
            "Jerasure {} on {}",
            dynamic::path("libJerasure.so.2"),
            dynamic::path("libgf_complete.so.1")
        )
    }

    fn family(&self) -> Family {
        Family::Cauchy
    }

    fn prepare(&self, job: &Job, cell_bytes: usize) -> Option<Box<dyn Coder>> {
        let values = job
            .coefficients
            .iter()
            .map(|&value| c_int::from(value))
            .collect();
        let (k, rows) = (job.columns() as c_int, job.rows() as c_int);
        cell_bytes.is_multiple_of(LENGTH_MULTIPLE).then(|| {
            Box::new(Matrix {
                encode: self.encode,
                values,
                k,
                rows,
            }) as Box<dyn Coder>
        })
    }
}

impl StripeCoder for Matrix {
    fn code(&mut self, stripe: &mut Stripe) {
        // SAFETY: k sources and `rows` targets of `cell_bytes` bytes, a multiple of a word, and a
        // matrix of rows x k values, none of which the function keeps.
        unsafe {
            (self.encode)(
                self.k,
                self.rows,
                WORD_BITS,
                self.values.as_ptr(),
                stripe.sources.as_ptr().cast(),
                stripe.targets.as_ptr().cast(),
                stripe.cell_bytes as c_int,
            );
        }
    }
}
