// SPDX-License-Identifier: Apache-2.0
//! The crate `reed-solomon-erasure` with its SIMD code, which uses its own Vandermonde matrix.

use reed_solomon_erasure::galois_8::ReedSolomon;

use super::refuse_choice;
use crate::arena::{Stripe, UNITS_MAX};
use crate::engine::{Absence, Coder, Engine, EngineName, Family, StripeCoder};
use crate::job::{Job, Operation};

use arrayvec::ArrayVec;

struct ErasureCrate;

struct Encoder {
    code: ReedSolomon,
}

struct Decoder {
    code: ReedSolomon,
    job: Job,
    /// The cell of each unit in the stripe.
    cells: Vec<Cell>,
}

#[derive(Clone, Copy)]
enum Cell {
    Source(usize),
    Target(usize),
    /// Neither read nor written: a parity unit that is not needed.
    Unused,
}

pub fn open(name: &EngineName<'_>) -> Result<Box<dyn Engine>, Absence> {
    refuse_choice(name)?;
    Ok(Box::new(ErasureCrate))
}

impl Engine for ErasureCrate {
    fn identity(&self) -> String {
        "reed-solomon-erasure 6.0.0 with simd-accel, compiled for this machine".to_owned()
    }

    fn family(&self) -> Family {
        Family::Own
    }

    fn prepare(&self, job: &Job, _: usize) -> Option<Box<dyn Coder>> {
        let code = ReedSolomon::new(job.shape.data, job.shape.parity).ok()?;
        if job.operation == Operation::Encode {
            return Some(Box::new(Encoder { code }));
        }
        let cell = |unit| {
            let slot = |units: &[usize]| units.iter().position(|&it| it == unit);
            match (slot(&job.sources), slot(&job.targets)) {
                (Some(slot), _) => Cell::Source(slot),
                (_, Some(slot)) => Cell::Target(slot),
                _ => Cell::Unused,
            }
        };
        let cells = (0..job.shape.units()).map(cell).collect();
        Some(Box::new(Decoder {
            code,
            job: job.clone(),
            cells,
        }))
    }
}

impl StripeCoder for Encoder {
    fn code(&mut self, stripe: &mut Stripe) {
        stripe.with_slices(|sources, targets| {
            self.code
                .encode_sep(sources, targets)
                .expect("the job's shape is the code's");
        });
    }
}

impl StripeCoder for Decoder {
    fn code(&mut self, stripe: &mut Stripe) {
        debug_assert_eq!(stripe.sources.len(), self.job.columns());
        let length = stripe.cell_bytes;
        // SAFETY: the cells of a stripe are disjoint parts of an arena that only this thread uses;
        // the library takes sources by mutable slice but does not write them.
        let slice = |cell: *mut u8| unsafe { std::slice::from_raw_parts_mut(cell, length) };
        let mut units: ArrayVec<(&mut [u8], bool), UNITS_MAX> = self
            .cells
            .iter()
            .map(|cell| match *cell {
                Cell::Source(slot) => (slice(stripe.sources[slot].cast_mut()), true),
                Cell::Target(slot) => (slice(stripe.targets[slot]), false),
                Cell::Unused => (&mut [][..], false),
            })
            .collect();
        self.code
            .reconstruct_data(&mut units[..])
            .expect("k units of a stripe are present");
    }
}
