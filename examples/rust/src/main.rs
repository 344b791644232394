// SPDX-License-Identifier: Apache-2.0
//! Splits a file (this program's own source by default) into 6 data units, adds 3 parity units,
//! loses 3 of the 9, finds and repairs a byte that changed on disk, and puts the file together
//! again.
//!
//! `cargo run --package stripeline-example -- FILE`

use std::error::Error;

use stripeline::{Code, Codec, Verdict};

const DATA_UNITS: usize = 6;
const PARITY_UNITS: usize = 3;

fn main() -> Result<(), Box<dyn Error>> {
    let bytes = match std::env::args_os().nth(1) {
        Some(file) => std::fs::read(file)?,
        None => include_bytes!("main.rs").to_vec(),
    };
    if bytes.is_empty() {
        return Err("Cannot split the file: it is empty".into());
    }
    let codec = Codec::shared(Code::Rs, DATA_UNITS, PARITY_UNITS)?;
    println!(
        "{} bytes, kernels for {}",
        bytes.len(),
        codec.kernels().isa()
    );

    let units = encode(&codec, &bytes)?;

    let lost = [1, 4, 8];
    let recovered = decode(&codec, &units, &lost)?;
    for (unit, bytes) in lost.iter().zip(&recovered) {
        println!("unit {unit}: {} bytes recovered", bytes.len());
        assert_eq!(bytes, &units[*unit]);
    }

    let mut damaged = units.clone();
    let (unit, offset) = (2, damaged[2].len() / 2);
    damaged[unit][offset] ^= 0x40;
    let (data, parity) = damaged.split_at(DATA_UNITS);
    let found = codec.verify(&slices(data), &slices(parity))?;
    println!("after a changed byte: {found:?}");
    assert_eq!(
        found,
        Verdict::Mismatch {
            parity_unit: 0,
            offset
        }
    );
    // Parity does not show which unit is wrong. The example knows it and decodes that unit again.
    damaged[unit] = decode(&codec, &damaged, &[unit])?.remove(0);

    let mut joined = damaged[..DATA_UNITS].concat();
    joined.truncate(bytes.len());
    assert_eq!(joined, bytes);
    println!("every byte was recovered");
    Ok(())
}

/// Splits bytes into data units of one length, the last filled up with zeros, and adds parity
/// units.
fn encode(codec: &Codec, bytes: &[u8]) -> Result<Vec<Vec<u8>>, stripeline::Error> {
    let length = bytes.len().div_ceil(DATA_UNITS);
    let mut units = vec![vec![0; length]; DATA_UNITS + PARITY_UNITS];
    let (data, parity) = units.split_at_mut(DATA_UNITS);
    for (unit, part) in data.iter_mut().zip(bytes.chunks(length.max(1))) {
        unit[..part.len()].copy_from_slice(part);
    }
    let mut outputs: Vec<&mut [u8]> = parity.iter_mut().map(|unit| &mut unit[..]).collect();
    codec.encode(&slices(data), &mut outputs)?;
    Ok(units)
}

/// Computes the lost units from the others, without looking at what they hold.
fn decode(
    codec: &Codec,
    units: &[Vec<u8>],
    lost: &[usize],
) -> Result<Vec<Vec<u8>>, stripeline::Error> {
    let given: Vec<Option<&[u8]>> = units
        .iter()
        .enumerate()
        .map(|(number, unit)| (!lost.contains(&number)).then_some(&unit[..]))
        .collect();
    let mut recovered = vec![vec![0; units[0].len()]; lost.len()];
    let mut outputs: Vec<&mut [u8]> = recovered.iter_mut().map(|unit| &mut unit[..]).collect();
    codec.decode(&given, lost, &mut outputs)?;
    Ok(recovered)
}

fn slices(units: &[Vec<u8>]) -> Vec<&[u8]> {
    units.iter().map(|unit| &unit[..]).collect()
}
