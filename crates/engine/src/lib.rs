// SPDX-License-Identifier: Apache-2.0
//! Asynchronous coding of stripes over every rail that a machine has.

#![forbid(unsafe_code)]

pub mod schedule;
