// SPDX-License-Identifier: Apache-2.0
//! Intel's ISA-L, if the system has it.
//!
//! The library takes any matrix as tables of 32 bytes per coefficient, so it can run every code. A
//! lane caches the tables of its most recent matrices: computing them costs as much as coding some
//! kilobytes.

use std::ffi::{c_int, c_uchar};
use std::sync::Arc;

use arrayvec::ArrayVec;
use libloading::{Library, Symbol};
use stripeline_codec::{Coefficients, UNITS_MAX, Verdict};

use crate::{Capability, Coder, Fault, Mode, Piece, Synchronous, difference};

type InitTables = unsafe extern "C" fn(c_int, c_int, *mut c_uchar, *mut c_uchar);
type EncodeData =
    unsafe extern "C" fn(c_int, c_int, c_int, *mut c_uchar, *mut *mut c_uchar, *mut *mut c_uchar);
type UpdateData =
    unsafe extern "C" fn(c_int, c_int, c_int, c_int, *mut c_uchar, *mut c_uchar, *mut *mut c_uchar);

/// The SONAME of the ABI with these signatures: ISA-L 2.x.
const LIBRARY: &str = "libisal.so.2";

/// ISA-L takes lengths as C's `int`; a step far below the limit of `int` costs nothing.
const STEP_BYTES: usize = 1 << 24;

/// The number of tables kept per lane: more than the matrices of one stripe's repair.
const TABLES_MAX: usize = 16;

/// The bytes of tables kept per lane. The largest matrix, 255 x 255, takes 2,080,800.
const TABLES_BYTES_MAX: usize = 4 << 20;

/// Comparisons compute the products in blocks of this many bytes, which stay in the cache.
const COMPARED_BYTES: usize = 64 << 10;

/// ISA-L's erasure coding.
#[derive(Debug)]
pub struct Isal {
    /// Keeps the functions below loaded.
    _library: Library,
    init: InitTables,
    encode: EncodeData,
    update: UpdateData,
}

impl Isal {
    /// Returns the rail `isal`, with a lane per CPU.
    ///
    /// # Errors
    /// The reason why there is none: the library is not installed, or lacks a function.
    pub fn rail() -> Result<Synchronous<Self>, String> {
        Self::rail_from(LIBRARY)
    }

    fn rail_from(library: &str) -> Result<Synchronous<Self>, String> {
        let lanes = std::thread::available_parallelism().map_or(1, usize::from);
        let capability = Capability {
            lanes,
            shares_cpus: true,
            ..Capability::synchronous()
        };
        Ok(Synchronous::new("isal", capability, Self::load(library)?))
    }

    fn load(name: &str) -> Result<Self, String> {
        // SAFETY: the initialisers of a library by this name only choose functions.
        let library = unsafe { Library::new(name) };
        let library = library.map_err(|error| format!("Cannot load ISA-L: {error}"))?;
        // SAFETY: these are the signatures of ISA-L 2.x, and the library is kept.
        unsafe {
            Ok(Self {
                init: *symbol::<InitTables>(&library, "ec_init_tables")?,
                encode: *symbol::<EncodeData>(&library, "ec_encode_data")?,
                update: *symbol::<UpdateData>(&library, "ec_encode_data_update")?,
                _library: library,
            })
        }
    }

    fn tables(&self, matrix: &Coefficients) -> Box<[u8]> {
        let mut values = matrix.values().to_vec();
        let mut tables = vec![0; 32 * values.len()].into_boxed_slice();
        let (columns, rows) = (matrix.columns() as c_int, matrix.rows() as c_int);
        // SAFETY: rows x columns values are read and 32 bytes for each are written.
        unsafe {
            (self.init)(columns, rows, values.as_mut_ptr(), tables.as_mut_ptr());
        }
        tables
    }

