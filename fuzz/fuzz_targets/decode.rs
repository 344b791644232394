// SPDX-License-Identifier: Apache-2.0
//! Fuzzes decoding with any units absent and any erasure list: expects the right bytes or the right
//! refusal.

#![no_main]

use arbitrary::{Result, Unstructured};
use libfuzzer_sys::fuzz_target;
use stripeline_codec::ErrorKind;
use stripeline_fuzz::{Subject, draw_numbers};

/// The contents of outputs before the call.
const UNTOUCHED: u8 = 0xc3;

fuzz_target!(|bytes: &[u8]| {
    // Running out of bytes ends the case.
    let _ = run(&mut Unstructured::new(bytes));
});

fn run(source: &mut Unstructured<'_>) -> Result<()> {
    let Some(subject) = Subject::draw(source)? else {
        return Ok(());
    };
    let parity_units = subject.codec.parity_units();
    let count = subject.units.len();
    let absent = draw_numbers(source, parity_units + 2, count)?;
    // Usually a part of the absent units; sometimes arbitrary numbers.
    let erased = if source.ratio(4, 5)? {
        let kept = source.int_in_range(0..=absent.len())?;
        absent[absent.len() - kept..].to_vec()
    } else {
        draw_numbers(source, parity_units + 1, count)?
    };
    let length = subject.length();
    let uneven = source.ratio(1, 20)?;
    let mut outputs = vec![vec![UNTOUCHED; length + usize::from(uneven)]; erased.len()];
    let units: Vec<Option<&[u8]>> = (0..count)
        .map(|unit| (!absent.contains(&unit)).then_some(&subject.units[unit][..]))
        .collect();

    let mut slices: Vec<&mut [u8]> = outputs.iter_mut().map(|output| &mut output[..]).collect();
    let outcome = subject
        .codec
        .decode(&units, &erased, &mut slices)
        .map_err(|error| error.kind());

    assert_eq!(
        outcome.err(),
        expected_refusal(&subject, &units, &erased, uneven)
    );
    for (output, unit) in outputs.iter().zip(&erased) {
        if outcome.is_ok() {
            assert_eq!(output, &subject.units[*unit], "unit {unit} of {erased:?}");
        } else {
            assert!(output.iter().all(|byte| *byte == UNTOUCHED));
        }
    }
    Ok(())
}

/// Applies the rules of the documentation, in their order.
fn expected_refusal(
    subject: &Subject,
    units: &[Option<&[u8]>],
    erased: &[usize],
    uneven: bool,
) -> Option<ErrorKind> {
    for (position, unit) in erased.iter().enumerate() {
        if *unit >= units.len() {
            return Some(ErrorKind::InvalidUnit);
        }
        if units[*unit].is_some() || erased[..position].contains(unit) {
            return Some(ErrorKind::InvalidErasure);
        }
    }
    let present = units.iter().flatten().count();
    if erased.len() > subject.codec.parity_units() {
        Some(ErrorKind::TooManyErasures)
    } else if uneven && !erased.is_empty() && present > 0 {
        Some(ErrorKind::LengthMismatch)
    } else if !erased.is_empty() && present < subject.data_units() {
        Some(ErrorKind::TooManyErasures)
    } else {
        None
    }
}
