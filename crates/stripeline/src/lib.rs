// SPDX-License-Identifier: Apache-2.0
//! The erasure codes of Apache Hadoop HDFS: encode, decode, verify and update stripes in memory.
//!
//! A [`Codec`] works on the calling thread. An [`Engine`](engine::Engine) codes on all devices of a
//! machine, and returns a future at once if asked to:
//!
//! ```
//! use stripeline::engine::{Engine, Request, Units};
//! use stripeline::{Code, Codec};
//!
//! let codec = Codec::shared(Code::Rs, 6, 3)?;
//! let (engine, rails) = Engine::open(&"rails=auto".parse()?)?;
//! assert!(!rails.is_empty());
//! let units = Units {
//!     inputs: vec![vec![7; 4096]; 6],
//!     outputs: vec![vec![0; 4096]; 3],
//! };
//! let issued = engine.iencode(&codec, units, Request::default())?;
//! // Other work; then the units come back.
//! let (outcome, units) = issued.wait();
//! outcome?;
//! assert!(codec.verify(
//!     &units.inputs.iter().map(|unit| &unit[..]).collect::<Vec<_>>(),
//!     &units.outputs.iter().map(|unit| &unit[..]).collect::<Vec<_>>(),
//! )? == stripeline::Verdict::Sound);
//! # Ok::<(), Box<dyn std::error::Error>>(())
//! ```
//!
//! Devices behind the engine are of `stripeline-rail`; programs that bring their own use that
//! crate.

#![forbid(unsafe_code)]

pub use stripeline_codec::*;

/// Coding on all devices of a machine, blocking or with futures.
pub mod engine {
    pub use stripeline_engine::*;
    pub use stripeline_rail::PinnedBuffer;
    pub use stripeline_rail::owned::{UnitBuffer, Units};
}

/// Compiles and runs the program of the page.
#[cfg(doctest)]
#[doc = include_str!("../../../docs/user/library.md")]
pub struct LibraryPage;
