// SPDX-License-Identifier: Apache-2.0
//! The no-overhead coder of the UMR-EC paper, which does nothing.

use stripeline_codec::Verdict;

use crate::{Capability, Coder, Fault, Piece, Synchronous};

/// A coder that leaves outputs unchanged and reports every stripe as sound.
///
/// It gives an upper bound of what any coder can achieve. Its outputs are wrong, so an engine
/// accepts it only for measurements.
#[derive(Debug)]
pub struct Null;

impl Null {
    /// Returns the rail `null`.
    #[must_use]
    pub fn rail() -> Synchronous<Self> {
        let capability = Capability {
            codes_nothing: true,
            ..Capability::synchronous()
        };
        Synchronous::new("null", capability, Self)
    }
}

impl Coder for Null {
    type Memory = ();

    fn describe(&self) -> String {
        "codes nothing, for measurements only".to_owned()
    }

    fn run(&self, _piece: &mut Piece, _memory: &mut ()) -> Result<Verdict, Fault> {
        Ok(Verdict::Sound)
    }
}
