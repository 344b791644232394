// SPDX-License-Identifier: Apache-2.0
//! A matrix product in the form that a plug-in gets, with all memory that it points to.

use std::sync::Arc;

use stripeline_codec::{Code, Coefficients, Verdict};

use super::abi;
use super::limits::Limits;
use super::staging::StagingBuffers;
use crate::{Fault, FaultKind, MemoryKind, Mode, Piece, difference};

/// A product of the C interface and its lists. Boxed, and neither moved nor changed while a plug-in
/// has it.
#[derive(Debug)]
pub(super) struct OwnedProduct {
    product: abi::Product,
    matrix: Arc<Coefficients>,
    parity_matrix: Arc<Coefficients>,
    units: Vec<u8>,
    memory: Vec<u8>,
    inputs: Vec<*const u8>,
    outputs: Vec<*mut u8>,
    staging: Option<StagingBuffers>,
    staged: bool,
}

// SAFETY: its addresses are those of its own lists and of buffers that the piece guarantees.
unsafe impl Send for OwnedProduct {}

impl OwnedProduct {
    /// Describes a piece: in place if the plug-in can work on its buffers, with copies of its
    /// inputs otherwise. `used` is the memory of an earlier product.
    ///
    /// # Errors
    /// If the piece can be neither worked on in place nor copied.
    pub(super) fn new(
        piece: &Piece,
        limits: &Limits,
        used: Option<StagingBuffers>,
    ) -> Result<Box<Self>, Fault> {
        let job = piece.job();
        let staged = !limits.takes_in_place(piece);
        if staged && !piece.is_on_host() {
            let text = "the plug-in cannot work in place on device memory";
            return Err(Fault::new(FaultKind::Refused, text));
        }
        let mut product = Box::new(Self {
            product: empty_product(),
            matrix: Arc::clone(job.matrix()),
            parity_matrix: Arc::clone(job.encoding()),
            units: job
                .input_units()
                .chain(job.output_units())
                .map(|unit| unit as u8)
                .collect(),
            memory: Vec::new(),
            inputs: Vec::new(),
            outputs: Vec::new(),
            staging: used,
            staged,
        });
        match staged {
            true => product.copy(piece, limits),
            false => product.point(piece),
        }
        product.describe(piece, limits);
        Ok(product)
    }

    /// Returns the product in C's terms, valid as long as `self`.
    pub(super) fn as_abi(&self) -> *const abi::Product {
        &raw const self.product
    }

    /// Returns whether the plug-in works on copies.
    pub(super) fn is_staged(&self) -> bool {
        self.staged
    }

    /// Returns the staging buffers if they are worth keeping for another piece.
    ///
    /// The plug-in must no longer access them.
    pub(super) fn into_staging(self: Box<Self>, limits: &Limits) -> Option<StagingBuffers> {
        let units = self.inputs.len() + self.outputs.len();
        let usual = (limits.piece_bytes + 2 * 4_096) * units;
        self.staging.filter(|staging| staging.size() <= usual)
    }

    /// Finishes the piece after the plug-in has completed the product.
    ///
    /// # Errors
    /// If the plug-in's result is out of range.
    ///
    /// # Safety
    /// The plug-in no longer accesses the buffers.
    pub(super) unsafe fn deliver(
        &self,
        piece: &mut Piece,
        mismatch: abi::Mismatch,
    ) -> Result<Verdict, Fault> {
        let start = piece.range().start;
        let verdict = match &self.staging {
            // SAFETY: as the caller guarantees.
            Some(staging) if self.staged => unsafe { staging.deliver(piece) },
            _ => self.verdict(piece, mismatch)?,
        };
        Ok(difference::moved(verdict, start))
    }

    fn verdict(&self, piece: &Piece, mismatch: abi::Mismatch) -> Result<Verdict, Fault> {
        let abi::Mismatch { offset, row, .. } = mismatch;
        if piece.job().mode() != Mode::Compare || row == abi::STRIPELINE_PLUGIN_SOUND {
            return Ok(Verdict::Sound);
        }
        if row >= self.product.rows || offset >= self.product.length {
            let (rows, length) = (self.product.rows, self.product.length);
            let text = format!(
                "mismatch reported at row {row} of {rows}, offset {offset} of {length} bytes"
            );
            return Err(Fault::new(FaultKind::Failed, text));
        }
        Ok(Verdict::Mismatch {
            parity_unit: row as usize,
            offset: offset as usize,
        })
    }

