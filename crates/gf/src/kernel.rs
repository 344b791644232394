// SPDX-License-Identifier: Apache-2.0
//! The safe front of the kernels: checks lengths, then calls the chosen column of the dispatch table.

use crate::{Coefficients, Isa, dispatch};

/// Whether outputs go through the cache or past it.
///
/// Past the cache is up to twice as fast when outputs are larger than the cache and nobody reads them
/// soon, and loses when the next step reads them (HDFS checksums and sends parity at once).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StorePolicy {
    /// Ordinary stores.
    #[default]
    Temporal,
    /// Non-temporal stores where the instruction set and the alignment allow, ordinary ones elsewhere.
    NonTemporal,
}

/// The checksum that HDFS keeps per chunk (`dfs.checksum.type`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ChecksumKind {
    /// CRC-32C (Castagnoli), the default of HDFS.
    Crc32c,
    /// CRC-32 as in zlib and gzip.
    Crc32,
}

/// Where [`Kernels::dot_with_checksums`] puts the checksums of one pass.
#[derive(Debug)]
pub struct Checksums<'a, 'b> {
    /// The checksum to compute.
    pub kind: ChecksumKind,
    /// Bytes covered by one checksum (`dfs.bytes-per-checksum`, 512 by default); the last chunk may be short.
    pub bytes_per_checksum: usize,
    /// One list per input, each of ceil(length / `bytes_per_checksum`) entries; no lists at all to skip the inputs.
    pub inputs: &'a mut [&'b mut [u32]],
    /// One list per output, likewise.
    pub outputs: &'a mut [&'b mut [u32]],
}

/// How the active instruction set came to be chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selection {
    /// The fastest that this machine runs.
    Detected,
    /// Named by `STRIPELINE_ISA`.
    Forced,
    /// `STRIPELINE_ISA` named something unknown or absent, so the fastest was taken; the text says why.
    Refused(String),
}

/// All operations for one instruction set.
#[derive(Clone, Copy, Debug)]
pub struct Kernels {
    pub(crate) isa: Isa,
}

impl Kernels {
    /// The kernels chosen for this process: the fastest available, or those that `STRIPELINE_ISA` names.
    #[must_use]
    pub fn active() -> &'static Self {
        dispatch::active().0
    }

    /// How [`Kernels::active`] was chosen.
    #[must_use]
    pub fn selection() -> &'static Selection {
        dispatch::active().1
    }

    /// The kernels for one instruction set, or `None` where this machine or this build lacks it.
    #[must_use]
    pub fn for_isa(isa: Isa) -> Option<&'static Self> {
        dispatch::available(isa)
    }

    /// The instruction set of these kernels.
    #[must_use]
    pub fn isa(&self) -> Isa {
        self.isa
    }

    /// Computes `outputs[r] = sum over c of coefficients[r][c] * inputs[c]`.
    ///
    /// Any number of inputs, any number of outputs (8 a pass), any length and alignment.
    ///
    /// # Panics
    /// If there are not exactly `columns` inputs and `rows` outputs, or their lengths differ.
    pub fn dot(
        &self,
        coefficients: &Coefficients,
        inputs: &[&[u8]],
        outputs: &mut [&mut [u8]],
        store: StorePolicy,
    ) {
        let _ = store;
        check_shape(coefficients, inputs, outputs);
        for output in outputs.iter_mut() {
            output.fill(0);
        }
        self.dot_add(coefficients, inputs, outputs);
    }

    /// Computes `outputs[r] ^= sum over c of coefficients[r][c] * inputs[c]`.
    ///
    /// # Panics
    /// As [`Kernels::dot`].
    pub fn dot_add(
        &self,
        coefficients: &Coefficients,
        inputs: &[&[u8]],
        outputs: &mut [&mut [u8]],
    ) {
        check_shape(coefficients, inputs, outputs);
        crate::portable::dot_add(coefficients, inputs, outputs);
    }

    /// Computes the XOR of all inputs into `output`.
    ///
    /// # Panics
    /// If there is no input or a length differs from the output's.
    pub fn xor(&self, inputs: &[&[u8]], output: &mut [u8], store: StorePolicy) {
        let _ = store;
        assert!(!inputs.is_empty(), "XOR needs at least one input");
        output.copy_from_slice(inputs[0]);
        for input in &inputs[1..] {
            for (out, byte) in output.iter_mut().zip(*input) {
                *out ^= byte;
            }
        }
    }
}

/// Every length error is a bug of the caller in this crate's terms; `codec` turns bad input into errors.
fn check_shape(coefficients: &Coefficients, inputs: &[&[u8]], outputs: &[&mut [u8]]) {
    assert_eq!(inputs.len(), coefficients.columns(), "one input per column");
    assert_eq!(outputs.len(), coefficients.rows(), "one output per row");
    let length = inputs[0].len();
    assert!(inputs.iter().all(|input| input.len() == length), "inputs of one length");
    assert!(outputs.iter().all(|output| output.len() == length), "outputs of the inputs' length");
}
