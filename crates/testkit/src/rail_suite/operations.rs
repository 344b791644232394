// SPDX-License-Identifier: Apache-2.0
//! The four operations on one stripe, compared with the oracle.

use std::collections::HashMap;

use stripeline_codec::{Code, Codec, StorePolicy, Verdict};
use stripeline_rail::{Rail, borrowed};

use super::Feeder;
use crate::{Guarded, Random, Stripe, all_but, slices, slices_mut};

/// A rail under test with its codecs.
pub struct Operations {
    name: String,
    feeder: Feeder,
    random: Random,
    codecs: HashMap<(Code, usize, usize), Codec>,
}

impl Operations {
    pub fn new(rail: &dyn Rail, seed: u64) -> Self {
        Self {
            name: rail.name().to_owned(),
            feeder: Feeder::new(rail, seed),
            random: Random::new(seed + 100),
            codecs: HashMap::new(),
        }
    }

    pub fn feeder(&mut self) -> &mut Feeder {
        &mut self.feeder
    }

    /// Returns a random stripe if the rail takes its shape and length.
    pub fn stripe(&self, code: Code, data: usize, parity: usize, bytes: usize) -> Option<Stripe> {
        let stripe = || Stripe::random(code, data, parity, bytes);
        (self.takes_shape(data, parity) && self.takes_length(bytes)).then(stripe)
    }

    pub fn takes(&self, stripe: &Stripe) -> bool {
        self.takes_shape(stripe.data_units, stripe.parity_units)
    }

    fn takes_shape(&self, data: usize, parity: usize) -> bool {
        let capability = self.feeder.capability();
        data.max(2) <= capability.inputs_max && parity <= capability.outputs_max
    }

    pub fn takes_length(&self, bytes: usize) -> bool {
        self.feeder.takes_length(bytes)
    }

    /// Computes parity, in buffers at odd addresses.
    pub fn encode(&mut self, stripe: &Stripe, cuts: usize) {
        let data = self.scattered(stripe.data());
        let mut parity = self.outputs(stripe.parity_units, stripe.length());
        let (codec, feeder) = (codec(&mut self.codecs, stripe), &mut self.feeder);
        let verdict = borrowed::encode(
            codec,
            &slices(&data),
            &mut slices_mut(&mut parity),
            |piece| {
                let numbers: Vec<usize> = piece.job().input_units().collect();
                assert_eq!(numbers, Vec::from_iter(0..codec.data_units()));
                feeder.run_cut(piece.stored(store(cuts)), cuts)
            },
        );
        self.expect_sound(stripe, "encode", verdict);
        self.expect_bytes(stripe, "encode", &parity, stripe.parity());
        self.expect_unchanged(stripe, &data, stripe.data());
    }

    /// Computes `lost` random units from the others; data units only, if the rail recovers no
    /// parity.
    pub fn decode(&mut self, stripe: &Stripe, lost: usize, cuts: usize) {
        let among = match self.feeder.capability().recovers_parity {
            true => stripe.units.len(),
            false => stripe.data_units,
        };
        let erased = self.random.choose(lost.min(among), among);
        let units = self.scattered(&stripe.units);
        let given = all_but(&units, &erased);
        let mut outputs = self.outputs(erased.len(), stripe.length());
        let (codec, feeder) = (codec(&mut self.codecs, stripe), &mut self.feeder);
        let mut slices = slices_mut(&mut outputs);
        let verdict = borrowed::decode(codec, &given, &erased, &mut slices, |piece| {
            let numbers: Vec<usize> = piece.job().output_units().collect();
            assert_eq!(numbers, erased, "outputs are the erased units");
            let inputs: Vec<usize> = piece.job().input_units().collect();
            assert!(inputs.iter().all(|unit| given[*unit].is_some()));
            feeder.run_cut(piece.stored(store(cuts)), cuts)
        });
        self.expect_sound(stripe, "decode", verdict);
        let expected: Vec<Vec<u8>> = erased
            .iter()
            .map(|unit| stripe.units[*unit].clone())
            .collect();
        self.expect_bytes(stripe, "decode", &outputs, &expected);
        self.expect_unchanged(stripe, &units, &stripe.units);
    }

