// SPDX-License-Identifier: Apache-2.0
//! The safe interface of the kernels: checks lengths, then calls the chosen column of the dispatch
//! table.

use crate::checksum::ChecksumFunctions;
use crate::dispatch::{self, Dot, Sum};
use crate::pass::Pass;
use crate::rows::{AddRows, ROW_BYTES, ROW_SUMS_MAX};
use crate::{Coefficients, Isa};
use std::ops::Range;

/// Whether stores of outputs go through the cache or bypass it.
///
/// Bypassing the cache is up to twice as fast when outputs are larger than the cache and are not
/// read soon, and slower when the next step reads them (HDFS checksums and sends parity at once).
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum StorePolicy {
    /// Ordinary stores.
    #[default]
    Temporal,
    /// Non-temporal stores where the instruction set and the alignment allow, ordinary ones
    /// elsewhere.
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
    /// The number of bytes that one checksum covers (`dfs.bytes-per-checksum`, 512 by default); the
    /// last chunk may be short.
    pub bytes_per_checksum: usize,
    /// One list per input, each of ceil(length / `bytes_per_checksum`) entries; empty to compute no
    /// checksums of inputs.
    pub inputs: &'a mut [&'b mut [u32]],
    /// One list per output, of the same size.
    pub outputs: &'a mut [&'b mut [u32]],
}

/// How the active instruction set was chosen.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Selection {
    /// The fastest that this machine supports.
    Detected,
    /// Named by `STRIPELINE_ISA`.
    Forced,
    /// `STRIPELINE_ISA` names an instruction set that is unknown or not available, so the fastest
    /// was chosen; the text has the reason.
    Refused(String),
}

/// All operations for one instruction set.
#[derive(Clone, Copy, Debug)]
pub struct Kernels {
    pub(crate) isa: Isa,
    pub(crate) dot: Dot,
    pub(crate) sum: Sum,
    pub(crate) add_rows: AddRows,
    pub(crate) checksum: ChecksumFunctions,
}

/// The bytes of every cell between two rounds of checksums: the bytes that a pass has just read and
/// written are then still in the first-level cache for the usual numbers of units, and in the
/// second-level cache for all numbers.
const CHECKSUM_BLOCK_BYTES: usize = 4096;

