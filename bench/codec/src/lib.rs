// SPDX-License-Identifier: Apache-2.0
//! Code shared by the bench programs.

pub mod machine;
pub mod output;
pub mod plot;
pub mod size;
pub mod statistics;
