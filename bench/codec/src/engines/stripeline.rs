// SPDX-License-Identifier: Apache-2.0
//! Stripeline's coder: the kernels with a prepared matrix, called as the other libraries are; with
//! variant `codec`, the interface that programs call, including argument checks and plan lookup.

use arrayvec::ArrayVec;
use stripeline_codec::{Code, Codec};
use stripeline_gf::{Coefficients, Isa, Kernels, StorePolicy};

use crate::arena::{Stripe, UNITS_MAX};
use crate::engine::{Absence, Coder, Engine, EngineName, Family, StripeCoder};
use crate::job::{Job, Operation};

struct Stripeline {
    kernels: &'static Kernels,
    store: StorePolicy,
    through_codec: bool,
}

struct Dot {
    kernels: &'static Kernels,
    store: StorePolicy,
    coefficients: Coefficients,
}

struct Encoder {
    codec: Codec,
    store: StorePolicy,
}

struct Decoder {
    codec: Codec,
    store: StorePolicy,
    sources: Vec<usize>,
    erased: Vec<usize>,
}

pub fn open(name: &EngineName<'_>) -> Result<Box<dyn Engine>, Absence> {
    let (through_codec, store) = match name.variant {
        None => (false, StorePolicy::Temporal),
        Some("nt") => (false, StorePolicy::NonTemporal),
        Some("codec") => (true, StorePolicy::Temporal),
        Some("codec-nt") => (true, StorePolicy::NonTemporal),
        Some(variant) => {
            return Err(Absence::Unknown(format!(
                "Cannot use variant '{variant}' of stripeline: known are nt codec codec-nt"
            )));
        }
    };
    let kernels = match name.isa {
        None => Kernels::active(),
        Some(text) => {
            let isa: Isa = text
                .parse()
                .map_err(|error| Absence::Unknown(format!("{error}")))?;
            Kernels::for_isa(isa).ok_or_else(|| {
                Absence::Unavailable(format!(
                    "Cannot run stripeline@{isa}: this machine or build lacks it"
                ))
            })?
        }
    };
    Ok(Box::new(Stripeline {
        kernels,
        store,
        through_codec,
    }))
}

impl Engine for Stripeline {
    fn identity(&self) -> String {
        let layer = if self.through_codec { "codec" } else { "gf" };
        format!(
            "stripeline-{layer} {} {}",
            env!("CARGO_PKG_VERSION"),
            self.kernels.isa()
        )
    }

    fn family(&self) -> Family {
        Family::Cauchy
    }

    fn prepare(&self, job: &Job, _: usize) -> Option<Box<dyn Coder>> {
        let store = self.store;
        if !self.through_codec {
            let coefficients = Coefficients::new(job.rows(), job.columns(), &job.coefficients)
                .expect("a job holds rows x columns coefficients");
            return Some(Box::new(Dot {
                kernels: self.kernels,
                store,
                coefficients,
            }));
        }
        let (data, parity) = (job.shape.data, job.shape.parity);
        let codec = Codec::with_kernels(Code::Rs, data, parity, self.kernels).ok()?;
        if job.operation == Operation::Encode {
            return Some(Box::new(Encoder { codec, store }));
        }
        let (sources, erased) = (job.sources.clone(), job.targets.clone());
        Some(Box::new(Decoder {
            codec,
            store,
            sources,
            erased,
        }))
    }
}

impl StripeCoder for Dot {
    fn code(&mut self, stripe: &mut Stripe) {
        stripe.with_slices(|sources, targets| {
            self.kernels
                .dot(&self.coefficients, sources, targets, self.store);
        });
    }
}

impl StripeCoder for Encoder {
    fn code(&mut self, stripe: &mut Stripe) {
        stripe.with_slices(|sources, targets| {
            self.codec
                .encode_stored(sources, targets, self.store)
                .expect("a sound stripe");
        });
    }
}

impl StripeCoder for Decoder {
    fn code(&mut self, stripe: &mut Stripe) {
        let units_count = self.codec.data_units() + self.codec.parity_units();
        stripe.with_slices(|sources, targets| {
            let mut units = ArrayVec::<Option<&[u8]>, UNITS_MAX>::new();
            units.extend((0..units_count).map(|_| None));
            for (&unit, source) in self.sources.iter().zip(sources) {
                units[unit] = Some(source);
            }
            self.codec
                .decode_stored(&units, &self.erased, targets, self.store)
                .expect("k units of the stripe");
        });
    }
}
