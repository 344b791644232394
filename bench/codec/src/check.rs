// SPDX-License-Identifier: Apache-2.0
//! Checks an engine's bytes before it is timed.
//!
//! The expected bytes are the oracle's products, byte by byte; the oracle shares no code with any
//! kernel.

use crate::arena::{Arena, Layout, Rotation};
use crate::engine::{Engine, Family, hardest_decode};
use crate::job::{Job, Operation};

/// The contents of a target cell before an engine runs, so that unwritten bytes are detected.
const POISON: u8 = 0xa5;

/// The stripes of one job and layout with the expected contents of their targets, to check engines
/// against.
pub struct Expected {
    job: Job,
    layout: Layout,
    targets: Vec<Vec<u8>>,
}

impl Expected {
    /// Makes the arena's first stripe a sound one and keeps the expected contents of the job's
    /// targets.
    pub fn new(arena: &Arena, job: &Job, layout: Layout) -> Self {
        let encode = Job::new(job.shape, Operation::Encode).expect("every shape encodes");
        let mut stripe = Rotation::new(arena, &encode, layout, 1);
        for row in 0..encode.rows() {
            let parity = product(&mut stripe, &encode, row);
            stripe.cell(encode.targets[row]).copy_from_slice(&parity);
        }
        let targets = read(&mut stripe, &job.targets);
        Self {
            job: job.clone(),
            layout,
            targets,
        }
    }

    /// Runs the engine once on the sound stripe and compares every byte.
    ///
    /// # Errors
    /// If a byte differs; the text names the unit, the offset and both values.
    pub fn check(&self, arena: &Arena, engine: &dyn Engine) -> Result<(), String> {
        match engine.family() {
            Family::Bound => Ok(()),
            Family::Cauchy => self.check_job(arena, engine, &self.job),
            Family::Own => self.check_round_trip(arena, engine),
        }
    }

    fn check_job(&self, arena: &Arena, engine: &dyn Engine, job: &Job) -> Result<(), String> {
        let Some(mut coder) = engine.prepare(job, self.layout.cell_bytes) else {
            return Ok(());
        };
        let mut stripe = Rotation::new(arena, job, self.layout, 1);
        poison(&mut stripe, &job.targets);
        coder.run(&mut stripe, 1);
        let result = compare(&mut stripe, &job.targets, &self.targets);
        write(&mut stripe, &self.job.targets, &self.targets);
        result
    }

    /// Checks an engine with its own code, whose parity is unknown: it must recover the data that
    /// it encoded.
    fn check_round_trip(&self, arena: &Arena, engine: &dyn Engine) -> Result<(), String> {
        let encode = Job::new(self.job.shape, Operation::Encode).expect("every shape encodes");
        let decode = match self.job.operation {
            Operation::Encode => hardest_decode(&self.job),
            _ => self.job.clone(),
        };
        let cell_bytes = self.layout.cell_bytes;
        let (Some(mut encoder), Some(mut decoder)) = (
            engine.prepare(&encode, cell_bytes),
            engine.prepare(&decode, cell_bytes),
        ) else {
            return Ok(());
        };
        let mut stripe = Rotation::new(arena, &decode, self.layout, 1);
        let units: Vec<usize> = (0..decode.shape.units()).collect();
        let sound = read(&mut stripe, &units);
        encoder.run(&mut Rotation::new(arena, &encode, self.layout, 1), 1);
        poison(&mut stripe, &decode.targets);
        decoder.run(&mut stripe, 1);
        let result = compare(&mut stripe, &units[..decode.shape.data], &sound);
        write(&mut stripe, &units, &sound);
        result
    }
}

fn poison(stripe: &mut Rotation, units: &[usize]) {
    units
        .iter()
        .for_each(|&unit| stripe.cell(unit).fill(POISON));
}

fn read(stripe: &mut Rotation, units: &[usize]) -> Vec<Vec<u8>> {
    units
        .iter()
        .map(|&unit| stripe.cell(unit).to_vec())
        .collect()
}

fn write(stripe: &mut Rotation, units: &[usize], cells: &[Vec<u8>]) {
    for (&unit, cell) in units.iter().zip(cells) {
        stripe.cell(unit).copy_from_slice(cell);
    }
}

fn compare(stripe: &mut Rotation, units: &[usize], expected: &[Vec<u8>]) -> Result<(), String> {
    for (&unit, wanted) in units.iter().zip(expected) {
        let found = stripe.cell(unit);
        if let Some(offset) = (0..wanted.len()).find(|&offset| found[offset] != wanted[offset]) {
            return Err(format!(
                "unit {unit} differs at offset {offset} of {}: {:#04x} instead of {:#04x}",
                wanted.len(),
                found[offset],
                wanted[offset]
            ));
        }
    }
    Ok(())
}

/// Computes one row of the job's matrix times its sources, byte by byte.
fn product(stripe: &mut Rotation, job: &Job, row: usize) -> Vec<u8> {
    let mut sum = vec![0; stripe.cell(job.sources[0]).len()];
    for (column, &unit) in job.sources.iter().enumerate() {
        let coefficient = job.coefficients[row * job.columns() + column];
        multiply_add(coefficient, stripe.cell(unit), &mut sum);
    }
    sum
}

/// Adds `coefficient` times `source` to `target`.
fn multiply_add(coefficient: u8, source: &[u8], target: &mut [u8]) {
    let products: Vec<u8> = (0..=255)
        .map(|byte| stripeline_reference::multiply(coefficient, byte))
        .collect();
    for (out, &byte) in target.iter_mut().zip(source) {
        *out ^= products[usize::from(byte)];
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::engine;

    fn check(name: &str, operation: Operation, cell_bytes: usize) -> Result<(), String> {
        let job = Job::new("6+3".parse().expect("a shape"), operation).expect("a job");
        let layout = Layout {
            cell_bytes,
            offset_bytes: 16,
            stagger_bytes: 64,
        };
        let arena = Arena::new(1 << 20, false, 7).expect("a mebibyte");
        let expected = Expected::new(&arena, &job, layout);
        expected.check(&arena, engine::open(name).expect("an engine").as_ref())
    }

    #[test]
    fn right_bytes_pass_and_one_wrong_bit_does_not() {
        for operation in [
            Operation::Encode,
            Operation::Decode(1),
            Operation::DecodeMost,
        ] {
            for engine in ["stripeline", "stripeline:nt", "stripeline:codec"] {
                check(engine, operation, 1000).expect("right bytes");
            }
            let error = check("wrong", operation, 1000).expect_err("one bit is wrong");
            assert!(error.contains("differs at offset 999 of 1000"), "{error}");
        }
    }

    #[test]
    fn every_engine_that_is_there_writes_right_bytes() {
        for row in crate::engines::TABLE
            .iter()
            .filter(|row| row.library != "wrong")
        {
            if engine::open(row.library).is_ok() {
                for operation in [
                    Operation::Encode,
                    Operation::Decode(2),
                    Operation::DecodeMost,
                ] {
                    check(row.library, operation, 4096)
                        .unwrap_or_else(|error| panic!("{}: {error}", row.library));
                }
            }
        }
    }
}
