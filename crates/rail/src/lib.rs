// SPDX-License-Identifier: Apache-2.0
//! Devices that code stripes, behind one trait.
//!
//! A [`Rail`] is a device with a coder. It is given a [`Piece`], a byte range of a [`Job`]: one
//! operation on one stripe, expressed as a matrix product, so that rails need not know any code.
//! All rails use the same matrix and field and therefore write the same bytes.
//!
//! Rails run on the calling thread ([`Synchronous`]) or take several pieces at a time and finish
//! them later ([`Lane`]). A rail whose device may hang works on copies and releases the caller's
//! buffers ([`Piece::detach`]); its piece can then be revoked and done by another rail.
//!
//! This crate moves and computes bytes. The engine decides which rail does which work, and handles
//! failures.

#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

pub mod borrowed;
mod capability;
pub mod clock;
mod cpu;
mod cuda;
mod difference;
pub mod discover;
mod fault;
mod fork;
mod isal;
mod job;
mod keep;
pub mod known_answers;
mod lane_piece;
mod memory;
mod null;
pub mod owned;
mod ownership;
mod pages;
mod piece;
pub mod pinned;
mod plugin;
mod rail;
mod synchronous;

pub use capability::Capability;
pub use cpu::Cpu;
pub use cuda::{Cuda, CudaSettings, FoundGpu};
pub use fault::{Fault, FaultKind};
pub use fork::Process;
pub use isal::Isal;
pub use job::{Buffers, Job, Mode};
#[doc(hidden)]
pub use lane_piece::LanePiece;
pub use memory::{MemoryKind, Region};
pub use null::Null;
pub use piece::{Detached, Piece, RevokeHandle, WrittenPiece};
pub use pinned::PinnedBuffer;
pub use plugin::{LoadError, Plugin};
pub use rail::{Done, Lane, Rail};
pub use synchronous::{Coder, Synchronous};