    /// Changes a data unit and updates the parity, if the rail adds.
    pub fn update(&mut self, before: &Stripe, data_unit: usize, cuts: usize) {
        if !self.feeder.capability().adds {
            return;
        }
        let mut data = before.data().to_vec();
        data[data_unit] = self.random.bytes(before.length());
        let after = Stripe::of(data, before.code, before.parity_units);
        let mut parity = self.scattered(before.parity());
        let changed = (&*before.units[data_unit], &*after.units[data_unit]);
        let (codec, feeder) = (codec(&mut self.codecs, before), &mut self.feeder);
        let mut slices = slices_mut(&mut parity);
        let verdict = borrowed::update(codec, data_unit, changed, &mut slices, |piece| {
            feeder.run_cut(piece, cuts)
        });
        self.expect_sound(before, "update", verdict);
        self.expect_bytes(before, "update", &parity, after.parity());
    }

    /// Verifies a sound stripe, if the rail compares.
    pub fn verify(&mut self, stripe: &Stripe, cuts: usize) {
        if self.feeder.capability().compares {
            let verdict = self.verdict(stripe, cuts);
            assert_eq!(verdict, Verdict::Sound, "{}: {}", self.name, stripe.name());
        }
    }

    /// Returns the result of a check of the stripe.
    pub fn verdict(&mut self, stripe: &Stripe, cuts: usize) -> Verdict {
        let (data, parity) = (
            self.scattered(stripe.data()),
            self.scattered(stripe.parity()),
        );
        let (codec, feeder) = (codec(&mut self.codecs, stripe), &mut self.feeder);
        let verdict = borrowed::verify(codec, &slices(&data), &slices(&parity), |piece| {
            feeder.run_cut(piece, cuts)
        });
        self.expect_unchanged(stripe, &parity, stripe.parity());
        verdict
            .expect("the stripe is in order")
            .expect("the rail compares")
    }

    fn expect_sound<E: PartialEq + std::fmt::Debug, F: PartialEq + std::fmt::Debug>(
        &self,
        stripe: &Stripe,
        what: &str,
        verdict: Result<Result<Verdict, F>, E>,
    ) {
        let name = stripe.name();
        assert_eq!(
            verdict,
            Ok(Ok(Verdict::Sound)),
            "{}: {what} of {name}",
            self.name
        );
    }

    fn expect_bytes(&self, stripe: &Stripe, what: &str, outputs: &[Guarded], right: &[Vec<u8>]) {
        for (number, (computed, expected)) in outputs.iter().zip(right).enumerate() {
            let context = || {
                format!(
                    "{}: {what} of {}, output {number}",
                    self.name,
                    stripe.name()
                )
            };
            assert!(computed.is_intact(), "{}: written past its end", context());
            assert!(**computed == **expected, "{}: wrong bytes", context());
        }
    }

    fn expect_unchanged(&self, stripe: &Stripe, buffers: &[Guarded], before: &[Vec<u8>]) {
        let mut pairs = buffers.iter().zip(before);
        let same = pairs.all(|(buffer, before)| buffer.is_intact() && **buffer == **before);
        assert!(same, "{}: an input of {} changed", self.name, stripe.name());
    }

    fn scattered(&mut self, units: &[Vec<u8>]) -> Vec<Guarded> {
        let holding = |unit: &Vec<u8>| Guarded::holding(unit, self.random.below(64));
        units.iter().map(holding).collect()
    }

    fn outputs(&mut self, count: usize, bytes: usize) -> Vec<Guarded> {
        (0..count)
            .map(|_| Guarded::new(bytes, self.random.below(64)))
            .collect()
    }
}

fn codec<'a>(codecs: &'a mut HashMap<(Code, usize, usize), Codec>, stripe: &Stripe) -> &'a Codec {
    let shape = (stripe.code, stripe.data_units, stripe.parity_units);
    codecs.entry(shape).or_insert_with(|| stripe.codec())
}

fn store(cuts: usize) -> StorePolicy {
    match cuts.is_multiple_of(2) {
        true => StorePolicy::Temporal,
        false => StorePolicy::NonTemporal,
    }
}
