// SPDX-License-Identifier: Apache-2.0
//! Whether a rail gives right answers.

use crate::Rail;

/// Has a rail code what is known, and compares.
///
/// # Errors
/// With what was wrong.
pub fn check(rail: &dyn Rail) -> Result<(), String> {
    rail.open_lane()
        .map(drop)
        .map_err(|fault| fault.to_string())
}
