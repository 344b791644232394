// SPDX-License-Identifier: Apache-2.0
//! Helpers of the fuzz targets: shapes, kernels and stripes drawn from the fuzzer's bytes.
//!
//! Targets draw wrong input as often as right input, and predict the outcome of both from the rules
//! in the documentation, not from the code.

use arbitrary::{Result, Unstructured};
use stripeline_codec::{Code, Codec, ErrorKind, Isa, Kernels};

/// Long enough for four steps of the widest kernel with a tail, short enough for the oracle.
const LENGTH_MAX: usize = 300;

/// A codec and a sound stripe for it.
#[derive(Debug)]
pub struct Subject {
    /// The codec, on some kernels of this machine.
    pub codec: Codec,
    /// The oracle's code.
    pub oracle: stripeline_reference::Code,
    /// All k+m units, parity computed by the oracle.
    pub units: Vec<Vec<u8>>,
}

impl Subject {
    /// Draws a codec; returns `None` if the shape is invalid, after checking that it is refused.
    ///
    /// # Errors
    /// If the fuzzer's bytes run out.
    pub fn draw(source: &mut Unstructured<'_>) -> Result<Option<Self>> {
        let code = *source.choose(&Code::ALL)?;
        let (data_units, parity_units) = draw_shape(source)?;
        let kernels: Vec<_> = Isa::ALL.into_iter().filter_map(Kernels::for_isa).collect();
        let kernels = *source.choose(&kernels)?;
        let codec = match Codec::with_kernels(code, data_units, parity_units, kernels) {
            Ok(codec) => codec,
            Err(error) => {
                assert_eq!(error.kind(), ErrorKind::InvalidParameters);
                assert!(!exists(code, data_units, parity_units), "{error}");
                return Ok(None);
            }
        };
        assert!(
            exists(code, data_units, parity_units),
            "{code} {data_units}+{parity_units}"
        );
        let length = source.int_in_range(0..=LENGTH_MAX)?;
        let oracle = oracle_code(code);
        let mut units = Vec::with_capacity(data_units + parity_units);
        for _ in 0..data_units {
            units.push(draw_bytes(source, length)?);
        }
        units.extend(stripeline_reference::encode(oracle, parity_units, &units));
        Ok(Some(Self {
            codec,
            oracle,
            units,
        }))
    }

    /// Returns the bytes per unit.
    pub fn length(&self) -> usize {
        self.units[0].len()
    }

    /// Returns the number of data units, k.
    pub fn data_units(&self) -> usize {
        self.codec.data_units()
    }

    /// Returns the oracle's parity of these data units.
    pub fn parity_of(&self, data: &[Vec<u8>]) -> Vec<Vec<u8>> {
        stripeline_reference::encode(self.oracle, self.codec.parity_units(), data)
    }
}

/// Draws a shape: usually small, sometimes arbitrary, including shapes beyond the limits.
fn draw_shape(source: &mut Unstructured<'_>) -> Result<(usize, usize)> {
    if source.ratio(1, 50)? {
        Ok((source.int_in_range(0..=300)?, source.int_in_range(0..=20)?))
    } else {
        Ok((source.int_in_range(0..=12)?, source.int_in_range(0..=5)?))
    }
}

fn exists(code: Code, data_units: usize, parity_units: usize) -> bool {
    let units_max = if code == Code::RsLegacy { 255 } else { 256 };
    let parity_fits = if code == Code::Xor {
        parity_units == 1
    } else {
        parity_units >= 1
    };
    data_units >= 1 && parity_fits && data_units + parity_units <= units_max
}

/// Draws bytes and repeats them to the length: a fuzzer's input is rarely as long as a stripe.
pub fn draw_bytes(source: &mut Unstructured<'_>, length: usize) -> Result<Vec<u8>> {
    let given = source.int_in_range(1..=16)?;
    let pattern = source.bytes(given)?;
    let mut bytes: Vec<u8> = pattern.iter().copied().cycle().take(length).collect();
    // Plain repetition would hide a byte copied from another position.
    for (index, byte) in bytes.iter_mut().enumerate() {
        *byte = byte.wrapping_add((index / given) as u8);
    }
    Ok(bytes)
}

/// Draws up to `count_max` numbers, usually below `bound`, sometimes arbitrary.
pub fn draw_numbers(
    source: &mut Unstructured<'_>,
    count_max: usize,
    bound: usize,
) -> Result<Vec<usize>> {
    let count = source.int_in_range(0..=count_max)?;
    let mut numbers = Vec::with_capacity(count);
    for _ in 0..count {
        let any = source.ratio(1, 30)?;
        numbers.push(if any {
            source.arbitrary()?
        } else {
            source.int_in_range(0..=bound - 1)?
        });
    }
    Ok(numbers)
}

fn oracle_code(code: Code) -> stripeline_reference::Code {
    match code {
        Code::Rs => stripeline_reference::Code::Rs,
        Code::RsLegacy => stripeline_reference::Code::RsLegacy,
        _ => stripeline_reference::Code::Xor,
    }
}
