// SPDX-License-Identifier: Apache-2.0
//! Tests that delta updates compute the parity of the changed data.

use stripeline_codec::Code;

use super::{LENGTH_MAX, Open, opened};
use crate::{Guarded, Random, Stripe, slices_mut};

/// Changes each data unit in turn, at every length for one of them.
pub fn updates(open: Open<'_>) {
    let shapes = [
        (Code::Rs, 6, 3),
        (Code::Rs, 20, 13),
        (Code::RsLegacy, 10, 4),
        (Code::Xor, 3, 1),
    ];
    for (code, data_units, parity_units) in shapes {
        for data_unit in 0..data_units {
            check_update(
                open,
                &Stripe::random(code, data_units, parity_units, 129),
                data_unit,
            );
        }
    }
    let longest = Stripe::random(Code::Rs, 3, 2, LENGTH_MAX);
    for length in 0..=LENGTH_MAX {
        check_update(open, &longest.shortened(length), length % 3);
    }
}

fn check_update(open: Open<'_>, before: &Stripe, data_unit: usize) {
    let codec = opened(open, before.code, before.data_units, before.parity_units);
    let mut data = before.data().to_vec();
    data[data_unit] = Random::new(data_unit as u64 + 99).bytes(before.length());
    let after = Stripe::of(data, before.code, before.parity_units);
    let mut parity: Vec<_> = before
        .parity()
        .iter()
        .enumerate()
        .map(|(number, unit)| Guarded::holding(unit, 11 * number + data_unit))
        .collect();
    let (old, new) = (&before.units[data_unit], &after.units[data_unit]);
    codec
        .update(data_unit, old, new, &mut slices_mut(&mut parity))
        .expect("the update is in order");
    for (number, (updated, expected)) in parity.iter().zip(after.parity()).enumerate() {
        let context = || format!("{}: parity {number} after unit {data_unit}", before.name());
        assert!(updated.is_intact(), "{} written past its end", context());
        assert!(**updated == **expected, "{} has wrong bytes", context());
    }
}
