// SPDX-License-Identifier: Apache-2.0
//! Devices that code stripes, behind one trait.
//!
//! A [`Rail`] is a device with a coder on it. What it is given is a [`Piece`]: a byte range of a
//! [`Job`], which is one operation on one stripe written as a matrix product, so that a rail needs
//! to know nothing of codes. All rails share matrix and field and so write the same bytes; which
//! one did a piece cannot be told from the result.
//!
//! Rails run on the calling thread ([`Synchronous`]) or take several pieces at a time and finish
//! them later ([`Lane`]). A rail whose device may hang works on copies and lets go of the caller's
//! buffers meanwhile ([`Piece::detach`]); its piece can then be taken away and done elsewhere.
//!
//! This crate moves and computes bytes. Which rail gets what, and what happens when one fails, is
//! the engine's business.

pub mod borrowed;
mod capability;
mod cpu;
mod cuda;
mod difference;
pub mod discover;
mod fault;
#[cfg(feature = "test-rails")]
pub mod faulty;
mod fork;
mod isal;
mod job;
pub mod known_answers;
mod lane_piece;
mod memory;
#[cfg(feature = "test-rails")]
pub mod mock;
mod null;
pub mod owned;
mod ownership;
mod piece;
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
pub use memory::{MemoryKind, Region};
pub use null::Null;
pub use piece::{Detached, Piece, RevokeHandle, WrittenPiece};
pub use plugin::{LoadError, Plugin};
pub use rail::{Done, Lane, Rail};
pub use synchronous::{Coder, Synchronous};
