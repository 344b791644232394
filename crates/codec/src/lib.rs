// SPDX-License-Identifier: Apache-2.0
//! The erasure codes of HDFS: encode, decode, verify and update whole stripes held in memory.
//!
//! A stripe has k data units and m parity units of one length, numbered 0..k and k..k+m. A
//! [`Codec`] implements one code of one shape; its methods take slices and run on the kernels of
//! `stripeline-gf`:
//!
//! * [`Codec::encode`] computes all parity units; [`Codec::encode_with_checksums`] also computes
//!   the CRCs that HDFS stores with every block, in the same pass over memory.
//! * [`Codec::decode`] computes exactly the requested units, data or parity, from any k others.
//! * [`Codec::verify`] returns whether the parity matches the data, without memory for a second
//!   parity.
//! * [`Codec::update`] changes the parity after a change to one data unit, without reading the
//!   others.
//! * A [`Fingerprint`] of a block takes 64 bytes per sum for each window of a MiB, and
//!   [`Codec::locate`] finds the wrong blocks of a group from the fingerprints of all.
//!
//! The bytes are those of Hadoop's own coders (see [`Code`]), so each can read files that the other
//! wrote. Calls take `&self` and run in parallel; they hold no lock and allocate nothing once the
//! decode plans of a shape are cached. Memory per codec is bounded; see [`Codec::new`].
//!
//! This crate codes units in memory; striping, buffering and threads are the caller's part.
//!
//! ```
//! use stripeline_codec::{Code, Codec};
//!
//! let codec = Codec::new(Code::Rs, 3, 2)?;
//! let data: [&[u8]; 3] = [b"alpha", b"bravo", b"delta"];
//! let (mut p, mut q) = ([0; 5], [0; 5]);
//! codec.encode(&data, &mut [&mut p, &mut q])?;
//!
//! let (mut first, mut third) = ([0; 5], [0; 5]);
//! let units = [None, Some(data[1]), None, Some(&p[..]), Some(&q[..])];
//! codec.decode(&units, &[0, 2], &mut [&mut first, &mut third])?;
//! assert_eq!((&first, &third), (b"alpha", b"delta"));
//! # Ok::<(), stripeline_codec::Error>(())
//! ```

#![forbid(unsafe_code)]
#![cfg_attr(not(test), deny(clippy::disallowed_methods))]

mod checksums;
mod code;
mod codec;
mod decode;
mod error;
mod fingerprint;
mod fingerprint_function;
#[doc(hidden)]
pub mod hash;
mod locate;
mod matrix;
mod plan;
mod plan_cache;
mod product;
mod shape;
mod shared;
mod unit_set;
mod update;
mod verify;

pub use code::{Code, ParseCodeError};
pub use codec::Codec;
pub use decode::UNITS_MAX;
pub use error::{Call, Error, ErrorKind};
pub use fingerprint::{BorrowedFingerprint, Fingerprint};
pub use fingerprint_function::{
    FINGERPRINT_ROW_BYTES, FINGERPRINT_SUMS, FINGERPRINT_SUMS_MAX, FINGERPRINT_WINDOW_BYTES,
    FINGERPRINT_WINDOW_BYTES_MAX, FingerprintFunction,
};
pub use locate::Location;
pub use shared::SHARED_CODECS_MAX;
pub use stripeline_gf::{
    ChecksumKind, Checksums, Coefficients, Isa, Kernels, Selection, StorePolicy,
};
pub use verify::Verdict;
