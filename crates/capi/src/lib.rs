// SPDX-License-Identifier: Apache-2.0
//! The C interface over `stripeline-codec`: convert, call, map the error.
//!
//! `include/stripeline.h` is generated from this crate's documentation, which is therefore written
//! for readers of C. Every function goes through [`guard`](entry): it checks pointers, catches a
//! panic and leaves the text of an error for `stripeline_last_error`. Lists of addresses are copied
//! to the stack before they are used, because nothing stops a caller from laying an output over its
//! own list.
//!
//! ABI rules: values of [`stripeline_status`], [`stripeline_code`] and [`stripeline_checksum`] are
//! never reused, functions are added but never changed, and `STRIPELINE_ABI_VERSION` counts up with
//! each addition. Enumerations come in as `int32_t`, since C may pass any value and an unknown one
//! must not become a Rust enum.

mod arguments;
mod codec;
mod entry;
mod failure;
mod library;

pub use codec::{
    stripeline_checksum, stripeline_code, stripeline_codec, stripeline_codec_close,
    stripeline_codec_open, stripeline_decode, stripeline_encode, stripeline_encode_with_checksums,
    stripeline_update, stripeline_verify,
};
pub use failure::stripeline_status;
pub use library::{
    STRIPELINE_ABI_VERSION, stripeline_abi_version, stripeline_describe, stripeline_last_error,
};
