// SPDX-License-Identifier: Apache-2.0
//! A stripe with the oracle's parity, and the checks that all suites share.

use stripeline_codec::{Code, Codec};
use stripeline_rail::owned::Units;

use crate::{CodecUnderTest, Guarded, Random, all_but, slices, slices_mut};

/// The contents of parity units before they are coded.
pub const BLANK: u8 = 0xa5;

/// A sound stripe.
#[derive(Clone, Debug)]
pub struct Stripe {
    /// The code.
    pub code: Code,
    /// Data units, k.
    pub data_units: usize,
    /// Parity units, m.
    pub parity_units: usize,
    /// All k+m units, data first.
    pub units: Vec<Vec<u8>>,
}

impl Stripe {
    /// Creates random data with the oracle's parity.
    #[must_use]
    pub fn random(code: Code, data_units: usize, parity_units: usize, length: usize) -> Self {
        let seed = (data_units << 40) + (parity_units << 20) + length;
        let mut random = Random::new(seed as u64);
        Self::of(
            (0..data_units).map(|_| random.bytes(length)).collect(),
            code,
            parity_units,
        )
    }

    /// Creates a stripe of these data units with the oracle's parity.
    #[must_use]
    pub fn of(data: Vec<Vec<u8>>, code: Code, parity_units: usize) -> Self {
        let parity = stripeline_reference::encode(oracle_code(code), parity_units, &data);
        let data_units = data.len();
        Self {
            code,
            data_units,
            parity_units,
            units: data.into_iter().chain(parity).collect(),
        }
    }

    /// Returns the stripe with only the first bytes of each unit: all codes work byte by byte.
    #[must_use]
    pub fn shortened(&self, length: usize) -> Self {
        let units = self
            .units
            .iter()
            .map(|unit| unit[..length].to_vec())
            .collect();
        Self { units, ..*self }
    }

    /// Returns the bytes per unit.
    #[must_use]
    pub fn length(&self) -> usize {
        self.units[0].len()
    }

    /// Returns the data units.
    #[must_use]
    pub fn data(&self) -> &[Vec<u8>] {
        &self.units[..self.data_units]
    }

    /// Returns the parity units.
    #[must_use]
    pub fn parity(&self) -> &[Vec<u8>] {
        &self.units[self.data_units..]
    }

    /// Returns a codec of its code and shape.
    ///
    /// # Panics
    /// If the shape is invalid.
    #[must_use]
    pub fn codec(&self) -> Codec {
        Codec::new(self.code, self.data_units, self.parity_units).expect("a valid shape")
    }

    /// Returns the data, and room for the parity, whose bytes are [`BLANK`].
    #[must_use]
    pub fn to_encode(&self) -> Units {
        Units {
            inputs: self.data().to_vec(),
            outputs: vec![vec![BLANK; self.length()]; self.parity_units],
        }
    }

    /// Returns a name for messages.
    #[must_use]
    pub fn name(&self) -> String {
        let Self {
            code,
            data_units,
            parity_units,
            ..
        } = self;
        format!(
            "{code} {data_units}+{parity_units}, {} bytes",
            self.length()
        )
    }

    /// Encodes the data and compares the parity, with inputs and outputs at various alignments.
    pub fn check_encode(&self, codec: &dyn CodecUnderTest) {
        let data = self.scattered(0..self.data_units);
        let mut parity: Vec<_> = (0..self.parity_units)
            .map(|unit| Guarded::new(self.length(), 7 * unit + 3))
            .collect();
        codec
            .encode(&slices(&data), &mut slices_mut(&mut parity))
            .expect("the stripe is in order");
        for (unit, (computed, expected)) in parity.iter().zip(self.parity()).enumerate() {
            assert!(
                computed.is_intact(),
                "{}: parity {unit} written past its end",
                self.name()
            );
            assert!(
                **computed == **expected,
                "{}: parity {unit} has wrong bytes",
                self.name()
            );
        }
        self.check_unchanged(&data);
    }

    /// Decodes `erased` without the units in `absent`, and compares the results.
    pub fn check_decode(&self, codec: &dyn CodecUnderTest, erased: &[usize], absent: &[usize]) {
        let units = self.scattered(0..self.units.len());
        let mut outputs: Vec<_> = erased
            .iter()
            .map(|unit| Guarded::new(self.length(), 5 * unit + 1))
            .collect();
        codec
            .decode(
                &all_but(&units, absent),
                erased,
                &mut slices_mut(&mut outputs),
            )
            .unwrap_or_else(|refusal| {
                panic!(
                    "{}: {erased:?} without {absent:?} refused: {}",
                    self.name(),
                    refusal.text
                )
            });
        for (computed, unit) in outputs.iter().zip(erased) {
            let context = || {
                format!(
                    "{}: unit {unit} of {erased:?} without {absent:?}",
                    self.name()
                )
            };
            assert!(computed.is_intact(), "{} written past its end", context());
            assert!(
                **computed == *self.units[*unit],
                "{} has wrong bytes",
                context()
            );
        }
        self.check_unchanged(&units);
    }

    fn scattered(&self, range: std::ops::Range<usize>) -> Vec<Guarded> {
        range
            .map(|unit| Guarded::holding(&self.units[unit], 13 * unit))
            .collect()
    }

    fn check_unchanged(&self, given: &[Guarded]) {
        for (number, (unit, before)) in given.iter().zip(&self.units).enumerate() {
            assert!(
                **unit == **before && unit.is_intact(),
                "{}: unit {number} changed",
                self.name()
            );
        }
    }
}

/// Returns the oracle's name for a code.
#[must_use]
pub fn oracle_code(code: Code) -> stripeline_reference::Code {
    let codes = stripeline_reference::Code::ALL;
    let same = codes
        .into_iter()
        .find(|oracle| oracle.name() == code.name());
    same.expect("the oracle knows every code")
}
