// SPDX-License-Identifier: Apache-2.0
//! Tests of the engine through its public interface.

mod at_once;
mod at_once_bounds;
mod at_once_faults;
mod callers;
mod checks;
mod closing;
mod codecs;
mod faults;
mod giving_up;
mod opening;
mod sharing;
mod storing;
mod stress;
mod support;
mod tasks;
