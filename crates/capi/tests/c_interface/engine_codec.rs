// SPDX-License-Identifier: Apache-2.0
//! An implementation of the testkit's trait over the C functions of an engine.

use std::ptr::{null, null_mut};
use std::sync::Arc;

use ::stripeline_codec::{ChecksumKind, Code, Verdict};
use stripeline_capi::stripeline_status::{self, STRIPELINE_OK};
use stripeline_capi::*;
use stripeline_testkit::{CodecUnderTest, Opened, Refusal};

use crate::c_codec::{CCodec, result, starts_mut};
use crate::engine_side::{OpenEngine, scattered};

/// Whether calls block.
#[derive(Clone, Copy)]
pub enum CallMode {
    Blocking,
    Future,
}

/// A codec opened through C and an engine to code on.
pub struct EngineCodec {
    mode: CallMode,
    direct: CCodec,
    engine: Arc<OpenEngine>,
}

impl EngineCodec {
    pub fn open(
        engine: &Arc<OpenEngine>,
        mode: CallMode,
        code: Code,
        data_units: usize,
        parity_units: usize,
    ) -> Opened {
        Ok(Box::new(Self {
            mode,
            direct: CCodec::opened(code, data_units, parity_units)?,
            engine: Arc::clone(engine),
        }))
    }

    /// Calls the blocking or the non-blocking function, and waits for the future of the latter.
    fn call(
        &self,
        blocking: impl FnOnce() -> stripeline_status,
        issue: impl FnOnce(*mut *mut stripeline_future) -> stripeline_status,
    ) -> Result<(), Refusal> {
        match self.mode {
            CallMode::Blocking => result(blocking()),
            CallMode::Future => {
                let mut future = std::ptr::dangling_mut();
                let issued = issue(&mut future);
                assert_eq!(issued == STRIPELINE_OK, !future.is_null());
                result(issued)?;
                // SAFETY: a future that is released once.
                unsafe {
                    let ended = stripeline_future_wait(future, -1);
                    assert_eq!(stripeline_future_test(future), ended);
                    stripeline_future_release(future);
                    result(ended)
                }
            }
        }
    }
}

/// Converts units that are only read to the pointers that C takes.
fn read_only(units: &[&[u8]]) -> Vec<*mut u8> {
    units.iter().map(|unit| unit.as_ptr().cast_mut()).collect()
}

impl CodecUnderTest for EngineCodec {
    fn encode(&self, data: &[&[u8]], parity: &mut [&mut [u8]]) -> Result<(), Refusal> {
        let length = self.direct.check(data, parity);
        let (data, parity) = (read_only(data), starts_mut(parity));
        let (data, parity) = (&scattered(&data), &scattered(&parity));
        let (engine, codec, request) = (self.engine.0, self.direct.codec, null());
        // SAFETY: open handles; lists and lengths are checked, and `call` waits.
        self.call(
            || unsafe { stripeline_engine_encode(engine, codec, data, parity, length, request) },
            |future| unsafe {
                stripeline_iencode(engine, codec, data, parity, length, request, future)
            },
        )
    }

    fn encode_with_checksums(
        &self,
        data: &[&[u8]],
        parity: &mut [&mut [u8]],
        kind: ChecksumKind,
        bytes_per_checksum: usize,
        sums: &mut [Vec<u32>],
    ) -> Result<(), Refusal> {
        // Engines compute no checksums.
        self.direct
            .encode_with_checksums(data, parity, kind, bytes_per_checksum, sums)
    }

    fn decode(
        &self,
        units: &[Option<&[u8]>],
        erased: &[usize],
        outputs: &mut [&mut [u8]],
    ) -> Result<(), Refusal> {
        let first = units.iter().flatten().next().copied();
        let length = first.or(outputs.first().map(|output| &**output));
        let length = length.map_or(0, <[u8]>::len);
        let units: Vec<*mut u8> = units
            .iter()
            .map(|unit| unit.map_or(null_mut(), |unit| unit.as_ptr().cast_mut()))
            .collect();
        let erased: Vec<u32> = erased.iter().map(|unit| *unit as u32).collect();
        let outputs = starts_mut(outputs);
        let (units, outputs) = (&scattered(&units), &scattered(&outputs));
        let (erased, count) = (erased.as_ptr(), erased.len());
        let (engine, codec, request) = (self.engine.0, self.direct.codec, null());
        // SAFETY: as in `encode`.
        self.call(
            || unsafe {
                stripeline_engine_decode(
                    engine, codec, units, erased, count, outputs, length, request,
                )
            },
            |future| unsafe {
                stripeline_idecode(
                    engine, codec, units, erased, count, outputs, length, request, future,
                )
            },
        )
    }

    fn verify(&self, data: &[&[u8]], parity: &[&[u8]]) -> Result<Verdict, Refusal> {
        let length = self.direct.check(data, parity);
        let (data, parity) = (read_only(data), read_only(parity));
        let (data, parity) = (&scattered(&data), &scattered(&parity));
        let (mut sound, mut parity_unit, mut offset) = (false, 0, 0);
        let places = (&raw mut sound, &raw mut parity_unit, &raw mut offset);
        let (engine, codec, request) = (self.engine.0, self.direct.codec, null());
        self.call(
            // SAFETY: as in `encode`.
            || unsafe {
                stripeline_engine_verify(
                    engine, codec, data, parity, length, request, places.0, places.1, places.2,
                )
            },
            // SAFETY: as in `encode`.
            |future| unsafe {
                stripeline_iverify(
                    engine, codec, data, parity, length, request, places.0, places.1, places.2,
                    future,
                )
            },
        )?;
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
        let length = old.len();
        let (changed, parity) = (read_only(&[old, new]), starts_mut(parity));
        let (changed, parity) = (&scattered(&changed), &scattered(&parity));
        let (engine, codec, request) = (self.engine.0, self.direct.codec, null());
        // SAFETY: as in `encode`.
        self.call(
            || unsafe {
                stripeline_engine_update(engine, codec, data_unit, changed, parity, length, request)
            },
            |future| unsafe {
                stripeline_iupdate(
                    engine, codec, data_unit, changed, parity, length, request, future,
                )
            },
        )
    }
}
