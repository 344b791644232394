// SPDX-License-Identifier: Apache-2.0
//! Known-answer tests that a rail must pass before it receives work.
//!
//! The answers are fingerprints of the oracle's bytes (`table.rs`, which `stripeline-reference`
//! writes), so no kernel of this process verifies itself. Shapes and modes outside a rail's
//! capability are not tested. The tests code less than a megabyte of data.

#[rustfmt::skip]
mod table;

use std::time::Duration;

use stripeline_codec::hash::{fnv_1a, split_mix};
use stripeline_codec::{Code, Codec, Verdict};

use crate::{Lane, Piece, Rail, owned};

/// How long a rail may take for one piece of some kilobytes.
const LIMIT: Duration = Duration::from_secs(5);

/// Bytes of a unit: the largest granule of any rail, and a tail that is odd.
const UNIT_BYTES: usize = WHOLE_BYTES + 77;

/// Bytes of a unit without its tail.
const WHOLE_BYTES: usize = 4_096;

/// The oracle's parity of the data of one shape.
struct Answer {
    code: Code,
    data_units: usize,
    /// The fingerprint of each parity unit's first [`WHOLE_BYTES`], and of all its bytes.
    parity: &'static [[u64; 2]],
    /// The same after data unit k/2 has changed.
    updated: &'static [[u64; 2]],
}

/// Encodes, decodes, updates and verifies stripes of every code on a rail, and compares the results
/// with the oracle's answers.
///
/// # Errors
/// The first wrong result, as a sentence that names the rail.
pub fn check(rail: &dyn Rail) -> Result<(), String> {
    check_within(rail, LIMIT)
}

/// As [`check`], with a limit other than the default for one piece of some kilobytes.
///
/// # Errors
/// As [`check`].
pub fn check_within(rail: &dyn Rail, limit: Duration) -> Result<(), String> {
    let checked = check_all(rail, limit);
    checked.map_err(|reason| format!("Cannot trust rail {}: {reason}", rail.name()))
}

fn check_all(rail: &dyn Rail, limit: Duration) -> Result<(), String> {
    let capability = rail.capability();
    if !WHOLE_BYTES.is_multiple_of(capability.granule_bytes) {
        let granule = capability.granule_bytes;
        return Err(format!(
            "its granule of {granule} bytes does not divide {WHOLE_BYTES}"
        ));
    }
    let fits = |answer: &&Answer| {
        answer.data_units.max(2) <= capability.inputs_max
            && answer.parity.len() <= capability.outputs_max
    };
    let answers: Vec<&Answer> = table::ANSWERS.iter().filter(fits).collect();
    if answers.is_empty() {
        return Err("it accepts no shape with a known answer".to_owned());
    }
    let lane = rail.open_lane().map_err(|fault| fault.to_string())?;
    let mut proof = Proof {
        rail,
        lane,
        ticket: 0,
        limit,
    };
    for answer in answers {
        let shape = format!(
            "{} {}+{}",
            answer.code,
            answer.data_units,
            answer.parity.len()
        );
        proof
            .check(answer)
            .map_err(|reason| format!("{shape}: {reason}"))?;
    }
    Ok(())
}

/// The rail under test.
struct Proof<'a> {
    rail: &'a dyn Rail,
    lane: Box<dyn Lane>,
    ticket: u64,
    limit: Duration,
}

/// The stripe of an answer, parity as the rail computed it and the oracle confirmed it.
struct Stripe<'a> {
    answer: &'a Answer,
    codec: Codec,
    units: Vec<Vec<u8>>,
}

