// SPDX-License-Identifier: Apache-2.0
//! The natives of `org.stripeline.natives.codec.NativeBridge`: they convert arguments, call, and
//! map errors.
//!
//! Java checks most arguments before it calls; this side checks again everything that would
//! otherwise be undefined behaviour, so that no argument can crash the JVM: null elements, buffers
//! that are not direct or are read-only, ranges outside their buffer, outputs that overlap another
//! buffer, unknown handles. A mistake becomes an `IllegalArgumentException`, a Rust panic an
//! `IllegalStateException`, a failure that this version has no name for an `IOException`.
//!
//! * [`natives`] contains one exported function per Java method and nothing else.
//! * [`direct`] accesses direct buffers by address, without a copy and without the garbage
//!   collector.
//! * [`heap`] accesses `byte[]` through critical sections of bounded length, so that the collector
//!   waits for one slice at most; if the JVM copies instead of pinning, it makes its own copies and
//!   counts the call.
//! * [`calls`] and [`checksums`] contain the operations over both.
//! * [`registry`] maps handles to codecs. A handle is an index, never an address.
//! * [`engine`] contains the same operations over the rails of an engine, blocking or issued.
//! * [`fingerprint`] adds the bytes of blocks to fingerprints.
//! * [`pages`] drops files from the page cache.
//! * [`env`] is the JNI function table with types, [`failure`] the wrapper that every native runs
//!   in.
//!
//! The number of local references is bounded by the number of units, 256; they are freed when the
//! native returns.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod arguments;
mod calls;
mod checksums;
mod direct;
mod engine;
mod env;
mod failure;
mod fingerprint;
mod heap;
mod natives;
mod pages;
mod registry;

pub use engine::*;
pub use fingerprint::*;
pub use natives::*;
