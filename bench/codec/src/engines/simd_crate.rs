// SPDX-License-Identifier: Apache-2.0
//! The crate `reed-solomon-simd`: a code over GF(2^16) by transforms, designed for thousands of
//! units.
//!
//! Its interface copies data in; results are copied out here, because every engine must fill the
//! target cells.

use reed_solomon_simd::{ReedSolomonDecoder, ReedSolomonEncoder};

use super::refuse_choice;
use crate::arena::Stripe;
use crate::engine::{Absence, Coder, Engine, EngineName, Family, StripeCoder};
use crate::job::{Job, Operation};

struct SimdCrate;

struct Encoder {
    encoder: ReedSolomonEncoder,
}

struct Decoder {
    decoder: ReedSolomonDecoder,
    job: Job,
}

pub fn open(name: &EngineName<'_>) -> Result<Box<dyn Engine>, Absence> {
    refuse_choice(name)?;
    Ok(Box::new(SimdCrate))
}

impl Engine for SimdCrate {
    fn identity(&self) -> String {
        "reed-solomon-simd 3.1.0, its own dispatch".to_owned()
    }

    fn family(&self) -> Family {
        Family::Own
    }

    fn prepare(&self, job: &Job, cell_bytes: usize) -> Option<Box<dyn Coder>> {
        let (data, parity) = (job.shape.data, job.shape.parity);
        if job.operation == Operation::Encode {
            let encoder = ReedSolomonEncoder::new(data, parity, cell_bytes).ok()?;
            return Some(Box::new(Encoder { encoder }));
        }
        let decoder = ReedSolomonDecoder::new(data, parity, cell_bytes).ok()?;
        Some(Box::new(Decoder {
            decoder,
            job: job.clone(),
        }))
    }
}

impl StripeCoder for Encoder {
    fn code(&mut self, stripe: &mut Stripe) {
        stripe.with_slices(|sources, targets| {
            for source in sources {
                self.encoder
                    .add_original_shard(source)
                    .expect("k cells of the prepared size");
            }
            let result = self.encoder.encode().expect("all data was added");
            for (target, parity) in targets.iter_mut().zip(result.recovery_iter()) {
                target.copy_from_slice(parity);
            }
        });
    }
}

impl StripeCoder for Decoder {
    fn code(&mut self, stripe: &mut Stripe) {
        let data = self.job.shape.data;
        stripe.with_slices(|sources, targets| {
            for (&unit, source) in self.job.sources.iter().zip(sources) {
                let added = match unit.checked_sub(data) {
                    None => self.decoder.add_original_shard(unit, source),
                    Some(parity) => self.decoder.add_recovery_shard(parity, source),
                };
                added.expect("distinct units of the prepared size");
            }
            let result = self.decoder.decode().expect("k units were added");
            for (&unit, target) in self.job.targets.iter().zip(targets) {
                let cell = result
                    .restored_original(unit)
                    .expect("every lost data unit is restored");
                target.copy_from_slice(cell);
            }
        });
    }
}
