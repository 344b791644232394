// SPDX-License-Identifier: Apache-2.0
//! The engine through its public face.

mod callers;
mod checks;
mod closing;
mod codecs;
mod faults;
mod opening;
mod sharing;
mod storing;
mod stress;
mod support;
mod tasks;
