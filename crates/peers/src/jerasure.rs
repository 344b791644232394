// SPDX-License-Identifier: Apache-2.0
//! Plank's Jerasure on GF-Complete, as packaged in Debian's `libjerasure2`; it takes any parity
//! matrix.

use std::ffi::{c_char, c_int};
use std::sync::{Mutex, PoisonError};

use libloading::{Error, Library};

use crate::common_length;

type MatrixEncode = unsafe extern "C" fn(
    c_int,
    c_int,
    c_int,
    *mut c_int,
    *mut *mut c_char,
    *mut *mut c_char,
    c_int,
);
type MatrixDecode = unsafe extern "C" fn(
    c_int,
    c_int,
    c_int,
    *mut c_int,
    c_int,
    *mut c_int,
    *mut *mut c_char,
    *mut *mut c_char,
    c_int,
) -> c_int;

/// The word size for which GF-Complete's default field is that of Hadoop.
const WORD_BITS: c_int = 8;

/// GF-Complete wants all units alike modulo 16, and lengths of whole machine words.
const ALIGNMENT: usize = 16;

/// Held during every call: Jerasure sets its field up at first use, without a lock.
static CALLS: Mutex<()> = Mutex::new(());

/// The library.
#[derive(Debug)]
pub struct Jerasure {
    library: Library,
}

impl Jerasure {
    /// Loads the library.
    ///
    /// # Errors
    /// If it is not installed.
    pub fn load() -> Result<Self, Error> {
        // SAFETY: Jerasure has no initialisers.
        let library = unsafe { Library::new("libJerasure.so.2") }?;
        Ok(Self { library })
    }

    /// Computes parity from data by the m x k matrix.
    pub fn encode(&self, matrix: &[u8], data: &[&[u8]], parity: &mut [&mut [u8]]) {
        let length = common_length(data, parity);
        assert_eq!(
            matrix.len(),
            data.len() * parity.len(),
            "a coefficient per data and parity unit"
        );
        let mut matrix: Vec<c_int> = matrix.iter().copied().map(c_int::from).collect();
        let mut from: Vec<_> = data
            .iter()
            .map(|unit| unit.as_ptr().cast_mut().cast())
            .collect();
        let mut to: Vec<_> = parity
            .iter_mut()
            .map(|unit| unit.as_mut_ptr().cast())
            .collect();
        check_alignment(length, from.iter().chain(&to));
        let (k, m) = (from.len() as c_int, to.len() as c_int);
        let _calling = CALLS.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the matrix has m x k entries, every unit has `length` bytes, and data is only
        // read although declared mutable.
        unsafe {
            let encode = self
                .library
                .get::<MatrixEncode>(b"jerasure_matrix_encode\0");
            let encode = encode.expect("Jerasure has this function");
            let (from, to) = (from.as_mut_ptr(), to.as_mut_ptr());
            encode(
                k,
                m,
                WORD_BITS,
                matrix.as_mut_ptr(),
                from,
                to,
                length as c_int,
            );
        }
    }

    /// Recomputes the erased units of a stripe in place, by the m x k matrix.
    ///
    /// # Panics
    /// If the library cannot, or the units are not `data_units` and at least one more.
    pub fn decode(
        &self,
        matrix: &[u8],
        data_units: usize,
        erased: &[usize],
        units: &mut [&mut [u8]],
    ) {
        let length = units[0].len();
        let parity_units = units.len() - data_units;
        assert_eq!(
            matrix.len(),
            data_units * parity_units,
            "a coefficient per data and parity unit"
        );
        assert!(
            units.iter().all(|unit| unit.len() == length),
            "units of one length"
        );
        assert!(
            erased.iter().all(|unit| *unit < units.len()),
            "units of the stripe"
        );
        let mut matrix: Vec<c_int> = matrix.iter().copied().map(c_int::from).collect();
        let mut erased: Vec<c_int> = erased.iter().map(|unit| *unit as c_int).collect();
        erased.push(-1);
        let mut units: Vec<_> = units
            .iter_mut()
            .map(|unit| unit.as_mut_ptr().cast())
            .collect();
        check_alignment(length, units.iter());
        let (data, parity) = units.split_at_mut(data_units);
        let _calling = CALLS.lock().unwrap_or_else(PoisonError::into_inner);
        // SAFETY: the matrix has m x k entries, the list ends in -1, and every unit has `length`
        // bytes that this call may write.
        let status = unsafe {
            let decode = self
                .library
                .get::<MatrixDecode>(b"jerasure_matrix_decode\0");
            let decode = decode.expect("Jerasure has this function");
            let first_row_is_ones = c_int::from(false);
            decode(
                data_units as c_int,
                parity_units as c_int,
                WORD_BITS,
                matrix.as_mut_ptr(),
                first_row_is_ones,
                erased.as_mut_ptr(),
                data.as_mut_ptr(),
                parity.as_mut_ptr(),
                length as c_int,
            )
        };
        assert_eq!(status, 0, "Jerasure decodes what is decodable");
    }
}

fn check_alignment<'a>(length: usize, mut units: impl Iterator<Item = &'a *mut c_char>) {
    assert_eq!(length % ALIGNMENT, 0, "Jerasure takes whole words");
    assert!(
        units.all(|unit| unit.addr() % ALIGNMENT == 0),
        "Jerasure takes aligned units"
    );
}
