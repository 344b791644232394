// SPDX-License-Identifier: Apache-2.0
//! The seam that every coder is plugged in through.

use crate::arena::{Rotation, Stripe};
use crate::engines;
use crate::job::{Job, Operation};

/// Which bytes an engine's parity holds.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Family {
    /// Hadoop's `rs`: every byte is compared with the scalar computation.
    Cauchy,
    /// A code of its own: it must give back the data that it encoded itself.
    #[cfg_attr(
        not(feature = "peers"),
        expect(dead_code, reason = "only peers have other codes")
    )]
    Own,
    /// No code at all; a bound to compare with.
    Bound,
}

/// A library, at one instruction set, with one store policy.
pub trait Engine {
    /// The version or file that stands behind the name, for the record.
    fn identity(&self) -> String;

    /// Which bytes it writes.
    fn family(&self) -> Family;

    /// Prepares what a caller prepares once: tables, matrices, plans. `None` where the library does not
    /// take this job at this cell size.
    fn prepare(&self, job: &Job, cell_bytes: usize) -> Option<Box<dyn Coder>>;
}

/// An engine made ready for one job; each thread has its own.
pub trait Coder: Send {
    /// Codes each of the next `calls` stripes of the rotation.
    fn run(&mut self, rotation: &mut Rotation, calls: u64);
}

/// A coder whose library is called once per stripe: all but those that live in another runtime.
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

/// An engine's name as definitions write it: `library[@instruction set][:variant]`.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct EngineName<'a> {
    /// The library.
    pub library: &'a str,
    /// The instruction set that it is held to, in `STRIPELINE_ISA`'s spelling.
    pub isa: Option<&'a str>,
    /// What else is special, `nt` for non-temporal stores.
    pub variant: Option<&'a str>,
}

impl<'a> EngineName<'a> {
    /// Takes a name apart; any text has such a reading.
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

/// Why an engine is not there.
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
/// If there is no such engine, here or at all.
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

/// The decoding job of the same shape that loses as much as can be lost.
pub fn hardest_decode(job: &Job) -> Job {
    Job::new(job.shape, Operation::DecodeMost).expect("every shape has a decode-m job")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_come_apart() {
        let name = EngineName::parse("stripeline@avx2+gfni:nt");
        assert_eq!(
            (name.library, name.isa, name.variant),
            ("stripeline", Some("avx2+gfni"), Some("nt"))
        );
        assert_eq!(EngineName::parse("isal").isa, None);
    }

    #[test]
    fn an_unknown_engine_is_told_from_an_absent_one() {
        assert!(
            matches!(open("isolation"), Err(Absence::Unknown(text)) if text.contains("stripeline"))
        );
        assert!(matches!(open("stripeline@sse9"), Err(Absence::Unknown(_))));
    }
}
