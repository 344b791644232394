// SPDX-License-Identifier: Apache-2.0
//! What the programs of the bench have in common.

pub mod machine;
pub mod palette;
pub mod size;
pub mod statistics;
