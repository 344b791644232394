// SPDX-License-Identifier: Apache-2.0
//! Linear fingerprints of blocks (Hendricks, Ganger, Reiter, "Verifying distributed erasure-coded
//! data", PODC 2007).
//!
//! The fingerprint of a window is a few weighted sums of its rows of 64 bytes over the field of the
//! codes. It is linear, so fingerprints of the parity blocks of a sound group are computed from
//! those of its data blocks exactly as parity is from data, and [`Codec::locate`] finds wrong
//! blocks from a few hundred bytes per MiB. docs/decisions/0015-fingerprints.md defines every byte
//! and states what can be missed.
//!
//! [`Codec::locate`]: crate::Codec::locate

use std::sync::Arc;

use stripeline_gf::{ChecksumKind, Kernels, ROW_BYTES, ROW_SUMS_MAX};

use crate::error::{Error, Reason};
use crate::fingerprint_function::{
    FINGERPRINT_SUMS_MAX, FINGERPRINT_WINDOW_BYTES_MAX, FingerprintFunction,
};

/// The bytes that are summed and checked in turn, so that both passes find them in the first-level
/// cache.
const PIECE_BYTES: usize = 4096;

/// The most checksums of one piece: as many as there are of 64 bytes each.
const PIECE_CHUNKS_MAX: usize = 64;

/// The fingerprint of one window of a block, from bytes that arrive in pieces of any length.
///
/// Windows begin at multiples of [`FingerprintFunction::window_bytes`] in every block, so those of
/// the blocks of a group correspond. The last window of a block may be short: missing bytes count
/// as zeros, as they do in the codes. A window that begins at or after the end of a short block has
/// the fingerprint of no bytes, which is all zeros.
///
/// ```
/// use std::sync::Arc;
/// use stripeline_codec::{Code, Codec, Fingerprint, FingerprintFunction, Location};
///
/// let data: [&[u8]; 3] = [b"alpha", b"bravo", b"delta"];
/// let (mut p, mut q) = ([0; 5], [0; 5]);
/// let codec = Codec::new(Code::Rs, 3, 2)?;
/// codec.encode(&data, &mut [&mut p, &mut q])?;
///
/// let function = Arc::new(FingerprintFunction::new(0x5eed, 2, 1 << 20)?);
/// let fingerprint = |block: &[u8]| -> Result<_, stripeline_codec::Error> {
///     let mut fingerprint = Fingerprint::new(Arc::clone(&function));
///     fingerprint.update(&block[..2])?;
///     fingerprint.update(&block[2..])?;
///     Ok(fingerprint.bytes().to_vec())
/// };
/// let blocks = [data[0], b"bravO", data[2], &p, &q];
/// let fingerprints = blocks.map(|block| fingerprint(block).expect("5 bytes fit a window"));
/// let fingerprints: Vec<_> = fingerprints.iter().map(|bytes| Some(&bytes[..])).collect();
/// assert_eq!(codec.locate(&fingerprints)?, Location::Located(vec![1]));
/// # Ok::<(), stripeline_codec::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Fingerprint {
    function: Arc<FingerprintFunction>,
    sums: [[u8; ROW_BYTES]; ROW_SUMS_MAX],
    /// The bytes of the window that have been added.
    position: usize,
}

impl Fingerprint {
    /// Begins a window.
    #[must_use]
    pub fn new(function: Arc<FingerprintFunction>) -> Self {
        Self {
            function,
            sums: [[0; ROW_BYTES]; ROW_SUMS_MAX],
            position: 0,
        }
    }

    /// Returns the function.
    #[must_use]
    pub fn function(&self) -> &Arc<FingerprintFunction> {
        &self.function
    }

    /// Returns the bytes that the window can still take.
    #[must_use]
    pub fn remaining_bytes(&self) -> usize {
        self.function.window_bytes() - self.position
    }

    /// Returns the fingerprint of the bytes so far: 64 bytes per sum.
    #[must_use]
    pub fn bytes(&self) -> &[u8] {
        self.sums[..self.function.sums].as_flattened()
    }

    /// Begins another window.
    pub fn reset(&mut self) {
        self.sums = [[0; ROW_BYTES]; ROW_SUMS_MAX];
        self.position = 0;
    }

    /// Adds the next bytes of the window.
    ///
    /// # Errors
    /// As [`BorrowedFingerprint::update`].
    pub fn update(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.with_borrowed(|borrowed| borrowed.update(bytes))
    }

