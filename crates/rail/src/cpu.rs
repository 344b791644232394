// SPDX-License-Identifier: Apache-2.0
//! The rail `cpu`: the kernels of `stripeline-gf`.

use arrayvec::ArrayVec;
use stripeline_codec::{Code, Isa, Kernels, UNITS_MAX, Verdict};

use crate::{Capability, Coder, Fault, Mode, Piece, Synchronous};

/// The kernels of one instruction set.
#[derive(Debug)]
pub struct Cpu {
    kernels: &'static Kernels,
}

impl Cpu {
    /// Returns the rail `cpu` on the kernels of this process, with a lane per CPU.
    #[must_use]
    pub fn rail() -> Synchronous<Self> {
        Self::with_kernels("cpu", Kernels::active())
    }

    /// Returns the coder on the kernels of this process.
    #[must_use]
    pub fn active() -> Self {
        let kernels = Kernels::active();
        Self { kernels }
    }

    /// Returns the portable coder, which runs everywhere and arbitrates when rails disagree.
    #[must_use]
    pub fn portable() -> Self {
        let kernels = Kernels::for_isa(Isa::Portable).expect("portable kernels run everywhere");
        Self { kernels }
    }

    /// Does a piece in host memory.
    ///
    /// # Panics
    /// If some of it is in other memory.
    pub fn code(&self, piece: &mut Piece) -> Verdict {
        let (mode, code, store) = (piece.job().mode(), piece.job().code(), piece.store());
        let kernels = self.kernels;
        // The matrix outlives the piece's mutable borrow.
        let matrix = piece.matrix();
        match mode {
            Mode::Set if code == Code::Xor => {
                piece.write(|inputs, outputs| kernels.xor(inputs, outputs[0], store));
            }
            Mode::Set => {
                piece.write(|inputs, outputs| kernels.dot(&matrix, inputs, outputs, store))
            }
            Mode::Add => piece.write(|inputs, outputs| kernels.dot_add(&matrix, inputs, outputs)),
            Mode::Compare => {
                return piece.read(|inputs, given| Verdict::of(kernels, &matrix, inputs, given));
            }
        }
        Verdict::Sound
    }

    /// Adds the products of an updating piece to `sums`, which replace its outputs.
    ///
    /// # Panics
    /// If some of the piece is not in host memory, or unless there is a sum of its length per
    /// output.
    pub fn add_to(&self, piece: &Piece, sums: &mut [Vec<u8>]) {
        let matrix = piece.matrix();
        let mut sums: ArrayVec<_, UNITS_MAX> = sums.iter_mut().map(Vec::as_mut_slice).collect();
        piece.read(|inputs, _| self.kernels.dot_add(&matrix, inputs, &mut sums));
    }

    /// Returns a rail on given kernels.
    #[must_use]
    pub fn with_kernels(name: &str, kernels: &'static Kernels) -> Synchronous<Self> {
        let lanes = std::thread::available_parallelism().map_or(1, usize::from);
        let capability = Capability {
            lanes,
            shares_cpus: true,
            codes_as_codec: std::ptr::eq(kernels, Kernels::active()),
            ..Capability::synchronous()
        };
        Synchronous::new(name, capability, Self { kernels })
    }
}

impl Coder for Cpu {
    type Memory = ();

    fn describe(&self) -> String {
        format!("{} kernels", self.kernels.isa())
    }

    fn run(&self, piece: &mut Piece, _memory: &mut ()) -> Result<Verdict, Fault> {
        Ok(self.code(piece))
    }
}