    /// Computes outputs from inputs.
    fn set(&self, tables: &mut [u8], inputs: &[&[u8]], outputs: &mut [&mut [u8]]) {
        assert_eq!(
            tables.len(),
            32 * inputs.len() * outputs.len(),
            "its tables"
        );
        for start in (0..length(inputs, outputs)).step_by(STEP_BYTES) {
            let (mut from, mut to) = addresses(inputs, outputs, start);
            let bytes = STEP_BYTES.min(inputs[0].len() - start) as c_int;
            let (columns, rows) = (from.len() as c_int, to.len() as c_int);
            let tables = tables.as_mut_ptr();
            // SAFETY: every address has `bytes` bytes, the tables are those of rows x columns, and
            // inputs and tables are only read although declared mutable.
            unsafe {
                (self.encode)(
                    bytes,
                    columns,
                    rows,
                    tables,
                    from.as_mut_ptr(),
                    to.as_mut_ptr(),
                );
            }
        }
    }

    /// Adds products to outputs, one input at a time.
    fn add(&self, tables: &mut [u8], inputs: &[&[u8]], outputs: &mut [&mut [u8]]) {
        assert_eq!(
            tables.len(),
            32 * inputs.len() * outputs.len(),
            "its tables"
        );
        for start in (0..length(inputs, outputs)).step_by(STEP_BYTES) {
            let (from, mut to) = addresses(inputs, outputs, start);
            let bytes = STEP_BYTES.min(inputs[0].len() - start) as c_int;
            let (columns, rows) = (from.len() as c_int, to.len() as c_int);
            for (column, input) in from.into_iter().enumerate() {
                let (tables, to) = (tables.as_mut_ptr(), to.as_mut_ptr());
                // SAFETY: as in `set`; the column is below `columns`.
                unsafe {
                    (self.update)(bytes, columns, rows, column as c_int, tables, input, to);
                }
            }
        }
    }

    /// Compares products with the given outputs, block by block.
    fn compare(&self, memory: &mut Memory, inputs: &[&[u8]], given: &[&[u8]]) -> Verdict {
        let bytes = inputs[0].len();
        let block = (COMPARED_BYTES / given.len()).max(64);
        memory.scratch.resize(block * given.len(), 0);
        for start in (0..bytes).step_by(block) {
            let range = start..bytes.min(start + block);
            let inputs: ArrayVec<&[u8], UNITS_MAX> =
                inputs.iter().map(|unit| &unit[range.clone()]).collect();
            let given: ArrayVec<&[u8], UNITS_MAX> =
                given.iter().map(|unit| &unit[range.clone()]).collect();
            let mut computed: ArrayVec<&mut [u8], UNITS_MAX> = memory
                .scratch
                .chunks_exact_mut(block)
                .map(|unit| &mut unit[..range.len()])
                .collect();
            self.set(&mut memory.tables[0].1, &inputs, &mut computed);
            let verdict = difference::find(&computed, &given);
            if verdict != Verdict::Sound {
                return difference::moved(verdict, start);
            }
        }
        Verdict::Sound
    }
}

impl Coder for Isal {
    type Memory = Memory;

    fn describe(&self) -> String {
        format!("Intel ISA-L, {LIBRARY}")
    }

    fn run(&self, piece: &mut Piece, memory: &mut Memory) -> Result<Verdict, Fault> {
        memory.fetch(self, &piece.matrix());
        let tables = &mut memory.tables[0].1;
        match piece.job().mode() {
            Mode::Set => piece.write(|inputs, outputs| self.set(tables, inputs, outputs)),
            Mode::Add => piece.write(|inputs, outputs| self.add(tables, inputs, outputs)),
            Mode::Compare => {
                return Ok(piece.read(|inputs, given| self.compare(memory, inputs, given)));
            }
        }
        Ok(Verdict::Sound)
    }
}

/// The state of a lane.
#[derive(Debug, Default)]
pub struct Memory {
    /// Matrices with their tables, most recently used first. Holding the matrix prevents the reuse
    /// of its address.
    tables: Vec<(Arc<Coefficients>, Box<[u8]>)>,
    scratch: Vec<u8>,
}