    fn copy(&mut self, piece: &Piece, limits: &Limits) {
        let (columns, rows) = (piece.job().inputs().len(), piece.job().outputs().len());
        let (units, bytes) = (columns + rows, piece.bytes());
        let padded = match limits.takes_tails() {
            true => bytes,
            false => bytes.next_multiple_of(limits.granule_bytes),
        };
        let kept = self.staging.take();
        let kept = kept.and_then(|mut kept| kept.reuse(units, bytes, padded).then_some(kept));
        let new = || StagingBuffers::new(units, bytes, padded, limits.alignment_bytes);
        let mut staging = kept.unwrap_or_else(new);
        staging.fill(piece);
        self.inputs = (0..columns)
            .map(|unit| staging.unit(unit).cast_const())
            .collect();
        self.outputs = (columns..units).map(|unit| staging.unit(unit)).collect();
        self.memory = vec![abi::STRIPELINE_PLUGIN_HOST; units];
        self.product.length = padded as u64;
        self.staging = Some(staging);
    }

    fn point(&mut self, piece: &Piece) {
        self.inputs = piece
            .inputs()
            .map(|region| region.start().cast_const())
            .collect();
        self.outputs = piece.outputs().map(|region| region.start()).collect();
        let kind = |kind| match kind {
            MemoryKind::Host => abi::STRIPELINE_PLUGIN_HOST,
            MemoryKind::HostPinned => abi::STRIPELINE_PLUGIN_HOST_PINNED,
            MemoryKind::Device { .. } => abi::STRIPELINE_PLUGIN_DEVICE,
        };
        let regions = piece.inputs().chain(piece.outputs());
        self.memory = regions.map(|region| kind(region.kind())).collect();
        self.product.length = piece.bytes() as u64;
    }

    fn describe(&mut self, piece: &Piece, limits: &Limits) {
        let job = piece.job();
        let product = &mut self.product;
        product.size_bytes = size_of::<abi::Product>() as u32;
        product.mode = match job.mode() {
            Mode::Add if !self.staged => abi::STRIPELINE_PLUGIN_ADD,
            Mode::Compare if !self.staged => abi::STRIPELINE_PLUGIN_COMPARE,
            // The loader adds and compares what it delivers from copies.
            _ => abi::STRIPELINE_PLUGIN_SET,
        };
        product.code = match job.code() {
            Code::Rs => abi::STRIPELINE_PLUGIN_RS,
            Code::RsLegacy => abi::STRIPELINE_PLUGIN_RS_LEGACY,
            Code::Xor => abi::STRIPELINE_PLUGIN_XOR,
            _ => abi::STRIPELINE_PLUGIN_OTHER,
        };
        debug_assert!(
            limits.inputs_max >= self.inputs.len(),
            "within the capability"
        );
        product.rows = self.outputs.len() as u32;
        product.columns = self.inputs.len() as u32;
        product.data_units = job.encoding().columns() as u32;
        product.parity_units = job.encoding().rows() as u32;
        product.matrix = self.matrix.values().as_ptr();
        product.parity_matrix = self.parity_matrix.values().as_ptr();
        product.input_units = self.units.as_ptr();
        product.output_units = self.units[self.inputs.len()..].as_ptr();
        product.memory = self.memory.as_ptr();
        product.inputs = self.inputs.as_ptr();
        product.outputs = self.outputs.as_ptr();
    }
}

fn empty_product() -> abi::Product {
    use std::ptr::null;
    abi::Product {
        size_bytes: 0,
        mode: 0,
        code: 0,
        rows: 0,
        columns: 0,
        data_units: 0,
        parity_units: 0,
        reserved: 0,
        length: 0,
        matrix: null(),
        parity_matrix: null(),
        input_units: null(),
        output_units: null(),
        memory: null(),
        inputs: null(),
        outputs: null(),
    }
}
