// SPDX-License-Identifier: Apache-2.0
//! The interface that all coders implement.

use crate::arena::{Rotation, Stripe};
use crate::engines;
use crate::job::{Job, Operation};

/// The code that an engine's parity belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Hadoop's `rs`: every byte is compared with the scalar computation.
    Cauchy,
    /// The engine's own code: it must recover the data that it encoded.
    #[cfg_attr(
        not(feature = "peers"),
        expect(dead_code, reason = "only peers have other codes")
    )]
    Own,
    /// No code; a bound for comparison.
    Bound,
}

/// A library, at one instruction set, with one store policy.
pub trait Engine {
    /// Returns the version or file of the library, for the record.
    fn identity(&self) -> String;

    /// Returns the code of the bytes that it writes.
    fn family(&self) -> Family;

    /// Prepares what a caller prepares once: tables, matrices, plans. Returns `None` if the library
    /// does not support this job at this cell size.
    fn prepare(&self, job: &Job, cell_bytes: usize) -> Option<Box<dyn Coder>>;
}

/// An engine prepared for one job; each thread has its own.
pub trait Coder: Send {
    /// Codes each of the next `calls` stripes of the rotation.
    fn run(&mut self, rotation: &mut Rotation, calls: u64);
}

/// A coder whose library is called once per stripe; coders in another runtime are not.
pub trait StripeCoder: Send {
    /// Reads the stripe's sources and writes its targets.
    fn code(&mut self, stripe: &mut Stripe);
}

impl<T: StripeCoder> Coder for T {
    fn run(&mut self, rotation: &mut Rotation, calls: u64) {
        for _ in 0..calls {
            self.code(rotation.advance());
        }
    }
}

/// An engine's name in definitions: `library[@instruction set][:variant]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineName<'a> {
    /// The library.
    pub library: &'a str,
    /// The instruction set that the library is limited to, as `STRIPELINE_ISA` spells it.
    pub isa: Option<&'a str>,
    /// The variant, such as `nt` for non-temporal stores.
    pub variant: Option<&'a str>,
}

impl<'a> EngineName<'a> {
    /// Splits a name into its parts; this succeeds for any text.
    pub fn parse(name: &'a str) -> Self {
        let (head, variant) = match name.split_once(':') {
            Some((head, variant)) => (head, Some(variant)),
            None => (name, None),
        };
        let (library, isa) = match head.split_once('@') {
            Some((library, isa)) => (library, Some(isa)),
            None => (head, None),
        };
        Self {
            library,
            isa,
            variant,
        }
    }
}

/// The reason why an engine is absent.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Absence {
    /// No engine has that name: the definition or the command line is wrong.
    Unknown(String),
    /// The engine exists, but this machine or this build lacks what it needs.
    Unavailable(String),
}

/// Opens the engine of that name.
///
/// # Errors
/// If the engine does not exist, or is not available here.
pub fn open(name: &str) -> Result<Box<dyn Engine>, Absence> {
    let parsed = EngineName::parse(name);
    let row = engines::TABLE
        .iter()
        .find(|row| row.library == parsed.library);
    let Some(row) = row else {
        let known: Vec<_> = engines::TABLE.iter().map(|row| row.library).collect();
        return Err(Absence::Unknown(format!(
            "Cannot find engine '{name}': known are {}",
            known.join(" ")
        )));
    };
    (row.open)(&parsed)
}

/// Returns the decoding job of the same shape with the most lost units.
pub fn hardest_decode(job: &Job) -> Job {
    Job::new(job.shape, Operation::DecodeMost).expect("every shape has a decode-m job")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_parsed() {
        let name = EngineName::parse("stripeline@avx2+gfni:nt");
        assert_eq!(
            (name.library, name.isa, name.variant),
            ("stripeline", Some("avx2+gfni"), Some("nt"))
        );
        assert_eq!(EngineName::parse("isal").isa, None);
    }

    #[test]
    fn an_unknown_engine_differs_from_an_absent_one() {
        assert!(
            matches!(open("isolation"), Err(Absence::Unknown(text)) if text.contains("stripeline"))
        );
        assert!(matches!(open("stripeline@sse9"), Err(Absence::Unknown(_))));
    }
}
