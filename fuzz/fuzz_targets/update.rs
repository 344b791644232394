// SPDX-License-Identifier: Apache-2.0
//! Fuzzes updates of any data unit to any contents: expects the parity of the changed stripe, or
//! the right refusal.

#![no_main]

use arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use stripeline_codec::ErrorKind;
use stripeline_fuzz::{Subject, draw_bytes};

fuzz_target!(|bytes: &[u8]| {
    // Running out of bytes ends the case.
    let _ = run(&mut Unstructured::new(bytes));
});

fn run(source: &mut Unstructured<'_>) -> Result<()> {
    let Some(subject) = Subject::draw(source)? else {
        return Ok(());
    };
    let data_units = subject.data_units();
    let length = subject.length();
    let data_unit = source.int_in_range(0..=data_units)?;
    let new_length = if source.ratio(1, 20)? {
        length + 1
    } else {
        length
    };
    let new = draw_bytes(source, new_length)?;
    let (data, parity) = subject.units.split_at(data_units);
    let old = data.get(data_unit).unwrap_or(&data[0]);
    let mut parity = parity.to_vec();
    let before = parity.clone();

    let mut slices: Vec<&mut [u8]> = parity.iter_mut().map(|unit| &mut unit[..]).collect();
    let outcome = subject.codec.update(data_unit, old, &new, &mut slices);

    match outcome.map_err(|error| error.kind()) {
        Ok(()) => {
            let mut changed = data.to_vec();
            changed[data_unit] = new;
            assert_eq!(parity, subject.parity_of(&changed));
        }
        Err(ErrorKind::InvalidUnit) => assert_eq!(data_unit, data_units),
        Err(ErrorKind::LengthMismatch) => assert_ne!(new_length, length),
        Err(other) => panic!("not a refusal of update: {other:?}"),
    }
    if outcome.is_err() {
        assert_eq!(parity, before);
    }
    Ok(())
}
