// SPDX-License-Identifier: Apache-2.0
//! Processes that share a node: real ones, which are killed, and files that were tampered with.

#![allow(clippy::unwrap_used)]

mod crowds;
mod damage;
mod process;
mod scratch;
mod trust;