impl Proof<'_> {
    fn check(&mut self, answer: &Answer) -> Result<(), String> {
        let codec = Codec::new(answer.code, answer.data_units, answer.parity.len());
        let mut stripe = Stripe {
            answer,
            codec: codec.map_err(|error| error.to_string())?,
            units: (0..answer.data_units)
                .map(|unit| self.data(answer, unit, 0))
                .collect(),
        };
        self.encode(&mut stripe)?;
        for lost in losses(answer.data_units, answer.parity.len()) {
            self.decode(&stripe, &lost)?;
        }
        if self.rail.capability().adds {
            self.update(&stripe)?;
        }
        if self.rail.capability().compares {
            self.compare(&mut stripe)?;
        }
        Ok(())
    }

    fn encode(&mut self, stripe: &mut Stripe<'_>) -> Result<(), String> {
        let parity_units = stripe.answer.parity.len();
        let units = owned::Units {
            inputs: stripe.units.clone(),
            outputs: self.empty(parity_units),
        };
        let started =
            owned::encode(&stripe.codec, units).map_err(|refused| refused.error.to_string())?;
        let (units, _) = self
            .run(started)
            .map_err(|reason| format!("encode: {reason}"))?;
        self.compare_with("encode", &units.outputs, stripe.answer.parity)?;
        stripe.units.extend(units.outputs);
        Ok(())
    }

    fn decode(&mut self, stripe: &Stripe<'_>, lost: &[usize]) -> Result<(), String> {
        let data_units = stripe.answer.data_units;
        if !self.rail.capability().recovers_parity && lost.iter().any(|unit| *unit >= data_units) {
            return Ok(());
        }
        let all = 0..stripe.units.len();
        let present: Vec<usize> = all.filter(|unit| !lost.contains(unit)).collect();
        let units = owned::Units {
            inputs: present
                .iter()
                .map(|unit| stripe.units[*unit].clone())
                .collect(),
            outputs: self.empty(lost.len()),
        };
        let started = owned::decode(&stripe.codec, &present, lost, units);
        let started = started.map_err(|refused| refused.error.to_string())?;
        let found = self
            .run(started)
            .map_err(|reason| format!("decode of {lost:?}: {reason}"));
        let pairs = found?.0.outputs;
        match pairs
            .iter()
            .zip(lost)
            .find(|(bytes, unit)| **bytes != stripe.units[**unit])
        {
            None => Ok(()),
            Some((_, unit)) => Err(format!("decode of {lost:?}: unit {unit} has wrong bytes")),
        }
    }

    fn update(&mut self, stripe: &Stripe<'_>) -> Result<(), String> {
        let changed = stripe.answer.data_units / 2;
        let units = owned::Units {
            inputs: vec![
                stripe.units[changed].clone(),
                self.data(stripe.answer, changed, 1),
            ],
            outputs: stripe.units[stripe.answer.data_units..].to_vec(),
        };
        let started = owned::update(&stripe.codec, changed, units);
        let started = started.map_err(|refused| refused.error.to_string())?;
        let (units, _) = self
            .run(started)
            .map_err(|reason| format!("update: {reason}"))?;
        self.compare_with("update", &units.outputs, stripe.answer.updated)
    }

    fn compare(&mut self, stripe: &mut Stripe<'_>) -> Result<(), String> {
        let last = stripe.answer.parity.len() - 1;
        let offset = stripe.units[0].len() - 1;
        let flipped = Verdict::Mismatch {
            parity_unit: last,
            offset,
        };
        for expected in [Verdict::Sound, flipped] {
            let (inputs, outputs) = stripe.units.split_at(stripe.answer.data_units);
            let units = owned::Units {
                inputs: inputs.to_vec(),
                outputs: outputs.to_vec(),
            };
            let started =
                owned::verify(&stripe.codec, units).map_err(|refused| refused.error.to_string())?;
            let (_, found) = self
                .run(started)
                .map_err(|reason| format!("verify: {reason}"))?;
            if found != expected {
                return Err(format!("verify: found {found:?} instead of {expected:?}"));
            }
            stripe.units[stripe.answer.data_units + last][offset] ^= 0x10;
        }
        Ok(())
    }

    fn compare_with(
        &self,
        what: &str,
        units: &[Vec<u8>],
        expected: &[[u64; 2]],
    ) -> Result<(), String> {
        let kind = usize::from(self.rail.capability().takes_tails);
        let mut pairs = units.iter().zip(expected);
        match pairs.position(|(unit, expected)| fnv_1a(unit) != expected[kind]) {
            None => Ok(()),
            Some(unit) => Err(format!("{what}: parity unit {unit} has wrong bytes")),
        }
    }

    /// Does a job in two pieces, so that ranges are tested too.
    fn run(
        &mut self,
        (piece, pending): (Piece, owned::Pending),
    ) -> Result<(owned::Units, Verdict), String> {
        // A rail of the largest granule that takes no tails gets all in one.
        let middle = self.rail.capability().granule_bytes.max(WHOLE_BYTES / 2);
        let pieces = match middle < piece.bytes() {
            true => {
                let (first, second) = piece.split(middle);
                vec![second, first]
            }
            false => vec![piece],
        };
        let mut found = Verdict::Sound;
        for piece in pieces {
            let verdict = self.run_piece(piece)?;
            // The first piece comes last: its offsets are lower.
            if verdict != Verdict::Sound {
                found = verdict;
            }
        }
        let units = pending
            .wait(LIMIT)
            .ok_or("it keeps a reference to a completed piece")?;
        Ok((units, found))
    }

    fn run_piece(&mut self, piece: Piece) -> Result<Verdict, String> {
        self.ticket += 1;
        let (piece, handle) = piece.for_rail(self.rail.capability());
        self.lane.submit(self.ticket, piece);
        let done = self.lane.reap(self.limit);
        let late = || format!("no answer within {} ms", self.limit.as_millis());
        let done = done.ok_or_else(late)?;
        drop(handle);
        if done.ticket != self.ticket || done.piece.is_none() {
            return Err(format!(
                "ticket {} was returned instead of {}",
                done.ticket, self.ticket
            ));
        }
        done.outcome.map_err(|fault| fault.to_string())
    }

    /// Returns the bytes of a unit for this rail.
    fn bytes(&self) -> usize {
        match self.rail.capability().takes_tails {
            true => UNIT_BYTES,
            false => WHOLE_BYTES,
        }
    }

    fn empty(&self, count: usize) -> Vec<Vec<u8>> {
        vec![vec![0; self.bytes()]; count]
    }

    fn data(&self, answer: &Answer, unit: usize, version: usize) -> Vec<u8> {
        let seed = answer.data_units << 32 | answer.parity.len() << 16 | unit << 1 | version;
        let words = (0..).scan(seed as u64, |state, _: u32| {
            Some(split_mix(state).to_le_bytes())
        });
        words.flatten().take(self.bytes()).collect()
    }
}

/// Patterns of loss: one unit, as many as can be, at the front, at the back, mixed, unsorted.
fn losses(data_units: usize, parity_units: usize) -> Vec<Vec<usize>> {
    let (units, most) = (data_units + parity_units, data_units.min(parity_units));
    let mut losses = vec![
        vec![0],
        vec![units - 1],
        (0..most).collect(),
        (data_units - most..data_units).rev().collect(),
        (data_units..units).collect(),
        (0..units).rev().step_by(2).take(parity_units).collect(),
    ];
    losses.sort();
    losses.dedup();
    losses
}
