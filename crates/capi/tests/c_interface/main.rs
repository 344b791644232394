// SPDX-License-Identifier: Apache-2.0
//! The codec suite of the testkit over the C functions, and tests of mistakes that only C allows.

mod c_codec;
mod engine_codec;
mod engine_refusals;
mod engine_side;
mod fingerprints;
mod futures;
mod pinned;
mod refusals;
mod statistics;

use std::sync::Arc;

use c_codec::CCodec;
use engine_codec::{CallMode, EngineCodec};
use engine_side::OpenEngine;
use stripeline_testkit::codec_suite;

#[test]
fn right_input() {
    codec_suite::right_input(&CCodec::open);
}

#[test]
fn wrong_patterns() {
    codec_suite::wrong_patterns(&CCodec::open);
}

#[test]
fn right_input_through_an_engine_that_is_waited_for() {
    let engine = Arc::new(OpenEngine::new("rails=cpu"));
    let open = |code, k, m| EngineCodec::open(&engine, CallMode::Blocking, code, k, m);
    codec_suite::right_input(&open);
}

#[test]
fn right_input_through_futures() {
    let engine = Arc::new(OpenEngine::new("rails=cpu"));
    let open = |code, k, m| EngineCodec::open(&engine, CallMode::Future, code, k, m);
    codec_suite::right_input(&open);
}

#[test]
fn wrong_patterns_through_an_engine() {
    let engine = Arc::new(OpenEngine::new("rails=cpu"));
    for mode in [CallMode::Blocking, CallMode::Future] {
        let open = |code, k, m| EngineCodec::open(&engine, mode, code, k, m);
        codec_suite::wrong_patterns(&open);
    }
}