    /// As [`Fingerprint::update`], and computes a checksum per chunk in the same pass; see
    /// [`BorrowedFingerprint::update_with_checksums`].
    ///
    /// # Errors
    /// As [`BorrowedFingerprint::update_with_checksums`].
    pub fn update_with_checksums(
        &mut self,
        bytes: &[u8],
        kind: ChecksumKind,
        bytes_per_checksum: usize,
        sums: &mut [u32],
    ) -> Result<(), Error> {
        self.with_borrowed(|borrowed| {
            borrowed.update_with_checksums(bytes, kind, bytes_per_checksum, sums)
        })
    }

    /// As [`Fingerprint::update_with_checksums`], but compares the checksums with `expected` and
    /// returns the number of the first chunk whose checksum differs.
    ///
    /// All bytes are added also if a checksum differs, so that the fingerprint shows whether the
    /// bytes are wrong or the checksum.
    ///
    /// # Errors
    /// As [`BorrowedFingerprint::update_with_checksums`].
    pub fn update_verifying(
        &mut self,
        bytes: &[u8],
        kind: ChecksumKind,
        bytes_per_checksum: usize,
        expected: &[u32],
    ) -> Result<Option<usize>, Error> {
        self.with_borrowed(|borrowed| {
            borrowed.update_verifying(bytes, kind, bytes_per_checksum, expected)
        })
    }

    fn with_borrowed<T>(
        &mut self,
        call: impl FnOnce(&mut BorrowedFingerprint<'_>) -> Result<T, Error>,
    ) -> Result<T, Error> {
        let function = &self.function;
        let mut borrowed = BorrowedFingerprint {
            coefficients: &function.coefficients,
            sums: &mut self.sums[..function.sums],
            position: self.position,
            kernels: function.kernels,
        };
        let result = call(&mut borrowed);
        self.position = borrowed.position;
        result
    }
}

/// A [`Fingerprint`] whose coefficients and sums are the caller's memory, for interfaces to other
/// languages: between calls there is nothing to keep or to free.
#[derive(Debug)]
pub struct BorrowedFingerprint<'a> {
    coefficients: &'a [u8],
    sums: &'a mut [[u8; ROW_BYTES]],
    position: usize,
    kernels: &'static Kernels,
}

impl<'a> BorrowedFingerprint<'a> {
    /// Continues a window of which `position` bytes have been added to `sums`.
    ///
    /// `coefficients` are those of a [`FingerprintFunction`] with as many sums; the window is as
    /// long as they reach.
    ///
    /// # Errors
    /// [`ErrorKind`](crate::ErrorKind) `InvalidParameters` for another number of sums than 1 to
    /// [`FINGERPRINT_SUMS_MAX`], or coefficients that are not those of a window;
    /// `LengthMismatch` for a position beyond the window.
    pub fn resume(
        coefficients: &'a [u8],
        sums: &'a mut [[u8; ROW_BYTES]],
        position: usize,
    ) -> Result<Self, Error> {
        let count = sums.len();
        if !(1..=FINGERPRINT_SUMS_MAX).contains(&count) {
            return Err(Reason::FingerprintSums { sums: count }.into());
        }
        let window_bytes = (coefficients.len() / count).saturating_mul(ROW_BYTES);
        let whole_rows = coefficients.len().is_multiple_of(count);
        if !whole_rows || !(ROW_BYTES..=FINGERPRINT_WINDOW_BYTES_MAX).contains(&window_bytes) {
            return Err(Reason::FingerprintWindow { window_bytes }.into());
        }
        if position > window_bytes {
            let (given, left) = (position, window_bytes);
            return Err(Reason::WindowFull { given, left }.into());
        }
        Ok(Self {
            coefficients,
            sums,
            position,
            kernels: Kernels::active(),
        })
    }

    /// Adds the next bytes of the window.
    ///
    /// # Errors
    /// [`ErrorKind::LengthMismatch`](crate::ErrorKind) if there are more than
    /// the window still takes; the fingerprint is then unchanged.
    pub fn update(&mut self, bytes: &[u8]) -> Result<(), Error> {
        self.check_room(bytes)?;
        self.add(bytes);
        Ok(())
    }

    /// As [`BorrowedFingerprint::update`], and computes a checksum per chunk in the same pass.
    ///
    /// `sums` receives one checksum per `bytes_per_checksum` bytes. The bytes begin with a chunk;
    /// the last chunk may be short. For chunks not to cross windows, the window must be a multiple
    /// of `bytes_per_checksum`.
    ///
    /// # Errors
    /// As [`BorrowedFingerprint::update`]; [`ErrorKind::InvalidChecksums`](crate::ErrorKind) if
    /// `bytes_per_checksum` is 0, or `sums` does not have exactly
    /// ceil(length / `bytes_per_checksum`) entries.
    pub fn update_with_checksums(
        &mut self,
        bytes: &[u8],
        kind: ChecksumKind,
        bytes_per_checksum: usize,
        sums: &mut [u32],
    ) -> Result<(), Error> {
        self.check_room(bytes)?;
        let piece = check_chunks(bytes, bytes_per_checksum, sums.len())?;
        for (bytes, sums) in pieces(bytes, piece).zip(sums.chunks_mut(piece.chunks)) {
            self.add(bytes);
            self.kernels
                .chunk_checksums(kind, bytes, piece.bytes_per_checksum, sums);
        }
        Ok(())
    }

