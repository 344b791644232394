// SPDX-License-Identifier: Apache-2.0
//! An implementation of the testkit's trait over the C functions. In C, lists carry no count and
//! buffers no length, so wrong counts and lengths that the trait allows are checked here and never
//! reach C.

use std::ffi::{CStr, c_char};

use ::stripeline_codec::{ChecksumKind, Code, ErrorKind, Verdict};
use stripeline_capi::stripeline_status::{self, *};
use stripeline_capi::*;
use stripeline_testkit::{CodecUnderTest, Opened, Refusal};

/// A codec opened through C.
pub struct CCodec {
    pub codec: *mut stripeline_codec,
    pub data_units: usize,
    pub parity_units: usize,
}

impl CCodec {
    /// Opens a codec of any shape.
    pub fn open(code: Code, data_units: usize, parity_units: usize) -> Opened {
        let opened = Self::opened(code, data_units, parity_units)?;
        Ok(Box::new(opened))
    }

    /// As [`CCodec::open`], but returns this type.
    pub fn opened(code: Code, data_units: usize, parity_units: usize) -> Result<Self, Refusal> {
        let code = match code {
            Code::Rs => stripeline_code::STRIPELINE_RS,
            Code::RsLegacy => stripeline_code::STRIPELINE_RS_LEGACY,
            Code::Xor => stripeline_code::STRIPELINE_XOR,
            _ => panic!("{code} has no number in C"),
        };
        let mut codec = std::ptr::dangling_mut();
        // SAFETY: room for the handle.
        let status =
            unsafe { stripeline_codec_open(code as i32, data_units, parity_units, &mut codec) };
        assert_eq!(status == STRIPELINE_OK, !codec.is_null());
        result(status).map(|()| Self {
            codec,
            data_units,
            parity_units,
        })
    }
}

/// Opens a codec of rs.
pub fn rs(data_units: usize, parity_units: usize) -> CCodec {
    CCodec::opened(Code::Rs, data_units, parity_units).expect("a valid shape")
}

impl Drop for CCodec {
    fn drop(&mut self) {
        // SAFETY: open until now.
        unsafe { stripeline_codec_close(self.codec) };
    }
}

/// Returns the text of the last refused call on this thread.
pub fn last_error() -> String {
    let mut text = [0 as c_char; 400];
    // SAFETY: as many bytes as said; ended by a NUL.
    unsafe {
        let bytes = stripeline_last_error(text.as_mut_ptr(), text.len());
        let text = CStr::from_ptr(text.as_ptr()).to_str().expect("UTF-8");
        assert_eq!(text.len(), bytes);
        text.to_owned()
    }
}

/// Asserts that a call was refused with this text.
pub fn refused(status: stripeline_status, expected: stripeline_status, text: &str) {
    assert_eq!((status, last_error().as_str()), (expected, text));
}

pub fn result(status: stripeline_status) -> Result<(), Refusal> {
    let kind = match status {
        STRIPELINE_OK => return Ok(()),
        STRIPELINE_INVALID_PARAMETERS => ErrorKind::InvalidParameters,
        STRIPELINE_COUNT_MISMATCH => ErrorKind::CountMismatch,
        STRIPELINE_LENGTH_MISMATCH => ErrorKind::LengthMismatch,
        STRIPELINE_TOO_MANY_ERASURES => ErrorKind::TooManyErasures,
        STRIPELINE_INVALID_ERASURE => ErrorKind::InvalidErasure,
        STRIPELINE_INVALID_UNIT => ErrorKind::InvalidUnit,
        STRIPELINE_INVALID_CHECKSUMS => ErrorKind::InvalidChecksums,
        other => panic!("{other:?}: {}", last_error()),
    };
    Err(Refusal {
        kind,
        text: last_error(),
    })
}

pub fn starts(units: &[&[u8]]) -> Vec<*const u8> {
    units.iter().map(|unit| unit.as_ptr()).collect()
}

pub fn starts_mut(units: &mut [&mut [u8]]) -> Vec<*mut u8> {
    units.iter_mut().map(|unit| unit.as_mut_ptr()).collect()
}

impl CodecUnderTest for CCodec {
    fn encode(&self, data: &[&[u8]], parity: &mut [&mut [u8]]) -> Result<(), Refusal> {
        let length = self.check(data, parity);
        let (data, parity) = (starts(data), starts_mut(parity));
        // SAFETY: an open codec; lists and lengths are checked.
        result(unsafe { stripeline_encode(self.codec, data.as_ptr(), parity.as_ptr(), length) })
    }

