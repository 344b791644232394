// SPDX-License-Identifier: Apache-2.0
//! The C interface of `stripeline-codec` and `stripeline-engine`: converts arguments, calls, and
//! maps errors.
//!
//! `include/stripeline.h` is generated from this crate's documentation, which is therefore written
//! for readers of C. Every function runs in [`guard`](entry), which catches panics and keeps the
//! text of an error for `stripeline_last_error`. Lists of addresses are copied to the stack before
//! they are used, because a caller may pass an output that overlaps its own list.
//!
//! ABI rules: values of [`stripeline_status`], [`stripeline_code`] and [`stripeline_checksum`] are
//! never reused; functions are added but never changed; fields are added at the end of structures
//! that begin with their size, and the sizes of earlier releases are still accepted;
//! `STRIPELINE_ABI_VERSION` is incremented with each release that adds something. Enumerations are
//! passed as `int32_t`, because C may pass any value and an unknown value must not become a Rust
//! enum.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod arguments;
mod completion;
mod entry;
mod failure;
mod operation;

// The header has the functions in this order; the empty lines keep the formatter from sorting the
// modules.
mod codec;
mod fingerprint;
mod library;

mod engine;
mod pinned;
mod statistics;

mod blocking;
mod listener;
mod matrix;
mod request;

mod issue;

mod future;

pub use blocking::{
    stripeline_engine_decode, stripeline_engine_encode, stripeline_engine_update,
    stripeline_engine_verify,
};

pub use codec::{
    stripeline_checksum, stripeline_code, stripeline_codec, stripeline_codec_close,
    stripeline_codec_open, stripeline_decode, stripeline_encode, stripeline_encode_with_checksums,
    stripeline_update, stripeline_verify,
};
pub use engine::{
    stripeline_engine, stripeline_engine_close, stripeline_engine_describe, stripeline_engine_open,
    stripeline_engine_open_with_listener, stripeline_wait_all,
};
pub use failure::stripeline_status;
pub use fingerprint::{
    stripeline_fingerprint, stripeline_fingerprint_close, stripeline_fingerprint_open,
    stripeline_fingerprint_take, stripeline_fingerprint_update,
    stripeline_fingerprint_update_verifying, stripeline_fingerprint_update_with_checksums,
    stripeline_locate, stripeline_location,
};
pub use future::{
    stripeline_future, stripeline_future_cancel, stripeline_future_release, stripeline_future_test,
    stripeline_future_wait, stripeline_wait_any, stripeline_wait_every,
};
pub use issue::{stripeline_idecode, stripeline_iencode, stripeline_iupdate, stripeline_iverify};
pub use library::{
    STRIPELINE_ABI_VERSION, stripeline_abi_version, stripeline_describe, stripeline_last_error,
    stripeline_status_name,
};
pub use listener::{stripeline_event, stripeline_event_kind, stripeline_listener};
pub use matrix::{stripeline_matrix, stripeline_memory};
pub use pinned::{
    stripeline_pinned_allocate, stripeline_pinned_is_locked, stripeline_pinned_release,
};
pub use request::{
    STRIPELINE_REQUEST_EVENT_FD, stripeline_callback, stripeline_priority, stripeline_request,
};
pub use statistics::{
    STRIPELINE_BUCKETS, STRIPELINE_RAIL_NAME, stripeline_engine_rail_statistics,
    stripeline_engine_rails, stripeline_rail_statistics,
};
