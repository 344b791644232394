// SPDX-License-Identifier: Apache-2.0
//! Placeholder until the bench lands.
fn main() {}
