// SPDX-License-Identifier: Apache-2.0
//! The C functions under the codec suite of the testkit, and what only C can get wrong.

mod c_codec;
mod refusals;

use c_codec::CCodec;
use stripeline_testkit::codec_suite;

#[test]
fn right_input() {
    codec_suite::right_input(&CCodec::open);
}

#[test]
fn wrong_patterns() {
    codec_suite::wrong_patterns(&CCodec::open);
}
