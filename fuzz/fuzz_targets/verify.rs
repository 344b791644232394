// SPDX-License-Identifier: Apache-2.0
//! Fuzzes verification of stripes with changed bytes: expects the oracle's verdict and position.

#![no_main]

use arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use stripeline_codec::Verdict;
use stripeline_fuzz::{Subject, draw_numbers};

fuzz_target!(|bytes: &[u8]| {
    // Running out of bytes ends the case.
    let _ = run(&mut Unstructured::new(bytes));
});

fn run(source: &mut Unstructured<'_>) -> Result<()> {
    let Some(mut subject) = Subject::draw(source)? else {
        return Ok(());
    };
    let (count, length) = (subject.units.len(), subject.length());
    for place in draw_numbers(source, 4, (count * length).max(1))? {
        let (unit, offset) = (place / length.max(1), place % length.max(1));
        if let Some(byte) = subject
            .units
            .get_mut(unit)
            .and_then(|unit| unit.get_mut(offset))
        {
            *byte ^= source.arbitrary::<u8>()?;
        }
    }
    let (data, parity) = subject.units.split_at(subject.data_units());
    let expected = expected_verdict(&subject.parity_of(data), parity);

    let data: Vec<&[u8]> = data.iter().map(|unit| &unit[..]).collect();
    let parity: Vec<&[u8]> = parity.iter().map(|unit| &unit[..]).collect();
    assert_eq!(subject.codec.verify(&data, &parity), Ok(expected));
    Ok(())
}

fn expected_verdict(right: &[Vec<u8>], given: &[Vec<u8>]) -> Verdict {
    for offset in 0..right[0].len() {
        for (parity_unit, (right, given)) in right.iter().zip(given).enumerate() {
            if right[offset] != given[offset] {
                return Verdict::Mismatch {
                    parity_unit,
                    offset,
                };
            }
        }
    }
    Verdict::Sound
}
