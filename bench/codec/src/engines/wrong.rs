// SPDX-License-Identifier: Apache-2.0
//! An engine with one wrong bit, so that every run proves that its check detects one.

use super::refuse_choice;
use crate::arena::Rotation;
use crate::engine::{self, Absence, Coder, Engine, EngineName, Family};
use crate::job::Job;

struct Wrong;

struct Flipping {
    right: Box<dyn Coder>,
}

pub fn open(name: &EngineName<'_>) -> Result<Box<dyn Engine>, Absence> {
    refuse_choice(name)?;
    Ok(Box::new(Wrong))
}

impl Engine for Wrong {
    fn identity(&self) -> String {
        "stripeline with the last bit of the last target flipped".to_owned()
    }

    fn family(&self) -> Family {
        Family::Cauchy
    }

    fn prepare(&self, job: &Job, cell_bytes: usize) -> Option<Box<dyn Coder>> {
        let right = engine::open("stripeline").ok()?.prepare(job, cell_bytes)?;
        Some(Box::new(Flipping { right }))
    }
}

impl Coder for Flipping {
    fn run(&mut self, rotation: &mut Rotation, calls: u64) {
        self.right.run(rotation, calls);
        if let Some(byte) = rotation.last_target().last_mut() {
            *byte ^= 1;
        }
    }
}
