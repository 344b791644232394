// SPDX-License-Identifier: Apache-2.0
//! `memcpy`: copies every source to a target, an upper bound for reading and writing.

use super::refuse_choice;
use crate::arena::Stripe;
use crate::engine::{Absence, Coder, Engine, EngineName, Family, StripeCoder};
use crate::job::Job;

struct Copy;

pub fn open(name: &EngineName<'_>) -> Result<Box<dyn Engine>, Absence> {
    refuse_choice(name)?;
    Ok(Box::new(Copy))
}

impl Engine for Copy {
    fn identity(&self) -> String {
        "memcpy of the C library, sources onto targets in turn".to_owned()
    }

    fn family(&self) -> Family {
        Family::Bound
    }

    fn prepare(&self, _: &Job, _: usize) -> Option<Box<dyn Coder>> {
        Some(Box::new(Self))
    }
}

impl StripeCoder for Copy {
    fn code(&mut self, stripe: &mut Stripe) {
        stripe.with_slices(|sources, targets| {
            for (index, source) in sources.iter().enumerate() {
                targets[index % targets.len()].copy_from_slice(source);
            }
        });
    }
}
