// SPDX-License-Identifier: Apache-2.0
//! The suite of all codecs, through engines.

use std::sync::Arc;

use crate::support::{cpu, engine};
use stripeline_codec::{ChecksumKind, Code, Codec, StorePolicy, Verdict};
use stripeline_engine::{Engine, Error, Options, Request, Scheduling};
use stripeline_rail::{Cpu, Rail};
use stripeline_testkit::{CodecUnderTest, Opened, Refusal, codec_suite, encode_with_checksums};

struct Through {
    engine: Arc<Engine>,
    codec: Codec,
}

fn refusal(error: &Error) -> Refusal {
    Refusal {
        kind: error.codec_kind().expect("only the codec refuses"),
        text: error.to_string(),
    }
}

impl CodecUnderTest for Through {
    fn encode(&self, data: &[&[u8]], parity: &mut [&mut [u8]]) -> Result<(), Refusal> {
        let encoded = self
            .engine
            .encode(&self.codec, data, parity, Request::default());
        encoded.map_err(|error| refusal(&error))
    }

    fn encode_with_checksums(
        &self,
        data: &[&[u8]],
        parity: &mut [&mut [u8]],
        kind: ChecksumKind,
        bytes_per_checksum: usize,
        sums: &mut [Vec<u32>],
    ) -> Result<(), Refusal> {
        // Only the direct call computes checksums in the same pass.
        let wanted = (kind, bytes_per_checksum);
        encode_with_checksums(
            &self.codec,
            StorePolicy::Temporal,
            data,
            parity,
            wanted,
            sums,
        )
    }

    fn decode(
        &self,
        units: &[Option<&[u8]>],
        erased: &[usize],
        outputs: &mut [&mut [u8]],
    ) -> Result<(), Refusal> {
        let decoded = self
            .engine
            .decode(&self.codec, units, erased, outputs, Request::default());
        decoded.map_err(|error| refusal(&error))
    }

    fn verify(&self, data: &[&[u8]], parity: &[&[u8]]) -> Result<Verdict, Refusal> {
        let verified = self
            .engine
            .verify(&self.codec, data, parity, Request::default());
        verified.map_err(|error| refusal(&error))
    }

    fn update(
        &self,
        data_unit: usize,
        old: &[u8],
        new: &[u8],
        parity: &mut [&mut [u8]],
    ) -> Result<(), Refusal> {
        let updated =
            self.engine
                .update(&self.codec, data_unit, old, new, parity, Request::default());
        updated.map_err(|error| refusal(&error))
    }
}

fn with(rails: Vec<Arc<dyn Rail>>, options: Options, suite: impl Fn(codec_suite::Open<'_>)) {
    let engine = Arc::new(engine(rails, options).0);
    suite(&|code: Code, data_units, parity_units| -> Opened {
        let codec = Codec::new(code, data_units, parity_units)?;
        let engine = Arc::clone(&engine);
        Ok(Box::new(Through { engine, codec }))
    });
    assert!(engine.wait_all(None));
}

fn two() -> Vec<Arc<dyn Rail>> {
    let kernels = stripeline_codec::Kernels::for_isa(stripeline_codec::Isa::Portable);
    let portable = Cpu::with_kernels("portable", kernels.expect("runs everywhere"));
    vec![cpu(), Arc::new(portable)]
}

#[test]
fn one_rail() {
    with(vec![cpu()], Options::default(), |open| {
        codec_suite::golden_vectors(open);
        codec_suite::every_length(open);
        codec_suite::wrong_patterns(open);
        codec_suite::wrong_buffers(open);
    });
}

#[test]
fn two_rails_by_rate_with_every_stripe_checked() {
    let options = Options {
        check_every: 1,
        ..Options::default()
    };
    with(two(), options, |open| codec_suite::golden_vectors(open));
}

#[test]
fn two_rails_first_come_without_help() {
    let options = Options {
        scheduling: Scheduling::FirstCome,
        waiting_threads_help: false,
        ..Options::default()
    };
    with(two(), options, |open| codec_suite::golden_vectors(open));
}