impl Memory {
    /// Moves the tables of a matrix to the front, computing them if they are missing.
    fn fetch(&mut self, isal: &Isal, matrix: &Arc<Coefficients>) {
        let mut kept = self.tables.iter();
        if let Some(place) = kept.position(|(kept, _)| Arc::ptr_eq(kept, matrix)) {
            self.tables[..=place].rotate_right(1);
            return;
        }
        let tables = isal.tables(matrix);
        let bytes =
            |tables: &[(_, Box<[u8]>)]| tables.iter().map(|(_, of)| of.len()).sum::<usize>();
        while self.tables.len() == TABLES_MAX
            || bytes(&self.tables) + tables.len() > TABLES_BYTES_MAX
        {
            self.tables.pop();
        }
        self.tables.insert(0, (Arc::clone(matrix), tables));
    }
}

/// # Safety
/// `T` is the type of the function of this name.
unsafe fn symbol<'a, T>(library: &'a Library, name: &str) -> Result<Symbol<'a, T>, String> {
    // SAFETY: the caller upholds the same contract.
    let found = unsafe { library.get::<T>(name.as_bytes()) };
    found.map_err(|error| format!("Cannot use ISA-L: it lacks {name} ({error})"))
}

/// Returns the common length.
fn length(inputs: &[&[u8]], outputs: &[&mut [u8]]) -> usize {
    let bytes = inputs[0].len();
    let same = inputs.iter().all(|unit| unit.len() == bytes);
    assert!(
        same && outputs.iter().all(|unit| unit.len() == bytes),
        "buffers of one length"
    );
    bytes
}

type Addresses = ArrayVec<*mut c_uchar, UNITS_MAX>;

fn addresses(inputs: &[&[u8]], outputs: &mut [&mut [u8]], start: usize) -> (Addresses, Addresses) {
    let from = inputs.iter().map(|unit| unit[start..].as_ptr().cast_mut());
    let to = outputs.iter_mut().map(|unit| unit[start..].as_mut_ptr());
    (from.collect(), to.collect())
}

#[cfg(test)]
mod tests {
    use stripeline_codec::{Code, Codec};

    use super::*;

    #[test]
    fn absent_library_is_a_reason() {
        let reason = Isal::rail_from("libisal-absent.so.2").expect_err("absent");
        assert!(reason.starts_with("Cannot load ISA-L: "), "{reason}");
        assert!(reason.contains("libisal-absent.so.2"), "{reason}");
    }

    #[test]
    fn library_without_the_functions_is_a_reason() {
        // A library without the functions of ISA-L that the process has loaded anyway.
        let reason = Isal::rail_from("libc.so.6").expect_err("not ISA-L");
        let expected = "Cannot use ISA-L: it lacks ec_init_tables";
        assert!(reason.starts_with(expected), "{reason}");
    }

    #[test]
    fn tables_kept_are_bounded_and_found_again() {
        let Ok(isal) = Isal::load(LIBRARY) else {
            return;
        };
        let mut memory = Memory::default();
        let matrix = |k, m| Arc::clone(Codec::new(Code::Rs, k, m).expect("valid").encoding());
        let small = matrix(3, 2);
        for k in 1..40 {
            memory.fetch(&isal, &matrix(k, 3));
            memory.fetch(&isal, &small);
            assert!(Arc::ptr_eq(&memory.tables[0].0, &small));
        }
        assert_eq!(memory.tables.len(), TABLES_MAX);
        let first = memory.tables[0].1.as_ptr();
        memory.fetch(&isal, &matrix(128, 128));
        memory.fetch(&isal, &small);
        assert_eq!(memory.tables[0].1.as_ptr(), first, "kept, not made again");
        for _ in 0..9 {
            memory.fetch(&isal, &matrix(128, 128));
            let bytes: usize = memory.tables.iter().map(|(_, tables)| tables.len()).sum();
            assert!(bytes <= TABLES_BYTES_MAX);
        }
    }
}
