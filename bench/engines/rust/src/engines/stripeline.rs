// SPDX-License-Identifier: Apache-2.0
//! Our own kernels, called with a prepared matrix as the other libraries are.

use stripeline_gf::{Coefficients, Isa, Kernels, StorePolicy};

use crate::arena::Stripe;
use crate::engine::{Absence, Coder, Engine, EngineName, Family};
use crate::job::Job;

struct Stripeline {
    kernels: &'static Kernels,
    store: StorePolicy,
}

struct Dot {
    kernels: &'static Kernels,
    store: StorePolicy,
    coefficients: Coefficients,
}

pub fn open(name: &EngineName<'_>) -> Result<Box<dyn Engine>, Absence> {
    let store = match name.variant {
        None => StorePolicy::Temporal,
        Some("nt") => StorePolicy::NonTemporal,
        Some(variant) => {
            return Err(Absence::Unknown(format!(
                "Cannot use variant '{variant}' of stripeline: known is nt"
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
    Ok(Box::new(Stripeline { kernels, store }))
}

impl Engine for Stripeline {
    fn identity(&self) -> String {
        format!(
            "stripeline-gf {} {}",
            env!("CARGO_PKG_VERSION"),
            self.kernels.isa()
        )
    }

    fn family(&self) -> Family {
        Family::Cauchy
    }

    fn prepare(&self, job: &Job, _: usize) -> Option<Box<dyn Coder>> {
        let coefficients = Coefficients::new(job.rows(), job.columns(), &job.coefficients)
            .expect("a job holds rows x columns coefficients");
        Some(Box::new(Dot {
            kernels: self.kernels,
            store: self.store,
            coefficients,
        }))
    }
}

impl Coder for Dot {
    fn run(&mut self, stripe: &mut Stripe) {
        stripe.with_slices(|sources, targets| {
            self.kernels
                .dot(&self.coefficients, sources, targets, self.store);
        });
    }
}
