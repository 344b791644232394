// SPDX-License-Identifier: Apache-2.0
//! The codec suite on every instruction set that this machine supports.

use stripeline_codec::{Isa, Kernels, StorePolicy};
use stripeline_testkit::{RustCodec, codec_suite};

/// Runs a part of the suite on every instruction set.
fn on_every_isa(store: StorePolicy, suite: impl Fn(codec_suite::Open<'_>)) {
    for kernels in Isa::ALL.into_iter().filter_map(Kernels::for_isa) {
        println!("{}", kernels.isa());
        suite(&|code, data_units, parity_units| {
            RustCodec::open(kernels, store, code, data_units, parity_units)
        });
    }
}

#[test]
fn right_input() {
    on_every_isa(StorePolicy::Temporal, |open| codec_suite::right_input(open));
}

#[test]
fn right_input_stored_past_the_cache() {
    on_every_isa(StorePolicy::NonTemporal, |open| {
        codec_suite::golden_vectors(open);
        codec_suite::every_length(open);
    });
}

#[test]
fn wrong_input() {
    on_every_isa(StorePolicy::Temporal, |open| {
        codec_suite::wrong_patterns(open);
        codec_suite::wrong_buffers(open);
    });
}
