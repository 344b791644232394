// SPDX-License-Identifier: Apache-2.0
//! The codec suite on every instruction set that this machine supports.

use stripeline_codec::StorePolicy;
use stripeline_testkit::{RustCodec, codec_suite, on_every_isa};

/// Runs a part of the suite on every instruction set.
fn suite(store: StorePolicy, part: impl Fn(codec_suite::Open<'_>)) {
    on_every_isa(|kernels| {
        part(&|code, data_units, parity_units| {
            RustCodec::open(kernels, store, code, data_units, parity_units)
        });
    });
}

#[test]
fn right_input() {
    suite(StorePolicy::Temporal, |open| codec_suite::right_input(open));
}

#[test]
fn right_input_stored_past_the_cache() {
    suite(StorePolicy::NonTemporal, |open| {
        codec_suite::golden_vectors(open);
        codec_suite::every_length(open);
    });
}

#[test]
fn wrong_input() {
    suite(StorePolicy::Temporal, |open| {
        codec_suite::wrong_patterns(open);
        codec_suite::wrong_buffers(open);
    });
}
