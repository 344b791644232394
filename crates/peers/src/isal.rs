// SPDX-License-Identifier: Apache-2.0
//! Intel's ISA-L, as packaged in Debian's `libisal2`.

use std::ffi::{c_int, c_uchar};

use libloading::{Error, Library};

use crate::common_length;

type GenerateMatrix = unsafe extern "C" fn(*mut c_uchar, c_int, c_int);
type InvertMatrix = unsafe extern "C" fn(*mut c_uchar, *mut c_uchar, c_int) -> c_int;
type InitTables = unsafe extern "C" fn(c_int, c_int, *mut c_uchar, *mut c_uchar);
type EncodeData =
    unsafe extern "C" fn(c_int, c_int, c_int, *mut c_uchar, *mut *mut c_uchar, *mut *mut c_uchar);

/// The library.
#[derive(Debug)]
pub struct Isal {
    library: Library,
}

impl Isal {
    /// Loads the library.
    ///
    /// # Errors
    /// If it is not installed.
    pub fn load() -> Result<Self, Error> {
        // SAFETY: ISA-L's initialisers only register functions.
        let library = unsafe { Library::new("libisal.so.2") }?;
        Ok(Self { library })
    }

    /// The (k+m) x k matrix of `gf_gen_cauchy1_matrix`, row by row; the upper k rows are the
    /// identity.
    #[must_use]
    pub fn cauchy_matrix(&self, data_units: usize, parity_units: usize) -> Vec<u8> {
        let rows = data_units + parity_units;
        let mut matrix = vec![0; rows * data_units];
        // SAFETY: the matrix has the k+m rows of k bytes that the function fills.
        unsafe {
            let generate = self
                .library
                .get::<GenerateMatrix>(b"gf_gen_cauchy1_matrix\0");
            let generate = generate.expect("ISA-L has this function");
            generate(matrix.as_mut_ptr(), rows as c_int, data_units as c_int);
        }
        matrix
    }

    /// The inverse of a square matrix, or `None` where it is singular.
    #[must_use]
    pub fn invert(&self, mut matrix: Vec<u8>, size: usize) -> Option<Vec<u8>> {
        assert_eq!(matrix.len(), size * size, "a square matrix");
        let mut inverted = vec![0; size * size];
        // SAFETY: both matrices have size x size bytes; the function overwrites the first.
        let status = unsafe {
            let invert = self.library.get::<InvertMatrix>(b"gf_invert_matrix\0");
            let invert = invert.expect("ISA-L has this function");
            invert(matrix.as_mut_ptr(), inverted.as_mut_ptr(), size as c_int)
        };
        (status == 0).then_some(inverted)
    }

    /// Computes outputs from inputs by `ec_encode_data`; `matrix` has a row per output.
    pub fn dot(&self, matrix: &[u8], inputs: &[&[u8]], outputs: &mut [&mut [u8]]) {
        let length = common_length(inputs, outputs);
        assert_eq!(
            matrix.len(),
            inputs.len() * outputs.len(),
            "a coefficient per input and output"
        );
        let (columns, rows) = (inputs.len() as c_int, outputs.len() as c_int);
        let mut matrix = matrix.to_vec();
        let mut tables = vec![0; 32 * matrix.len()];
        let mut from: Vec<_> = inputs.iter().map(|unit| unit.as_ptr().cast_mut()).collect();
        let mut to: Vec<_> = outputs.iter_mut().map(|unit| unit.as_mut_ptr()).collect();
        // SAFETY: tables have 32 bytes per coefficient, every unit has `length` bytes, and inputs
        // are only read although declared mutable.
        unsafe {
            let init = self.library.get::<InitTables>(b"ec_init_tables\0");
            let init = init.expect("ISA-L has this function");
            init(columns, rows, matrix.as_mut_ptr(), tables.as_mut_ptr());
            let encode = self.library.get::<EncodeData>(b"ec_encode_data\0");
            let encode = encode.expect("ISA-L has this function");
            let (from, to) = (from.as_mut_ptr(), to.as_mut_ptr());
            encode(
                length as c_int,
                columns,
                rows,
                tables.as_mut_ptr(),
                from,
                to,
            );
        }
    }
}