impl Kernels {
    /// Returns the kernels chosen for this process: the fastest available, or those that
    /// `STRIPELINE_ISA` names.
    #[must_use]
    pub fn active() -> &'static Self {
        dispatch::active().0
    }

    /// Returns how [`Kernels::active`] was chosen.
    #[must_use]
    pub fn selection() -> &'static Selection {
        dispatch::active().1
    }

    /// Returns the kernels for one instruction set, or `None` if this machine or this build lacks
    /// it.
    #[must_use]
    pub fn for_isa(isa: Isa) -> Option<&'static Self> {
        dispatch::available(isa)
    }

    /// Returns the instruction set of these kernels.
    #[must_use]
    pub fn isa(&self) -> Isa {
        self.isa
    }

    /// Computes `outputs[r] = sum over c of coefficients[r][c] * inputs[c]`.
    ///
    /// Accepts any number of inputs, any number of outputs (8 per pass), any length and any
    /// alignment.
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
        let length = check_shape(coefficients, inputs, outputs);
        self.run(coefficients, inputs, outputs, 0..length, false, store);
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
        let length = check_shape(coefficients, inputs, outputs);
        self.run(
            coefficients,
            inputs,
            outputs,
            0..length,
            true,
            StorePolicy::Temporal,
        );
    }

    /// As [`Kernels::dot`], and computes a checksum of every chunk of the outputs, and of the
    /// inputs if `checksums.inputs` is not empty, while the bytes are in the cache.
    ///
    /// # Panics
    /// As [`Kernels::dot`]; if `bytes_per_checksum` is 0; if a list of checksums does not have
    /// exactly ceil(length / `bytes_per_checksum`) entries, or there is not one list per unit.
    pub fn dot_with_checksums(
        &self,
        coefficients: &Coefficients,
        inputs: &[&[u8]],
        outputs: &mut [&mut [u8]],
        store: StorePolicy,
        checksums: Checksums<'_, '_>,
    ) {
        let length = check_shape(coefficients, inputs, outputs);
        let Checksums {
            kind,
            bytes_per_checksum,
            inputs: input_sums,
            outputs: output_sums,
        } = checksums;
        assert!(
            bytes_per_checksum > 0,
            "a checksum covers at least one byte"
        );
        let chunks = length.div_ceil(bytes_per_checksum);
        assert!(
            input_sums.is_empty() || input_sums.len() == inputs.len(),
            "one list per input, or none"
        );
        assert_eq!(output_sums.len(), outputs.len(), "one list per output");
        assert!(
            input_sums
                .iter()
                .chain(output_sums.iter())
                .all(|sums| sums.len() == chunks),
            "one checksum per chunk"
        );
        let chunks_per_block = (CHECKSUM_BLOCK_BYTES / bytes_per_checksum).max(1);
        for first in (0..chunks).step_by(chunks_per_block) {
            let last = chunks.min(first + chunks_per_block);
            let range = first * bytes_per_checksum..length.min(last * bytes_per_checksum);
            self.run(coefficients, inputs, outputs, range.clone(), false, store);
            for (input, sums) in inputs.iter().zip(input_sums.iter_mut()) {
                let data = &input[range.clone()];
                self.checksum
                    .chunks(kind, data, bytes_per_checksum, &mut sums[first..last]);
            }
            for (output, sums) in outputs.iter().zip(output_sums.iter_mut()) {
                let data = &output[range.clone()];
                self.checksum
                    .chunks(kind, data, bytes_per_checksum, &mut sums[first..last]);
            }
        }
    }

    /// Computes the XOR of all inputs into `output`.
    ///
    /// # Panics
    /// If there is no input or a length differs from the output's.
    pub fn xor(&self, inputs: &[&[u8]], output: &mut [u8], store: StorePolicy) {
        assert!(!inputs.is_empty(), "XOR needs at least one input");
        assert!(
            inputs.iter().all(|input| input.len() == output.len()),
            "inputs of the output's length"
        );
        // SAFETY: the table holds only columns that this machine runs; lengths are checked above.
        unsafe { (self.sum)(inputs, output, store == StorePolicy::NonTemporal) }
    }

    /// Computes `sums[j] ^= sum over r of coefficients[r * sums.len() + j] * row r` over rows of
    /// [`ROW_BYTES`] bytes that follow each other in `rows`, at any alignment.
    ///
    /// # Panics
    /// Unless there are 1 to [`ROW_SUMS_MAX`] sums, `rows` is a whole number of rows, and each row
    /// has a coefficient for each sum.
    pub fn add_rows(&self, coefficients: &[u8], rows: &[u8], sums: &mut [[u8; ROW_BYTES]]) {
        assert!(
            (1..=ROW_SUMS_MAX).contains(&sums.len()),
            "1 to {ROW_SUMS_MAX} sums"
        );
        let (rows, rest) = rows.as_chunks::<ROW_BYTES>();
        assert!(rest.is_empty(), "whole rows");
        assert_eq!(
            coefficients.len(),
            rows.len() * sums.len(),
            "a coefficient per row and sum"
        );
        // SAFETY: the table holds only columns that this machine runs.
        unsafe { (self.add_rows)(coefficients, rows, sums) }
    }

    /// Continues a checksum over more data: `seed` is 0 at first, then the result of the previous
    /// call.
    #[must_use]
    pub fn checksum(&self, kind: ChecksumKind, seed: u32, data: &[u8]) -> u32 {
        self.checksum.whole(kind, seed, data)
    }

    /// Computes one checksum per `bytes_per_checksum` bytes; the last chunk may be short.
    ///
    /// # Panics
    /// If `bytes_per_checksum` is 0 or `sums` does not have exactly
    /// ceil(data length / `bytes_per_checksum`) entries.
    pub fn chunk_checksums(
        &self,
        kind: ChecksumKind,
        data: &[u8],
        bytes_per_checksum: usize,
        sums: &mut [u32],
    ) {
        assert!(
            bytes_per_checksum > 0,
            "a checksum covers at least one byte"
        );
        assert_eq!(
            sums.len(),
            data.len().div_ceil(bytes_per_checksum),
            "one checksum per chunk"
        );
        self.checksum.chunks(kind, data, bytes_per_checksum, sums);
    }

    /// Runs every pass over `range`, which must lie within all units; the numbers of units must
    /// match the coefficients.
    fn run(
        &self,
        coefficients: &Coefficients,
        inputs: &[&[u8]],
        outputs: &mut [&mut [u8]],
        range: Range<usize>,
        accumulate: bool,
        store: StorePolicy,
    ) {
        let stream = store == StorePolicy::NonTemporal;
        let mut rest = outputs;
        for prepared in coefficients.passes() {
            let (outputs, more) = rest.split_at_mut(prepared.rows);
            rest = more;
            let mut pass = Pass {
                inputs,
                outputs,
                range: range.clone(),
                accumulate,
                stream,
            };
            // SAFETY: the table holds only columns that this machine runs; the shape is checked by
            // every caller and the range lies within it.
            unsafe { (self.dot)(prepared, &mut pass) }
        }
    }
}

/// Returns the length of all units. A mismatch is a bug of the caller; the crate `codec` reports
/// invalid input as errors.
fn check_shape(coefficients: &Coefficients, inputs: &[&[u8]], outputs: &[&mut [u8]]) -> usize {
    assert_eq!(inputs.len(), coefficients.columns(), "one input per column");
    assert_eq!(outputs.len(), coefficients.rows(), "one output per row");
    let length = inputs[0].len();
    assert!(
        inputs.iter().all(|input| input.len() == length),
        "inputs of one length"
    );
    assert!(
        outputs.iter().all(|output| output.len() == length),
        "outputs of the inputs' length"
    );
    length
}