    /// As [`BorrowedFingerprint::update_with_checksums`], but compares the checksums with
    /// `expected` and returns the number of the first chunk whose checksum differs.
    ///
    /// All bytes are added also if a checksum differs, so that the fingerprint shows whether the
    /// bytes are wrong or the checksum.
    ///
    /// # Errors
    /// As [`BorrowedFingerprint::update_with_checksums`].
    pub fn update_verifying(
        &mut self,
        bytes: &[u8],
        kind: ChecksumKind,
        bytes_per_checksum: usize,
        expected: &[u32],
    ) -> Result<Option<usize>, Error> {
        self.check_room(bytes)?;
        let piece = check_chunks(bytes, bytes_per_checksum, expected.len())?;
        let mut first = None;
        let mut found = [0; PIECE_CHUNKS_MAX];
        let expected = expected.chunks(piece.chunks).enumerate();
        for (bytes, (number, expected)) in pieces(bytes, piece).zip(expected) {
            self.add(bytes);
            let found = &mut found[..expected.len()];
            self.kernels
                .chunk_checksums(kind, bytes, piece.bytes_per_checksum, found);
            first = first.or_else(|| {
                let differs = found.iter().zip(expected).position(|(a, b)| a != b);
                differs.map(|chunk| number * piece.chunks + chunk)
            });
        }
        Ok(first)
    }

    fn check_room(&self, bytes: &[u8]) -> Result<(), Error> {
        let window_bytes = self.coefficients.len() / self.sums.len() * ROW_BYTES;
        let (given, left) = (bytes.len(), window_bytes - self.position);
        if given > left {
            return Err(Reason::WindowFull { given, left }.into());
        }
        Ok(())
    }

    /// Adds bytes that fit the window. Because sums are linear, a part of a row is a row with zeros
    /// in place of its other bytes.
    fn add(&mut self, mut bytes: &[u8]) {
        let within_row = self.position % ROW_BYTES;
        if within_row > 0 {
            let (head, rest) = bytes.split_at(bytes.len().min(ROW_BYTES - within_row));
            self.add_part(head, within_row);
            bytes = rest;
        }
        let (rows, tail) = bytes.split_at(bytes.len() / ROW_BYTES * ROW_BYTES);
        self.add_rows(rows);
        self.position += rows.len();
        self.add_part(tail, 0);
    }

    fn add_part(&mut self, bytes: &[u8], within_row: usize) {
        if !bytes.is_empty() {
            let mut row = [0; ROW_BYTES];
            row[within_row..within_row + bytes.len()].copy_from_slice(bytes);
            self.add_rows(&row);
            self.position += bytes.len();
        }
    }

    /// Adds whole rows from the row at the position on.
    fn add_rows(&mut self, rows: &[u8]) {
        let first = self.position / ROW_BYTES * self.sums.len();
        let count = rows.len() / ROW_BYTES * self.sums.len();
        let coefficients = &self.coefficients[first..first + count];
        self.kernels.add_rows(coefficients, rows, self.sums);
    }
}

/// How many chunks, of how many bytes, are processed at a time.
#[derive(Clone, Copy)]
struct Piece {
    chunks: usize,
    bytes_per_checksum: usize,
}

/// Checks a list of checksums, and returns the pieces to process: about [`PIECE_BYTES`] of whole
/// chunks.
fn check_chunks(bytes: &[u8], bytes_per_checksum: usize, sums: usize) -> Result<Piece, Error> {
    if bytes_per_checksum == 0 {
        return Err(Reason::FingerprintZeroChunk.into());
    }
    let needed = bytes.len().div_ceil(bytes_per_checksum);
    if sums != needed {
        return Err(Reason::FingerprintSumCount { sums, needed }.into());
    }
    Ok(Piece {
        chunks: (PIECE_BYTES / bytes_per_checksum).clamp(1, PIECE_CHUNKS_MAX),
        bytes_per_checksum,
    })
}

fn pieces(bytes: &[u8], piece: Piece) -> impl Iterator<Item = &[u8]> {
    bytes.chunks(piece.chunks * piece.bytes_per_checksum)
}