    fn encode_with_checksums(
        &self,
        data: &[&[u8]],
        parity: &mut [&mut [u8]],
        kind: ChecksumKind,
        bytes_per_checksum: usize,
        sums: &mut [Vec<u32>],
    ) -> Result<(), Refusal> {
        let length = self.check(data, parity);
        let (data, parity) = (starts(data), starts_mut(parity));
        let kind = match kind {
            ChecksumKind::Crc32c => stripeline_checksum::STRIPELINE_CRC32C,
            ChecksumKind::Crc32 => stripeline_checksum::STRIPELINE_CRC32,
        };
        let per_unit = length.div_ceil(bytes_per_checksum);
        let mut flat = vec![0; per_unit * sums.len()];
        // SAFETY: an open codec; lists and lengths are checked.
        let status = unsafe {
            stripeline_encode_with_checksums(
                self.codec,
                data.as_ptr(),
                parity.as_ptr(),
                length,
                kind as i32,
                bytes_per_checksum,
                flat.as_mut_ptr(),
            )
        };
        for (unit, sums) in sums.iter_mut().enumerate() {
            sums.copy_from_slice(&flat[unit * per_unit..][..per_unit]);
        }
        result(status)
    }

    fn decode(
        &self,
        units: &[Option<&[u8]>],
        erased: &[usize],
        outputs: &mut [&mut [u8]],
    ) -> Result<(), Refusal> {
        assert_eq!(units.len(), self.data_units + self.parity_units);
        assert_eq!(outputs.len(), erased.len());
        let length = match (units.iter().flatten().next(), outputs.first()) {
            (Some(unit), _) => unit.len(),
            (None, Some(output)) => output.len(),
            (None, None) => 0,
        };
        assert!(units.iter().flatten().all(|unit| unit.len() == length));
        assert!(outputs.iter().all(|output| output.len() == length));
        let units: Vec<_> = units
            .iter()
            .map(|unit| unit.map_or(std::ptr::null(), |unit| unit.as_ptr()))
            .collect();
        let erased: Vec<_> = erased
            .iter()
            .map(|unit| u32::try_from(*unit).expect("a number of C"))
            .collect();
        let outputs = starts_mut(outputs);
        // SAFETY: an open codec; lists and lengths are checked.
        result(unsafe {
            stripeline_decode(
                self.codec,
                units.as_ptr(),
                erased.as_ptr(),
                erased.len(),
                outputs.as_ptr(),
                length,
            )
        })
    }

    fn verify(&self, data: &[&[u8]], parity: &[&[u8]]) -> Result<Verdict, Refusal> {
        let length = self.check(data, parity);
        let (data, parity) = (starts(data), starts(parity));
        let (mut sound, mut parity_unit, mut offset) = (false, 0, 0);
        // SAFETY: an open codec; lists and lengths are checked.
        result(unsafe {
            stripeline_verify(
                self.codec,
                data.as_ptr(),
                parity.as_ptr(),
                length,
                &mut sound,
                &mut parity_unit,
                &mut offset,
            )
        })?;
        Ok(if sound {
            Verdict::Sound
        } else {
            Verdict::Mismatch {
                parity_unit,
                offset,
            }
        })
    }

    fn update(
        &self,
        data_unit: usize,
        old: &[u8],
        new: &[u8],
        parity: &mut [&mut [u8]],
    ) -> Result<(), Refusal> {
        assert_eq!(parity.len(), self.parity_units);
        assert_eq!(old.len(), new.len());
        assert!(parity.iter().all(|unit| unit.len() == old.len()));
        let parity = starts_mut(parity);
        // SAFETY: an open codec; lists and lengths are checked.
        result(unsafe {
            stripeline_update(
                self.codec,
                data_unit,
                old.as_ptr(),
                new.as_ptr(),
                parity.as_ptr(),
                old.len(),
            )
        })
    }
}

impl CCodec {
    /// Asserts one buffer per unit and equal lengths, and returns the length.
    pub fn check<P: AsRef<[u8]>>(&self, data: &[&[u8]], parity: &[P]) -> usize {
        assert_eq!(
            (data.len(), parity.len()),
            (self.data_units, self.parity_units)
        );
        let length = data[0].len();
        assert!(data.iter().all(|unit| unit.len() == length));
        assert!(parity.iter().all(|unit| unit.as_ref().len() == length));
        length
    }
}
