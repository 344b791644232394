// SPDX-License-Identifier: Apache-2.0
//! The natives of `org.stripeline.natives.NativeBridge`: convert, call, map the error.
//!
//! Java checks what it can before it calls; this side checks again whatever would otherwise be
//! undefined behaviour, so that no argument can crash the JVM: null elements, buffers that are not
//! direct or are read-only, ranges outside their buffer, outputs that overlap anything, handles
//! that were never given. A mistake becomes an `IllegalArgumentException`, a Rust panic an
//! `IllegalStateException`, a failure that this version has no name for an `IOException`.
//!
//! * [`natives`] has one exported function per Java method and nothing else.
//! * [`direct`] reads direct buffers: addresses, no copy, the garbage collector is not involved.
//! * [`heap`] reads `byte[]` through critical sections of bounded length, so that the collector
//!   waits for one slice at most; a JVM that copies instead is served by copies of our own, and
//!   counted.
//! * [`calls`] and [`checksums`] are the operations over either.
//! * [`registry`] turns handles into codecs. A handle is an index, never an address.
//! * [`engine`] is the same over the rails of an engine, waited for or issued.
//! * [`pages`] drops files from the page cache.
//! * [`env`] is the JNI function table with types, [`failure`] the wrapper that every native runs
//!   in.
//!
//! Local references are bounded by the number of units, 256, and go when the native returns.

mod arguments;
mod calls;
mod checksums;
mod direct;
mod engine;
mod env;
mod failure;
mod heap;
mod natives;
mod pages;
mod registry;

pub use engine::*;
pub use natives::*;
