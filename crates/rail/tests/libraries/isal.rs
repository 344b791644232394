// SPDX-License-Identifier: Apache-2.0
//! The rail suite on ISA-L, if the system has it.

use crate::peers;
use stripeline_rail::Isal;
use stripeline_testkit::rail_suite;

#[test]
fn isal_passes() {
    let Some(rail) = peers::or_skip(Isal::rail()) else {
        return;
    };
    rail_suite::all(&rail);
}
